"""Every form of operand that nvdisasm prints."""

from __future__ import annotations

import pytest

from simtc.errors import BadInputError
from simtc.isa import Kind, Operand
from simtc.sass.operands import parse_operand, split_operands


@pytest.mark.parametrize(
    ("text", "operand"),
    [
        ("R4", Operand(kind=Kind.REGISTER, index=4)),
        ("RZ", Operand(kind=Kind.REGISTER, index=255)),
        ("-RZ.H0_H0", Operand(kind=Kind.REGISTER, index=255, negate=True, modifiers=("H0_H0",))),
        ("R4.64", Operand(kind=Kind.REGISTER, index=4, modifiers=("64",))),
        ("R104.reuse.ROW", Operand(kind=Kind.REGISTER, index=104, modifiers=("reuse", "ROW"))),
        ("~R7", Operand(kind=Kind.REGISTER, index=7, invert=True)),
        ("|R10|.reuse", Operand(kind=Kind.REGISTER, index=10, absolute=True, modifiers=("reuse",))),
        ("-|R3|", Operand(kind=Kind.REGISTER, index=3, absolute=True, negate=True)),
        ("|R3.H0_H0|", Operand(kind=Kind.REGISTER, index=3, absolute=True, modifiers=("H0_H0",))),
        ("UR4", Operand(kind=Kind.UNIFORM, index=4)),
        ("URZ", Operand(kind=Kind.UNIFORM, index=63)),
        ("PT", Operand(kind=Kind.PREDICATE, index=7)),
        ("!P0", Operand(kind=Kind.PREDICATE, index=0, negate=True)),
        ("!UPT", Operand(kind=Kind.UNIFORM_PREDICATE, index=7, negate=True)),
        ("B15", Operand(kind=Kind.BARRIER, index=15)),
        ("SB0", Operand(kind=Kind.SCOREBOARD, index=0)),
        ("SR_TID.X", Operand(kind=Kind.SPECIAL, name="SR_TID.X")),
        ("SRZ", Operand(kind=Kind.SPECIAL, name="SRZ")),
        ("PR", Operand(kind=Kind.TEXT, name="PR")),
        ("0x1f", Operand(kind=Kind.IMMEDIATE, value=0x1F)),
        ("-0x10", Operand(kind=Kind.IMMEDIATE, value=0xFFFFFFF0)),
        ("`(0xea0)", Operand(kind=Kind.LABEL, value=0xEA0)),
        ("c[0x0][0x160]", Operand(kind=Kind.CONSTANT, index=0, value=0x160)),
        ("-c[0x2][0x8].H1_H1", Operand(kind=Kind.CONSTANT, index=2, value=8, negate=True, modifiers=("H1_H1",))),
        ("|c[0x0][0x160]|", Operand(kind=Kind.CONSTANT, index=0, value=0x160, absolute=True)),
        ("c[0x2] [0x1c].F32", Operand(kind=Kind.CONSTANT, index=2, value=0x1C, modifiers=("F32",))),
        ("c[0x3][R4]", Operand(kind=Kind.CONSTANT, index=3, base=4)),
        ("c[0x3][R4+0x10]", Operand(kind=Kind.CONSTANT, index=3, base=4, value=16)),
        ("cx[UR4][0x20]", Operand(kind=Kind.CONSTANT, descriptor=4, value=0x20)),
        ("[R2]", Operand(kind=Kind.ADDRESS, index=2)),
        ("[R2.64+UR4+0x10]", Operand(kind=Kind.ADDRESS, index=2, value=16, modifiers=("64",), uniform=4)),
        ("[R2+-0x8]", Operand(kind=Kind.ADDRESS, index=2, value=-8)),
        ("[R11.U32+UR8+0x5]", Operand(kind=Kind.ADDRESS, index=11, value=5, modifiers=("U32",), uniform=8)),
        ("[R3.X4]", Operand(kind=Kind.ADDRESS, index=3, modifiers=("X4",))),
        ("[UR4]", Operand(kind=Kind.ADDRESS, uniform=4)),
        ("[0x100]", Operand(kind=Kind.ADDRESS, value=0x100)),
        ("desc[UR4][R2.64+0x10]", Operand(kind=Kind.ADDRESS, index=2, value=16, modifiers=("64",), descriptor=4)),
    ],
)
def test_operand(text, operand):
    assert parse_operand(text) == operand


@pytest.mark.parametrize(
    "text",
    [
        "", "R", "R255", "UR63", "P7", "B16", "SB6", "!", "--R4", "-", "c[0x0]", "c[R4][0x0]", "c[0x100][0x0]",
        "[R2+R3]", "[R2-R3]", "[", "[]]", "[R2+0x1+0x2]", "desc[R4][R2]", "cx[R4][0x0]", "|R4", "0xg", "`(.L_x_0)",
        "R4 R5", "[P0]", "[R2+]", "[-R2]", "r4", "R4..64", "!0x1g",
    ],
)  # fmt: skip
def test_no_operand(text):
    with pytest.raises(BadInputError):
        parse_operand(text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("R4 `(0x0)", ["R4", "`(0x0)"]),
        ("R4 -0x310", ["R4", "-0x310"]),
        ("P0, PT, |R10|, +INF , PT", ["P0", "PT", "|R10|", "+INF", "PT"]),
        ("SB0, {5,4}", ["SB0", "{5,4}"]),
        ("R11, -RZ.H0_H0, c[0x2] [0x1c].F32", ["R11", "-RZ.H0_H0", "c[0x2] [0x1c].F32"]),
    ],
)
def test_split(text, parts):
    assert split_operands(text) == parts
