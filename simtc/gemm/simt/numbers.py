"""What each of the four families multiplies."""

from __future__ import annotations

from dataclasses import dataclass

from simtc.errors import unknown

__all__ = ["METHODS", "NUMBERS", "Method", "Numbers", "numbers_named"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """How a product is made of real ones: what one element of D and one k cost a thread."""

    name: str
    multiply_adds: int  # real ones, for each pair of an element of A and one of B
    additions: int  # for each element of A, and of B
    accumulators: int  # real ones, for each element of D
    parts: int  # real numbers of an element


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """A family's elements."""

    family: str
    element: str  # f32, f64, c64 or c128
    real: str  # f32 or f64: what the arithmetic is in
    c_type: str  # of that
    text: str

    @property
    def is_complex(self) -> bool:
        """Whether an element has two parts."""
        return self.element != self.real

    @property
    def real_bytes(self) -> int:
        """Bytes of a part."""
        return 4 if self.real == "f32" else 8

    @property
    def methods(self) -> tuple[str, ...]:
        """How its product can be made, the default first."""
        return ("m3", "4m") if self.is_complex else ("real",)


METHODS = {
    one.name: one
    for one in (
        Method(name="real", multiply_adds=1, additions=0, accumulators=1, parts=1),
        Method(name="4m", multiply_adds=4, additions=0, accumulators=2, parts=2),
        Method(name="m3", multiply_adds=3, additions=1, accumulators=3, parts=2),
    )
}
NUMBERS = {
    one.family: one
    for one in (
        Numbers(family="sgemm", element="f32", real="f32", c_type="float", text="single precision"),
        Numbers(family="dgemm", element="f64", real="f64", c_type="double", text="double precision"),
        Numbers(family="cgemm", element="c64", real="f32", c_type="float", text="single precision complex"),
        Numbers(family="zgemm", element="c128", real="f64", c_type="double", text="double precision complex"),
    )
}


def numbers_named(family: str) -> Numbers:
    """Return what a family multiplies.

    Raises:
        BadInputError: none of the four.

    Example:
        >>> numbers_named("zgemm").real, numbers_named("zgemm").methods
        ('f64', ('m3', '4m'))

    """
    if family not in NUMBERS:
        raise unknown("GEMM outside the tensor cores", family, NUMBERS)
    return NUMBERS[family]
