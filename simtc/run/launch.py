"""`launch`: a compiled kernel over numpy arrays, with no GPU."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from simtc import arch
from simtc.errors import BadInputError, unknown
from simtc.isa import Kernel
from simtc.machine.functional import execute
from simtc.machine.lowering import Lowered, lower
from simtc.machine.state import Geometry
from simtc.results import LaunchResult, Timing
from simtc.run.arguments import marshal
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
        caches: "cold", or "warm" where L2 already holds the operands.
        instruction_limit: the most instructions one warp may execute.
        launch_limit: the most that all warps of the blocks under way may have executed together; a block that has ended
            does not count any more. It ends an endless kernel of many warps.
        progress: called with (blocks done, blocks).
        observe: with timing and fidelity "full", called with the clock's state (`simtc.timing.clock.Clock`) after every
            four cycles in which anything happened.
        threads: cores to use; all of them by default.
        hazards: what becomes of a fixed-latency result that is read before simtc takes it to be ready: "note" among
            the timing's notes, or "error". By default what SIMTC_HAZARDS in the environment says, else "note".

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
    if caches not in ("cold", "warm"):
        raise BadInputError(f"caches {caches!r}: allowed are 'cold' and 'warm'")
    if fidelity not in _FIDELITIES:
        raise unknown("fidelity", fidelity, _FIDELITIES)
    if not timing and (timeline or fidelity == "sampled" or not values):
        what = "timeline=True" if timeline else "values=False" if not values else "fidelity 'sampled'"
        raise BadInputError(f"{what} needs timing=True")
    hazards = os.environ.get("SIMTC_HAZARDS", _HAZARDS[0]) if hazards is None else hazards
    if hazards not in _HAZARDS:
        raise unknown("way with hazards", hazards, _HAZARDS)
    if check and timing:
        raise BadInputError("check and timing exclude each other: run once with each")
    grid3, block3 = dim3("grid", grid), dim3("block", block)
    shape = geometry(kernel, grid3, block3, shared_bytes, board)
    lowered, values = lower(kernel), values and fidelity == "full"
    bones = None if values else _skeleton(lowered)
    marshalled = marshal(kernel, args, contents=bones is None or bones.needs_data)
    banks = {**marshalled.constants, 0: bank0(kernel, grid3, block3, marshalled.area)}
    literals = lowered.rows(banks)
    shape[Geometry.LITERAL_WORDS] = literals.size
    memory = marshalled.arena.memory(banks)
    clocked, board = None, board.at_rest()
    rested = board
    if timing and any(i.opcode.endswith("MMA") and i.opcode != "DMMA" for i in kernel.instructions):
        board = board.under_tensor_load()
    if timing:
        request = Request(
            lowered=lowered,
            device=board,
            rested=rested,
            grid=grid3,
            block=block3,
            geometry=shape,
            literals=literals,
            memory=memory,
            arena=marshalled.arena,
            warm=caches == "warm",
            instruction_limit=instruction_limit,
            launch_limit=launch_limit,
            is_strict=hazards == "error",
            slices=_SLICES if timeline else 0,
            progress=progress,
            observe=observe,
        )
        clocked = _clocked(request, fidelity, bones)
        instructions = sum(one.issued for one in clocked.by_instruction)
    else:
        instructions = execute(
            lowered,
            grid=grid3,
            geometry=shape,
            literals=literals,
            memory=memory,
            arena=marshalled.arena,
            instruction_limit=instruction_limit,
            launch_limit=launch_limit,
            check=check,
            nothing=marshalled.unset,
            progress=progress,
            threads=threads,
        )
    if values:
        marshalled.arena.write_back()
    return LaunchResult(
        kernel=kernel.name, device=board.name, grid=grid3, block=block3, instructions=instructions, timing=clocked
    )


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
