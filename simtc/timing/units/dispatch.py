"""The warp scheduler of a sub-core: which warps could issue, which one does, and why the others do not.

A warp goes on for as long as it can, or until its control code asks for another, or until the memory I/O queue is full.
Then the one that issued longest ago goes on, of several the last of its block. On Hopper that is the rule among the
warps of a block: those of an older block go first, and a warp goes on before them only from one cycle to the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import from_dtype

from simtc.jit import Array, Arrays, Int, Record
from simtc.machine.state import WARP as MACHINE_WARP
from simtc.machine.state import Waiting
from simtc.machine.types import float64, int64, void
from simtc.results.stall import Stall
from simtc.timing.accounting import charge
from simtc.timing.constants import ASLEEP, Access, Kind
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, INT, SUB, WARP, Cells, Parameters, Unit, compiled, constant
from simtc.timing.units import fence, lsu, pipes, special
from simtc.timing.units.fetch import fetching, misses_constant
from simtc.timing.units.scoreboards import awaited

__all__ = ["MACHINE", "UNIT", "Dispatch", "follow", "go_on", "pick"]

_NOBODY = -1
MACHINE: Any = from_dtype(MACHINE_WARP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch(Parameters):
    """What a board says of issuing."""

    sub_cores: float = constant("limits.sub_cores")
    stall1_yield_cycles: float = constant("issue.stall1_yield_cycles")
    branch_taken_cycles: float = constant("issue.branch_taken_cycles")
    older_first: float = constant("clock.dispatch.older_first")  # 1 where warps of older blocks go first
    register_branch_interval_cycles: float = constant(  # from one branch to an address in a register to the next
        "clock.dispatch.register_branch_interval_cycles"
    )


UNIT = Unit(
    name="dispatch",
    parameters=Dispatch,
    sm=(
        ("number", np.int64),
        ("next", np.int64),  # the next cycle in which it has something to do
        ("last_cycle", np.int64),  # the last one in which it had, for its blocks
        ("last_of_all", np.int64),  # and for atomics that wait on their way to L2, too: it is not active for them
        ("first_sub", np.int64),  # its sub-cores
        ("end_sub", np.int64),
        ("branch_free", np.float64),  # when it takes the next branch to an address in registers
    ),
    sub=(
        ("index", np.int64),
        ("sm", np.int64),
        ("first_warp", np.int64),  # its warps: every so many until the end of its SM's
        ("end_warp", np.int64),
        ("last", np.int64),  # the warp that issued last
        ("turn", np.int64),  # the same, until that warp waits for the memory I/O queue
        ("yielded", np.int64),  # 1 where its control code asked for another warp next
        ("issued", np.int64),
    ),
    warp=(
        ("ready_at", np.int64),
        ("after", np.int32),  # the cause while it waits for ready_at
        ("issued_at", np.int64),
        ("sub", np.int64),  # its sub-core
    ),
    chip={
        # the cycle in which a sub-core has to look at its warps again, and before which nothing can change about a warp
        "wake": Cells(of=INT, shape=lambda sizes: (sizes.sms * sizes.sub_cores,)),
        "until": Cells(of=INT, shape=lambda sizes: (sizes.sms * sizes.slots * sizes.warps,), fill=ASLEEP),
    },
    stalls=(Stall.wait, Stall.not_selected, Stall.branch_resolving),
)


@compiled(int64, CLOCK, SUB, WARP, OPERATION, int64, int64)
def _held_up(ck: Arrays, sub: Record, warp: Record, op: Record, w: Int, now: Int) -> Int:
    """Return why a warp whose scoreboards are down cannot issue now, Stall.selected where it can."""
    if op.is_fence and fence.holds(ck, warp, w, now):
        return Stall.membar
    ck.until[w] = 0
    free = pipes.free_at(sub, op)
    if free > now:
        ck.until[w] = free
        return Stall.math_pipe_throttle
    if op.special and special.able_at(ck, sub, op) > now:
        ck.until[w] = special.able_at(ck, sub, op)
        return Stall.mio_throttle
    if op.access == Access.SPECIAL and lsu.special_at(sub, op) > now:
        ck.until[w] = lsu.special_at(sub, op)
        return Stall.mio_throttle
    if (op.kind == Kind.MEMORY or op.access == Access.BARRIER) and lsu.is_full(ck, sub):
        return Stall.lg_throttle if op.is_long else Stall.mio_throttle
    if op.constant >= 0 and not op.loads_constant and misses_constant(ck, ck.sms[sub.sm], warp, op, now):
        ck.until[w] = warp.ready_at
        return Stall.imc_miss
    return Stall.selected


@compiled(int64, CLOCK, SUB, WARP, MACHINE, int64, int64)
def _cause_of(ck: Arrays, sub: Record, warp: Record, machine: Record, w: Int, now: Int) -> Int:
    """Return why a warp cannot issue now, Stall.selected where it can, and note until when that will stay so."""
    ck.until[w] = ASLEEP
    if machine.waiting == Waiting.BARRIER and not warp.barrier_open:
        return Stall.barrier
    if now < warp.ready_at:
        ck.until[w] = warp.ready_at
        return warp.after
    if fetching(ck, warp, sub.sm, int64(machine.pc), now):
        ck.until[w] = warp.ready_at
        return Stall.no_instruction
    op = ck.ops[machine.pc]
    if now < warp.barrier_open and not op.passes_barrier:
        ck.until[w] = warp.barrier_open
        return Stall.barrier
    waits = awaited(warp, op)
    return waits if waits != Stall.selected else _held_up(ck, sub, warp, op, w, now)


@compiled(int64, CLOCK, SUB, MACHINE[::1], int64, int64)
def _choose(ck: Arrays, sub: Record, machines: Array, able: Int, now: Int) -> Int:
    """Choose one of several warps that could issue, and charge the others with it."""
    older_first, chosen, oldest, since = ck.chip.dispatch.older_first, int64(_NOBODY), int64(ASLEEP), int64(ASLEEP)
    bits, w, step = able, sub.first_warp, int64(ck.chip.dispatch.sub_cores)
    while bits:
        if bits & 1:
            warp = ck.warps[w]
            goes_on = w == sub.turn and not sub.yielded
            if goes_on and (warp.issued_at == now - 1 or not older_first):
                chosen = w
                break
            start, issued = warp.start if older_first else int64(0), int64(_NOBODY) if goes_on else warp.issued_at
            if start < oldest or (start == oldest and issued <= since):
                chosen, oldest, since = w, start, issued
        bits >>= 1
        w += step
    w = sub.first_warp
    while able:
        if able & 1 and w != chosen:
            warp, pc = ck.warps[w], int64(machines[w].pc)
            if warp.cause != Stall.not_selected or warp.instruction != pc:
                charge(ck, warp, w, pc, int64(Stall.not_selected), now)
        able >>= 1
        w += step
    return chosen


@compiled(int64, CLOCK, SUB, MACHINE[::1], int64)
def pick(ck: Arrays, sub: Record, machines: Array, now: Int) -> Int:
    """Note the causes of a sub-core's warps and choose the one that issues, or -1.

    Only warps about which something may have changed are looked at; `ck.wake` says when the next one is due.
    """
    if sub.dispatch_free > now:
        ck.wake[sub.index] = sub.dispatch_free
        return _NOBODY
    until, chosen, able, bit = ck.until, int64(_NOBODY), int64(0), int64(1)
    wake, held = int64(ASLEEP), False
    w, end, step = sub.first_warp, sub.end_warp, int64(ck.chip.dispatch.sub_cores)
    while w < end:
        if until[w] <= now:
            warp, machine = ck.warps[w], machines[w]
            cause = _cause_of(ck, sub, warp, machine, w, now)
            if cause == Stall.selected:
                able |= bit
                chosen = w
            else:
                if w == sub.turn and cause in (Stall.mio_throttle, Stall.lg_throttle):
                    sub.turn = _NOBODY
                if cause != warp.cause or machine.pc != warp.instruction:
                    charge(ck, warp, w, int64(machine.pc), cause, now)
                if until[w] <= now:  # what a queue or a store holds up may next be held up by a pipe
                    held = True
        if until[w] > now:
            wake = min(wake, until[w])
        bit <<= 1
        w += step
    several = able & (able - 1)
    if several:
        chosen = _choose(ck, sub, machines, able, now)
    ck.wake[sub.index] = now + 1 if several or (able and held) else wake
    return chosen


@compiled(void, CLOCK, SUB, WARP, OPERATION, int64, int64, int64)
def follow(ck: Arrays, sub: Record, warp: Record, op: Record, w: Int, taken: Int, now: Int) -> None:
    """Set when a warp that has just issued may go on."""
    sub.last, sub.turn, sub.yielded, warp.issued_at = w, w, op.yields, now
    sub.issued += 1
    stall = max(int64(op.stall), 1)
    if op.yields and stall == 1:
        stall = int64(ck.chip.dispatch.stall1_yield_cycles)
    warp.ready_at, warp.after = now + stall + sub.late, Stall.dispatch_stall if sub.late >= stall else Stall.wait
    if op.is_fence:
        fence.ask(ck, warp, now)
    if taken:
        known = int64(now)
        if op.latency > 0:
            sm = ck.sms[sub.sm]
            start = max(sm.branch_free, float64(now))
            sm.branch_free = start + ck.chip.dispatch.register_branch_interval_cycles
            known = int64(start) + op.latency
        resolved = known + int64(ck.chip.dispatch.branch_taken_cycles)
        warp.ready_at, warp.after = max(warp.ready_at, resolved), Stall.branch_resolving


@compiled(void, CLOCK, WARP, MACHINE, int64, int64)
def go_on(ck: Arrays, warp: Record, machine: Record, w: Int, now: Int) -> None:
    """Set what a warp that has just issued waits for."""
    if warp.resident:
        at_barrier = machine.waiting == Waiting.BARRIER and not warp.barrier_open
        ck.until[w] = ASLEEP if at_barrier else warp.ready_at
        cause = int64(Stall.barrier) if at_barrier else int64(warp.after)
        charge(ck, warp, w, int64(machine.pc), cause, now + 1)
    else:
        ck.until[w] = ASLEEP
    ck.wake[warp.sub] = min(ck.wake[warp.sub], ck.until[w])
