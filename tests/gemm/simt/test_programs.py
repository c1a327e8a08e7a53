"""Every program of the four families, bit for bit: chains of fused multiply-adds, alpha, beta, edges, transposes."""

from __future__ import annotations

import numpy as np
import pytest

from simtc import arch
from simtc.errors import BadInputError
from simtc.gemm.operands import bits, drawn, fma, logical
from simtc.gemm.registry import family
from simtc.gemm.simt.configuration import BUILT
from simtc.gemm.simt.numbers import NUMBERS
from simtc.resources import folder
from simtc.run.launch import launch

BOARDS = {70: "v100_sxm2", 75: "t4", 80: "a100_sxm", 90: "h200"}
COUNTS = {"sgemm": 10, "dgemm": 6, "cgemm": 18, "zgemm": 18}
EVERY_OPERATION = 80
CASES = [  # no size divides by another, edges of one, whole tiles; with and without C
    ((37, 53, 29), -0.5, 1.25),
    ((65, 97, 16), 1.0, 0.0),
]


def launched(made, problem, arrays, **options):
    launch(
        made.program(), made.grid_dim(problem), made.block_dim, made.arguments(problem, arrays),
        device=BOARDS[made.sm], **options,
    )  # fmt: skip
    return logical(problem, "D", arrays["D"])


@pytest.mark.parametrize("sm", BUILT)
@pytest.mark.parametrize("name", NUMBERS)
def test_every_program_gives_the_references_bits(name, sm):
    programs = family(name).programs(arch.device(BOARDS[sm]))
    assert len({made.name for made in programs}) == len(programs) == COUNTS[name]
    for made in programs:
        if made.numbers.is_complex and sm != EVERY_OPERATION and made.transpose not in ("nn", "ct", "nc"):
            continue  # the operations are numbers at run time, so that code of one generation shows them all
        for number, (sizes, alpha, beta) in enumerate(CASES):
            turn = 0.5j if made.numbers.is_complex and beta else 0
            given = {"alpha": alpha + turn, "beta": beta - turn, "lda": 101, "ldb": 102, "ldc": 103, "ldd": 107}
            problem = made.problem(dict(zip("mnk", sizes, strict=True)) | given)
            arrays = drawn(problem, number)
            if not beta:
                arrays["C"][...] = np.nan  # which must not be read
            expected = made.reference(problem, arrays)
            D = launched(made, problem, arrays)
            assert not (bits(D) != bits(expected)).any(), (made.name, sizes)
            assert np.count_nonzero(D) == D.size
            assert not arrays["D"][:, problem.m :].any()  # what lies between the columns


def test_a_chain_rises_along_k_and_rounds_once_a_step():
    """The reference itself, against exact steps in f64, and against the other order."""
    made = family("sgemm").configured("sm_75", {})
    problem = made.problem({"m": 5, "n": 7, "k": 40})
    arrays = drawn(problem, 4)
    A, B = logical(problem, "A", arrays["A"]), logical(problem, "B", arrays["B"])
    up, down = np.zeros((5, 7), np.float32), np.zeros((5, 7), np.float32)
    for k in range(40):
        up = fma(A[:, k : k + 1], B[k : k + 1], up)
        down = fma(A[:, 39 - k : 40 - k], B[39 - k : 40 - k], down)
    expected = made.reference(problem, arrays)
    assert (bits(expected) == bits(up)).all()
    assert (bits(expected) != bits(down)).any()


def test_infinities_nan_and_signed_zeros():
    made = family("sgemm").configured("sm_90", {"transpose": "tn"})
    problem = made.problem({"m": 20, "n": 24, "k": 18, "alpha": -1.0, "beta": 1.0})
    values = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-38, 3e38, 1.0], np.float32)
    arrays, generator = drawn(problem, 0), np.random.default_rng(5)
    for name in "ABC":
        arrays[name][...] = generator.choice(
            values, arrays[name].shape, p=[0.3, 0.3, 0.01, 0.01, 0.01, 0.1, 0.1, 0.01, 0.16]
        )
    expected = made.reference(problem, arrays)
    assert np.isnan(expected).any()
    assert not np.isnan(expected).all()
    assert (bits(launched(made, problem, arrays)) == bits(expected)).all()


@pytest.mark.parametrize(("sm", "transpose"), [(80, "nn"), (75, "tn")])
def test_the_checks_find_nothing(sm, transpose):
    """The second keeps its predicates in bits of a register, which it begins to set without writing the whole of it."""
    made = family("sgemm").configured(f"sm_{sm}", {"transpose": transpose})
    problem = made.problem({"m": 70, "n": 33, "k": 20, "alpha": 2.0, "beta": 1.0})
    arrays = drawn(problem, 1)
    expected = made.reference(problem, arrays)
    assert (bits(launched(made, problem, arrays, check=True)) == bits(expected)).all()


def test_listings_stay_below_four_megabytes():
    total = sum(path.stat().st_size for path in (folder("kernels") / "simt_gemm").rglob("*.sass"))
    assert 3e6 < total < 4e6


@pytest.mark.parametrize(
    ("name", "choices", "message"),
    [
        ("sgemm", {"transpose": "nc"}, "unknown transpose 'nc': known are nn, nt, tn, tt"),
        ("sgemm", {"blocking": "shared", "block": (64, 16, 16), "transpose": "tn"}, "coalesced where A is not"),
        ("cgemm", {"complex": "m4"}, "unknown way to multiply in cgemm 'm4'.*did you mean 'm3'"),
        ("zgemm", {"blocking": "shared", "block": (64, 16, 16)}, "zgemm is blocked for registers"),
        ("dgemm", {"block": (60, 64, 16)}, "block 60x64x16: 16 x 16 threads take multiples of 16"),
        ("dgemm", {"block": (64, 16, 16), "threads": "16by4"}, "threads '16by4': along x and y, such as 16x4"),
        ("dgemm", {"block": (64, 16, 16), "threads": "7x4"}, "28 must divide 64"),
        ("sgemm", {"blocking": "registers", "block": (64, 64, 16)}, "unknown blocking 'registers'"),
    ],
)
def test_what_cannot_be_made_is_refused(name, choices, message):
    with pytest.raises(BadInputError, match=message):
        family(name).configured("sm_75", choices)


def test_what_does_not_ship_has_closed_forms_alone():
    made = family("sgemm").configured("sm_75", {"block": (128, 128, 16)})
    assert "listings ship of 96,96,16, 64,64,16, 64,16,16" in made.not_executed()
    with pytest.raises(BadInputError, match="the machine code and the clock of sm_20 are not known"):
        family("sgemm").configured("sm_20", {}).program()
    with pytest.raises(BadInputError, match=r"alpha 1j, beta 0.0: matrices of f32 take real ones"):
        made.problem({"m": 1, "n": 1, "k": 1, "alpha": 1j})
