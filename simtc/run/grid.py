"""Check a launch against its chip, and lay out constant bank 0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.isa import Kernel
from simtc.machine.micro import LANES
from simtc.machine.state import LOCAL_WINDOW, SHARED_WINDOW, Geometry

__all__ = ["bank0", "dim3", "geometry"]

_GRID_LIMIT = (2**31 - 1, 65535, 65535)
_BLOCK_LIMIT = (1024, 1024, 64)
_LOCAL_LIMIT = 512 * 1024
_PARAMETER_LIMIT = 1 << 16  # of a constant bank


def dim3(name: str, value: int | Sequence[int]) -> tuple[int, int, int]:
    """Complete a grid or block to three positive dimensions within CUDA's limits.

    Example:
        >>> dim3("grid", (4, 4))
        (4, 4, 1)

    """
    given = [value] if isinstance(value, int | np.integer) else list(value)
    limits = _GRID_LIMIT if name == "grid" else _BLOCK_LIMIT
    if not 1 <= len(given) <= 3 or any(int(x) != x or not 1 <= x <= top for x, top in zip(given, limits, strict=False)):
        raise BadInputError(f"{name} {tuple(given)}: one to three numbers, each from 1 to {limits}")
    x, y, z = (*(int(v) for v in given), 1, 1)[:3]
    return x, y, z


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
    unit = limits.register_unit
    per_warp = -(-kernel.registers * LANES // unit) * unit
    if per_warp * warps > limits.registers:
        raise BadInputError(
            f"{kernel.name} needs {per_warp * warps} registers in a block of {threads} threads "
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
