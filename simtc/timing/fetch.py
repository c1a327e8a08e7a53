"""What an instruction may have to wait for before it can issue at all: its code, and its constants."""

from __future__ import annotations

from simtc.jit import Array, Int, Record, jit
from simtc.machine.types import LONGS, int64
from simtc.results.stall import Stall
from simtc.timing.constants import CODE_LINE
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


@jit(int64(SM_RECORD, WARP_RECORD, OP_TIMING, int64, int64))
def misses_constant(sm: Record, warp: Record, op: Record, miss: Int, now: Int) -> Int:
    """Tell whether an instruction's constant is still to come; its first reader asks for it."""
    there = sm.constants[0, op.constant]
    if there == 0:
        there = now + miss
        sm.constants[0, op.constant] = there
    if there <= now:
        return 0
    warp.ready_at, warp.after = there, Stall.imc_miss
    return 1


@jit(int64(SM_RECORD, OP_TIMING, int64, int64))
def waits_for_constant(sm: Record, op: Record, miss: Int, now: Int) -> Int:
    """Return how much longer LDC takes because its line is not in its cache, which is another one."""
    if op.constant < 0:
        return 0
    there = sm.constants[1, op.constant]
    if there == 0:
        there = now + miss
        sm.constants[1, op.constant] = there
    return max(there - now, 0)
