"""What the operations of the opcode campaign take: corner cases, any bits, and numbers of moderate size."""

from __future__ import annotations

import numpy as np

__all__ = ["DOMAINS", "inputs"]

DOMAINS = ("integer", "single", "half", "bfloat", "double", "lanes")
_CORNERS = {
    "integer": [0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 1 << 24,
                0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFF0, 0xFFFFFFFE, 0xFFFFFFFF, 0x01020304, 0x80FF7F00],
    "single": [0, 1, 0x400000, 0x7FFFFF, 0x800000, 0x800001, 0x1000000, 0x33000000, 0x3F000000, 0x3F7FFFFF, 0x3F800000,
               0x3F800001, 0x3FC00000, 0x40000000, 0x40200000, 0x42FE0000, 0x43000000, 0x437F0000, 0x437F8000, 0x46FFFE00,
               0x477FE000, 0x477FF000, 0x47800000, 0x4B000000, 0x4B7FFFFF, 0x4EFFFFFF, 0x4F000000, 0x4F7FFFFF, 0x4F800000,
               0x5F000000, 0x5F800000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FA00000, 0x7FC00000, 0x7FFFFFFF],
    "half": [0, 1, 0x1FF, 0x200, 0x3FF, 0x400, 0x401, 0x3800, 0x3BFF, 0x3C00, 0x3C01, 0x3E00, 0x4000, 0x4100, 0x5BF8, 0x6400,
             0x7800, 0x7BFF, 0x7C00, 0x7C01, 0x7D00, 0x7E00, 0x7FFF],
    "bfloat": [0, 1, 0x40, 0x7F, 0x80, 0x81, 0x3F00, 0x3F7F, 0x3F80, 0x3F81, 0x3FC0, 0x4000, 0x4300, 0x4F00, 0x7F7F, 0x7F80,
               0x7F81, 0x7FA0, 0x7FC0, 0x7FFF],
    "double": [0, 1, 1 << 51, (1 << 52) - 1, 1 << 52, (1 << 52) + 1, 0x36A0 << 48, 0x3690 << 48, 0x3810 << 48, 0x380FFFFFF << 28,
               0x3FE0 << 48, 0x3FEFFFFFFFFFFFFF, 0x3FF0 << 48, 0x3FF0000000000001, 0x3FF8 << 48, 0x4000 << 48, 0x4004 << 48,
               0x40EFFE << 40, 0x41DFFFFFFFC00000, 0x41E0 << 48, 0x41EFFFFFFFE00000, 0x4330 << 48, 0x43E0 << 48, 0x43F0 << 48,
               0x47EFFFFFE0000000, 0x47EFFFFFF0000000, 0x47F0 << 48, 0x7FEFFFFFFFFFFFFF, 0x7FF0 << 48, 0x7FF0000000000001,
               0x7FF4 << 48, 0x7FF8 << 48, 0x7FFFFFFFFFFFFFFF],
}  # fmt: skip
_SHAPES = {"single": (32, 23, 127), "half": (16, 10, 15), "bfloat": (16, 7, 127), "double": (64, 52, 1023)}


def _random(stream: int, count: int) -> np.ndarray:
    """Return 64 random bits a place (splitmix64), the same with every numpy."""
    with np.errstate(over="ignore"):
        z = (np.arange(count, dtype=np.uint64) + np.uint64(stream << 32)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _numbers(domain: str, stream: int, count: int) -> np.ndarray:
    """Return patterns of one operand: a quarter corner cases of either sign, a quarter any bits, half of moderate size."""
    choice, any_bits, near = (_random(stream + k, count) for k in range(3))
    corners = np.array(_CORNERS[domain], np.uint64)
    corner = corners[(choice >> np.uint64(8)) % np.uint64(len(corners))]
    if domain == "integer":
        small = (near & np.uint64(63)) | ((near >> np.uint64(6)) & np.uint64(1)) * np.uint64(0xFFFFFFC0)
        out = np.select([choice & np.uint64(3) == 0, choice & np.uint64(3) == 1], [corner, small], any_bits)
        return out & np.uint64(0xFFFFFFFF)
    width, fraction, bias = _SHAPES[domain]
    sign = (choice >> np.uint64(40)) << np.uint64(width - 1)
    spread = (near >> np.uint64(56)) % np.uint64(24)
    moderate = (near & np.uint64((1 << fraction) - 1)) | (spread + np.uint64(bias - 12)) << np.uint64(fraction)
    out = np.select(
        [choice & np.uint64(3) == 0, choice & np.uint64(3) == 1], [corner ^ sign, any_bits], moderate ^ sign
    )
    return out & np.uint64((1 << width) - 1)


def inputs(domain: str, count: int) -> np.ndarray:
    """Return the words a, b, c, d, e, f of `count` threads, (6, count) uint32."""
    streams = range(100 * DOMAINS.index(domain), 100 * DOMAINS.index(domain) + 60, 10)
    kind = "integer" if domain == "lanes" else domain
    if kind == "double":
        wide = [_numbers(kind, stream, count) for stream in streams[:3]]
        words = [x & np.uint64(0xFFFFFFFF) for x in wide] + [x >> np.uint64(32) for x in wide]
    elif kind in ("half", "bfloat"):
        words = [_numbers(kind, s, count) | _numbers(kind, s + 5, count) << np.uint64(16) for s in streams]
    else:
        words = [_numbers(kind, stream, count) for stream in streams]
    return np.array(words, np.uint64).astype(np.uint32)
