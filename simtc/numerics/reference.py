"""The readable path: one element of D in exact Python integers, step by step as the hardware does it.

Slow on purpose. The compiled path is bound to it bit for bit by the same tests. Functions take and return bit patterns.
In between, a number is an integer times 2**unit, so nothing rounds before the one place where the hardware does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from simtc.numerics.formats import Format, Unpacked, format_named
from simtc.numerics.rules import Kind, Rule

__all__ = ["convert", "dot", "fused_step"]

_NAN = Unpacked(sign=0, significand=0, exponent=0, special="nan")
_QUIET_64 = 1 << 51
_MADE_NAN_64 = 0xFFF8000000000000  # CUDA's CUDART_NAN; what DMMA makes of Inf - Inf has not been captured


def dot(rule: Rule, a: Sequence[int], b: Sequence[int], c: int) -> int:
    """Return one element of D: `c` plus the products of a row of A and a column of B, both of length K.

    Example:
        Four products of 2**-24 fall off V100's aligner beside an accumulator of 1, but not beside one just below 1: the
        chip's sum is not monotonic.

        >>> from simtc.numerics.rules import rule_index, rules
        >>> volta = rules()[rule_index("volta", d="f32", a="f16")]
        >>> one, tiny = 0x3C00, 0x0001
        >>> [hex(dot(volta, [one] * 4, [tiny] * 4, c)) for c in (0x3F7FFFFF, 0x3F800000)]
        ['0x3f800001', '0x3f800000']

    """
    function = {
        Kind.FUSED: _fused_chain,
        Kind.UNPACKED: _unpacked,
        Kind.FMA: _fma_chain,
        Kind.INTEGER: _integer,
        Kind.XOR: _binary,
        Kind.AND: _binary,
    }[rule.kind]
    return function(rule, a, b, c)


def _fused_chain(rule: Rule, a: Sequence[int], b: Sequence[int], c: int) -> int:
    """Chain fused steps in rising k: each rounds to D's type, and the next takes that as its C."""
    form_d, _, _, form_c = rule.formats
    for begin in range(0, len(a), rule.products):
        end = begin + rule.products
        c = fused_step(rule, a[begin:end], b[begin:end], c, form_c)
        form_c = form_d
    return c


def fused_step(rule: Rule, a: Sequence[int], b: Sequence[int], c: int, form_c: Format) -> int:
    """Return D after one fused step of at most `rule.products` products, with `c` in `form_c`.

    Source: Khattak and Mikaitis 2025; Xie, MMA-Sim 2025; the numbers in `rule` say which chip.
    """
    form_d, form_a, form_b, _ = rule.formats
    # Step 1: decode. Subnormals keep their format's smallest exponent, and so have no leading one.
    pairs = [(form_a.unpack(x), form_b.unpack(y)) for x, y in zip(a, b, strict=True)]
    addend = form_c.unpack(c)
    # Step 7 (the first to matter): what is infinite or a NaN decides alone.
    special = _special(pairs, addend)
    if special is not None:
        return form_d.pack(special)
    # Step 2: exact products, not renormalised; the exponents of the factors add. C is one more addend.
    point = form_a.fraction_bits + form_b.fraction_bits
    terms = [_product(x, y, point) for x, y in pairs]
    terms.append(_Term(addend.sign, addend.significand, addend.exponent, form_c.fraction_bits))
    # Step 3: the largest exponent of what is not zero, and never below the floor.
    largest = max([rule.exponent_floor, *(term.exponent for term in terms if term.magnitude)])
    # Step 4: truncate every magnitude to a multiple of 2**unit; add exactly.
    unit = largest - rule.fraction_bits
    total = sum(term.truncated(unit) for term in terms)
    # Steps 5 and 6: normalise and round once, f16 to nearest even and f32 toward zero; any zero is +0.
    return _round(form_d, total, unit, nearest=form_d.name == "f16", kept_bits=rule.kept_bits)


@dataclass(frozen=True, slots=True)
class _Term:
    """One addend: (-1)**sign * magnitude * 2**(exponent - point)."""

    sign: int
    magnitude: int
    exponent: int
    point: int

    def truncated(self, unit: int) -> int:
        """Return the addend in units of 2**unit, its magnitude rounded down: no sticky bit survives."""
        shift = self.exponent - self.point - unit
        magnitude = self.magnitude << shift if shift >= 0 else self.magnitude >> -shift
        return -magnitude if self.sign else magnitude


def _product(x: Unpacked, y: Unpacked, point: int) -> _Term:
    return _Term(x.sign ^ y.sign, x.significand * y.significand, x.exponent + y.exponent, point)


def _special(pairs: Sequence[tuple[Unpacked, Unpacked]], c: Unpacked) -> Unpacked | None:
    """A NaN operand, Inf times 0 or Inf minus Inf make a NaN; otherwise an infinity passes through."""
    infinities = [c.sign] if c.special == "inf" else []
    for x, y in pairs:
        if "inf" in (x.special, y.special):
            if _is_zero(x) or _is_zero(y):
                return _NAN
            infinities.append(x.sign ^ y.sign)
    operands = [c, *(operand for pair in pairs for operand in pair)]
    if any(operand.special == "nan" for operand in operands) or len(set(infinities)) == 2:
        return _NAN
    return Unpacked(sign=infinities[0], significand=0, exponent=0, special="inf") if infinities else None


