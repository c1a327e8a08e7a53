"""What holds for every operand: order within a step, canonical NaN, +0, subnormals, saturation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simtc.numerics import Kind, format_named, instructions, rules
from simtc.numerics.multiply import mma
from simtc.numerics.reference import dot, fused_step

FUSED = [rule for rule in rules() if rule.kind == Kind.FUSED]
patterns = st.integers(0, (1 << 32) - 1)


@st.composite
def steps(draw):
    """One fused step: a rule and operands, any bit patterns, most of them close to one another."""
    rule = draw(st.sampled_from(FUSED))
    form_d, form_a, form_b, form_c = rule.formats
    count = draw(st.integers(1, rule.products))

    def operand(form):
        near = form.bias + draw(st.integers(-3, 3)) << form.fraction_bits
        return draw(
            st.integers(0, (1 << form.bits) - 1) | st.just(near) | st.just(0) | st.just(near | 1 << form.bits - 1)
        )

    row, column = [operand(form_a) for _ in range(count)], [operand(form_b) for _ in range(count)]
    return rule, row, column, operand(form_c), form_c, form_d


@given(steps(), st.randoms(use_true_random=False))
def test_order_within_a_step_does_not_matter(step, random):
    rule, a, b, c, form_c, _ = step
    order = random.sample(range(len(a)), len(a))
    shuffled = fused_step(rule, [a[k] for k in order], [b[k] for k in order], c, form_c)
    assert fused_step(rule, a, b, c, form_c) == shuffled
    assert fused_step(rule, b, a, c, form_c) == shuffled or rule.a != rule.b


@given(steps())
def test_nan_is_canonical_and_zero_is_positive(step):
    rule, a, b, c, form_c, form_d = step
    d = fused_step(rule, a, b, c, form_c)
    found = form_d.unpack(d)
    if found.special == "nan":
        assert d == {"f32": 0x7FFFFFFF, "f16": 0x7FFF}[rule.d]
    elif not found.special and found.significand == 0:
        assert d == 0
    operands = [rule.formats[1].unpack(x) for x in a] + [rule.formats[2].unpack(x) for x in b] + [form_c.unpack(c)]
    if any(operand.special == "nan" for operand in operands):
        assert found.special == "nan"
    if not any(operand.special for operand in operands):
        assert found.special != "nan"


@given(steps())
def test_negating_every_term_negates_the_result(step):
    """Truncation works on magnitudes, so the result is odd in (a, c), but for the sign of zero and of a NaN."""
    rule, a, b, c, form_c, form_d = step
    flip = 1 << rule.formats[1].bits - 1
    d = fused_step(rule, a, b, c, form_c)
    negated = fused_step(rule, [x ^ flip for x in a], b, c ^ 1 << form_c.bits - 1, form_c)
    if d == 0 or form_d.unpack(d).special == "nan":
        assert negated == d
    else:
        assert negated == d ^ 1 << form_d.bits - 1


@given(st.sampled_from(FUSED), st.data())
def test_c_alone_comes_back(rule, data):
    """With no product, D is C, subnormals included: nothing of C lies below the aligner, unless it keeps 13 bits."""
    form_d, _, _, form_c = rule.formats
    c = data.draw(st.integers(0, (1 << form_c.bits) - 1))
    value = form_c.unpack(c)
    d = fused_step(rule, [0] * rule.products, [0] * rule.products, c, form_c)
    if value.special == "nan":
        assert form_d.unpack(d).special == "nan"
    elif rule.fraction_bits == 13 and form_c.fraction_bits > 13:
        assert d & 0x3FF == 0
        assert d == c & ~0x3FF or (d == 0 and c & 0x7FFFFC00 == 0)
    elif form_c.name == form_d.name:
        assert d == (c if c & ~(1 << form_c.bits - 1) else 0)


@given(st.sampled_from(["volta", "turing", "ampere", "hopper"]), st.data())
@settings(max_examples=50)
def test_compiled_equals_reference(arch, data):
    name = "m8n8k4.f32.f16.f16.f32" if arch == "volta" else "m16n8k8.f32.f16.f16.f32"
    found = instructions(arch)[name]
    a, b = (data.draw(st.lists(st.integers(0, 0xFFFF), min_size=found.k, max_size=found.k)) for _ in "ab")
    c = data.draw(patterns)
    A, B = np.tile(np.uint16(a), (found.m, 1)), np.tile(np.uint16(b)[:, None], (1, found.n))
    D = mma(name, A, B, np.full((found.m, found.n), c, np.uint32), arch=arch)
    assert set(D.ravel().tolist()) == {dot(found.arithmetic, a, b, c)}


def test_subnormal_operands_keep_their_exponent(reference):
    """Three f16 subnormals of 2**-24, times 1, beside 2**-1: the aligner of F = 23 sees them at exponent -14."""
    A, B = np.zeros((8, 4), np.float16), np.zeros((4, 8), np.float16)
    A[:, :3], B[:3] = 2.0**-24, 1
    C = np.full((8, 8), 0.5, np.float32)
    D = mma("m8n8k4.f32.f16.f16.f32", A, B, C, arch="volta", reference=reference)
    assert (D == 0.5 + 3 * 2.0**-24).all()
    underflow = mma("m8n8k4.f16.f16.f16.f16", A, B, np.zeros((8, 8), np.float16), arch="volta", reference=reference)
    assert (underflow.view(np.uint16) == 3).all()


def test_a_negative_sum_that_rounds_to_zero_is_positive_zero(reference):
    A, B = np.zeros((16, 8), np.float16), np.zeros((8, 8), np.float16)
    A[:, 0], B[0] = -(2.0**-24), 0.25
    D = mma("m16n8k8.f16.f16.f16.f16", A, B, np.zeros((16, 8), np.uint16), arch="turing", reference=reference)
    assert (D == 0).all()


def test_overflow_is_infinite_although_f32_rounds_toward_zero(reference):
    A, B = np.full((16, 8), 65504, np.float16), np.full((8, 8), 65504, np.float16)
    C = np.full((16, 8), np.finfo(np.float32).max)
    D = mma("m16n8k8.f32.f16.f16.f32", A, B, C, arch="turing", reference=reference)
    assert np.isfinite(D).all()  # 2**36 is far below one unit of C's last place, and rounding is toward zero
    A, B = np.full((16, 8), 2.0**63, np.float32), np.full((8, 8), 2.0**64, np.float32)
    D = mma("m16n8k8.f32.tf32.tf32.f32", A, B, C, arch="ampere", reference=reference)
    np.testing.assert_array_equal(D, np.inf)


@pytest.mark.parametrize(("suffix", "expected"), [("", -(2**31) + 7), (".satfinite", 2**31 - 1)])
def test_integers_wrap_unless_satfinite(suffix, expected, reference):
    A, B = np.zeros((8, 16), np.int8), np.zeros((16, 8), np.int8)
    A[:, 0], B[0] = 2, 4
    C = np.full((8, 8), 2**31 - 1, np.int32)
    D = mma(f"m8n8k16.s32.s8.s8.s32{suffix}", A, B, C, arch="turing", reference=reference)
    np.testing.assert_array_equal(D, expected)
    D = mma(f"m8n8k16.s32.s8.s8.s32{suffix}", -A, B, -C, arch="turing", reference=reference)
    np.testing.assert_array_equal(D, -expected if not suffix else -(2**31))


def test_a_double_nan_keeps_its_payload(reference):
    """Captured on H200 for a, b and c alone; which of several wins is the model's choice, so no test says."""
    for place in range(3):
        arrays = [np.ones((8, 4)), np.ones((4, 8)), np.ones((8, 8))]
        bits = [array.view(np.uint64) for array in arrays]
        bits[place][0, 0] = 0xFFF0000000000ABC
        D = mma("m8n8k4.f64.f64.f64.f64", *bits, arch="hopper", reference=reference)
        assert D[0, 0] == 0xFFF8000000000ABC


