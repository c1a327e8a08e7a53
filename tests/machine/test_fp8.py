"""Ada's mma.sync on fp8: what nvcc 13.0 compiled, executed; no Ada chip was at hand, so nothing here is captured.

Fragments and bits are held to `simtc.mma`, whose rule for QMMA is published, and to results worked out by hand.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simtc import arch
from simtc.errors import BadInputError
from simtc.isa import Kernel
from simtc.numerics import format_named, instructions
from simtc.numerics.multiply import mma
from simtc.run.launch import launch
from simtc.sass import load, parse_instruction
from simtc.timing.rates import tensor_row
from simtc.validate.inputs import DISTRIBUTIONS, as_operand, operands
from simtc.validate.pack import pack, unpack
from simtc.validate.ptx import fragment_of
from tests.timing.micro import each, line

PROGRAM = load(Path(__file__).with_name("fp8") / "fp8_sm89.sass")
FP8 = ("e4m3", "e5m2")
FORMS = [f"m16n8k{k}.{c}.{a}.{b}.{c}" for k in (16, 32) for c in ("f32", "f16") for a in FP8 for b in FP8]
BOARDS = ("l4", "rtx4090")


def executed(name, A, B, C, board):
    """Return the bit patterns of D for patterns of A, B and C, (products, ...) each; a block is a product."""
    found = instructions("ada")[name]
    args = [pack(fragment_of(found, x), matrix) for x, matrix in zip("abc", (A, B, C), strict=True)]
    held = fragment_of(found, "d")
    out = np.zeros((len(A), held.registers, held.lanes), np.uint32)
    launch(PROGRAM[name.rpartition(".")[0].replace(".", "_")], len(A), 32, [*args, out], device=board)
    return unpack(held, out).astype(f"uint{format_named(found.d).bits}")


def multiplied(name, A, B, C, **options):
    """Return the same of simtc.mma."""
    found = instructions("ada")[name]
    forms = (format_named(found.a), format_named(found.b), format_named(found.c))
    matrices = (as_operand(x, form) for x, form in zip((A, B, C), forms, strict=True))
    return mma(name, *matrices, arch="ada", **options)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("name", FORMS)
def test_every_bit_is_the_instructions(name, distribution):
    """NaN, infinities, subnormals, zeros of either sign and sums that overflow are among the operands."""
    A, B, C = operands(instructions("ada")[name], distribution, 12, 89)
    expected = multiplied(name, A, B, C)
    for board in BOARDS:
        np.testing.assert_array_equal(executed(name, A, B, C, board), expected)
    assert distribution in ("bits", "special", "nans") or len(np.unique(expected)) > 20
    np.testing.assert_array_equal(multiplied(name, A[:1], B[:1], C[:1], reference=True), expected[:1])


def test_there_is_a_kernel_of_every_form():
    assert {name for name, found in instructions("ada").items() if found.opcode.startswith("QMMA")} == set(FORMS)


# A's and B's first elements along k, and C: bit patterns of e4m3 and e5m2; D as f32 and as f16 give it.
ONE, E5_ONE, TINY, E5_TINY = 0x38, 0x3C, 0x01, 0x01  # tiny: 2^-9 and 2^-16, the least subnormal of each
BIG, E5_BIG, NAN, E5_NAN, E5_INF = 0x7E, 0x7B, 0x7F, 0x7D, 0x7C  # big: 448 and 57344
BY_HAND = [
    ("one", [ONE], [E5_ONE], 0.0, 1.0, 1.0),
    ("minus zero becomes zero", [0x80], [E5_ONE], -0.0, 0.0, 0.0),
    ("zero that is left of one and minus one", [ONE, ONE | 0x80], [E5_ONE, E5_ONE], -0.0, 0.0, 0.0),
    ("subnormals are exact", [TINY], [E5_TINY], 0.0, 2.0**-25, 0.0),
    ("a subnormal sum", [TINY], [E5_TINY << 1], 0.0, 2.0**-24, 2.0**-24),
    ("an overflow is not clamped", [BIG] * 16, [E5_BIG] * 16, 0.0, 411041792.0, np.inf),
    ("nor is one with C, of which 2016 is cut off", [BIG | 0x80], [E5_BIG], -65504.0, -25690112.0 - 63488, -np.inf),
    ("NaN of e4m3", [NAN], [E5_ONE], 1.0, np.nan, np.nan),
    ("NaN of e5m2, as its sign is", [ONE], [E5_NAN | 0x80], 1.0, np.nan, np.nan),
    ("infinity", [ONE | 0x80], [E5_INF], 1.0, -np.inf, -np.inf),
    ("infinity times zero", [0], [E5_INF], 1.0, np.nan, np.nan),
    ("infinity minus infinity", [ONE, ONE | 0x80], [E5_INF, E5_INF], 1.0, np.nan, np.nan),
    ("13 bits behind the largest are added", [ONE, 0x08], [E5_ONE, 0x20], 0.0, 1 + 2.0**-13, 1.0),
    ("the 14th is cut off", [ONE, 0x08], [E5_ONE, 0x1C], 0.0, 1.0, 1.0),
    ("and so is C's", [ONE], [E5_ONE], 2.0**-14, 1.0, 1.0),
]


@pytest.mark.parametrize("c", ["f32", "f16"])
@pytest.mark.parametrize("k", [16, 32])
def test_results_worked_out_by_hand(k, c):
    name, count = f"m16n8k{k}.{c}.e4m3.e5m2.{c}", len(BY_HAND)
    A, B = np.zeros((count, 16, k), np.uint64), np.zeros((count, k, 8), np.uint64)
    dtype = np.dtype(f"{c[0]}{int(c[1:]) // 8}")
    C = np.zeros((count, 16, 8), dtype)
    for product, (_, a, b, start, *_) in enumerate(BY_HAND):
        A[product, 5, : len(a)], B[product, : len(b), 3], C[product, 5, 3] = a, b, start
    D = executed(name, A, B, C.view(f"u{dtype.itemsize}").astype(np.uint64), "l4")
    due = np.array([row[4 + (c == "f16")] for row in BY_HAND], dtype)
    expected = np.where(np.isnan(due), {"f32": 0x7FFFFFFF, "f16": 0x7FFF}[c], due.view(f"u{dtype.itemsize}"))
    assert {row[0]: hex(bits) for row, bits in zip(BY_HAND, D[:, 5, 3], strict=True)} == {
        row[0]: hex(bits) for row, bits in zip(BY_HAND, expected, strict=True)
    }
    assert not D[0, :5].any()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("QMMA.SP.16864.F32.E4M3.E4M3 R8, R8.ROW, R12.COL, R8, R20, 0x0", "the shape SP is not modelled"),
        ("QMMA.16864.F32.E4M3.E4M3 R8, R8.ROW, R12.COL, R8", "the shape 16864 is not modelled"),
        ("QMMA.16832.F32.E4M3.E2M3 R8, R8.ROW, R12.COL, R8", "the modifier .E2M3 of QMMA is not modelled"),
        ("QMMA.16832.F32.E4M3.E4M3 R8, -R8.ROW, R12.COL, R8", "a sign on this operand is not modelled"),
        ("QMMA.16832.F32.E4M3.E4M3 R8, R8.ROW, R12.COL, R8, !UP0", "is not modelled"),
        ("QMMA.16832.F32 R8, R8.ROW, R12.COL, R8", "this form of QMMA is not modelled"),
    ],
)
def test_what_no_ptx_becomes_is_refused_by_name(text, why):
    kernel = Kernel(name="k", sm=89, instructions=(parse_instruction(text, address=0),))
    with pytest.raises(BadInputError, match=why):
        launch(kernel, 1, 32, [], device="l4")


def chain(k, c, laps, board):
    """Return the cycles that 8 dependent instructions a lap took between the kernel's own two clock reads."""
    times, data, out = (np.zeros(64, np.uint32) for _ in range(3))
    args = [times, data, out, np.int32(laps)]
    launch(PROGRAM[f"chain_m16n8k{k}_{c}"], 1, 32, args, device=board, timing=True, caches="warm")
    return int(times[0])


