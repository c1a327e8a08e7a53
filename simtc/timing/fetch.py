"""What an instruction may have to wait for before it can issue at all: its code, and its constants."""

from __future__ import annotations

from simtc.jit import Array, Int, Record, jit
from simtc.machine.types import LONGS, float64, int64
from simtc.results.stall import Stall
from simtc.timing.constants import CODE_LINE, Chip
from simtc.timing.servers import FLOATS, turn_at
from simtc.timing.state import OP_TIMING, SM_RECORD, WARP_RECORD

__all__ = ["fetching", "misses_constant", "waits_for_constant"]


@jit(int64(WARP_RECORD, LONGS, LONGS, int64, int64))
def fetching(warp: Record, code: Array, span: Array, place: Int, now: Int) -> Int:
    """Tell whether a warp's next instruction is still to be fetched; lines of straight code follow one another."""
    line = place // CODE_LINE
    there = code[line]
    if there < 0:
        before = code[line - 1] if line else int64(-1)
        there = now + span[6] if before < 0 else max(now, before + span[7])
        code[line] = there
    if there <= now:
        return 0
    warp.ready_at, warp.after = there, Stall.no_instruction
    return 1


@jit(int64(SM_RECORD, FLOATS, FLOATS, int64, int64))
def _come(sm: Record, chip: Array, asked: Array, miss: Int, now: Int) -> Int:
    """Ask the GPC for a line of constants; return when it is there. It serves one request after another."""
    return miss + int64(turn_at(asked, 2 * int64(sm.gpc), float64(now), chip[Chip.CONSTANT_TURN]))


@jit(int64(SM_RECORD, WARP_RECORD, OP_TIMING, FLOATS, FLOATS, int64, int64))
def misses_constant(sm: Record, warp: Record, op: Record, chip: Array, asked: Array, miss: Int, now: Int) -> Int:
    """Tell whether an instruction's constant is still to come; its first reader of each sub-core asks for it.

    Of boards where that was not measured, the first one of the SM asks for all.
    """
    core = int64(warp.sub - sm.number * chip[Chip.SUB_CORES]) if chip[Chip.CONSTANT_TURN] > 0 else int64(0)
    there = sm.constants[core, op.constant]
    if there == 0:
        there = _come(sm, chip, asked, miss, now)
        sm.constants[core, op.constant] = there
    if there <= now:
        return 0
    warp.ready_at, warp.after = there, Stall.imc_miss
    return 1


@jit(int64(SM_RECORD, OP_TIMING, FLOATS, FLOATS, int64, int64))
def waits_for_constant(sm: Record, op: Record, chip: Array, asked: Array, miss: Int, now: Int) -> Int:
    """Return how much longer LDC takes because its line is not in its cache, which all sub-cores share."""
    if op.constant < 0:
        return 0
    last = sm.constants.shape[0] - 1
    there = sm.constants[last, op.constant]
    if there == 0:
        there = _come(sm, chip, asked, miss, now)
        sm.constants[last, op.constant] = there
    return max(there - now, 0)
