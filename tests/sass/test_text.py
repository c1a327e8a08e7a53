"""Instructions: guards, immediates as the word holds them, and words that say something else."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simtc.errors import BadInputError
from simtc.isa import Kind
from simtc.sass import parse_instruction

PT = 7 << 12


def immediates(text, word=None):
    instruction = parse_instruction(text, address=0, word=word)
    return [operand.value for operand in instruction.operands if operand.kind is Kind.IMMEDIATE]


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("FADD R0, R1, 1.5", [0x3FC00000]),
        ("FADD R0, R1, -0", [0x80000000]),
        ("FMUL R0, R1, +INF", [0x7F800000]),
        ("FMUL R0, R1, -INF", [0xFF800000]),
        ("FFMA R0, R1, 1.84467440737095516160e+19, RZ", [0x5F800000]),
        ("FSETP.GTU.AND P0, PT, |R25|, 1.469367938527859385e-39, PT", [0x00100000]),
        ("HADD2 R3, R3, 2, 0.5", [0x40003800]),
        ("HFMA2.MMA R4, -RZ, RZ, 0, 5.9604644775390625e-08", [0x00000001]),
        ("HADD2.BF16_V2 R3, R3, 2, 1", [0x40003F80]),
        ("DADD R6, R12, -6.75539944105574400000e+15", [0xC3380000]),
        ("DFMA R6, R2, 2.5, R4", [0x40040000]),
        ("MUFU.RCP64H R25, 4.29496524800000000000e+09", [0x41EFFFFF]),
        ("F2F.F32.F64 R5, 2.5", [0x40040000]),
        ("F2F.F64.F32 R4, 2.5", [0x40200000]),
        ("IADD3 R0, R1, -0x10, RZ", [0xFFFFFFF0]),
        ("LOP3.LUT R4, R5, 0x7fffffff, RZ, 0xc0, !PT", [0x7FFFFFFF, 0xC0]),
    ],
)
def test_immediate_bits(text, bits):
    assert immediates(text) == bits


def test_nan_payload_comes_from_the_word():
    assert immediates("MUFU.RSQ R5, -QNAN", 0xFFC12345 << 32 | PT) == [0xFFC12345]


@given(st.integers(0, 2**32 - 1))
def test_any_float_as_printed_gives_its_bits_back(bits):
    value = struct.unpack("<f", struct.pack("<I", bits))[0]
    special = ("-" if bits >> 31 else "+") + ("QNAN" if np.isnan(value) else "INF")
    text = f"{value:.20g}" if np.isfinite(value) else special
    assert immediates(f"FADD R0, R1, {text}", bits << 32 | PT) == [bits]


@pytest.mark.parametrize(
    ("text", "word", "message"),
    [
        ("FADD R0, R1, 1.5", 0x3FC00001 << 32 | PT, "the immediate 1.5 is not what its encoding holds"),
        ("HADD2 R0, R1, 2", 0x40000000 << 32 | PT, "the immediate 2 is not what its encoding holds"),
        ("FADD R0, R1, 1, 2", None, "the immediate 1, 2 is not what its encoding holds"),
        ("@P0 EXIT", PT, "disagrees with its encoding"),
        ("EXIT", 1 << 15 | PT, "disagrees with its encoding"),
        ("exit", None, "'exit' is no SASS instruction"),
        ("@P8 EXIT", None, "register P8 is beyond P6"),
        ("@R0 EXIT", None, "is no SASS instruction"),
        ("", None, "'' is no SASS instruction"),
        ("MOV R1, foo", None, "'foo' is no SASS operand"),
    ],
)
def test_bad_instruction(text, word, message):
    with pytest.raises(BadInputError) as caught:
        parse_instruction(text, address=0, word=word)
    assert message in str(caught.value)


def test_parts():
    instruction = parse_instruction("@!UP1 LDG.E.128.SYS R4, [R2+0x10]", address=0x20, word=1 << 12 | 1 << 15)
    assert instruction.mnemonic == "LDG.E.128.SYS"
    assert instruction.modifiers == ("E", "128", "SYS")
    assert instruction.guard.kind is Kind.UNIFORM_PREDICATE
    assert instruction.guard.negate
    assert (instruction.address, instruction.text[:6]) == (0x20, "@!UP1 ")
