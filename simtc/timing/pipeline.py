"""The machine on a page: the units of the clock, in the order in which they work in a cycle.

From this list follow the records of state and of parameters, and which unit reads which constant. Each unit is a file
of the same name in `units`; cycle.py goes through them, and accounting.py says what a warp's cycles are charged to.
"""

from __future__ import annotations

from typing import Any

from simtc.timing import accounting, operation, safety
from simtc.timing.unit import joined, link, paths
from simtc.timing.units import (
    answers,
    atomics,
    barrier,
    blocks,
    bypass,
    crossbar,
    dispatch,
    dram,
    dvfs,
    events,
    fence,
    fetch,
    joining,
    l1,
    l2,
    l2_tags,
    landing,
    ldgsts,
    lsu,
    merging,
    operands,
    pipes,
    places,
    scoreboards,
    shared_memory,
    slices,
    special,
    store_lines,
    tensor,
    waiting,
    ways,
    write_combining,
)

__all__ = ["CELLS", "CLOCK", "PARAMETERS", "READ_BY", "SM", "UNITS"]

UNITS = (
    dvfs.UNIT,  # the clock of the chip, for the next few cycles
    events.UNIT,  # what is due comes: scoreboards, LSU entries, data from L2
    shared_memory.UNIT,  # the data stage takes a wavefront, or a line for L1
    write_combining.UNIT,  # of a store: its sectors go up
    store_lines.UNIT,  # once its lines have places in L1
    lsu.UNIT,  # the operands of memory instructions are read; one goes on
    l1.UNIT,  # past the tags, where it may miss
    places.UNIT,  # what misses takes a place
    answers.UNIT,  # and what comes back of atomics
    bypass.UNIT,  # (where copies past it, and what comes beside them, leave one by one)
    landing.UNIT,
    ldgsts.UNIT,  # (a copy writes to shared memory)
    waiting.UNIT,  # what L2 is too far behind to take waits
    ways.UNIT,  # and with it what goes the same way
    merging.UNIT,  # its requests join others for the same 64 bytes
    crossbar.UNIT,  # and pass the ports of SM, CPC and GPC
    joining.UNIT,  # which lets those for the same sectors pass as one
    atomics.UNIT,  # to what executes atomics
    l2.UNIT,  # or to a slice
    slices.UNIT,  # its own
    l2_tags.UNIT,  # that may hold the line
    dram.UNIT,  # or asks DRAM for it
    dispatch.UNIT,  # each sub-core picks a warp
    fetch.UNIT,  # whose code and constants have come
    scoreboards.UNIT,  # whose scoreboards are down
    fence.UNIT,  # and which waits for no fence
    operands.UNIT,  # the registers are read
    tensor.UNIT,  # (beside matrix instructions)
    pipes.UNIT,  # a pipe is occupied
    special.UNIT,  # (or what serves special registers, and constants by address)
    barrier.UNIT,  # those that waited at a barrier go on
    blocks.UNIT,  # a block that has ended makes place for another
)
_RECORDS = joined((*UNITS, operation.UNIT, safety.UNIT, accounting.UNIT))
CELLS, PARAMETERS = _RECORDS.cells, _RECORDS.parameters
CLOCK: Any = _RECORDS.clock
READ_BY = paths(UNITS)  # the unit that reads a constant
SM: Any = _RECORDS.types["SM"]
link(_RECORDS)
