"""Check a launch against its kernel and its chip, and lay out constant bank 0."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from simtc import arch
from simtc.analytic.occupancy import block_registers
from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.isa import Kernel, Program
from simtc.machine.micro import LANES
from simtc.machine.state import LOCAL_WINDOW, SHARED_WINDOW, Geometry

__all__ = ["bank0", "dim3", "geometry", "require_launch"]

_GRID_LIMIT = (2**31 - 1, 65535, 65535)
_BLOCK_LIMIT = (1024, 1024, 64)
_LOCAL_LIMIT = 512 * 1024
_PARAMETER_LIMIT = 1 << 16  # of a constant bank


def dim3(name: str, value: Any) -> tuple[int, int, int]:
    """Complete a grid or block to three positive dimensions within CUDA's limits.

    Example:
        >>> dim3("grid", (4, 4))
        (4, 4, 1)

    """
    limits = _GRID_LIMIT if name == "grid" else _BLOCK_LIMIT
    try:
        given = tuple(value) if isinstance(value, Sequence | np.ndarray) else (value,)
        whole = tuple(map(operator.index, given))
    except TypeError:
        whole, given = (), (value,)
    if not 1 <= len(whole) <= 3 or any(not 1 <= x <= top for x, top in zip(whole, limits, strict=False)):
        raise BadInputError(f"{name} {given}: one to three numbers, each from 1 to {limits}")
    x, y, z = (*whole, 1, 1)[:3]
    return x, y, z


def require_launch(
    kernel: Any,
    *,
    device: Any,
    shared_bytes: Any = 0,
    instruction_limit: Any = 1,
    launch_limit: Any = 1,
    threads: Any = None,
) -> Device:
    """Return the board of a launch, once what was given is what a launch takes.

    Raises:
        BadInputError: no kernel, no board, a kernel for another chip, or a number that is none or out of its limits.

    Example:
        >>> require_launch(Kernel(name="k", sm=75, instructions=()), device="t4")
        device('t4')

    """
    if isinstance(kernel, Program):
        first = next(iter(kernel), "NAME")
        raise BadInputError(
            f"a launch takes one kernel, and this is a file with {', '.join(kernel) or 'none'}. Try: program[{first!r}]"
        )
    if not isinstance(kernel, Kernel):
        raise BadInputError(f"a launch takes a kernel, not {type(kernel).__name__}. Try: simtc.load(path)[name]")
    if not isinstance(device, str | Device):
        raise BadInputError(f"device {device!r}: a board's name, such as 't4'. Try: simtc arch")
    for name, value, low, high in (
        ("shared_bytes", shared_bytes, 0, 2**31 - 1),
        ("instruction_limit", instruction_limit, 1, 2**62),
        ("launch_limit", launch_limit, 1, 2**62),
        ("threads", 1 if threads is None else threads, 1, 2**16),
    ):
        try:
            fits = low <= operator.index(value) <= high
        except TypeError:
            fits = False
        if not fits:
            raise BadInputError(f"{name} {value!r}: a whole number from {low} to {high}")
    board = arch.device(device) if isinstance(device, str) else device
    built, chip = kernel.sm, int(board.sm_name.removeprefix("sm_"))
    if built // 10 != chip // 10 or built > chip:  # machine code runs on later chips of its own major generation alone
        raise BadInputError(
            f"{kernel.name} is compiled for sm_{built}, which {board.name} ({board.sm_name}) cannot execute. "
            "Try: simtc arch"
        )
    return board


def geometry(
    kernel: Kernel, grid: tuple[int, int, int], block: tuple[int, int, int], shared_bytes: int, device: Device
) -> np.ndarray:
    """Return the launch as the compiled code sees it, (Geometry.COUNT,) int64.

    Raises:
        BadInputError: a limit of the kernel or the chip is exceeded; names it.

    """
    threads = block[0] * block[1] * block[2]
    limits = device.limits
    if threads > min(kernel.max_threads, limits.block_threads):
        why = "the kernel's launch bounds" if kernel.max_threads < limits.block_threads else f"{device.name}"
        raise BadInputError(
            f"block {block} has {threads} threads; {why} allow at most {min(kernel.max_threads, limits.block_threads)}"
        )
    total = kernel.shared_bytes + shared_bytes
    if total > limits.block_shared_optin_bytes + kernel.shared_reserved_bytes:
        raise BadInputError(
            f"{kernel.name} needs {total} bytes of shared memory in a block ({kernel.shared_bytes} static, "
            f"{shared_bytes} dynamic); {device.name} has {limits.block_shared_optin_bytes}"
        )
    if kernel.local_bytes > _LOCAL_LIMIT:
        raise BadInputError(
            f"{kernel.name} needs {kernel.local_bytes} bytes of local memory a thread; chips have {_LOCAL_LIMIT}"
        )
    if kernel.parameter_bytes > _PARAMETER_LIMIT or kernel.parameter_base > _PARAMETER_LIMIT:
        raise BadInputError(f"{kernel.name} says that its parameters reach past {_PARAMETER_LIMIT} bytes")
    warps = -(-threads // LANES)
    registers = block_registers(limits, warps=warps, registers=kernel.registers)
    if registers > limits.registers:
        raise BadInputError(
            f"{kernel.name} needs {registers} registers in a block of {threads} threads "
            f"({kernel.registers} each); {device.name} has {limits.registers} in an SM"
        )
    out = np.zeros(Geometry.COUNT, np.int64)
    out[Geometry.BLOCK_X : Geometry.BLOCK_Z + 1] = block
    out[Geometry.GRID_X : Geometry.GRID_Z + 1] = grid
    out[Geometry.SHARED_BYTES] = total
    out[Geometry.LOCAL_BYTES] = kernel.local_bytes
    out[Geometry.REGISTERS] = min(kernel.registers, 255)
    out[Geometry.WARPS] = warps
    out[Geometry.DYNAMIC_SHARED] = shared_bytes
    out[Geometry.SMS] = device.sm_count
    return out


def bank0(kernel: Kernel, grid: tuple[int, int, int], block: tuple[int, int, int], area: bytes) -> bytes:
    """Return constant bank 0: block and grid dimensions, the windows, the stack pointer, the parameters."""
    bank = bytearray(kernel.parameter_base + max(len(area), 4))
    bank[0:12] = np.array(block, np.uint32).tobytes()
    bank[12:24] = np.array(grid, np.uint32).tobytes()
    bank[24:32] = SHARED_WINDOW.to_bytes(8, "little")
    bank[32:40] = LOCAL_WINDOW.to_bytes(8, "little")
    bank[40:44] = kernel.local_bytes.to_bytes(4, "little")  # the stack grows down from the top of local memory
    bank[kernel.parameter_base : kernel.parameter_base + len(area)] = area
    return bytes(bank)
