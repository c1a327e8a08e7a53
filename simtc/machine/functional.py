"""Run a whole grid for its values alone, on the cores at hand."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any

import numpy as np

from simtc.bundle import bundle
from simtc.machine.arena import Arena
from simtc.machine.faults import fault_error
from simtc.machine.findings import findings_error
from simtc.machine.lowering import Lowered
from simtc.machine.run import BLOCKS, run_blocks
from simtc.machine.shadow import new_shadow
from simtc.machine.state import CODE, MEMORY, STATE, Event, Memory, State, new_state
from simtc.machine.step import step
from simtc.numerics.compiled import work_words

__all__ = ["execute"]

_SERIAL_RESIDENT = 64  # blocks that take turns when a kernel's blocks may wait for one another
_PIECES = 128  # parts that a grid is handed out in, of so many blocks at most:
_LARGEST = 64
WORK_WORDS = work_words(16, 16, 256)


class _Pieces:
    """A grid, handed out piece after piece; nothing is handed out, or goes on, behind a block that has faulted."""

    def __init__(self, blocks: int, size: int, progress: Callable[[int, int], None] | None) -> None:
        self.halt = np.array([blocks], np.int64)  # blocks from this number on are of no use; compiled code looks at it
        self.fault: tuple[int, State] | None = None
        self._blocks, self._size, self._progress = blocks, size, progress
        self._next = self._done = 0
        self._lock = Lock()

    def take(self) -> tuple[int, int] | None:
        """Return the next blocks to run, first and behind the last, or None."""
        with self._lock:
            first = self._next
            self._next = min(first + self._size, self._blocks)
            return (first, self._next) if first < min(self._blocks, self.halt[0]) else None

    def ended(self, blocks: int) -> None:
        """Note that blocks have ended."""
        with self._lock:
            self._done += blocks
            if self._progress:
                self._progress(self._done, self._blocks)

    def faulted(self, outcome: int, block: int, state: State) -> None:
        """Note that a block has faulted: blocks before it go on, for the fault of the first one is what counts."""
        with self._lock:
            if block < self.halt[0]:
                self.halt[0] = block
                self.fault = outcome, state

    def stop(self) -> None:
        """Stop every block."""
        with self._lock:
            self.halt[0] = 0


def execute(
    lowered: Lowered,
    *,
    grid: tuple[int, int, int],
    geometry: np.ndarray,
    literals: np.ndarray,
    memory: Memory,
    arena: Arena,
    instruction_limit: int,
    launch_limit: int,
    check: bool = False,
    nothing: np.ndarray | None = None,
    progress: Callable[[int, int], None] | None = None,
    threads: int | None = None,
) -> int:
    """Execute every block and return the number of warp-instructions.

    Blocks run in parallel, unless they may look at what others write while they run (atomics and volatile loads of
    global memory): then they take turns in a fixed order, so that every run gives the same result. With `check`, what
    simtc.machine.checks finds is a fault too; `nothing` says which bytes of global memory hold nothing yet (see
    new_shadow).

    Raises:
        KernelFaultError: the kernel did what a GPU would fault on; of several blocks that do, the first one's.

    """
    blocks = grid[0] * grid[1] * grid[2]
    serial = lowered.blocks_talk
    workers = 1 if serial or nothing is not None else min(threads or os.cpu_count() or 1, blocks)
    slots = min(_SERIAL_RESIDENT, blocks) if serial else 1
    shadows = [
        new_shadow(lowered.kernel, lowered.code, geometry, slots, nothing) if check else None for _ in range(workers)
    ]
    states = [new_state(literals, geometry, slots=slots, work_words=WORK_WORDS, shadow=shadow) for shadow in shadows]
    advance = _checked() if check else step
    # the same pieces for any number of threads, so that each finds the same fault
    pieces = _Pieces(blocks, blocks if serial else min(max(blocks // _PIECES, 1), _LARGEST), progress)
    shared_memory, code = bundle(MEMORY, memory), bundle(CODE, lowered.code)

    def worker(state: State) -> int:
        mine, task = bundle(STATE, state), np.zeros(1, BLOCKS)[0]
        task["limit"], task["launch_limit"] = instruction_limit, launch_limit
        while piece := pieces.take():
            task["first"], task["last"] = piece
            outcome = run_blocks(advance, mine, shared_memory, code, pieces.halt, task)
            if outcome < 0:
                pieces.faulted(outcome, int(state.event[Event.BLOCK]), state)
            if outcome:
                break
            pieces.ended(piece[1] - piece[0])
        return int(task["executed"])

    with ThreadPoolExecutor(workers) as pool:
        try:
            instructions = sum([future.result() for future in [pool.submit(worker, state) for state in states]])
        except BaseException:  # Ctrl-C comes to this thread alone: the others would go on to their ends
            pieces.stop()
            raise
    error = fault_error(pieces.fault[0], lowered.kernel, pieces.fault[1], arena, grid) if pieces.fault else None
    if check:
        error = findings_error([state._asdict() for state in states], lowered.kernel, arena, grid, error)
    if error:
        raise error
    return instructions


def _checked() -> Any:
    from simtc.machine.checks import checked_step  # noqa: PLC0415 - compiled only where it is used

    return checked_step
