"""Questions of the lesson on bits by generation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simtc.numerics.instructions import instruction_named
from simtc.numerics.multiply import mma
from simtc.report.lessons.question import Question

__all__ = ["QUESTIONS"]

_VOLTA, _LATER = "m8n8k4.f32.f16.f16.f32", "m16n8k8.f32.f16.f16.f32"
_TINY = 2.0**-24


def _sum(arch: str, products: Sequence[float], c: float) -> float:
    """Return c plus up to four products of 1 and a number, on one architecture."""
    rows, depth, name = (8, 4, _VOLTA) if arch == "volta" else (16, 8, _LATER)
    B = np.zeros((depth, 8), np.float16)
    B[: len(products)] = np.asarray(products, np.float16)[:, None]
    A, C = np.ones((rows, depth), np.float16), np.full((rows, 8), c, np.float32)
    return float(mma(name, A, B, C, arch=arch)[0, 0])


def _judge(given: tuple[Sequence[float], float]) -> str | None:
    """Compute a learner's example on both chips."""
    products, c = given
    if len(products) != 4:
        return f"four numbers and a start are asked for, not {len(products)} numbers"
    if not all(np.isfinite(np.float16(one)) for one in products) or not np.isfinite(np.float32(c)):
        return "a number is too large for its type"
    volta, ampere = _sum("volta", products, c), _sum("ampere", products, c)
    if volta == ampere:
        return f"both give {volta!r}"
    return None


QUESTIONS = (
    Question(
        name="v100",
        answer=lambda: _sum("volta", [_TINY] * 4, 1.0),
        hint="An addend is cut at 2^-23 below the largest exponent, and 2^-24 lies beyond that.",
    ),
    Question(
        name="a100",
        answer=lambda: _sum("ampere", [_TINY] * 4, 1.0),
        hint="One bit more is kept: 2^-24 stays, and the four add up before the sum is rounded.",
    ),
    Question(
        name="below_one",
        answer=lambda: _sum("volta", [_TINY] * 4, 1.0 - _TINY),
        hint="Below 1 the largest exponent is -1, so that the cut lies one bit further right.",
    ),
    Question(
        name="roundings",
        answer=lambda: tuple(
            len(instruction_named("wmma.m16n16k16.f32.f16.f16.f32", arch).steps)
            for arch in ("volta", "ampere", "hopper")
        ),
        hint="Divide 16 by the products of one step on each chip.",
    ),
    Question(
        name="example",
        answer=lambda: ([_TINY, _TINY, 0.0, 0.0], 1.0),
        hint="Take addends that only the A100 still sees beside the start.",
        judge=_judge,
        wants="a pair: four numbers, and the start",
    ),
)
