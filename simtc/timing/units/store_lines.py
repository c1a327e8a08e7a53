"""Lines of L1 that stores take: a store looks for a place for each line that L1 does not have, in the bank it is of.

Four banks serve lines at the same time, those of one instruction before the next one's. In an L1 that is full a line
takes another one's place: this takes longer where that one is of a load or of the launch before, and where it was just
stored, so that L1 still has to keep it. Stores of whole lines and of parts of sectors have time for that while they
leave, lone sectors of many lines do not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from simtc.jit import Arrays, Float, Record
from simtc.machine.types import float64, int64
from simtc.timing.constants import WAYS
from simtc.timing.unit import CLOCK, SM, Parameters, Unit, compiled, constant
from simtc.timing.units.addresses import hashed
from simtc.timing.units.memory_queue import QUEUED
from simtc.timing.units.places import SETS, set_of

__all__ = ["UNIT", "StoreLines", "placed"]

_NOTED: Final = 2048  # lines that an SM has stored to, by a hash of their number
_BLOCK: Final = 16  # lines whose times are kept together
_BLOCKS: Final = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreLines(Parameters):
    """What a board says of them."""

    bank_cycles: float = constant("clock.store_lines.bank_cycles")  # of each line of a bank; 0 where no one knows
    ahead_lines: float = constant("clock.store_lines.ahead_lines")  # that a bank has beside the one that it serves
    other_cycles: float = constant("clock.store_lines.other_cycles")  # more, where the place was of something else
    kept_cycles: float = constant("clock.store_lines.kept_cycles")  # more, where it is of what was just stored
    kept_for_cycles: float = constant("clock.store_lines.kept_for_cycles")  # after which L1 need not keep that


UNIT = Unit(
    name="store_lines",
    parameters=StoreLines,
    sm=(
        ("placed", np.float64),  # when the last store's lines had their places
        ("lines_placed", np.int64),  # lines that stores brought
        ("lines_loaded", np.float64),  # and loads; copies' lines make place at once
        ("placed_as", np.int64, (_NOTED,)),  # as which of them a line was, and its number
        ("placed_line", np.int64, (_NOTED,)),
        ("kept_until", np.float64, (_BLOCKS,)),  # of blocks of them, a ring
        ("bank_free", np.float64, (SETS,)),
    ),
)


@compiled(float64, CLOCK, SM, float64)
def _more(ck: Arrays, sm: Record, t: Float) -> Float:
    """Note one more line, and return how much longer its place takes at a time.

    Of a full L1 half is counted as if it was empty, and the other half as if it took twice as long: as the launch
    before took as many lines as this one will have.
    """
    own, room = ck.chip.store_lines, ck.chip.l1.l1_sets * WAYS
    sm.lines_placed += 1
    brought, block = sm.lines_placed + sm.lines_loaded, sm.lines_placed // _BLOCK % _BLOCKS
    if sm.lines_placed % _BLOCK == 0:
        sm.kept_until[block] = 0.0
    sm.kept_until[block] = max(sm.kept_until[block], t + own.kept_for_cycles)
    if sm.lines_placed <= room:
        return own.other_cycles * (0.0 if 2 * brought <= room else 2.0 if brought <= room else 1.0)
    before = (sm.lines_placed - int64(room)) // _BLOCK % _BLOCKS
    return own.kept_cycles if sm.kept_until[before] > t else 0.0


@compiled(float64, CLOCK, SM, QUEUED, float64)
def placed(ck: Arrays, sm: Record, store: Record, t: Float) -> Float:
    """Return when the next store's lines may follow those of a store, which passes the data stage at t.

    A line for each bank is nothing that a store waits for.
    """
    own, room = ck.chip.store_lines, int64(ck.chip.l1.l1_sets * WAYS)
    last, lines = int64(-1), int64(0)
    if own.bank_cycles == 0:
        return t
    at = max(sm.placed, t - store.lines)
    for k in range(store.sectors):
        line = store.list[k] >> 2
        if line == last:
            continue
        last, slot, bank, lines = line, hashed(line, 10) % _NOTED, set_of(ck, line), lines + 1
        at += 1.0
        if sm.placed_line[slot] != line or sm.lines_placed - sm.placed_as[slot] >= room:
            more = _more(ck, sm, t)
            at += more if lines > SETS else 0.0
            sm.placed_line[slot], sm.placed_as[slot] = line, sm.lines_placed
        if store.lines > SETS:
            at = max(at, sm.bank_free[bank] - own.bank_cycles * own.ahead_lines)
            sm.bank_free[bank] = max(sm.bank_free[bank], at) + own.bank_cycles
    sm.placed = max(at, t)
    return sm.placed
