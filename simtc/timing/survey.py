"""What the blocks of a launch do, found by taking them along the kernel's skeleton: their loops, what they touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from simtc.bundle import bundle
from simtc.errors import SimtcError
from simtc.machine.functional import WORK_WORDS
from simtc.machine.lowering import Lowered
from simtc.machine.state import CODE, MEMORY, STATE, new_state
from simtc.machine.step import step
from simtc.timing.forward import Plan, trace_blocks
from simtc.timing.request import Request
from simtc.timing.skeleton import Part, Skeleton

__all__ = ["Survey", "Traces", "distinct"]

_ROOM = 1 << 23  # sectors of one trace
_LIMIT = 100_000_000
_DENSE = 64  # numbers of which fewer than one in so many is there are sorted


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What one block does."""

    main_loop: int  # the backward branch of its busiest loop, -1 for none
    laps: int  # of each warp
    body: int  # instructions of a lap
    steps: int  # those that it depends on where the next one leads
    others: int  # instructions of a warp that are not in that loop
    loaded: np.ndarray  # (buffers,) sectors of memory
    stored: int  # sectors

    def instructions(self, laps: int) -> int:
        """Return the instructions of a warp that goes round the loop so many times at most."""
        return self.others + min(laps, self.laps) * self.body


class Traces:
    """The blocks of a launch, followed along the kernel's skeleton."""

    def __init__(self, request: Request, bones: Skeleton) -> None:
        lowered, memory = request.lowered, request.memory
        state = new_state(request.literals, request.traced(), slots=1, work_words=WORK_WORDS)
        self._parts: Any = (bundle(STATE, state), bundle(MEMORY, memory), bundle(CODE, lowered.code))
        self._bones, self._memory = bones, memory
        self._limit = min(request.instruction_limit, _LIMIT)
        self.survey = self._survey(lowered)

    @property
    def sectors(self) -> int:
        """Sectors of all buffers."""
        return int(((self._memory.ends + 31 >> 5) - (self._memory.starts >> 5)).sum())

    def of(self, numbers: np.ndarray, laps: int) -> tuple[np.ndarray, np.ndarray]:
        """Return what blocks touch in so many laps of the main loop, or in all of them for 0.

        Returns:
            Twice the number of each sector, plus 1 for a store; and where in that each block's part ends.

        """
        log, ends, _ = self._trace(numbers, self.survey.main_loop if laps else -1, laps)
        return log, ends

    def _trace(self, numbers: np.ndarray, branch: int, laps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        plan = np.zeros(Plan.COUNT, np.int64)
        plan[:] = branch, laps, 0, self._limit
        log, count, ends = np.empty(_ROOM, np.int64), np.zeros(1, np.int64), np.zeros(len(numbers), np.int64)
        seen = np.zeros(len(self._bones.parts), np.int64)
        state, mem, code = self._parts
        outcome = trace_blocks(step, state, mem, code, self._bones.parts, plan, log, count, seen, numbers, ends)
        if outcome < 0:
            raise SimtcError(f"the skeleton of the kernel faulted ({outcome})")
        return log[: count[0]].copy(), ends, seen

    def _survey(self, lowered: Lowered) -> Survey:
        """Follow one block to its end."""
        log, _, laps = self._trace(np.zeros(1, np.int64), -1, 0)
        loops = self._bones.loops
        own = {branch: int(body.sum()) for branch, body in loops.items()}
        for branch, body in loops.items():  # less the loops inside
            own[branch] -= sum(int(loops[other].sum()) for other in loops if other != branch and body[other])
        weight = {branch: int(laps[branch]) * int(body.sum()) for branch, body in loops.items()}
        busiest = max(weight, key=lambda branch: weight[branch], default=-1)
        sectors = distinct(log)
        return Survey(
            main_loop=busiest,
            laps=int(laps[busiest]) if busiest >= 0 else 0,
            body=max(own.get(busiest, 0), 0),
            steps=int((loops[busiest] & self._bones.parts & Part.RUN).sum()) if busiest >= 0 else 0,
            others=len(lowered.kernel.instructions)
            + sum(int(laps[branch]) * max(many, 0) for branch, many in own.items() if branch != busiest),
            loaded=np.bincount(self.buffers(sectors[sectors & 1 == 0] >> 1), minlength=len(self._memory.starts)),
            stored=int((sectors & 1).sum()),
        )

    def buffers(self, sectors: np.ndarray) -> np.ndarray:
        """Return the buffer that each sector lies in."""
        return np.searchsorted(self._memory.starts, 32 * sectors, side="right") - 1


def distinct(numbers: np.ndarray) -> np.ndarray:
    """Return numbers from 0 on in ascending order, each once (numpy's own way hashes them, which takes longer).

    Example:
        >>> distinct(np.array([3, 1, 3])).tolist()
        [1, 3]

    """
    if not len(numbers):
        return numbers
    if (top := int(numbers.max())) < _DENSE * len(numbers):
        there = np.zeros(top + 1, bool)
        there[numbers] = True
        return np.flatnonzero(there)
    ordered = np.sort(numbers)
    first = np.ones(len(ordered), bool)
    first[1:] = ordered[1:] != ordered[:-1]
    found: np.ndarray = ordered[first]
    return found
