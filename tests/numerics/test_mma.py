"""`simtc.mma`: shapes, batches, dtypes, and what it refuses."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from simtc.errors import BadInputError
from simtc.numerics.multiply import mma

TURING = "m16n8k8.f32.f16.f16.f32"


def matrices(batch=()):
    rng = np.random.default_rng(1)
    return (
        rng.standard_normal((*batch, 16, 8)).astype(np.float16),
        rng.standard_normal((*batch, 8, 8)).astype(np.float16),
        rng.standard_normal((*batch, 16, 8)).astype(np.float32),
    )


def test_result_has_the_kind_of_c(reference):
    A, B, C = matrices()
    D = mma(TURING, A, B, C, arch="turing", reference=reference)
    raw = mma(TURING, A.view(np.uint16), B, C.view(np.uint32), arch="turing", reference=reference)
    assert (D.dtype, raw.dtype) == (np.float32, np.uint32)
    np.testing.assert_array_equal(D.view(np.uint32), raw)
    np.testing.assert_allclose(D, A.astype(np.float64) @ B + C, atol=1e-5)
    doubles = mma(
        TURING, A.astype(np.float64), B.astype(np.float32), C.astype(np.float64), arch="turing", reference=reference
    )
    np.testing.assert_array_equal(doubles, D)
    assert doubles.dtype == np.float32


@pytest.mark.parametrize("batch", [(3,), (2, 3), (0,), (2, 0, 3)])
def test_leading_dimensions(batch, reference):
    A, B, C = matrices(batch)
    D = mma(TURING, A, B, C, arch="turing", reference=reference)
    assert D.shape == (*batch, 16, 8)
    assert D.dtype == np.float32
    for place in np.ndindex(*batch):
        np.testing.assert_array_equal(D[place], mma(TURING, A[place], B[place], C[place], arch="turing"))


def test_leading_dimensions_broadcast(reference):
    A, B, C = matrices((3,))
    D = mma(TURING, A, B[0], C[0], arch="turing", reference=reference)
    np.testing.assert_array_equal(D[2], mma(TURING, A[2], B[0], C[0], arch="turing"))


def test_operands_are_not_changed_and_may_be_read_only_or_strided():
    A, B, C = matrices((2,))
    before = [array.copy() for array in (A, B, C)]
    for array in (A, B, C):
        array.flags.writeable = False
    D = mma(TURING, A, np.asfortranarray(B), C[:, ::-1][:, ::-1], arch="turing")
    np.testing.assert_array_equal(D, mma(TURING, *before, arch="turing"))
    for array, old in zip((A, B, C), before, strict=True):
        np.testing.assert_array_equal(array, old)


@pytest.mark.parametrize(
    ("instr", "arch", "dtypes", "result"),
    [
        ("m16n8k16.f32.bf16.bf16.f32", "ampere", (ml_dtypes.bfloat16, ml_dtypes.bfloat16, np.float32), np.float32),
        ("m16n8k32.f16.e4m3.e5m2.f16", "ada", (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, np.float16), np.float16),
        ("m8n8k16.s32.s8.u8.s32", "turing", (np.int8, np.uint8, np.int32), np.int32),
        ("m8n8k16.s32.s8.u8.s32", "turing", (np.int8, np.uint8, np.uint32), np.uint32),
        ("m8n8k32.s32.s4.s4.s32", "turing", (ml_dtypes.int4, np.int8, np.int64), np.int32),
        ("m8n8k128.s32.b1.b1.s32", "turing", (np.bool_, np.uint8, np.int32), np.int32),
        ("m8n8k4.f64.f64.f64.f64", "hopper", (np.float64, np.float64, np.float64), np.float64),
        ("m8n8k4.f64.f64.f64.f64", "hopper", (np.float64, np.float64, np.uint64), np.uint64),
        ("wgmma.m64n16k8.f32.tf32.tf32.f32", "sm_90", (np.float32, np.float32, np.float32), np.float32),
    ],
)
def test_small_integers_are_exact_in_every_type(instr, arch, dtypes, result, reference):
    from simtc.numerics import instruction_named  # noqa: PLC0415

    found = instruction_named(instr, arch)
    rng = np.random.default_rng(0)
    low, high = (0, 2) if found.a == "b1" else (0, 4)
    A, B = (rng.integers(low, high, found.shapes[what]) for what in "AB")
    C = np.zeros(found.shapes["C"], dtypes[2])
    D = mma(instr, A.astype(dtypes[0]), B.astype(dtypes[1]), C, arch=arch, reference=reference)
    assert D.dtype == result
    expected = (A[:, :, None] ^ B[None]).sum(1) if found.a == "b1" else A @ B
    values = D.view(np.float64) if result == np.uint64 else D
    np.testing.assert_array_equal(values.astype(np.int64), expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"A": np.zeros((8, 16), np.float16)}, r"A has shape \(8, 16\): m16n8k8.f32.f16.f16.f32 takes \(..., 16, 8\)"),
        ({"B": np.zeros(8, np.float16)}, r"B has shape \(8,\): m16n8k8.f32.f16.f16.f32 takes \(..., 8, 8\)"),
        ({"C": np.float32(0)}, r"C has shape \(\)"),
        (
            {"A": np.zeros((2, 16, 8), np.float16), "B": np.zeros((3, 8, 8), np.float16)},
            r"the leading dimensions do not broadcast: A \(2,\), B \(3,\), C \(\)",
        ),
        ({"A": np.full((16, 8), 0.1)}, r"A\[0, 0\] = 0.1 is not a value of f16 \(and 127 more\): round to f16 first"),
        ({"C": np.full((16, 8), "x")}, r"C has dtype <U1: f32 takes numbers or uint32 bit patterns"),
    ],
)
def test_bad_operands(change, message):
    given = dict(zip("ABC", matrices(), strict=True)) | change
    with pytest.raises(BadInputError, match=message):
        mma(TURING, *given.values(), arch="turing")


def test_volta_says_what_its_m8n8k4_is():
    with pytest.raises(BadInputError, match="one quad pair's product"):
        mma("m8n8k4.f32.f16.f16.f32", *matrices(), arch="volta")
