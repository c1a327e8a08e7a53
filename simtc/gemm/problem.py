"""Problem: one GEMM, whatever kernel computes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from operator import index
from typing import Any

from simtc.errors import BadInputError, unknown
from simtc.numerics.formats import format_named

__all__ = ["COMPLEX", "Problem", "Shape"]

Shape = tuple[int, int, int]  # m, n, k
_SIZE_LIMIT = 1 << 24  # of a dimension: any real GEMM
COMPLEX = {
    "c32": "f16",
    "c64": "f32",
    "c128": "f64",
}  # types of complex numbers, and of their parts: the real one first in memory


def _axes(batch: Any) -> tuple[int, ...]:
    """Return batch axes, of which a number is one."""
    try:
        return tuple(index(axis) for axis in batch) if isinstance(batch, Sequence) else (index(batch),)
    except TypeError:
        raise BadInputError(f"batch {batch!r}: a number of products, or a tuple with the length of each axis") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """D = alpha A B + beta C: A is (m, k), B (k, n), C and D (m, n), behind batch axes that all of them have.

    `types` are those of D, A, B and C, in PTX's order. `majors` says of A, of B and of C and D whether their rows
    ("row") or their columns ("col") lie together in memory. A leading dimension is the elements from one row (column)
    to the next; None is as many as a row has. A number as `batch` is one axis.

    Raises:
        BadInputError: a size, a batch axis or a leading dimension out of range; an unknown type or major; a complex
            factor of real matrices.

    Example:
        >>> one = Problem(m=64, n=32, k=16, types="f32.f16.f16.f32", majors=("row", "col", "row"), batch=(5,), lda=24)
        >>> one.flops, one.bytes, one.stored("A"), one.stored("B")
        (327680, 56320, (5, 64, 24), (5, 32, 16))

    """

    m: int
    n: int
    k: int
    types: str = "f16.f16.f16.f16"
    batch: tuple[int, ...] = ()
    majors: tuple[str, str, str] = ("row", "row", "row")
    lda: int | None = None
    ldb: int | None = None
    ldc: int | None = None
    ldd: int | None = None
    alpha: complex = 1.0  # of real matrices a real one, as beta
    beta: complex = 0.0

    def __post_init__(self) -> None:
        for name in "mnk":
            if not 1 <= getattr(self, name) <= _SIZE_LIMIT:
                raise BadInputError(f"{name} is {getattr(self, name)}: 1 to {_SIZE_LIMIT}")
        object.__setattr__(self, "batch", _axes(self.batch))
        if any(axis < 1 for axis in self.batch):
            raise BadInputError(f"batch {self.batch}: an axis has at least one product")
        if len(self.types.split(".")) != 4:
            raise BadInputError(f"types {self.types!r}: those of D, A, B and C, such as f32.f16.f16.f32")
        for major in self.majors:
            if major not in ("row", "col"):
                raise unknown("major", major, ("row", "col"))
        if not self.is_complex and (complex(self.alpha).imag or complex(self.beta).imag):
            raise BadInputError(f"alpha {self.alpha}, beta {self.beta}: matrices of {self.element('D')} take real ones")
        for name in "ABCD":
            format_named(self._part(name))
            least, given = self.line(name), self.leading(name)
            if not least <= given <= _SIZE_LIMIT:
                most = f" and at most {_SIZE_LIMIT}" if given > least else ""
                raise BadInputError(f"ld{name.lower()} is {given}: a line of {name} has {least} elements{most}")

    @property
    def products(self) -> int:
        """Matrix products: one, or as many as the batch axes have places."""
        return prod(self.batch)

    @property
    def flops(self) -> int:
        """Operations, a multiply-add counting as two, of complex numbers as eight."""
        return (8 if self.is_complex else 2) * self.m * self.n * self.k * self.products

    @property
    def is_complex(self) -> bool:
        """True where the elements of D are complex numbers."""
        return self.element("D") in COMPLEX

    @property
    def bytes(self) -> int:
        """Bytes that cross the memory at least: A and B once, D once, and C where beta is not 0."""
        moved = "ABD" + ("C" if self.beta else "")
        return sum(prod(self.shape(name)) * self.element_bytes(name) for name in moved) * self.products

    @property
    def arithmetic_intensity(self) -> float:
        """Operations for each byte that crosses the memory."""
        return self.flops / self.bytes

    def element(self, name: str) -> str:
        """Return the type of A, B, C or D."""
        return self.types.split(".")["DABC".index(name)]

    def element_bytes(self, name: str) -> int:
        """Return what an element of A, B, C or D occupies in memory."""
        return format_named(self._part(name)).bits // 8 * (1 + (self.element(name) in COMPLEX))

    def shape(self, name: str) -> tuple[int, int]:
        """Return the rows and columns of A, B, C or D."""
        return {"A": (self.m, self.k), "B": (self.k, self.n)}.get(name, (self.m, self.n))

    def major(self, name: str) -> str:
        """Return "row" where the rows of A, B, C or D lie together, else "col"."""
        return self.majors[min("ABCD".index(name), 2)]

    def leading(self, name: str) -> int:
        """Return the leading dimension of A, B, C or D, in elements."""
        given: int | None = getattr(self, f"ld{name.lower()}")
        return self.line(name) if given is None else given

    def line(self, name: str) -> int:
        """Return the elements of a row of A, B, C or D, of a column where columns lie together."""
        return self.shape(name)[1 if self.major(name) == "row" else 0]

    def stored(self, name: str) -> tuple[int, ...]:
        """Return the array shape of A, B, C or D as it lies in memory: batch axes, lines, leading dimension."""
        rows, columns = self.shape(name)
        return (*self.batch, rows if self.major(name) == "row" else columns, self.leading(name))

    def padded(self, multiple: Sequence[int]) -> Problem:
        """Return the problem with m, n and k rounded up to multiples; lines become as long as they must.

        Example:
            >>> Problem(m=100, n=100, k=100).padded((64, 32, 16)).stored("B")
            (112, 128)

        """
        m, n, k = (-(-size // unit) * unit for size, unit in zip((self.m, self.n, self.k), multiple, strict=True))
        if (m, n, k) == (self.m, self.n, self.k):
            return self
        return replace(self, m=m, n=n, k=k, lda=None, ldb=None, ldc=None, ldd=None)

    def _part(self, name: str) -> str:
        element = self.element(name)
        return COMPLEX.get(element, element)
