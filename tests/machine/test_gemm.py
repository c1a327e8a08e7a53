"""wmma_tiled of Volta and Turing at the sizes of a real problem, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

SIZES = [128, 256, pytest.param(512, marks=pytest.mark.slow)]


@pytest.mark.parametrize("distribution", ["normal", "wide"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("sm", [70, 75])
def test_wmma_tiled_cubed(gemm, sm, size, distribution):
    problem = gemm.Problem("wmma_tiled", gemm.catalog["wmma_tiled"], sm, (size, size, size), distribution, seed=size)
    got, expected = problem.run(), problem.expected()
    assert np.array_equal(gemm.bits(got), gemm.bits(expected))
    assert np.isfinite(got).all()
    assert len(np.unique(got)) > got.size // 4


def test_one_ulp_off_would_be_seen(gemm):
    problem = gemm.Problem("wmma_tiled", gemm.catalog["wmma_tiled"], 75, (128, 128, 32), "normal", seed=1)
    got, expected = problem.run(), problem.expected()
    gemm.bits(got)[5, 7] ^= 1
    assert np.flatnonzero(gemm.bits(got) != gemm.bits(expected)).tolist() == [5 * 128 + 7]


def test_generations_differ_where_they_should(gemm):
    """Volta adds four products at a time and Turing eight: wide exponents show it."""
    volta, turing = (
        gemm.Problem("wmma_tiled", gemm.catalog["wmma_tiled"], sm, (128, 128, 64), "wide", seed=3).run()
        for sm in (70, 75)
    )
    share = np.mean(gemm.bits(volta) != gemm.bits(turing))
    assert 0.05 < share < 0.95
    assert np.allclose(volta, turing, rtol=1e-2, atol=1e-3 * np.abs(volta).max())
