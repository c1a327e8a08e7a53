"""The machine on a page: the units of the clock, in the order in which they work in a cycle.

From this list follow the records of state and of parameters, and which unit reads which constant. Each unit is a file
of the same name in `units`; what a warp's cycles are charged to is in accounting.py.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

from simtc.jit import Arrays, Int, Record, jit
from simtc.machine.state import CODE, MEMORY, STATE, Code, Memory, State
from simtc.machine.types import int64, void
from simtc.timing import accounting, operation, safety
from simtc.timing.issue import START, STEP, issue, replace_blocks
from simtc.timing.unit import joined, link, paths
from simtc.timing.units import (
    barrier,
    blocks,
    crossbar,
    dispatch,
    dram,
    dvfs,
    events,
    fetch,
    l1,
    l2,
    l2_tags,
    ldgsts,
    lsu,
    merging,
    operands,
    pipes,
    scoreboards,
    shared_memory,
    tensor,
    write_combining,
)

__all__ = ["CELLS", "CLOCK", "PARAMETERS", "READ_BY", "SM", "UNITS", "cycle"]

UNITS = (
    dvfs.UNIT,  # the clock of the chip, for the next few cycles
    events.UNIT,  # what is due comes: scoreboards, LSU entries, data from L2
    shared_memory.UNIT,  # the data stage takes a wavefront, or a line for L1
    write_combining.UNIT,  # of a store: its sectors go up
    lsu.UNIT,  # the operands of memory instructions are read; one goes on
    l1.UNIT,  # past the tags, where it may miss
    ldgsts.UNIT,  # (a copy writes to shared memory)
    merging.UNIT,  # its requests join others for the same 64 bytes
    crossbar.UNIT,  # and pass the ports of SM, CPC and GPC
    l2.UNIT,  # to a slice
    l2_tags.UNIT,  # that may hold the line
    dram.UNIT,  # or asks DRAM for it
    dispatch.UNIT,  # each sub-core picks a warp
    fetch.UNIT,  # whose code and constants have come
    scoreboards.UNIT,  # whose scoreboards are down
    operands.UNIT,  # the registers are read
    tensor.UNIT,  # (beside matrix instructions)
    pipes.UNIT,  # a pipe is occupied
    barrier.UNIT,  # those that waited at a barrier go on
    blocks.UNIT,  # a block that has ended makes place for another
)
_RECORDS = joined((*UNITS, operation.UNIT, safety.UNIT, accounting.UNIT))
CELLS, PARAMETERS = _RECORDS.cells, _RECORDS.parameters
CLOCK: Any = _RECORDS.clock
READ_BY = paths(UNITS)  # the unit that reads a constant
SM: Any = _RECORDS.types["SM"]
Step: TypeAlias = Any
link(_RECORDS)


@jit(void(CLOCK, SM, int64))
def _settle(ck: Arrays, sm: Record, now: Int) -> None:
    """Let everything happen whose time has come, and wake those that waited for it."""
    while sm.event_count > 0 and sm.heap[0].time <= now:
        kind, number = sm.heap[0].kind, sm.heap[0].number
        events.pop(sm)
        if kind == events.FILL:
            l1.arrived(sm, number)
            sm.moves_at = min(sm.moves_at, max(now, int64(math.ceil(sm.stage_free))))
        elif kind == events.ENTRY:
            lsu.free(ck, number)
        else:
            scoreboards.lower(ck, number, kind)


@jit(int64(STEP, START, STATE, MEMORY, CODE, CLOCK, SM, int64))
def cycle(step: Step, start: Step, s: State, mem: Memory, code: Code, ck: Arrays, sm: Record, now: Int) -> Int:
    """Let every unit of an SM do its work of one cycle; a negative result is a fault."""
    _settle(ck, sm, now)
    if sm.moves_at <= now:
        lsu.advance(ck, sm, now)
    for i in range(sm.first_sub, sm.end_sub):
        if ck.wake[i] <= now:
            sub = ck.subs[i]
            w = dispatch.pick(ck, sub, s.warps, now)
            if w >= 0:
                outcome = issue(step, s, mem, code, ck, sub, w, now)
                if outcome < 0:
                    return outcome
    if sm.ending:
        replace_blocks(start, s, ck, sm, now)
    return 0
