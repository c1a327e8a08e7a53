"""Every program of the family, bit for bit: against the chain of simtc.mma, at whole tiles and padded sizes."""

from __future__ import annotations

import numpy as np
import pytest

from simtc import arch
from simtc.errors import BadInputError
from simtc.gemm.operands import drawn, embedded, logical
from simtc.gemm.registry import family
from simtc.gemm.wmma_gemm.configuration import WmmaGemm
from simtc.gemm.wmma_gemm.pairs import BUILT, PAIRS, SHAPES, TRANSPOSES
from simtc.run.launch import launch

FAMILY = family("wmma_gemm")
BOARDS = {70: "v100_sxm2", 75: "t4", 80: "a100_sxm", 87: "orin_agx", 90: "h200"}
COUNTS = {70: 24, 75: 48, 80: 68, 87: 68, 90: 68}
GROUPS = [(sm, pair.name) for pair in PAIRS.values() for sm in pair.built]


def programs(sm, pairs=tuple(PAIRS)):
    return [
        WmmaGemm(types=pair, shape=shape, transpose=transpose, sm=sm)
        for pair in pairs
        if sm in PAIRS[pair].built
        for shape in PAIRS[pair].shapes
        for transpose in TRANSPOSES
    ]


def bits_off(made, sizes, *, seed=3, draw=drawn):
    """Run a program over a problem embedded in whole tiles; return the elements that are off the reference, and D."""
    alpha, beta = FAMILY.scales({"types": made.types})
    problem = made.problem(dict(zip("mnk", sizes, strict=True)) | {"alpha": alpha, "beta": beta})
    whole = problem.padded(made.pad_to) if any(
        size % unit for size, unit in zip(sizes, made.multiple, strict=True)
    ) else problem  # fmt: skip
    arrays = embedded(problem, whole, draw(problem, seed))
    expected = made.reference(whole, arrays)
    args = made.arguments(whole, arrays)
    launch(made.program(), made.grid_dim(whole), made.block_dim, args, device=BOARDS[made.sm])
    D = np.ascontiguousarray(logical(whole, "D", arrays["D"]))
    assert expected.shape == D.shape
    return int((D.view(f"u{D.itemsize}") != expected.view(f"u{D.itemsize}")).sum()), D[: problem.m, : problem.n]


@pytest.mark.parametrize("sm", BUILT)
def test_as_many_as_there_are(sm):
    assert len(programs(sm)) == COUNTS[sm]
    for made in programs(sm):
        kernel = made.program()
        assert (kernel.sm, kernel.max_threads) == (sm, 512)


@pytest.mark.parametrize(("sm", "pair"), GROUPS)
def test_every_program_gives_the_chains_bits(sm, pair):
    for made in programs(sm, [pair]):
        m, n, k = made.shape
        for sizes in ((3 * m, 5 * n, 3 * k), (37, 53, 29)):
            off, D = bits_off(made, sizes)
            assert off == 0, (made, sizes)
            assert np.count_nonzero(D) > D.size / 2


def test_integers_wrap_as_the_chips():
    made = WmmaGemm(types="s8", shape=(16, 16, 16), transpose="nn", sm=75)
    problem = made.problem({"m": 16, "n": 16, "k": 16, "alpha": -2, "beta": 3})
    arrays = drawn(problem, 0)
    arrays["A"][...], arrays["B"][...], arrays["C"][...] = 100, 1, 2**30
    launch(made.program(), made.grid_dim(problem), made.block_dim, made.arguments(problem, arrays), device="t4")
    wrapped = (-2 * 100 + 128) % 256 - 128
    assert (arrays["D"] == np.int64(3 * 2**30 + 16 * wrapped).astype(np.int32)).all()


def test_f64_is_a_chain_of_fma():
    made = WmmaGemm(types="f64", shape=(8, 8, 4), transpose="nt", sm=80)
    _, D = bits_off(made, (8, 8, 8), seed=5)
    problem = made.problem({"m": 8, "n": 8, "k": 8, "alpha": -1.234, "beta": 5.678})
    arrays = drawn(problem, 5)
    A, B = -1.234 * arrays["A"], logical(problem, "B", arrays["B"])
    for i, j in ((0, 0), (3, 6), (7, 7)):
        total = np.float64(5.678) * arrays["C"][i, j]
        for k in range(8):
            wide = np.longdouble(A[i, k]) * np.longdouble(B[k, j]) + np.longdouble(total)
            total = np.float64(wide)
        assert D[i, j] == pytest.approx(total, rel=1e-15)


def test_the_18_combinations_that_do_not_exist_are_refused_with_those_that_do():
    refused = 0
    for pair in PAIRS.values():
        for shape in SHAPES:
            if shape in pair.shapes:
                continue
            text = "x".join(map(str, shape))
            with pytest.raises(BadInputError, match=f"{pair.name} has no shape {text}: WMMA has it for .*Try: --shape"):
                FAMILY.problem({"m": 64, "n": 64, "k": 64}, {"types": pair.name, "shape": text})
            refused += 1
    assert refused == 18


def test_a_board_without_the_pair_says_what_it_has():
    problem = FAMILY.problem({"m": 64, "n": 64, "k": 64}, {"types": "bf16"})
    with pytest.raises(BadInputError, match="t4 is sm_75: it has f16_f32, f16_f16, u8, s8"):
        FAMILY.configure(problem, arch.device("t4"), {"types": "bf16"})
    with pytest.raises(BadInputError, match="c2050 is sm_20: it has none of WMMA's"):
        FAMILY.configure(problem, arch.device("c2050"), {"types": "bf16"})


def test_orin_runs_its_own_code_and_no_other_board_does():
    problem = FAMILY.problem({"m": 64, "n": 64, "k": 64}, {})
    for board, sm in (("orin_agx", 87), ("a100_sxm", 80), ("h100_sxm", 90)):
        assert FAMILY.configure(problem, arch.device(board), {}).sm == sm


@pytest.mark.parametrize("transpose", TRANSPOSES)
def test_leading_dimensions_are_the_problems(transpose):
    made = WmmaGemm(types="f16_f32", shape=(16, 16, 16), transpose=transpose, sm=75)
    problem = made.problem(
        {"m": 48, "n": 32, "k": 64, "lda": 72, "ldb": 80, "ldc": 40, "ldd": 40, "alpha": 2, "beta": 1}
    )
    arrays = drawn(problem, 9)
    expected, before = made.reference(problem, arrays), arrays["C"].copy()
    args = made.arguments(problem, arrays)
    launch(made.program(), made.grid_dim(problem), made.block_dim, args, device="t4")
    np.testing.assert_array_equal(logical(problem, "D", arrays["D"]), expected)
    np.testing.assert_array_equal(arrays["D"][:, 32:], before[:, 32:])  # what lies between the lines stays
