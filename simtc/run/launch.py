"""`launch`: a compiled kernel over numpy arrays, with no GPU."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from simtc import arch
from simtc.errors import BadInputError, unknown
from simtc.isa import Kernel
from simtc.machine.functional import execute
from simtc.machine.lowering import Lowered, lower
from simtc.machine.state import Geometry, Memory
from simtc.results import LaunchResult, Timing
from simtc.run.arguments import Marshalled, marshal
from simtc.run.grid import bank0, dim3, geometry, require_launch
from simtc.timing.request import Request

if TYPE_CHECKING:
    from simtc.timing.sampling.skeleton import Skeleton

__all__ = ["INSTRUCTION_LIMIT", "LAUNCH_LIMIT", "launch"]

_SLICES = 1_000_000
_FIDELITIES = ("full", "sampled")
_HAZARDS = ("note", "error")
INSTRUCTION_LIMIT = 100_000_000  # per warp: minutes of simulation, beyond any real kernel
LAUNCH_LIMIT = 500_000_000  # of the blocks under way at one time: likewise


def launch(
    kernel: Kernel,
    grid: int | Sequence[int],
    block: int | Sequence[int],
    args: Sequence[Any],
    *,
    shared_bytes: int = 0,
    device: str | arch.Device = "t4",
    timing: bool = False,
    fidelity: str = "full",
    caches: str = "cold",
    timeline: bool = False,
    values: bool = True,
    check: bool = False,
    instruction_limit: int = INSTRUCTION_LIMIT,
    launch_limit: int = LAUNCH_LIMIT,
    progress: Callable[[int, int], None] | None = None,
    observe: Callable[[Any], None] | None = None,
    threads: int | None = None,
    hazards: str | None = None,
    places: Sequence[int] = (),
) -> LaunchResult:
    """Run a kernel: the arrays among `args` hold the results afterwards.

    What comes out does not depend on `threads`: each block has shared memory, a clock and an SM of its own, and of
    several blocks that fault it is the first one's fault that is raised. Blocks that look at what others do while they
    run, through atomics or volatile loads, take turns in a fixed order. The exception is a race, which has no certain
    result on the chip either: blocks that write different values to one place, or read with plain loads what another
    block writes. With `threads=1` even those give the same result each time: blocks run one after another, in the
    order of their numbers.

    Args:
        kernel: from `simtc.load(path)[name]`.
        grid: blocks in x, y, z.
        block: threads of a block in x, y, z.
        args: numpy arrays, and others on the CPU that export themselves by DLPack (torch's), are device buffers,
            written back in place once the kernel has ended; numpy scalars and bytes are values, and so are Python's
            numbers, an int as a whole number of the parameter's size, a float as an f32 or f64; a list of arrays is an
            array of pointers; a simtc.Struct is a value with pointers in it; simtc.uninitialized(array)
            is a buffer that holds nothing yet, for `check`.
        shared_bytes: dynamic shared memory of a block.
        device: a board, such as "t4"; its generation must be the kernel's.
        timing: also count cycles.
        fidelity: of the timing. "full" executes every block. "sampled" estimates the cycles of a launch of any size
            from a part of it: the result says how far off it may be, nothing is computed, and the arrays stay as they
            were.
        timeline: with timing, also keep what every warp did in every cycle (the first million slices of it); of a
            sampled timing, in the part that was executed, whose SMs are numbered from 0.
        values: False, with timing, computes only what decides where warps go and what they touch: the same cycles
            in up to half the time, and the arrays stay as they were, as in a sampled timing.
        check: also find races in shared memory, misused barriers, and uses of values that nothing wrote, as
            sass_notes/checks.md says (several times slower; not together with timing).
        caches: "cold", or "warm" where L2 already holds the operands; of more than it holds, what the same launch
            before has left, which is executed first (of a sampled timing, the last part).
        instruction_limit: the most instructions one warp may execute.
        launch_limit: the most that all warps of the blocks under way may have executed together; a block that has ended
            does not count any more. It ends an endless kernel of many warps.
        progress: called with (blocks done, blocks).
        observe: with timing and fidelity "full", called with the clock's state (`simtc.timing.clock.Clock`) after every
            four cycles in which anything happened.
        threads: cores to use; all of them by default.
        hazards: what becomes of a fixed-latency result that is read before simtc takes it to be ready: "note" among
            the timing's notes, or "error". By default what SIMTC_HAZARDS in the environment says, else "note".
        places: where each buffer begins in device memory, as its address on a chip modulo 2 MiB, in the order of
            `args`: which units of L2 execute atomics on it hangs on that. By default they lie one behind the other.
            From 2 MiB on a place is taken whole, each behind the one before: higher bits say which half of L2 is near.

    Raises:
        BadInputError: arguments, sizes or opcodes that cannot be run.
        KernelFaultError: the kernel faulted, or the checks found something; the arrays are as they were before.
        SimtcError: `hazards` is "error" and there is one.

    """
    board = require_launch(
        kernel,
        device=device,
        shared_bytes=shared_bytes,
        instruction_limit=instruction_limit,
        launch_limit=launch_limit,
        threads=threads,
    )
    hazards = os.environ.get("SIMTC_HAZARDS", _HAZARDS[0]) if hazards is None else hazards
    _require_ways(caches, fidelity, hazards)
    _require_timing(timing, timeline=timeline, fidelity=fidelity, values=values, check=check)
    needs_values = values and fidelity == "full"
    ready = _prepare(kernel, grid, block, args, shared_bytes, board, values=needs_values, places=places)
    board, clocked = board.at_rest(), None
    if timing:
        request = Request(
            lowered=ready.lowered,
            device=board.under_tensor_load() if _uses_tensor_cores(kernel) else board,
            rested=board,
            grid=ready.grid,
            block=ready.block,
            geometry=ready.geometry,
            literals=ready.literals,
            memory=ready.memory,
            arena=ready.arguments.arena,
            warm=caches == "warm",
            instruction_limit=instruction_limit,
            launch_limit=launch_limit,
            is_strict=hazards == "error",
            slices=_SLICES if timeline else 0,
            progress=progress,
            observe=observe,
        )
        clocked = _clocked(request, fidelity, ready.bones)
        instructions = sum(one.issued for one in clocked.by_instruction)
    else:
        instructions = execute(
            ready.lowered,
            grid=ready.grid,
            geometry=ready.geometry,
            literals=ready.literals,
            memory=ready.memory,
            arena=ready.arguments.arena,
            instruction_limit=instruction_limit,
            launch_limit=launch_limit,
            check=check,
            nothing=ready.arguments.unset,
            progress=progress,
            threads=threads,
        )
    if ready.bones is None:
        ready.arguments.arena.write_back()
    return LaunchResult(
        kernel=kernel.name, device=board.name, grid=ready.grid, block=ready.block, instructions=instructions,
        timing=clocked,
    )  # fmt: skip


def _require_ways(caches: str, fidelity: str, hazards: str) -> None:
    """Refuse a word that none of them knows."""
    if caches not in ("cold", "warm"):
        raise BadInputError(f"caches {caches!r}: allowed are 'cold' and 'warm'")
    if fidelity not in _FIDELITIES:
        raise unknown("fidelity", fidelity, _FIDELITIES)
    if hazards not in _HAZARDS:
        raise unknown("way with hazards", hazards, _HAZARDS)


def _require_timing(timing: bool, *, timeline: bool, fidelity: str, values: bool, check: bool) -> None:  # noqa: FBT001
    """Refuse what needs the clock where there is none, and checks where there is one."""
    if not timing and (timeline or fidelity == "sampled" or not values):
        what = "timeline=True" if timeline else "values=False" if not values else "fidelity 'sampled'"
        raise BadInputError(f"{what} needs timing=True")
    if check and timing:
        raise BadInputError("check and timing exclude each other: run once with each")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Ready:
    """A launch whose kernel is lowered and whose arguments lie in memory."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    geometry: np.ndarray  # (Geometry.COUNT,) int64
    lowered: Lowered
    literals: np.ndarray
    memory: Memory
    arguments: Marshalled
    bones: Skeleton | None  # what branches and addresses depend on, where no values are wanted


def _prepare(
    kernel: Kernel,
    grid: Any,
    block: Any,
    args: Sequence[Any],
    shared_bytes: int,
    board: arch.Device,
    *,
    values: bool,
    places: Sequence[int],
) -> _Ready:
    """Check a launch against kernel and board, lower the kernel, and lay out the arguments."""
    grid3, block3 = dim3("grid", grid), dim3("block", block)
    shape = geometry(kernel, grid3, block3, shared_bytes, board)
    lowered = lower(kernel)
    bones = None if values else _skeleton(lowered)
    marshalled = marshal(kernel, args, contents=bones is None or bones.needs_data, board=board, places=places)
    banks = {**marshalled.constants, 0: bank0(kernel, grid3, block3, marshalled.area)}
    literals = lowered.rows(banks)
    shape[Geometry.LITERAL_WORDS] = literals.size
    return _Ready(
        grid=grid3, block=block3, geometry=shape, lowered=lowered, literals=literals,
        memory=marshalled.arena.memory(banks), arguments=marshalled, bones=bones,
    )  # fmt: skip


def _uses_tensor_cores(kernel: Kernel) -> bool:
    return any(i.opcode.endswith("MMA") and i.opcode != "DMMA" for i in kernel.instructions)


def _clocked(request: Request, fidelity: str, bones: Skeleton | None) -> Timing:
    """Time a launch, without values where there is a skeleton; the clock is compiled only where it is used."""
    if bones is not None:
        from simtc.timing.sampling.skeleton import without_values  # noqa: PLC0415 - see above

        request = replace(request, lowered=without_values(request.lowered, bones))
        if fidelity == "sampled":
            from simtc.timing.sampling.sampled import sample_launch  # noqa: PLC0415 - see above

            return sample_launch(request, bones)
    from simtc.timing.simulate import time_launch  # noqa: PLC0415 - see above

    return time_launch(request)


def _skeleton(lowered: Lowered) -> Skeleton:
    """Return what branches and addresses depend on."""
    from simtc.timing.sampling.skeleton import skeleton  # noqa: PLC0415 - only launches without values ask

    return skeleton(lowered)
