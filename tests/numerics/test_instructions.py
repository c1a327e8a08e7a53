"""The catalogue: names, legality, machine code, evidence, and the errors that say what there is."""

from __future__ import annotations

import re

import pytest

from simtc.errors import BadInputError
from simtc.numerics import ARCHITECTURES, Instruction, Kind, Rule, instruction_named, instructions, rule_index, rules


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_names_state_what_the_instruction_is(arch):
    for name, found in instructions(arch).items():
        match = re.fullmatch(
            r"(?:wmma\.|wgmma\.)?m(\d+)n(\d+)k(\d+)\.(\w+)\.(\w+)\.(\w+)\.(\w+?)(\.\w+(?:\.popc)?)?", name
        )
        assert match, name
        assert (found.m, found.n, found.k) == tuple(map(int, match.groups()[:3]))
        assert (found.d, found.a, found.b, found.c) == match.groups()[3:7]
        rule = found.arithmetic
        assert (rule.arch, rule.a, rule.b, rule.d) == (arch, found.a, found.b, found.sum_type)
        assert sorted(k for step in found.steps for k in step) == list(range(found.k))


def test_aliases():
    for arch, versions in ARCHITECTURES.items():
        for version in versions:
            assert instructions(version) == instructions(arch)


@pytest.mark.parametrize(
    ("arch", "name", "count", "opcode", "steps"),
    [
        ("volta", "wmma.m16n16k16.f32.f16.f16.f32", 4, "HMMA.884", 4),
        ("volta", "m8n8k4.f16.f16.f16.f16", 1, "HMMA.884", 1),
        ("turing", "wmma.m8n32k16.f16.f16.f16.f16", 4, "HMMA.1688", 2),
        ("turing", "wmma.m16n16k16.s32.u8.u8.s32", 4, "IMMA.8816", 1),
        ("ampere", "wmma.m32n8k16.f32.f16.f16.f32", 2, "HMMA.16816", 2),
        ("ampere", "wmma.m16n16k8.f32.tf32.tf32.f32", 4, "HMMA.1684", 2),
        ("ampere", "m16n8k8.f32.tf32.tf32.f32", 1, "HMMA.1688", 2),
        ("ada", "m16n8k32.f16.e4m3.e5m2.f16", 1, "QMMA.16832", 2),
        ("hopper", "m16n8k32.f16.e4m3.e5m2.f16", 2, "HMMA.16816", 2),
        ("hopper", "m16n8k16.f32.f16.f16.f32", 1, "HMMA.16816", 1),
        ("hopper", "m8n8k128.s32.b1.b1.s32.xor.popc", 2, "BMMA.88128", 1),
        ("hopper", "m16n8k64.s32.s4.u4.s32", 2, "IMMA.16832", 1),
        ("hopper", "m16n8k4.f64.f64.f64.f64", 1, "DMMA.16x8x4", 4),
        ("hopper", "wgmma.m64n256k32.f32.e4m3.e4m3.f32", 1, "QGMMA", 1),
    ],
)
def test_machine_code(arch, name, count, opcode, steps):
    found = instructions(arch)[name]
    assert (found.count, found.opcode, len(found.steps)) == (count, opcode, steps)


@pytest.mark.parametrize(
    ("arch", "name"),
    [
        ("volta", "m8n8k4.f16.f16.f16.f32"),
        ("volta", "m8n8k16.s32.s8.s8.s32"),
        ("turing", "m16n8k8.f32.f16.f16.f16"),
        ("turing", "m8n8k128.s32.b1.b1.s32.and.popc"),
        ("turing", "wmma.m16n16k16.s32.s8.u8.s32"),
        ("ampere", "m16n8k16.f64.f64.f64.f64"),
        ("ampere", "m16n8k32.f32.e4m3.e4m3.f32"),
        ("ada", "m16n8k32.f32.e4m3.e4m3.f16"),
        ("ada", "wgmma.m64n8k16.f32.f16.f16.f32"),
        ("hopper", "wgmma.m64n8k16.f16.bf16.bf16.f16"),
    ],
)
def test_what_the_assembler_refuses_is_not_there(arch, name):
    assert name not in instructions(arch)
    with pytest.raises(BadInputError, match=f"{arch} has "):
        instruction_named(name, arch)


@pytest.mark.parametrize(
    ("name", "arch", "message"),
    [
        ("m16n8k8.f32.f16.f16.f33", "turing", r"turing has m16n8k8 as f16.f16.f16.f16, f32.f16.f16.f32; did you mean"),
        (
            "m16n8k16.f32.bf16.bf16.f32",
            "sm_75",
            r"turing has no m16n8k16.*instruction of ampere, ada, hopper; turing has f16",
        ),
        ("m8n8k4.f32.f16.f16.f32", "ampere", r"\(its compiler emulates it without tensor cores\)"),
        (
            "foo",
            "volta",
            r"unknown instruction 'foo': an instruction is SHAPE.D.A.B.C, and volta has f16: m8n8k4.*Try: simtc",
        ),
        ("m8n8k4.f32.f16.f16.f32", "volt", r"unknown architecture 'volt'.*did you mean 'volta'"),
    ],
)
def test_errors_say_what_there_is(name, arch, message):
    with pytest.raises(BadInputError, match=message):
        instruction_named(name, arch)


def test_rule_index_says_what_the_chip_takes():
    with pytest.raises(BadInputError, match=r"volta has no f32.bf16.bf16.f32: its tensor cores take f16.f16.f16.f16, "):
        rule_index("volta", d="f32", a="bf16")
    with pytest.raises(BadInputError, match=r"in HMMA\.884"):
        rule_index("ampere", d="f32", a="f16", unit="HMMA.884")


def test_rules_are_distinct_and_used():
    keys = [(r.arch, r.unit, r.kind, r.d, r.a, r.b, r.c, r.saturate) for r in rules()]
    assert len(set(keys)) == len(keys)
    used = {found.rule for arch in ARCHITECTURES for found in instructions(arch).values()}
    assert used == set(range(len(keys)))


def test_fused_sums_fit_the_compiled_adder():
    """Compiled code adds products in 32 bits: their magnitudes, in units of 2**-F, must fit."""
    for rule in rules():
        if rule.kind in (Kind.FUSED, Kind.UNPACKED):
            largest = 1
            for form in rule.formats[1:3]:
                bits = form.fraction_bits - form.ignored_bits if rule.kind == Kind.FUSED else 10
                largest *= (2 << bits) - 1
                assert bits <= 10
            fraction = (
                20 if rule.kind == Kind.UNPACKED else sum(f.fraction_bits - f.ignored_bits for f in rule.formats[1:3])
            )
            assert rule.products * (largest << rule.fraction_bits >> fraction) < 1 << 31


def test_reprs_are_the_values():
    for value in (*rules()[:3], *list(instructions("hopper").values())[:3]):
        assert eval(repr(value), {"Rule": Rule, "Kind": Kind, "Instruction": Instruction}) == value  # noqa: S307
