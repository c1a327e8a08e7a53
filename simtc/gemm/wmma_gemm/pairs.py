"""The type pairs of WMMA, with the shapes and the generations that have them."""

from __future__ import annotations

from dataclasses import dataclass

from simtc.errors import BadInputError, unknown
from simtc.gemm.problem import Shape

__all__ = ["BUILT", "PAIRS", "SHAPES", "TRANSPOSES", "Pair", "pair_named", "shape_named"]

SHAPES: tuple[Shape, ...] = ((16, 16, 16), (32, 8, 16), (8, 32, 16), (16, 16, 8), (8, 8, 4))
TRANSPOSES = ("nn", "nt", "tn", "tt")
BUILT = (70, 75, 80, 87, 90)  # generations with listings
_WIDE = SHAPES[:3]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Types of A and B, and of C; `alpha`, `beta` and `tolerance` are the document's."""

    name: str
    operand: str  # as PTX names it
    sum: str
    shapes: tuple[Shape, ...] = _WIDE
    first_sm: int = 80  # of the listings
    alpha: float = -1.234
    beta: float = 5.678
    tolerance: float

    @property
    def built(self) -> tuple[int, ...]:
        """The generations with listings of this pair."""
        return tuple(sm for sm in BUILT if sm >= self.first_sm)

    @property
    def types(self) -> str:
        """The types of D, A, B and C."""
        return f"{self.sum}.{self.operand}.{self.operand}.{self.sum}"

    def mma(self, shape: Shape) -> str:
        """Return the instruction, as simtc.mma names it.

        Example:
            >>> pair_named("tf32").mma((16, 16, 8))
            'wmma.m16n16k8.f32.tf32.tf32.f32'

        """
        m, n, k = shape
        return f"wmma.m{m}n{n}k{k}.{self.types}"


PAIRS = {
    pair.name: pair
    for pair in (
        Pair(name="f16_f32", operand="f16", sum="f32", first_sm=70, tolerance=5),
        Pair(name="f16_f16", operand="f16", sum="f16", first_sm=70, tolerance=50),
        Pair(name="u8", operand="u8", sum="s32", first_sm=75, alpha=2, beta=3, tolerance=0),
        Pair(name="s8", operand="s8", sum="s32", first_sm=75, alpha=-2, beta=3, tolerance=0),
        Pair(name="bf16", operand="bf16", sum="f32", tolerance=10),
        Pair(name="tf32", operand="tf32", sum="f32", shapes=(SHAPES[3],), tolerance=5),
        Pair(name="f64", operand="f64", sum="f64", shapes=(SHAPES[4],), tolerance=0.005),
    )
}


def pair_named(name: str) -> Pair:
    """Return a type pair.

    Raises:
        BadInputError: no such pair.

    """
    if name not in PAIRS:
        raise unknown("type pair", name, PAIRS, then="simtc run wmma_gemm --types f16_f32 -m 64 -n 64 -k 64")
    return PAIRS[name]


def shape_named(pair: Pair, name: str | None) -> Shape:
    """Return a shape m x n x k of a pair; the first it has where none is named.

    Raises:
        BadInputError: no such shape, or one that the pair does not have: names those that it has.

    Example:
        >>> shape_named(pair_named("s8"), "32x8x16"), shape_named(pair_named("f64"), None)
        ((32, 8, 16), (8, 8, 4))
        >>> shape_named(pair_named("f64"), "16x16x16")  # doctest: +NORMALIZE_WHITESPACE
        Traceback (most recent call last):
        simtc.errors.BadInputError: f64 has no shape 16x16x16: WMMA has it for f16_f32, f16_f16, u8, s8, bf16, and
        f64 in 8x8x4. Try: --shape 8x8x4

    """
    if name is None:
        return pair.shapes[0]
    shapes = {_text(shape): shape for shape in SHAPES}
    if name not in shapes:
        raise unknown("shape", name, shapes)
    if shapes[name] not in pair.shapes:
        others = ", ".join(one.name for one in PAIRS.values() if shapes[name] in one.shapes)
        own = ", ".join(_text(shape) for shape in pair.shapes)
        raise BadInputError(
            f"{pair.name} has no shape {name}: WMMA has it for {others}, and {pair.name} in {own}. "
            f"Try: --shape {_text(pair.shapes[0])}"
        )
    return shapes[name]


def _text(shape: Shape) -> str:
    return "x".join(map(str, shape))
