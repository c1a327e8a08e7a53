"""Barriers of a block: one unit of the SM notes the warps that come, one after another, and lets all go at once.

To a barrier whose number is in a register a warp comes when that has been read, or out of the memory I/O queue
(queued_barriers.py). Meanwhile, and until the barrier lets it go, it issues arithmetic and matrix instructions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numba import from_dtype

from simtc.jit import Array, Arrays, Int, Record
from simtc.machine.control import go_past
from simtc.machine.state import BLOCK, STATE, State, Waiting
from simtc.machine.state import WARP as MACHINE_WARP
from simtc.machine.types import float64, int64, void
from simtc.results.stall import Stall
from simtc.timing.accounting import charge
from simtc.timing.constants import ASLEEP
from simtc.timing.unit import CLOCK, SM, WARP, Parameters, Unit, compiled, constant

__all__ = ["PASSED", "UNIT", "Barrier", "arrive", "come", "passed", "release", "send", "wake_others"]

PASSED: Final = 64  # warps that come so in one cycle, at most
_WARPS: Any = from_dtype(MACHINE_WARP)[::1]
_BLOCK: Any = from_dtype(BLOCK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Barrier(Parameters):
    """What a board says of barriers."""

    barrier_release_cycles: float = constant("issue.barrier_release_cycles")
    barrier_queued_release_cycles: float = constant("issue.barrier_queued_release_cycles")
    barrier_warp_cycles: float = constant("issue.barrier_warp_cycles")  # of the unit, for a warp that comes
    done_cycles: float = constant("clock.barrier.done_cycles")  # of the unit, for a barrier to which all have come
    stage_cycles: float = constant("clock.barrier.stage_cycles")  # that the data stage loses when warps are let go
    barrier_defers: float = constant("issue.barrier_defers")


UNIT = Unit(
    name="barrier",
    parameters=Barrier,
    sm=(
        ("barrier_free", np.float64),  # when it notes the next warp
        ("barriers_passed", np.int64),  # warps that come in this cycle to barriers whose number is in a register
        ("passed", np.int32, (PASSED,)),
    ),
    warp=(
        ("at_barrier", np.int32),
        ("barrier_open", np.int64),  # when its barrier lets it go, where it issues arithmetic meanwhile
        ("barrier_sent", np.int32),  # its barriers to which it has not come yet
        ("barrier_due", np.int64),  # which barrier all have issued, while some may still be in that queue; 0 for none
    ),
    stalls=(Stall.barrier,),
)


@compiled(void, CLOCK, SM, int64)
def _come(ck: Arrays, sm: Record, now: Int) -> None:
    """Let the unit note a warp that has come to a barrier: one after another."""
    sm.barrier_free = max(sm.barrier_free, float64(now)) + ck.chip.barrier.barrier_warp_cycles


@compiled(void, STATE, CLOCK, SM, int64, int64, int64)
def arrive(s: State, ck: Arrays, sm: Record, w: Int, queued: Int, now: Int) -> None:
    """Note a warp that comes to a barrier, now or out of a queue: all its lanes at once issue arithmetic meanwhile."""
    if not queued:
        _come(ck, sm, now)
    warp, machine = ck.warps[w], s.warps[w]
    goes_on = ck.chip.barrier.barrier_defers > 0 and machine.active == machine.alive
    if goes_on and machine.waiting == Waiting.BARRIER:
        go_past(s, w)
    warp.at_barrier, warp.barrier_open = 1, ASLEEP if goes_on else 0


@compiled(void, SM, int64)
def come(sm: Record, w: Int) -> None:
    """Note that a warp comes to a barrier in this cycle, whose number has been read from a register."""
    sm.passed[sm.barriers_passed] = w
    sm.barriers_passed += 1


@compiled(void, WARP)
def send(warp: Record) -> None:
    """Note that a warp's barrier goes into the memory I/O queue."""
    warp.barrier_sent += 1


@compiled(int64, CLOCK, _BLOCK, int64)
def _all_have_come(ck: Arrays, block: Record, due: Int) -> Int:
    """Tell whether no part of a barrier that all have issued is still in the memory I/O queue."""
    for w in range(block.first_warp, block.first_warp + block.warps):
        if ck.warps[w].barrier_due == due and ck.warps[w].barrier_sent:
            return 0
    return 1


@compiled(void, CLOCK, SM, _BLOCK, int64, int64, int64)
def _open(ck: Arrays, sm: Record, block: Record, due: Int, queued: Int, now: Int) -> None:
    """Let the warps of a barrier go, all at once."""
    own = ck.chip.barrier
    cycles = (own.barrier_queued_release_cycles if queued else own.barrier_release_cycles) - own.barrier_warp_cycles
    sm.barrier_free = max(sm.barrier_free, float64(now))
    at = int64(sm.barrier_free + cycles)
    sm.stage_free += own.stage_cycles
    for w in range(block.first_warp, block.first_warp + block.warps):
        warp = ck.warps[w]
        if warp.barrier_due == due:
            warp.barrier_due = 0
            if warp.barrier_open:
                warp.barrier_open = at
            else:
                warp.ready_at = at
    sm.barrier_free += own.done_cycles


@compiled(void, CLOCK, SM, _WARPS, _BLOCK, int64)
def release(ck: Arrays, sm: Record, machines: Array, block: Record, now: Int) -> None:
    """Let those go whose barrier has just been completed, if none of theirs is still in the memory I/O queue."""
    due, one = int64(block.epoch), False
    for w in range(block.first_warp, block.first_warp + block.warps):
        warp = ck.warps[w]
        if warp.at_barrier and machines[w].waiting != Waiting.BARRIER:
            warp.at_barrier, warp.barrier_due, one = 0, due, True
            if not warp.barrier_open:
                warp.ready_at, warp.after = ASLEEP, Stall.barrier
    if one and _all_have_come(ck, block, due):
        _open(ck, sm, block, due, 0, now)


@compiled(void, CLOCK, _WARPS, _BLOCK, int64, int64)
def wake_others(ck: Arrays, machines: Array, block: Record, w: Int, now: Int) -> None:
    """Wake the warps of a barrier that warp w has completed; all of them where w is -1."""
    for other in range(block.first_warp, block.first_warp + block.warps):
        freed = ck.warps[other]
        if other != w and freed.resident:
            ck.until[other], ck.wake[freed.sub] = 0, 0
            if machines[other].pc != freed.instruction:
                charge(ck, freed, other, int64(machines[other].pc), int64(freed.cause), max(now, freed.since))


@compiled(int64, STATE, CLOCK, SM, int64, int64)
def _passes(s: State, ck: Arrays, sm: Record, w: Int, now: Int) -> Int:
    """Let a warp come whose barrier has left the memory I/O queue; return 1 where it was the last one."""
    warp, block = ck.warps[w], s.blocks[s.warps[w].block]
    warp.barrier_sent -= 1
    _come(ck, sm, now)
    if not warp.barrier_due or not _all_have_come(ck, block, warp.barrier_due):
        return 0
    _open(ck, sm, block, warp.barrier_due, 1, now)
    return 1


@compiled(void, STATE, CLOCK, SM, int64)
def passed(s: State, ck: Arrays, sm: Record, now: Int) -> None:
    """Let the warps come whose barriers have left the memory I/O queue."""
    for i in range(sm.barriers_passed):
        w = int64(sm.passed[i])
        if _passes(s, ck, sm, w, now):
            wake_others(ck, s.warps, s.blocks[s.warps[w].block], int64(-1), now)
    sm.barriers_passed = 0
