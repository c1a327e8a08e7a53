"""Run a whole grid for its values alone, on the cores at hand."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from simtc.bundle import bundle
from simtc.machine.arena import Arena
from simtc.machine.faults import fault_error
from simtc.machine.findings import findings_error
from simtc.machine.lowering import Lowered
from simtc.machine.run import run_blocks
from simtc.machine.shadow import new_shadow
from simtc.machine.state import CODE, MEMORY, STATE, Memory, State, new_state
from simtc.machine.step import step
from simtc.numerics.compiled import work_words

__all__ = ["execute"]

_SERIAL_RESIDENT = 64  # blocks that take turns when a kernel's blocks may wait for one another
WORK_WORDS = work_words(16, 16, 256)


def execute(
    lowered: Lowered,
    *,
    grid: tuple[int, int, int],
    geometry: np.ndarray,
    literals: np.ndarray,
    memory: Memory,
    arena: Arena,
    instruction_limit: int,
    check: bool = False,
    nothing: np.ndarray | None = None,
    progress: Callable[[int, int], None] | None = None,
    threads: int | None = None,
) -> int:
    """Execute every block and return the number of warp-instructions.

    Blocks run in parallel, unless the kernel has global atomics: then they take turns in a fixed order, so that every
    run gives the same result. With `check`, what simtc.machine.checks finds is a fault too; `nothing` says which bytes
    of global memory hold nothing yet (see new_shadow).

    Raises:
        KernelFaultError: the kernel did what a GPU would fault on.

    """
    blocks = grid[0] * grid[1] * grid[2]
    numbers = np.arange(blocks, dtype=np.int64)
    workers = 1 if lowered.has_atomics or nothing is not None else min(threads or os.cpu_count() or 1, blocks)
    slots = min(_SERIAL_RESIDENT, blocks) if lowered.has_atomics else 1
    shadows = [
        new_shadow(lowered.kernel, lowered.code, geometry, slots, nothing) if check else None for _ in range(workers)
    ]
    states = [new_state(literals, geometry, slots=slots, work_words=WORK_WORDS, shadow=shadow) for shadow in shadows]
    advance = _checked() if check else step
    if lowered.has_atomics:
        pieces = [(0, blocks)]
    else:
        size = max(1, min(64, blocks // (8 * workers)))
        pieces = [(first, min(first + size, blocks)) for first in range(0, blocks, size)]
    shared_memory, code = bundle(MEMORY, memory), bundle(CODE, lowered.code)
    executed = [np.zeros(1, np.int64) for _ in range(workers)]
    done = 0

    def worker(index: int) -> tuple[int, State] | None:
        nonlocal done
        state = states[index]
        mine = bundle(STATE, state)
        for first, last in pieces[index::workers]:
            outcome = run_blocks(
                advance, mine, shared_memory, code, numbers, first, last, instruction_limit, executed[index]
            )
            if outcome < 0:
                return outcome, state
            done += last - first
            if progress:
                progress(done, blocks)
        return None

    with ThreadPoolExecutor(workers) as pool:
        faults = [fault for fault in pool.map(worker, range(workers)) if fault]
    error = fault_error(faults[0][0], lowered.kernel, faults[0][1], arena, grid) if faults else None
    if check:
        error = findings_error([state._asdict() for state in states], lowered.kernel, arena, grid, error)
    if error:
        raise error
    return int(sum(int(count[0]) for count in executed))


def _checked() -> Any:
    from simtc.machine.checks import checked_step  # noqa: PLC0415 - compiled only where it is used

    return checked_step