def test_wmma_on_hopper_takes_tf32_in_steps_of_four():
    """wmma m16n16k8 becomes HMMA.1684: it rounds after four products, where mma m16n8k8 rounds after eight."""
    assert instructions("hopper")["wmma.m16n16k8.f32.tf32.tf32.f32"].steps == ((0, 1, 2, 3), (4, 5, 6, 7))
    assert instructions("hopper")["m16n8k8.f32.tf32.tf32.f32"].steps == (tuple(range(8)),)
    A, B = np.zeros((16, 8), np.float32), np.zeros((8, 16), np.float32)
    A[:, 3], B[3] = 1, 2.0**-25
    A[:, 7], B[7] = 1, 2.0**-25
    C = np.full((16, 16), 1 - 2.0**-24, np.float32)
    narrow = mma("wmma.m16n16k8.f32.tf32.tf32.f32", A, B, C, arch="hopper")
    wide = mma("m16n8k8.f32.tf32.tf32.f32", A, B[:, :8], C[:, :8], arch="hopper")
    assert (narrow == 1 - 2.0**-24).all()
    assert (wide == 1).all()


def test_mixed_wmma_converts_with_one_more_rounding(reference):
    """D in f16 from a C in f32: the sum is f32, and F2F rounds it to nearest even afterwards."""
    A, B = np.zeros((16, 16), np.float16), np.zeros((16, 16), np.float16)
    C = np.full((16, 16), 1 + 2.0**-11, np.float32)
    C[0] = 70000
    C[1] = np.nan
    D = mma("wmma.m16n16k16.f16.f16.f16.f32", A, B, C.view(np.uint32), arch="turing", reference=reference)
    assert D.dtype == np.uint16
    assert (D[0] == 0x7C00).all()
    assert (D[1] == 0x7FFF).all()
    assert (D[2:] == format_named("f16").bias << 10).all()
