"""The safety check: no instruction reads a fixed-latency result before it is ready.

The hardware checks nothing of it: the compiler counts the cycles. What it must keep is in hazards.py.
"""

from __future__ import annotations

import numpy as np

from simtc.jit import Arrays, Int, Record
from simtc.machine.types import int64, void
from simtc.timing.constants import CLASS, ROWS, Counter
from simtc.timing.hazards import GUARD
from simtc.timing.unit import CLOCK, INT, WARP, Cells, Unit, compiled

__all__ = ["UNIT", "check", "forget_writes"]

_WRITE = np.dtype(
    [
        ("at", np.int64),  # the cycle in which its last writer issued
        ("by", np.int32),  # the class of the result; 0 where it is not checked
        ("lanes", np.uint32),  # the lanes that wrote it
    ]
)
UNIT = Unit(
    name="safety",
    warp=(
        ("written", _WRITE, (ROWS,)),  # of each register
        ("settled", np.int64),  # the cycle from which on anything may read any of them
    ),
    chip={
        # registers read and written: rows of the hazard table, and CLASS times what reads or writes
        "rows": Cells(of=np.dtype(np.uint16), shape=lambda _: (0,)),
        "safe": Cells(of=INT, shape=lambda _: (0, 0)),  # (producers, readers) cycles to be kept
        "longest": Cells(of=INT, shape=lambda _: (0,)),  # (producers,) the most of any reader
    },
    counters=(Counter.HAZARDS, Counter.HAZARD_INSTRUCTION, Counter.HAZARD_ROW, Counter.HAZARD_MISSING),
)


@compiled(void, CLOCK, WARP, int64, int64, int64, int64)
def _check_reads(ck: Arrays, warp: Record, active: Int, lanes: Int, instruction: Int, now: Int) -> None:
    """Check that every source with a fixed latency is ready."""
    op, rows, counters = ck.ops[instruction], ck.rows, ck.counters
    for i in range(op.first_read, op.first_read + op.reads):
        row, reader = rows[i] % CLASS, rows[i] // CLASS
        written = warp.written[row]
        if written.by == 0 or not written.lanes & (active if reader == GUARD else lanes):
            continue
        missing = ck.safe[written.by, reader] - (now - written.at)
        if missing > 0:
            counters[Counter.HAZARDS] += 1
            if missing > counters[Counter.HAZARD_MISSING]:
                counters[Counter.HAZARD_INSTRUCTION], counters[Counter.HAZARD_ROW] = instruction, row
                counters[Counter.HAZARD_MISSING] = missing


@compiled(void, CLOCK, WARP, int64, int64, int64, int64)
def check(ck: Arrays, warp: Record, active: Int, lanes: Int, instruction: Int, now: Int) -> None:
    """Check that every source with a fixed latency is ready, then note what this instruction writes.

    `active` are the lanes that came here, all of which read the guard; `lanes` are those that execute. What other
    lanes wrote does not matter to them. Mostly all that a warp has written has long been ready: then no source is
    looked at.
    """
    if now < warp.settled:
        _check_reads(ck, warp, active, lanes, instruction, now)
    if not lanes:
        return
    op, rows = ck.ops[instruction], ck.rows
    for i in range(op.first_write, op.first_write + op.writes):
        written, by = warp.written[rows[i] % CLASS], rows[i] // CLASS
        written.at, written.by, written.lanes = now, by, lanes
        warp.settled = max(warp.settled, now + ck.longest[by])


@compiled(void, WARP)
def forget_writes(warp: Record) -> None:
    """Forget what the warp before wrote."""
    for row in range(ROWS):
        warp.written[row].by = 0
