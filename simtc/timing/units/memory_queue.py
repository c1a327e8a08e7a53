"""A queue of memory instructions: what each one is, and what its addresses cost."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import from_dtype

from simtc.jit import Float, Int, Record, jit
from simtc.machine.types import float64, int64
from simtc.timing.constants import WAVEFRONT, WORDS, Access
from simtc.timing.operation import OPERATION

__all__ = ["QUEUE", "QUEUED", "QUEUED_FIELDS", "TO", "fill_cycles", "fill_turns", "flits_of", "lines_of"]

QUEUE: Final = 32  # entries that the clock has room for
_SECTORS: Final = 64  # that one instruction can touch
TO: Final = _SECTORS // 2  # that one copy can
QUEUED_FIELDS: Final = np.dtype(
    [
        ("pushed", np.int64),  # in which cycle
        ("warp", np.int32),
        ("instruction", np.int32),
        ("sub", np.int32),
        ("wavefronts", np.int32),
        ("lines", np.int32),
        ("passes", np.int32),  # over the banks of L1; 0 of what does not read it
        ("off", np.int32),  # 1 where its guard holds for no lane
        ("sectors", np.int32),
        ("lanes", np.int32),  # that executed it
        ("meeting", np.int32),  # of an atomic: the most lanes at one word
        ("ways", np.int64),  # of what waits for L2: bits of the ways that it takes; 0 of what has asked
        ("slices", np.int64),  # and bits of the slices that it goes to
        ("placeless", np.int32),  # 1 where it waits for places of L1
        ("sent", np.int32),  # of an atomic: sectors that L2 has taken
        ("answered", np.float64),  # and when it answers those
        ("pieces", np.int64),  # of a copy past L1: bits of those that begin a piece
        ("along", np.int64),  # bits of those that go along with what is on its way
        ("parts", np.int64),  # and how many pieces there are
        ("copies", np.int64),  # of its warp that L2 answers, before it
        ("ready", np.int64),  # when the data stage may take it
        ("far", np.float64),  # of a copy through L1: cycles that it takes beyond others', by where it goes
        ("again", np.float64),  # and that it takes the tags when it has come, beyond others
        ("tags", np.float64),  # cycles that the tags of L1 take for it
        ("looked", np.float64),  # of a copy through L1: when they begin with it; of its group: when it may be there
        ("sets", np.int64),  # and how many of its lines each set has, a byte for each
        ("list", np.int64, (_SECTORS,)),  # their numbers
        ("to", np.int64, (TO,)),  # of a copy: the 16 bytes of shared memory that each goes to first
    ],
    align=True,
)
QUEUED: Any = from_dtype(QUEUED_FIELDS)


@jit(int64(QUEUED))
def lines_of(one: Record) -> Int:
    """Count the lines of an instruction's sectors, neighbours of which are of one line."""
    lines, line = int64(0), int64(-1)
    for k in range(one.sectors):
        lines += one.list[k] >> 2 != line
        line = one.list[k] >> 2
    return lines


@jit(float64(QUEUED, int64, float64))
def fill_cycles(one: Record, lines: Int, more: Float) -> Float:
    """Return the cycles of the data stage for so many of an instruction's lines, which L2 brings.

    Lines whose words lie in other banks pass it together, and each takes some `more`.
    """
    together = max(one.lines - one.passes, 0)
    return lines * (1.0 - (1.0 - more) * together / max(one.lines, 1))


@jit(float64(OPERATION, QUEUED, float64, float64, float64))
def fill_turns(op: Record, one: Record, size: Float, passes: Float, more: Float) -> Float:
    """Return in how many turns the data stage passes what L2 brings: so many bytes or passes a turn, 0 for all of it.

    A line that passes together with others takes `more` of a turn.
    """
    if size == 0 or op.bypasses:
        return 1.0
    written = one.wavefronts * WAVEFRONT if op.access == Access.COPY else 0.0
    whole = max(max(float64(op.returned), written) / size, one.passes / passes)
    return max(whole, 1.0) + more * max(one.lines - one.passes, 0)


@jit(int64(OPERATION, QUEUED))
def flits_of(op: Record, one: Record) -> Int:
    """Return the flits of the way up: heads, and the words of atomics, eight a flit, but for lone ones."""
    if op.access == Access.GROUP:
        return 0
    heads = one.meeting * one.lines
    alone = op.access != Access.ATOMIC or (not op.returned and heads >= one.lanes)
    return heads if alone else heads + max(heads, (one.lanes + WORDS - 1) // WORDS)
