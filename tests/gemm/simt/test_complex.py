"""Three real products for a complex one: what they compute, and how far off that is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simtc.gemm.registry import family
from tests.gemm.simt.test_programs import launched

TYPES = {"cgemm": np.complex64, "zgemm": np.complex128}
UNIT = {"cgemm": 2.0**-24, "zgemm": 2.0**-53}


def product(name, method, A, B, *, execute):
    """Return A B, executed or by the reference."""
    made = family(name).configured("sm_80", {"complex": method})
    problem = made.problem({"m": A.shape[0], "n": B.shape[1], "k": A.shape[1]})
    arrays = {"A": A, "B": B, "C": np.zeros((A.shape[0], B.shape[1])), "D": np.zeros((A.shape[0], B.shape[1]))}
    arrays = {key: np.ascontiguousarray(one.T.astype(TYPES[name])) for key, one in arrays.items()}
    return np.array(launched(made, problem, arrays)) if execute else made.reference(problem, arrays)


@pytest.mark.parametrize(("name", "power", "lost"), [("cgemm", 12, -(2.0**-24)), ("zgemm", 27, -(2.0**-54))])
def test_the_imaginary_part_that_three_products_lose(name, power, lost):
    theta = np.full((1, 1), 2.0**power + 2.0**-power * 1j)
    four, three = (product(name, method, theta, theta, execute=True)[0, 0] for method in ("4m", "m3"))
    assert (four.imag, three.imag) == (2.0, lost)
    assert four.real == three.real


def exact(A, B):
    """Return A B in twice the precision of f64."""
    wide = [one.astype(np.clongdouble) for one in (A, B)]
    return wide[0] @ wide[1]


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), spread=st.integers(0, 12), sizes=st.tuples(*[st.integers(1, 24)] * 3))
def test_the_error_of_three_products_is_bounded_by_norms(seed, spread, sizes):
    """Higham 1992: the error is at most c u |A| |B| in norms, however parts differ in size; here with c = 2 k + 8."""
    generator = np.random.default_rng(seed)
    (m, n, k) = sizes
    A, B = (generator.standard_normal(shape) * 1.0 for shape in ((2, m, k), (2, k, n)))
    A, B = (np.complex64(one[0] * 2.0**-spread + 1j * one[1]) for one in (A, B))
    error = product("cgemm", "m3", A, B, execute=False) - exact(A, B)
    bound = (2 * k + 8) * UNIT["cgemm"] * float(np.linalg.norm(A)) * float(np.linalg.norm(B))
    assert float(np.linalg.norm(error.astype(np.complex128))) <= bound


def test_the_error_of_three_products_is_not_bounded_by_components():
    """|Im| far below |Re|: four products keep each part to its own size, three do not."""
    generator = np.random.default_rng(7)
    A, B = (generator.standard_normal((2, 24, 24)) for _ in range(2))
    A, B = (np.complex64(one[0] + 1e-4j * one[1]) for one in (A, B))
    whole = exact(A, B)
    below = np.abs(A.real) @ np.abs(B.imag) + np.abs(A.imag) @ np.abs(B.real)
    bound = (2 * 24 + 8) * UNIT["cgemm"] * below
    errors = {how: np.abs((product("cgemm", how, A, B, execute=False) - whole).imag) for how in ("4m", "m3")}
    assert (errors["4m"] <= bound).all()
    assert (errors["m3"] > bound).mean() > 0.5


def test_three_products_are_three_calls_of_the_real_gemm():
    generator = np.random.default_rng(1)
    A, B = (
        np.complex64(generator.standard_normal(s) + 1j * generator.standard_normal(s)) for s in ((20, 33), (33, 18))
    )
    made = family("sgemm").configured("sm_80", {})

    def real(left, right):
        problem = made.problem({"m": 20, "n": 18, "k": 33})
        arrays = {"A": left, "B": right, "C": np.zeros((20, 18)), "D": np.zeros((20, 18))}
        arrays = {key: np.ascontiguousarray(one.T.astype(np.float32)) for key, one in arrays.items()}
        return np.array(launched(made, problem, arrays))

    t1, t2, t3 = real(A.real, B.real), real(A.imag, B.imag), real(A.real + A.imag, B.real + B.imag)
    D = product("cgemm", "m3", A, B, execute=True)
    assert (D.real == t1 - t2).all()
    assert (D.imag == t3 - t1 - t2).all()