def _is_zero(x: Unpacked) -> bool:
    return not x.special and x.significand == 0


def _round(form: Format, total: int, unit: int, *, nearest: bool, kept_bits: int, sign_of_zero: int = 0) -> int:
    """Round total * 2**unit once, with gradual underflow; what is too large becomes an infinity."""
    magnitude, sign = abs(total), int(total < 0)
    exponent = max(unit + magnitude.bit_length() - 1, form.min_exponent)
    shift = exponent - form.fraction_bits - unit
    quotient, rest = (magnitude >> shift, magnitude & ((1 << shift) - 1)) if shift > 0 else (magnitude << -shift, 0)
    if nearest:
        quotient += 2 * rest > 1 << shift or (2 * rest == 1 << shift and quotient & 1) if shift > 0 else 0
    else:
        quotient &= -1 << (form.fraction_bits - kept_bits)
    if quotient >> (form.fraction_bits + 1):  # rounding carried into the next power of two
        quotient, exponent = quotient >> 1, exponent + 1
    if quotient == 0:
        return form.pack(Unpacked(sign=sign_of_zero, significand=0, exponent=form.min_exponent))
    if exponent > form.max_exponent:
        return form.pack(Unpacked(sign=sign, significand=0, exponent=0, special="inf"))
    return form.pack(Unpacked(sign=sign, significand=quotient, exponent=exponent))


def _ieee(form: Format, terms: Sequence[_Term]) -> int:
    """Return the IEEE sum of finite terms, rounded once to nearest even."""
    unit = min(term.exponent - term.point for term in terms)
    total = sum(term.truncated(unit) for term in terms)
    negative_zero = all(term.sign for term in terms)  # an exact cancellation is +0; (-0) + (-0) stays -0
    return _round(form, total, unit, nearest=True, kept_bits=form.fraction_bits, sign_of_zero=int(negative_zero))


def _unpacked(rule: Rule, a: Sequence[int], b: Sequence[int], c: int) -> int:
    """Hopper's mma.sync on fp8, as its machine code does it: unpack to f16, two fused instructions, one rounded add."""
    form_d, form_a, form_b, _ = rule.formats
    half, form_half = replace(rule, kind=Kind.FUSED, a="f16", b="f16"), format_named("f16")
    total = 0
    for used in ((0, 1), (2, 3)):  # bytes of every 32-bit register
        row = [convert(form_a, form_half, a[k]) for k in range(len(a)) if k % 4 in used]
        column = [convert(form_b, form_half, b[k]) for k in range(len(b)) if k % 4 in used]
        total = fused_step(half, row, column, total, form_d)
    x, y = form_d.unpack(total), form_d.unpack(c)
    one = Unpacked(sign=0, significand=1, exponent=0)
    special = _special([(x, one)], y)
    if special is not None:
        return form_d.pack(special)
    return _ieee(form_d, [_Term(z.sign, z.significand, z.exponent, form_d.fraction_bits) for z in (x, y)])


def convert(source: Format, target: Format, pattern: int) -> int:
    """Return a value in another format, rounded to nearest even (F2F, F2FP, HADD2.F32); a NaN comes out canonical.

    Example:
        >>> hex(convert(format_named("e4m3"), format_named("f16"), 0x01))
        '0x1800'

    """
    value = source.unpack(pattern)
    if value.special:
        return target.pack(value)
    return _ieee(target, [_Term(value.sign, value.significand, value.exponent, source.fraction_bits)])


def _fma_chain(rule: Rule, a: Sequence[int], b: Sequence[int], c: int) -> int:
    """DMMA: one IEEE fused multiply-add after the other, in rising k."""
    form = format_named(rule.d)
    for x, y in zip(a, b, strict=True):
        c = _fma(form, x, y, c)
    return c


def _fma(form: Format, a: int, b: int, c: int) -> int:
    """Captured: a NaN operand comes through, quieted: B's, else C's, else A's. Model: which NaN is made from none."""
    x, y, z = form.unpack(a), form.unpack(b), form.unpack(c)
    for pattern, value in ((b, y), (c, z), (a, x)):
        if value.special == "nan":
            return pattern | _QUIET_64
    special = _special([(x, y)], z)
    if special is not None:
        return _MADE_NAN_64 if special.special == "nan" else form.pack(special)
    point = form.fraction_bits
    return _ieee(form, [_product(x, y, 2 * point), _Term(z.sign, z.significand, z.exponent, point)])


def _integer(rule: Rule, a: Sequence[int], b: Sequence[int], c: int) -> int:
    """IMMA: the exact sum, clamped to s32 with `.satfinite`, else wrapped."""
    form_d, form_a, form_b, form_c = rule.formats
    total = form_c.integer(c) + sum(form_a.integer(x) * form_b.integer(y) for x, y in zip(a, b, strict=True))
    lowest, highest = form_d.limits
    if rule.saturate:
        total = min(max(total, lowest), highest)
    return total & 0xFFFFFFFF


def _binary(rule: Rule, a: Sequence[int], b: Sequence[int], c: int) -> int:
    """BMMA: how many bits of a xor b, or of a and b, are set, added to C."""
    bits = sum(x & y if rule.kind == Kind.AND else x ^ y for x, y in zip(a, b, strict=True))
    return (c + bits) & 0xFFFFFFFF
