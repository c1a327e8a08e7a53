"""What the blocks of a launch do, found by taking them along the kernel's skeleton: their loops, what they touch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from simtc.bundle import bundle
from simtc.machine.faults import fault_error
from simtc.machine.functional import WORK_WORDS
from simtc.machine.state import CODE, MEMORY, STATE, new_state
from simtc.machine.step import step
from simtc.timing.request import ENDLESS, Request
from simtc.timing.sampling.forward import PLAN, TRACE, Trace, trace_blocks
from simtc.timing.sampling.skeleton import Part, Skeleton

__all__ = ["CannotSampleError", "Survey", "Traces", "distinct"]

_ROOM = 1 << 23  # sectors of one trace
_SPREAD = 16  # blocks that are executed whole where they may differ
_DRAWN = 64  # blocks that are looked at to see whether all do the same
_LEAVES = 4  # a block leaves at once that touches less than another one over this: blocks at an edge do less, too
_DENSE = 64  # numbers of which fewer than one in so many is there are sorted


class CannotSampleError(Exception):
    """A part of a launch says nothing of the whole; the message says why."""


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
    uneven: float = 0.0  # by how much blocks differ in what they execute: the standard deviation, relative

    def instructions(self, laps: int) -> int:
        """Return the instructions of a warp that goes round the loop so many times at most."""
        return self.others + min(laps, self.laps) * self.body


class _Traced(NamedTuple):
    log: np.ndarray  # twice the number of each sector, plus 1 for a store
    ends: np.ndarray  # (blocks,) where in the log each block's part ends
    laps: np.ndarray  # (warps, instructions + 1) of the last block's warps, by backward branch
    executed: np.ndarray  # (blocks,) instructions


class Traces:
    """The blocks of a launch, followed along the kernel's skeleton.

    Where a block's own values decide where its warps go, blocks are executed instead, each of them alone.
    """

    def __init__(self, request: Request, bones: Skeleton) -> None:
        """Follow one block to its end, or some where they may differ.

        Raises:
            CannotSampleError: blocks do not go their way alone.
            KernelFaultError: the kernel faulted.

        """
        self._request, self._bones, self._memory = request, bones, request.memory
        self._state = new_state(request.literals, request.traced(), slots=1, work_words=WORK_WORDS)
        self._parts: Any = (
            bundle(STATE, self._state), bundle(MEMORY, request.memory), bundle(CODE, request.lowered.code)
        )  # fmt: skip
        if bones.from_others:
            raise CannotSampleError("what other blocks do decides where a block goes")
        self._before = None if bones.is_closed else request.memory.bytes.copy()
        self.survey = self._survey(0) if bones.is_closed else self._survey_of_values()
        self.working = self._working() if bones.is_closed else None  # blocks that do the work; None: all of them

    @property
    def sectors(self) -> int:
        """Sectors of all buffers."""
        return int(((self._memory.ends + 31 >> 5) - (self._memory.starts >> 5)).sum())

    def of(self, numbers: np.ndarray, laps: int) -> tuple[np.ndarray, np.ndarray]:
        """Return what blocks touch in so many laps of the main loop, or in all of them for 0.

        Returns:
            Twice the number of each sector, plus 1 for a store; and where in that each block's part ends.

        """
        trace = self._trace(numbers, self._bones.parts, laps)
        return trace.log, trace.ends

    def _trace(self, numbers: np.ndarray, parts: np.ndarray, laps: int = 0) -> _Traced:
        """Follow blocks, in so many laps of the main loop; in all of them for 0, or without such a loop."""
        branch = self.survey.main_loop if laps else -1
        plan = np.zeros(1, PLAN)
        plan["branch"], plan["laps"] = branch, laps if branch >= 0 else 0
        plan["limit"], plan["values"] = self._request.instruction_limit, not self._bones.is_closed
        log, count, ends = np.empty(_ROOM, np.int64), np.zeros(1, np.int64), np.zeros(len(numbers), np.int64)
        seen, executed = np.zeros((len(self._state.warps), len(parts)), np.int64), np.zeros(len(numbers), np.int64)
        state, mem, code = self._parts
        trace = Trace(plan, parts, log, count, seen, numbers, ends, executed)
        outcome = int(trace_blocks(step, state, mem, code, bundle(TRACE, trace)))
        if self._before is not None:
            self._memory.bytes[:] = self._before
        if outcome < 0:
            raise self._fault(outcome)
        return _Traced(log[: count[0]].copy(), ends, seen, executed)

    def _fault(self, outcome: int) -> Exception:
        """Return a fault as an error: of the kernel, but where other blocks may be what it lacked."""
        if outcome in ENDLESS or self._bones.from_memory:
            return CannotSampleError("a block does not end well alone")
        request = self._request
        return fault_error(outcome, request.lowered.kernel, self._state, request.arena, request.grid)

    def _working(self) -> np.ndarray | None:
        """Return the blocks that do not leave at once, where some do; describe one of these then."""
        drawn = np.random.default_rng(0).integers(0, self._request.blocks, _DRAWN)
        some = distinct(np.append(drawn, 0))
        touched = self._touched(some)
        most = int(touched.max())
        if most <= _LEAVES * int(touched.min()):
            return None
        self.survey = self._survey(int(some[touched.argmax()]))
        together = max(_ROOM // (_LEAVES * most), 1)
        numbers = np.arange(self._request.blocks)
        parts = np.split(numbers, np.arange(together, len(numbers), together))
        working: np.ndarray = numbers[_LEAVES * np.concatenate([self._touched(part) for part in parts]) >= most]
        return working

    def _touched(self, numbers: np.ndarray) -> np.ndarray:
        """Return how many sectors each of some blocks touches in its first lap."""
        return np.diff(self.of(numbers, 1)[1], prepend=0)

    def _survey(self, number: int) -> Survey:
        """Follow one block along the skeleton."""
        trace = self._trace(np.array([number]), self._bones.parts)
        self._require_settled(trace)
        return self._described(trace, trace.laps[-1])

    def _survey_of_values(self) -> Survey:
        """Execute some blocks: how much each of them does may differ."""
        first = np.zeros(1, np.int64)
        trace = self._trace(first, self._bones.parts)
        self._require_settled(trace)
        some = np.linspace(0, self._request.blocks - 1, min(_SPREAD, self._request.blocks)).astype(np.int64)
        executed = self._trace(some, np.zeros_like(self._bones.parts)).executed
        found = self._described(trace, trace.laps.max(axis=0))
        others = round(float(executed.mean()) / len(self._state.warps)) - found.laps * found.body
        uneven = float(executed.std() / executed.mean())
        return replace(found, others=max(others, len(self._request.lowered.kernel.instructions)), uneven=uneven)

    def _require_settled(self, trace: _Traced) -> None:
        """Refuse a launch that decides by what it stores itself: a block alone would read what was there before."""
        parts = np.where(self._bones.parts & Part.DECIDES, self._bones.parts, self._bones.parts & Part.RUN)
        if not (parts & Part.DECIDES).any():
            return
        read = self._trace(np.zeros(1, np.int64), parts.astype(np.uint8)).log
        if np.intersect1d(self.buffers(read >> 1), self.buffers(trace.log[trace.log & 1 > 0] >> 1)).size:
            raise CannotSampleError("the launch stores to memory that decides where its blocks go")

    def _described(self, trace: _Traced, laps: np.ndarray) -> Survey:
        loops, many = self._bones.loops, len(self._memory.starts)
        own = {branch: int(body.sum()) for branch, body in loops.items()}
        for branch, body in loops.items():  # less the loops inside
            own[branch] -= sum(int(loops[other].sum()) for other in loops if other != branch and body[other])
        weight = {branch: int(laps[branch]) * int(body.sum()) for branch, body in loops.items()}
        busiest = max(weight, key=lambda branch: weight[branch], default=-1)
        sectors = distinct(trace.log)
        return Survey(
            main_loop=busiest,
            laps=int(laps[busiest]) if busiest >= 0 else 0,
            body=max(own[busiest], 0) if busiest >= 0 else 0,
            steps=int((loops[busiest] & self._bones.parts & Part.RUN).sum()) if busiest >= 0 else 0,
            others=len(self._request.lowered.kernel.instructions)
            + sum(int(laps[branch]) * max(size, 0) for branch, size in own.items() if branch != busiest),
            loaded=np.bincount(self.buffers(sectors[sectors & 1 == 0] >> 1), minlength=many),
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
