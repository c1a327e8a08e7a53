"""The choices that determine a GEMM kernel."""

from __future__ import annotations

from dataclasses import dataclass

from simtc.gemm.problem import Shape

__all__ = ["Choices"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The choices of a kernel D = A B, unchecked: A (m, k) row-major, B (k, n) column-major, D (m, n) row-major.

    `types` is the type of A and B, f16 or, from Ampere on and summed in f32, bf16; D has the accumulator's.

    With epilogue "alpha" D is alpha A B, with "beta" alpha A B + beta C. `transpose` has BLAS' letters for A and B: an
    "n" for A has m, a "t" for B has n, side by side in memory instead of k. Then LDSM turns the fragments on their way.

    `block` and `warp` are (m, n, k). `stages` counts shared-memory buffers, and `copy` says how they are filled. By ldg
    the next tile comes through registers: with one buffer it waits there until every warp has read the present one (Yan
    et al.), with two it is stored while the present one is still read. By ldgsts, from Ampere on, no register is spent,
    and the tiles of all buffers but one are under way. None is ldg up to two stages, ldgsts beyond.
    `sts_interleave` is the number of HMMAs between two STS.128; None is what equation 6 asks for, as far as there is
    room. `loads` is how fragments are read from shared memory: lds, or ldsm from Turing on. `split_k` counts the slices
    of k that different blocks work through. A `strided` kernel is told how far apart lines and products lie: it takes
    leading dimensions with gaps, and the grid's z chooses a product of a batch.
    """

    block: Shape
    warp: Shape
    stages: int = 1
    sts_interleave: int | None = None
    layout: str = "pad"
    accumulator: str = "f16"
    arch: str = "turing"
    loads: str | None = None
    epilogue: str = "none"
    transpose: str = "tn"
    split_k: int = 1
    copy: str | None = None
    strided: bool = False
    types: str = "f16"