@pytest.mark.parametrize("c", ["f32", "f16"])
@pytest.mark.parametrize("k", [16, 32])
def test_a_chain_takes_the_boards_latency(k, c):
    """The distances are ptxas's, 24 and 16 cycles; of a GeForce one chain with an f32 accumulator fills the pipe."""
    row = arch.sm("sm_89").tensor[f"QMMA.168{k}.{c.upper()}"]
    link = (chain(k, c, 24, "l4") - chain(k, c, 8, "l4")) / 128
    assert link == pytest.approx(row.chain_observed_cycles, abs=2)
    slow = (chain(k, c, 24, "rtx4090") - chain(k, c, 8, "rtx4090")) / 128
    assert slow == max(link, row.issue_interval_cycles * (2 if c == "f32" else 1))


@pytest.mark.parametrize(("board", "f32"), [("l4", 1.0), ("l40s", 1.0), ("rtx4090", 0.5)])
@pytest.mark.parametrize("k", [16, 32])
@pytest.mark.parametrize("c", ["F32", "F16"])
def test_the_pipe_takes_them_at_the_boards_rate(board, f32, k, c):
    """GeForce halves it with an f32 accumulator: an RTX 4080 did 209 TFLOPS, 391 with f16 (mmapeak, pull request 5)."""

    def one(i):
        return line(f"QMMA.168{k}.{c}.E4M3.E5M2 R{8 + 4 * (i % 8)}, R64.ROW, R68.COL, R{8 + 4 * (i % 8)}")

    rate = arch.device(board).tensor_rate("fp8", c.lower()) / 4  # of a sub-core
    assert each(board, one) == pytest.approx(16 * 8 * k / rate, abs=0.1)
    assert rate == 256 * (f32 if c == "F32" else 1)
    assert tensor_row(one(0), arch.device(board))[1] == ""
