"""`launch`: a compiled kernel over numpy arrays, with no GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from simtc import arch
from simtc.errors import BadInputError, unknown
from simtc.isa import Kernel
from simtc.launch.arguments import marshal
from simtc.launch.grid import bank0, dim3, geometry
from simtc.machine.functional import execute
from simtc.machine.lowering import Lowered, lower
from simtc.machine.state import Geometry
from simtc.results import LaunchResult, Timing
from simtc.timing.request import Request

__all__ = ["INSTRUCTION_LIMIT", "launch"]

_SLICES = 1_000_000
_FIDELITIES = ("full", "sampled")
INSTRUCTION_LIMIT = 100_000_000  # per warp: minutes of simulation, beyond any real kernel


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
    check: bool = False,
    instruction_limit: int = INSTRUCTION_LIMIT,
    progress: Callable[[int, int], None] | None = None,
    observe: Callable[[Any], None] | None = None,
    threads: int | None = None,
) -> LaunchResult:
    """Run a kernel: the arrays among `args` hold the results afterwards.

    Args:
        kernel: from `simtc.load(path)[name]`.
        grid: blocks in x, y, z.
        block: threads of a block in x, y, z.
        args: numpy arrays are device buffers, written back in place once the kernel has ended; numpy scalars and bytes
            are values; a list of arrays is an array of pointers; a simtc.Struct is a value with pointers in it.
        shared_bytes: dynamic shared memory of a block.
        device: a board, such as "t4"; its generation must be the kernel's.
        timing: also count cycles.
        fidelity: of the timing. "full" executes every block. "sampled" estimates the cycles of a launch of any size
            from a part of it: the result says how far off it may be, nothing is computed, and the arrays stay as they
            were.
        timeline: with timing, also keep what every warp did in every cycle (the first million slices of it).
        check: also find reads of registers and shared memory that nothing wrote, and races between warps in shared
            memory (several times slower; not together with timing).
        caches: "cold", or "warm" where L2 already holds the operands.
        instruction_limit: the most instructions one warp may execute.
        progress: called with (blocks done, blocks).
        observe: with timing and fidelity "full", called with the clock's state (`simtc.timing.state.Clock`) after every
            four cycles in which anything happened.
        threads: cores to use; all of them by default. The results do not depend on it.

    Raises:
        BadInputError: arguments, sizes or opcodes that cannot be run.
        KernelFaultError: the kernel faulted; the arrays are as they were before the launch.

    """
    board = arch.device(device) if isinstance(device, str) else device
    if caches not in ("cold", "warm"):
        raise BadInputError(f"caches {caches!r}: allowed are 'cold' and 'warm'")
    if fidelity not in _FIDELITIES:
        raise unknown("fidelity", fidelity, _FIDELITIES)
    if fidelity == "sampled" and (timeline or not timing):
        raise BadInputError("fidelity 'sampled' needs timing=True, and has no timeline: it skips cycles")
    if check and timing:
        raise BadInputError("check and timing exclude each other: run once with each")
    _require_executable(kernel, board)
    grid3, block3 = dim3("grid", grid), dim3("block", block)
    shape = geometry(kernel, grid3, block3, shared_bytes, board)
    lowered = lower(kernel)
    marshalled = marshal(kernel, args, contents=fidelity == "full" or _needs_data(lowered))
    banks = {**marshalled.constants, 0: bank0(kernel, grid3, block3, marshalled.area)}
    literals = lowered.rows(banks)
    shape[Geometry.LITERAL_WORDS] = literals.size
    memory = marshalled.arena.memory(banks)
    clocked, rested = None, board
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
            slices=_SLICES if timeline else 0,
            progress=progress,
            observe=observe,
        )
        clocked = _clocked(request, fidelity)
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
            check=check,
            progress=progress,
            threads=threads,
        )
    if fidelity == "full":
        marshalled.arena.write_back()
    return LaunchResult(
        kernel=kernel.name, device=board.name, grid=grid3, block=block3, instructions=instructions, timing=clocked
    )


def _clocked(request: Request, fidelity: str) -> Timing:
    """Time a launch; the clock is compiled only where it is used."""
    if fidelity == "sampled":
        from simtc.timing.sampled import sample_launch  # noqa: PLC0415 - see above

        return sample_launch(request)
    from simtc.timing.simulate import time_launch  # noqa: PLC0415 - see above

    return time_launch(request)


def _needs_data(lowered: Lowered) -> bool:
    """Tell whether branches or addresses depend on what the buffers hold."""
    from simtc.timing.skeleton import skeleton  # noqa: PLC0415 - only a sampled launch asks

    return skeleton(lowered).needs_data


def _require_executable(kernel: Kernel, board: arch.Device) -> None:
    """Machine code runs on later chips of its own major generation, and on no other."""
    built, chip = kernel.sm, int(board.sm_name.removeprefix("sm_"))
    if built // 10 != chip // 10 or built > chip:
        raise BadInputError(
            f"{kernel.name} is compiled for sm_{built}, which {board.name} ({board.sm_name}) cannot execute. "
            "Try: simtc arch"
        )
