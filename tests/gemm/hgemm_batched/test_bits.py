"""Kernels that ship, bit for bit against the chain of simtc.mma and the epilogue; campaign `batched` has more sizes."""

from __future__ import annotations

import numpy as np
import pytest

from simtc.gemm.family import Configured
from simtc.gemm.hgemm_batched.shipped import shipped
from simtc.gemm.operands import drawn, logical
from simtc.gemm.registry import family
from simtc.run.launch import launch

BOARDS = {70: "v100_pcie", 75: "t4", 80: "a100_pcie", 90: "h200"}
SIZES = ((1, 7, 10), (33, 16, 64), (100, 128, 33), (64, 33, 1))
SCALES = ((1.0, 0.0), (-0.5, 1.0), (1.0, -0.5), (0.0, 1.0))


def run(made: Configured, size, *, alpha=1.0, beta=0.0, gap=3, seed=1, fill=None, check=False):
    """Launch with gaps between columns; return D, what it must be, and how many elements of the gaps changed."""
    sizes = dict(zip("mnk", size, strict=True)) | {"alpha": alpha, "beta": beta, "batch": (3,)}
    tight = made.problem(sizes)
    problem = made.problem(sizes | {f"ld{name.lower()}": tight.leading(name) + gap for name in "ABCD"})
    arrays = drawn(problem, seed)
    if fill is not None:
        arrays["C"].view(np.uint16)[...] = fill
    expected, before = np.ascontiguousarray(made.reference(problem, arrays)), arrays["C"].copy()
    launch(
        made.program(), made.grid_dim(problem), made.block_dim, made.arguments(problem, arrays),
        shared_bytes=made.dynamic_shared_bytes, device=BOARDS[made.sm], check=check,
    )  # fmt: skip
    bits = f"u{expected.itemsize}"
    D = np.ascontiguousarray(logical(problem, "D", arrays["D"]))
    changed = (arrays["D"][..., problem.m :].view(bits) != before[..., problem.m :].view(bits)).sum()
    return D.view(bits), expected.view(bits), int(changed)


@pytest.mark.parametrize("sm", BOARDS)
def test_every_kernel_gives_the_chains_bits_and_writes_nothing_beside_c(sm):
    for number, made in enumerate([*shipped(sm, 1), *shipped(sm, 2)]):
        for turn in range(2):
            alpha, beta = SCALES[(number + turn) % 4]
            D, expected, changed = run(made, SIZES[(number + 2 * turn) % 4], alpha=alpha, beta=beta)
            assert int((expected != D).sum()) == changed == 0, (made.name, turn)


@pytest.mark.parametrize("name", ["hgemm_batched", "hcgemm_batched"])
def test_c_is_not_read_where_beta_is_0(name):
    made = family(name).configured("sm_75", {"version": 4019})
    D, expected, _ = run(made, (33, 20, 40), fill=0x7FFF)
    assert (expected == D).all()
    assert not np.isnan(D.view(np.float16)).any()


def test_the_other_half_of_a_packed_operand_with_its_sign_turned():
    """The compiler makes HFMA2 R0, R5.H0_H0, R2.H0_NH1, R3 of two terms of a complex product, in this kernel alone."""
    made = family("hcgemm_batched").configured("sm_90", {"version": 4})
    forms = {modifier for i in made.program().instructions for one in i.operands for modifier in one.modifiers}
    assert "H0_NH1" in forms
    D, expected, _ = run(made, (32, 32, 16), alpha=1.0, beta=-0.5)
    assert (expected == D).all()


PLANES = (
    ("re", "re", "re", 1.0),
    ("re", "im", "im", -1.0),
    ("im", "re", "im", 1.0),
    ("im", "im", "re", 1.0),
)  # part of D, of A, of B, sign


def planar(problem, arrays, multiply):
    """Return the complex product by four real ones of its planes, two for each plane of D."""
    real = family("hgemm_batched").configured("sm_75", {"version": 4019})
    D = np.zeros_like(arrays["D"])
    for number, (d, a, b, sign) in enumerate(PLANES):
        call = real.problem(
            {
                "m": problem.m,
                "n": problem.n,
                "k": problem.k,
                "batch": problem.batch,
                "alpha": sign,
                "beta": float(number % 2),
            }
        )
        planes = {"A": arrays["A"][a], "B": arrays["B"][b], "C": D[d], "D": D[d]}
        D[d] = multiply(real, call, {name: np.ascontiguousarray(one) for name, one in planes.items()})
    return D


def executed(made, problem, arrays):
    launch(
        made.program(), made.grid_dim(problem), made.block_dim, made.arguments(problem, arrays),
        shared_bytes=made.dynamic_shared_bytes, device="t4",
    )  # fmt: skip
    return arrays["D"]


def by_reference(made, problem, arrays):
    return np.swapaxes(made.reference(problem, arrays), -1, -2)


def test_planar_is_four_real_calls_and_equals_interleaved_where_nothing_is_rounded():
    """The order of sums is another: four real calls round each plane's first product before the second is added."""
    made = family("hcgemm_batched").configured("sm_75", {"version": 4019})
    problem = made.problem({"m": 33, "n": 20, "k": 40, "batch": (2,)})
    arrays, generator = drawn(problem, 3), np.random.default_rng(3)
    four = planar(problem, arrays, executed)
    np.testing.assert_array_equal(four.view(np.uint16), planar(problem, arrays, by_reference).view(np.uint16))
    rounded = (executed(made, problem, arrays).view(np.uint16) != four.view(np.uint16)).mean()
    assert 0.05 < rounded < 0.9
    for name in "AB":
        for part in ("re", "im"):
            arrays[name][part] = generator.integers(-4, 5, arrays[name].shape)  # whole numbers: no sum is rounded
    np.testing.assert_array_equal(
        executed(made, problem, arrays).view(np.uint16), planar(problem, arrays, executed).view(np.uint16)
    )
