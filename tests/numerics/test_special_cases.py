"""The published special cases of V100, T4 and A100: the paper's table, with the results in binary."""

from __future__ import annotations

import numpy as np
import pytest

from simtc.numerics.multiply import mma

U = 2.0**-24
P = 1 - 2.0**-11
BELOW = 1 - U
NEAR = 1 + 2.0**-22 + 2.0**-23
F32, F16 = ("f32",), ("f16",)

# types of C and D; (a, b) of the products; C; V100; T4 and A100. Unused entries are zero.
CASES = {
    "u*4": (("f32", "f16"), [(U, 4)], 0, 2.0**-22, 2.0**-22),
    "subnormal C": (F32, [], 2.0**-149, 2.0**-149, 2.0**-149),
    "(1-2^-11)^2": (F32, [(P, P)], 0, 1 - 2.0**-10 + 2.0**-22, 1 - 2.0**-10 + 2.0**-22),
    "two products, f16": (F16, [(P, P), (P, 2.0**-11)], 0, 1 - 2.0**-10 + 2.0**-11, 1 - 2.0**-10 + 2.0**-11),
    "4 x (1*u) beside 1": (F32, [(1, U)] * 4, 1, 1, 1 + 2.0**-22),
    "4 x (u/2) beside 1": (F32, [(0.5, U)] * 4, 1, 1, 1),
    "2 + 2^-23 + 2^-24": (F32, [(1, 2), (2, U), (1, U)], 0, 2, 2),
    "-(2 + 2^-23 + 2^-24)": (F32, [(-1, 2), (-2, U), (-1, U)], 0, -2, -2),
    "u/2 + u/4, f16": (F16, [(U, 0.5), (U, 0.25)], 0, 2.0**-24, 2.0**-24),
    "1 beside -(1-u)": (F32, [(1, 1)], -BELOW, 2.0**-23, 2.0**-24),
    "4 x (1*u) beside 1-u": (F32, [(1, U)] * 4, BELOW, 1 + 2.0**-23, 1 + 2.0**-23),
    "1 - u beside -1+u": (F32, [(1, 1), (-1, U)], -BELOW, 2.0**-23, 0),
    "1+1.5+1.75+1.875 beside 1.875": (F32, [(1, 1), (1, 1.5), (1, 1.75), (1, 1.875)], 1.875, 8, 8),
    "4 x 1 beside 1+2^-22+2^-23": (F32, [(1, 1)] * 4, NEAR, 5, 5),
    "-4 x 1 beside -(1+2^-22+2^-23)": (F32, [(-1, 1)] * 4, -NEAR, -5, -5),
} | {
    f"2^-23 in place {place} of 1,1,1": (
        F32,
        [(1, 1)] * place + [(2, U)] + [(1, 1)] * (3 - place),
        NEAR,
        4 + 2.0**-21,
        4 + 2.0**-21,
    )
    for place in range(4)
}
CHIPS = {"volta": "m8n8k4", "turing": "m16n8k8", "ampere": "m16n8k8"}


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize("case", CASES)
def test_published_special_case(case, arch, reference):
    types, products, c, v100, later = CASES[case]
    m, n, k = {"m8n8k4": (8, 8, 4), "m16n8k8": (16, 8, 8)}[CHIPS[arch]]
    for kind in types:
        A, B = np.zeros((m, k), np.float16), np.zeros((k, n), np.float16)
        for place, (a, b) in enumerate(products):
            A[0, place], B[place, 0] = a, b
        C = np.zeros((m, n), np.float16 if kind == "f16" else np.float32)
        C[0, 0] = c
        D = mma(f"{CHIPS[arch]}.{kind}.f16.f16.{kind}", A, B, C, arch=arch, reference=reference)
        assert D[0, 0] == (v100 if arch == "volta" else later)
        assert not np.signbit(D[0, 0]) or D[0, 0] != 0


def test_a100_measured_bits(reference):
    A, B, C = np.zeros((16, 8), np.float16), np.zeros((8, 8), np.float16), np.zeros((16, 8), np.uint32)
    A[0, :4], B[:4, 0], C[0, 0] = 1, U, 0x3F800000
    assert mma("m16n8k8.f32.f16.f16.f32", A, B, C, arch="ampere", reference=reference)[0, 0] == 0x3F800002


def test_v100_is_not_monotonic(reference):
    A, B = np.ones((8, 4), np.float16), np.full((4, 8), U, np.float16)
    C = np.full((8, 8), BELOW, np.float32), np.ones((8, 8), np.float32)
    lower, upper = (mma("m8n8k4.f32.f16.f16.f32", A, B, c, arch="volta", reference=reference) for c in C)
    assert (C[0] < C[1]).all()
    assert (lower > upper).all()
