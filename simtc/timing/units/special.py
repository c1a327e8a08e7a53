"""Special registers and constants at computed addresses: what an SM serves one after another, for all its sub-cores.

S2R and S2UR pass the data stage, and wait for no load in front of it; LDC has a way of its own. Few may wait for
either.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from simtc.jit import Arrays, Int, Record
from simtc.machine.types import float64, int64
from simtc.timing.constants import Special
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SM, SUB, Parameters, Unit, compiled, constant

__all__ = ["UNIT", "able_at", "serve_special"]

_AHEAD: Final = 16  # that wait of a sub-core's, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecialParameters(Parameters):
    """What a board says of them; 0 cycles where they do not wait for one another."""

    register_cycles: float = constant("clock.special.register_cycles")  # of the data stage, for each
    registers_ahead: float = constant("clock.special.registers_ahead", room=_AHEAD)  # that may wait, of a sub-core's
    constant_cycles: float = constant("clock.special.constant_cycles")  # of its own way, for each
    constants_ahead: float = constant("clock.special.constants_ahead", room=_AHEAD)  # likewise


UNIT = Unit(
    name="special",
    parameters=SpecialParameters,
    sm=(("constant_free", np.float64),),  # when LDC's way is free
    sub=(
        ("register_starts", np.int64, (_AHEAD,)),  # when the last ones of its own began
        ("registers_asked", np.int64),
        ("constant_starts", np.int64, (_AHEAD,)),
        ("constants_asked", np.int64),
    ),
)


@compiled(int64, CLOCK, SUB, OPERATION)
def able_at(ck: Arrays, sub: Record, op: Record) -> Int:
    """Return from when on one of them may issue: not before few enough of its sub-core's wait."""
    own = ck.chip.special
    if op.special == Special.CONSTANT:
        return int64(sub.constant_starts[(sub.constants_asked - int64(own.constants_ahead)) % _AHEAD])
    return int64(sub.register_starts[(sub.registers_asked - int64(own.registers_ahead)) % _AHEAD])


@compiled(int64, CLOCK, SM, SUB, OPERATION, int64)
def serve_special(ck: Arrays, sm: Record, sub: Record, op: Record, now: Int) -> Int:
    """Serve one that issues; return how many cycles it waits for those before it."""
    own, start = ck.chip.special, float64(now)
    if op.special == Special.CONSTANT and own.constant_cycles > 0:
        start = max(sm.constant_free, start)
        sm.constant_free = start + own.constant_cycles
        sub.constant_starts[sub.constants_asked % _AHEAD] = int64(math.ceil(start))
        sub.constants_asked += 1
    elif op.special == Special.REGISTER and own.register_cycles > 0:
        start = max(sm.stage_free, start)
        sm.stage_free = start + own.register_cycles
        sub.register_starts[sub.registers_asked % _AHEAD] = int64(math.ceil(start))
        sub.registers_asked += 1
    return int64(math.ceil(start)) - now
