"""LU through the simulated DGEMM: residuals, LAPACK's pivots, what is singular, and where the time goes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import lu_factor

from simtc import arch
from simtc.errors import BadInputError
from simtc.gemm.operands import bits
from simtc.linalg import Host, lu, lu_flops, lu_time

EPS = np.finfo(np.float64).eps


def residual(A, found):
    """Return |PA - LU| over n eps |A|, in norms, times what U grew by."""
    grown = max(np.abs(found.upper).max() / np.abs(A).max(), 1.0)
    return np.linalg.norm(found.permuted(A) - found.lower @ found.upper) / (len(A) * EPS * np.linalg.norm(A) * grown)


def scaled(generator, n):
    powers = 10.0 ** generator.integers(-120, 120, (n, 1))
    return powers * generator.standard_normal((n, n))


MATRICES = {
    "random": (256, 64, lambda g: g.standard_normal((256, 256))),
    "no multiple of the panel": (100, 48, lambda g: g.standard_normal((100, 100))),
    "badly scaled rows": (96, 32, lambda g: scaled(g, 96)),
    "larger below": (64, 16, lambda g: np.tril(np.ones((64, 64)), -1) * g.uniform(1, 2, (64, 64)) + np.eye(64) * 1e-10),
}


@pytest.mark.parametrize("name", MATRICES)
def test_pa_is_lu_with_lapacks_pivots(name):
    n, nb, make = MATRICES[name]
    A = make(np.random.default_rng(3))
    found = lu(A, nb=nb, device="a100_sxm")
    _, pivots = lu_factor(A, check_finite=False)
    assert found.pivots.tolist() == pivots.tolist()
    assert found.pivots.tolist() != list(range(n))
    assert found.singular is None
    assert residual(A, found) < 1
    assert np.abs(found.lower).max() <= 1


@pytest.mark.filterwarnings("ignore:Diagonal number:scipy.linalg.LinAlgWarning")
@pytest.mark.parametrize(("columns", "first"), [((5,), 5), ((40, 41), 40)])
def test_a_column_of_zeros_is_told_and_the_rest_factored(columns, first):
    A = np.random.default_rng(1).standard_normal((64, 64))
    A[:, columns] = 0
    found = lu(A, nb=16)
    _, pivots = lu_factor(A)
    assert found.singular == first
    assert found.pivots.tolist() == pivots.tolist()
    assert residual(A, found) < 1


def test_a_matrix_of_low_rank_leaves_nothing_below_its_rank():
    generator = np.random.default_rng(2)
    A = generator.integers(-4, 5, (48, 5)).astype(np.float64) @ generator.integers(-4, 5, (5, 48)).astype(np.float64)
    found = lu(A, nb=16)
    assert np.linalg.matrix_rank(A) == 5
    assert np.abs(found.upper[5:]).max() < 1e-12 * np.abs(A).max()
    assert residual(A, found) < 1


def test_the_updates_are_the_chips_dgemm():
    """A chain of fused steps differs from numpy's product, and not from one board to another."""
    A = np.random.default_rng(4).standard_normal((96, 96))
    one, other, alone = (lu(A, nb=nb, device=board) for nb, board in ((32, "a100_sxm"), (32, "t4"), (96, "t4")))
    assert (bits(one.packed) == bits(other.packed)).all()
    assert (bits(one.packed) != bits(alone.packed)).any()
    np.testing.assert_allclose(one.packed, alone.packed, rtol=1e-9)


def test_the_share_of_the_updates():
    assert lu_flops(1024, 64) == {"all": 715_303_424, "update": 650_117_120}
    assert lu_flops(10, 10)["update"] == 0
    shares = [lu_flops(n, 64)["update"] / lu_flops(n, 64)["all"] for n in (128, 1024, 8192)]
    assert shares == sorted(shares)


def test_the_time_is_the_sum_of_its_steps_and_look_ahead_hides_panels():
    options = {"nb": 64, "device": "a100_sxm", "fidelity": "analytic"}
    plain, ahead = lu_time(1024, **options), lu_time(1024, **options, look_ahead=True)
    assert plain.seconds == pytest.approx(sum(plain.parts.values()))
    first = plain.steps[0]
    pairs = zip(plain.steps, plain.steps[1:], strict=False)
    hidden = sum(min(one.update, two.panel + two.transfers) for one, two in pairs)
    assert ahead.seconds == pytest.approx(plain.seconds - hidden)
    assert ahead.seconds < plain.seconds
    assert (plain.steps[-1].update, first.update > plain.steps[8].update) == (0.0, True)
    faster = lu_time(1024, **options, host=Host(panel_gflops=200.0))
    assert faster.parts["panel"] == pytest.approx(plain.parts["panel"] / 10)
    assert faster.parts["update"] == plain.parts["update"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.zeros((2, 3)), r"a square matrix of float64, got float64\[2, 3\]"),
        (np.zeros((2, 2), np.float32), "got float32"),
    ],
)
def test_what_is_no_matrix_is_refused(given, message):
    with pytest.raises(BadInputError, match=message):
        lu(given)
    with pytest.raises(BadInputError, match="panels of 0 columns"):
        lu(np.eye(2), nb=0)
    with pytest.raises(BadInputError, match="machine code and the clock of sm_20"):
        lu(np.eye(8), nb=4, device=arch.device("c2050"))
