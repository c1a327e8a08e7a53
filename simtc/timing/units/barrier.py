"""Barriers of a block: one unit of the SM lets the warps go, one after another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import from_dtype

from simtc.jit import Array, Arrays, Float, Int, Record
from simtc.machine.control import go_past
from simtc.machine.state import BLOCK, STATE, State, Waiting
from simtc.machine.state import WARP as MACHINE_WARP
from simtc.machine.types import float64, int64, void
from simtc.results.stall import Stall
from simtc.timing.accounting import charge
from simtc.timing.constants import ASLEEP
from simtc.timing.unit import CLOCK, SM, WARP, Parameters, Unit, compiled, constant

__all__ = ["UNIT", "Barrier", "arrive", "pass_barrier", "release", "wake_others"]

_WARPS: Any = from_dtype(MACHINE_WARP)[::1]
_BLOCK: Any = from_dtype(BLOCK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Barrier(Parameters):
    """What a board says of barriers."""

    barrier_release_cycles: float = constant("issue.barrier_release_cycles")
    barrier_queued_release_cycles: float = constant("issue.barrier_queued_release_cycles")
    barrier_warp_cycles: float = constant("issue.barrier_warp_cycles")
    barrier_arrival_cycles: float = constant("issue.barrier_arrival_cycles")
    barrier_defers: float = constant("issue.barrier_defers")


UNIT = Unit(
    name="barrier",
    parameters=Barrier,
    sm=(("barrier_free", np.int64),),  # when it lets the next warp go
    warp=(
        ("at_barrier", np.int32),
        ("barrier_open", np.int64),  # when its barrier lets it go, where it issues arithmetic meanwhile
        ("barrier_sent", np.int32),  # 1 while its barrier is in the memory I/O queue, or has passed it
        ("barrier_passed", np.int64),  # when it has
        ("unread", np.int32),  # stores to shared memory whose operands are still to be read: BAR waits for them
    ),
    stalls=(Stall.barrier,),
)


@compiled(void, CLOCK, WARP, int64, float64)
def pass_barrier(ck: Arrays, warp: Record, w: Int, done: Float) -> None:
    """Let a warp arrive whose barrier has passed the data stage."""
    warp.barrier_passed = int64(math.ceil(done))
    ck.until[w] = warp.barrier_passed
    ck.wake[warp.sub] = min(ck.wake[warp.sub], warp.barrier_passed)


@compiled(void, STATE, CLOCK, SM, int64, int64)
def arrive(s: State, ck: Arrays, sm: Record, w: Int, now: Int) -> None:
    """Note a warp that comes to a barrier: if all its lanes come together it issues arithmetic meanwhile."""
    warp, machine = ck.warps[w], s.warps[w]
    goes_on = ck.chip.barrier.barrier_defers > 0 and machine.active == machine.alive
    if goes_on and machine.waiting == Waiting.BARRIER:
        go_past(s, w)
    warp.at_barrier, warp.barrier_open = 1, ASLEEP if goes_on else 0
    sm.barrier_free = max(sm.barrier_free, now) + int64(ck.chip.barrier.barrier_arrival_cycles)


@compiled(void, CLOCK, SM, _WARPS, _BLOCK, int64, int64)
def release(ck: Arrays, sm: Record, machines: Array, block: Record, queued: Int, now: Int) -> None:
    """Start the warps that a barrier has just let go, beginning where its last one was noted."""
    own = ck.chip.barrier
    cycles = int64(own.barrier_queued_release_cycles if queued else own.barrier_release_cycles)
    sm.barrier_free = max(sm.barrier_free - int64(ck.chip.barrier.barrier_arrival_cycles), now)
    for w in range(block.first_warp, block.first_warp + block.warps):
        warp = ck.warps[w]
        if warp.at_barrier and machines[w].waiting != Waiting.BARRIER:
            warp.at_barrier = 0
            if warp.barrier_open:
                warp.barrier_open = sm.barrier_free + cycles
            else:
                warp.ready_at = sm.barrier_free + cycles
                warp.after = Stall.barrier
            sm.barrier_free += int64(ck.chip.barrier.barrier_warp_cycles)


@compiled(void, CLOCK, _WARPS, _BLOCK, int64, int64)
def wake_others(ck: Arrays, machines: Array, block: Record, w: Int, now: Int) -> None:
    """Wake the warps of a barrier that warp w has completed."""
    for other in range(block.first_warp, block.first_warp + block.warps):
        freed = ck.warps[other]
        if other != w and freed.resident:
            ck.until[other], ck.wake[freed.sub] = 0, 0
            if machines[other].pc != freed.instruction:
                charge(ck, freed, other, int64(machines[other].pc), int64(freed.cause), max(now, freed.since))
