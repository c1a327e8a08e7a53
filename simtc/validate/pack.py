"""Matrices to the registers of a warp and back, as `simtc.layout` places them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simtc.layout import Fragment

__all__ = ["core_matrices", "pack", "pack_memory", "unpack", "unpack_memory"]


def pack(held: Fragment, patterns: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return registers (count, registers, lanes), uint32 or uint64, that hold patterns (count, rows, cols).

    Example:
        >>> from simtc.layout import fragment
        >>> a = fragment("m16n8k8.f32.f16.f16.f32", operand="a", arch="turing")
        >>> regs = pack(a, np.arange(128, dtype=np.uint64).reshape(1, 16, 8))
        >>> regs.shape, hex(regs[0, 1, 1])   # elements (8, 2) and (8, 3)
        ((1, 2, 32), '0x430042')

    """
    wide = held.width == 64
    words = held.count if wide else held.registers
    registers = np.zeros((len(patterns), words, held.lanes), np.uint64) if out is None else out
    for element in held.elements():
        register = element.register // 2 if wide else element.register
        value = patterns[:, element.row, element.col].astype(np.uint64)
        registers[:, register, element.lane] |= value << np.uint64(element.half * held.width if not wide else 0)
    return registers if wide else registers.astype(np.uint32)


def unpack(held: Fragment, registers: NDArray[Any]) -> NDArray[Any]:
    """Return patterns (count, rows, cols), uint64, from registers (count, registers, lanes)."""
    wide = held.width == 64
    where = held.gather()
    values = registers[:, where.register // 2 if wide else where.register, where.lane].astype(np.uint64)
    if not wide:
        values = values >> where.shift.astype(np.uint64) & np.uint64((1 << held.width) - 1)
    return np.asarray(values).reshape(len(registers), held.rows, held.cols)


def pack_memory(patterns: NDArray[Any], width: int) -> NDArray[Any]:
    """Return (count, bytes) uint8: matrices by rows as memory holds them, narrow elements from the lowest bit up."""
    flat = patterns.reshape(len(patterns), -1)
    if width >= 8:
        return np.ascontiguousarray(flat.astype(f"<u{width // 8}")).view(np.uint8)
    bits = (flat[:, :, None] >> np.arange(width, dtype=np.uint64)) & np.uint64(1)
    return np.packbits(bits.astype(np.uint8).reshape(len(flat), -1), axis=1, bitorder="little")


def unpack_memory(data: NDArray[Any], width: int, shape: tuple[int, int]) -> NDArray[Any]:
    """Return patterns (count, rows, cols), uint64, from bytes (count, bytes) of elements of at least 8 bits."""
    return data.view(f"<u{width // 8}").astype(np.uint64).reshape(len(data), *shape)


def core_matrices(patterns: NDArray[Any], width: int) -> NDArray[Any]:
    """Return (count, bytes) uint8: B (count, K, N), 32 bytes of k, as 8-column core matrices for wgmma."""
    columns = pack_memory(patterns.swapaxes(1, 2), width).reshape(len(patterns), patterns.shape[2] // 8, 8, 2, 16)
    return np.ascontiguousarray(columns.swapaxes(2, 3)).reshape(len(patterns), -1)
