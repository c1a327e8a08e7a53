"""What waits in an SM for L2: atomics that L2 is too far behind to take, and behind them what else has to ask it."""

from __future__ import annotations

from typing import Final

import numpy as np

from simtc.jit import Record
from simtc.machine.types import void
from simtc.timing.unit import SM, Unit, compiled
from simtc.timing.units.memory_queue import QUEUED, QUEUED_FIELDS

__all__ = ["UNIT", "WAITING", "drop", "first", "put"]

WAITING: Final = 128  # instructions that the clock has room for

UNIT = Unit(
    name="waiting",
    sm=(
        ("waiting", np.int64),
        ("waiting_head", np.int64),
        ("waiting_queue", QUEUED_FIELDS, (WAITING,)),
    ),
)


@compiled(void, SM, QUEUED)
def put(sm: Record, one: Record) -> None:
    """Let an instruction wait behind the others."""
    to = sm.waiting_queue[(sm.waiting_head + sm.waiting) % WAITING]
    to.warp, to.instruction, to.sub, to.tags = one.warp, one.instruction, one.sub, one.tags
    to.wavefronts, to.lines, to.passes, to.sectors = one.wavefronts, one.lines, one.passes, one.sectors
    to.meeting, to.loose, to.split = one.meeting, one.loose, one.split
    for k in range(one.sectors):
        to.list[k] = one.list[k]
    for k in range(to.to.size):
        to.to[k] = one.to[k]
    sm.waiting += 1


@compiled(QUEUED, SM)
def first(sm: Record) -> Record:
    """Return the instruction that has waited longest."""
    return sm.waiting_queue[sm.waiting_head]


@compiled(void, SM)
def drop(sm: Record) -> None:
    """Let the instruction go that has waited longest."""
    sm.waiting_head = (sm.waiting_head + 1) % WAITING
    sm.waiting -= 1
