"""The number formats that tensor cores read and write, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from simtc.errors import unknown

__all__ = ["FORMATS", "Format", "Unpacked", "format_named"]

# What the largest exponent field means:
#   ieee     an infinity (fraction 0) or a NaN
#   nan_only finite, except for the one pattern whose bits are all ones, which is the NaN (OCP FP8 e4m3)
#   none     the format is an integer: there are no special values
Special = Literal["ieee", "nan_only", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpacked:
    """A finite value as the multiplier sees it: (-1)**sign * significand * 2**(exponent - fraction bits).

    `significand` is an integer with the hidden bit in place; a subnormal keeps the format's smallest exponent and has
    no hidden bit. `special` is "" for a finite value, else "inf" or "nan".
    """

    sign: int
    significand: int
    exponent: int
    special: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One element type, named as PTX names it.

    `bits` is what an element occupies in memory. `fraction_bits` is the stored fraction, of which the lowest
    `ignored_bits` are not read (a tf32 operand is an f32 whose low 13 bits do not matter). `signed` is for integers.

    Example:
        >>> half = format_named("f16")
        >>> half.unpack(0xBC01)
        Unpacked(sign=1, significand=1025, exponent=0, special='')
        >>> hex(half.pack(Unpacked(sign=1, significand=1025, exponent=0)))
        '0xbc01'

    """

    name: str
    bits: int
    exponent_bits: int = 0
    fraction_bits: int = 0
    bias: int = 0
    ignored_bits: int = 0
    special: Special = "none"
    signed: bool = True

    def __post_init__(self) -> None:
        if self.special != "none" and self.bits != 1 + self.exponent_bits + self.fraction_bits:
            raise ValueError(f"{self.name}: sign, exponent and fraction do not fill {self.bits} bits")
        if self.special != "none" and self.bias != (1 << (self.exponent_bits - 1)) - 1:
            raise ValueError(f"{self.name}: the bias of a {self.exponent_bits}-bit exponent is not {self.bias}")

    @property
    def is_float(self) -> bool:
        """True for a floating-point format."""
        return self.special != "none"

    @property
    def min_exponent(self) -> int:
        """The exponent of the smallest normal value, and of every subnormal."""
        return 1 - self.bias

    @property
    def max_exponent(self) -> int:
        """The exponent of the largest finite value."""
        reserved = 1 if self.special == "ieee" else 0
        return (1 << self.exponent_bits) - 1 - reserved - self.bias

    @property
    def magnitude_mask(self) -> int:
        """The bits that the hardware reads, without the sign."""
        return ((1 << (self.bits - 1)) - 1) & ~((1 << self.ignored_bits) - 1)

    @property
    def first_nan(self) -> int:
        """The smallest magnitude pattern that is a NaN."""
        if self.special == "ieee":
            return self.infinity + (1 << self.ignored_bits)
        return self.magnitude_mask

    @property
    def infinity(self) -> int:
        """The pattern of +infinity; in a format without one, that of the NaN, so that no finite value reaches it."""
        if self.special == "ieee":
            return ((1 << self.exponent_bits) - 1) << self.fraction_bits
        return self.magnitude_mask

    @property
    def limits(self) -> tuple[int, int]:
        """The smallest and the largest integer of an integer format."""
        if self.signed:
            return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1
        return 0, (1 << self.bits) - 1

    def unpack(self, pattern: int) -> Unpacked:
        """Split a bit pattern into sign, significand and exponent.

        Example:
            >>> format_named("e4m3").unpack(0x7F).special, format_named("e5m2").unpack(0xFC)
            ('nan', Unpacked(sign=1, significand=0, exponent=0, special='inf'))

        """
        sign = pattern >> (self.bits - 1) & 1
        magnitude = pattern & self.magnitude_mask
        if magnitude >= self.first_nan:
            return Unpacked(sign=sign, significand=0, exponent=0, special="nan")
        if magnitude >= self.infinity:
            return Unpacked(sign=sign, significand=0, exponent=0, special="inf")
        field, fraction = magnitude >> self.fraction_bits, magnitude & ((1 << self.fraction_bits) - 1)
        if field == 0:
            return Unpacked(sign=sign, significand=fraction, exponent=self.min_exponent)
        return Unpacked(sign=sign, significand=fraction | 1 << self.fraction_bits, exponent=field - self.bias)

    def pack(self, value: Unpacked) -> int:
        """Join what `unpack` split; a NaN comes out as the canonical one, sign clear and every other bit set.

        Raises:
            ValueError: the significand or exponent is not one that `unpack` returns for this format.

        """
        if value.special == "nan":
            return (1 << (self.bits - 1)) - 1
        sign = value.sign << (self.bits - 1)
        if value.special == "inf" and self.special == "ieee":
            return sign | self.infinity
        hidden = 1 << self.fraction_bits
        subnormal = value.significand < hidden and value.exponent == self.min_exponent
        normal = hidden <= value.significand < 2 * hidden and self.min_exponent <= value.exponent <= self.max_exponent
        if value.special or not (subnormal or normal):
            raise ValueError(f"{value} is not a value of {self.name}")
        # Adding instead of or-ing lets the hidden bit lift a subnormal's field 0 to a normal's field 1.
        return sign | (value.exponent - self.min_exponent << self.fraction_bits) + value.significand

    def integer(self, pattern: int) -> int:
        """Return the value of an integer format's bit pattern.

        Example:
            >>> format_named("s4").integer(0xF), format_named("u4").integer(0xF)
            (-1, 15)

        """
        value = pattern & ((1 << self.bits) - 1)
        return value - (1 << self.bits) if self.signed and value >> (self.bits - 1) else value


FORMATS = {
    row.name: row
    for row in (
        Format(name="f16", bits=16, exponent_bits=5, fraction_bits=10, bias=15, special="ieee"),
        Format(name="bf16", bits=16, exponent_bits=8, fraction_bits=7, bias=127, special="ieee"),
        Format(name="tf32", bits=32, exponent_bits=8, fraction_bits=23, bias=127, ignored_bits=13, special="ieee"),
        Format(name="f32", bits=32, exponent_bits=8, fraction_bits=23, bias=127, special="ieee"),
        Format(name="f64", bits=64, exponent_bits=11, fraction_bits=52, bias=1023, special="ieee"),
        Format(name="e4m3", bits=8, exponent_bits=4, fraction_bits=3, bias=7, special="nan_only"),
        Format(name="e5m2", bits=8, exponent_bits=5, fraction_bits=2, bias=15, special="ieee"),
        Format(name="s8", bits=8),
        Format(name="u8", bits=8, signed=False),
        Format(name="s4", bits=4),
        Format(name="u4", bits=4, signed=False),
        Format(name="b1", bits=1, signed=False),
        Format(name="s32", bits=32),
    )
}


def format_named(name: str) -> Format:
    """Return a format by its PTX name.

    Raises:
        BadInputError: no such format.

    Example:
        >>> format_named("bf16").min_exponent, format_named("e4m3").max_exponent
        (-126, 8)

    """
    if name not in FORMATS:
        raise unknown("number format", name, FORMATS)
    return FORMATS[name]
