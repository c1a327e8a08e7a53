"""Float immediates: what nvdisasm prints, as the 32 bits that the instruction word holds."""

from __future__ import annotations

import math
import struct

import ml_dtypes
import numpy as np

__all__ = ["float_bits"]

_PACKED_HALVES = frozenset({"HADD2", "HFMA2", "HMUL2", "HSETP2", "HSET2", "HMNMX2", "VHMNMX"})
_FORMATS = ("F16", "BF16", "F32", "F64")
_DOUBLES = frozenset({"DADD", "DFMA", "DMUL", "DSETP", "DMNMX", "DSET"})


def float_bits(names: tuple[str, ...], opcode: str, modifiers: tuple[str, ...], held: int | None) -> int | None:
    """Return the 32 bits of a float immediate, or None where the word holds other bits than the text says.

    Args:
        names: the float as printed; the two halves of a packed half immediate, high half first.
        opcode: says the format: packed halves, the high half of a double, or a single.
        modifiers: BF16_V2 makes the halves bfloat16.
        held: bits 63:32 of the instruction word, or None where there is none. A NaN's payload is only there.

    Example:
        >>> hex(float_bits(("1", "0.5"), "HADD2", (), None)), hex(float_bits(("1",), "DADD", (), None))
        ('0x3c003800', '0x3ff00000')

    """
    if opcode in _PACKED_HALVES:
        if len(names) != 2:
            return None
        narrow = ml_dtypes.bfloat16 if any(m.startswith("BF16") for m in modifiers) else np.float16
        width, parts = 16, [_narrow(name, narrow) for name in names]
    elif len(names) != 1:
        return None
    elif _is_double(opcode, modifiers):
        width, parts = 32, [struct.unpack("<Q", struct.pack("<d", _value(names[0])))[0] >> 32]
    else:
        width, parts = 32, [_narrow(names[0], np.float32)]
    bits = parts[0] if width == 32 else parts[0] << 16 | parts[1]
    if held is None or held == bits:
        return bits
    shifts = (0,) if width == 32 else (16, 0)
    same = all(
        part == (held >> shift & (1 << width) - 1) or "NAN" in name
        for name, part, shift in zip(names, parts, shifts, strict=True)
    )
    return held if same else None


def _is_double(opcode: str, modifiers: tuple[str, ...]) -> bool:
    """Tell whether an instruction's float operand is a double; F2F names the format it converts from last."""
    formats = [name for name in modifiers if name in _FORMATS]
    if opcode in ("F2F", "F2I", "FRND"):
        return formats[-1:] == ["F64"]
    return opcode in _DOUBLES or bool({"RCP64H", "RSQ64H"} & set(modifiers))


def _value(name: str) -> float:
    return math.nan if "NAN" in name else float(name.replace("INF", "inf"))


def _narrow(name: str, to: type) -> int:
    with np.errstate(over="ignore"):  # a mutated listing may hold any digits; the comparison with the word decides
        data = np.array(_value(name)).astype(to).tobytes()
    return int.from_bytes(data, "little")
