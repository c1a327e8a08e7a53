"""Classes of results and readers: every opcode has one that the clock's safety check knows."""

from __future__ import annotations

import pytest

from simtc.isa import Kind, opcodes
from simtc.isa.dependence import late_names, producer, reader
from simtc.sass import parse_instruction
from simtc.timing.hazards import READERS


@pytest.mark.parametrize("sm", [70, 75, 80, 90])
def test_every_opcode_reads_in_a_known_way(sm):
    for name, opcode in opcodes().items():
        shape = ".16816.F32" if opcode.unit == "tensor" else ""
        one = parse_instruction(f"{name}{shape} R4, R6, R8, R10", address=0)
        assert {reader(one, (kind, 6), sm) for kind in (Kind.REGISTER, Kind.UNIFORM, Kind.PREDICATE)} <= set(READERS)


@pytest.mark.parametrize(
    ("text", "read", "written"),
    [
        ("IMAD.WIDE R4, R6, R7, R8", {9}, {5}),
        ("IMAD.WIDE.U32 R4, P0, R6, R7, R8", {9}, {5}),
        ("IMAD.WIDE.U32.X R4, R6, R7, R8, P0", {9}, {5}),
        ("IMAD.HI.U32 R4, R6, R7, R8", {9}, set()),
        ("IMAD.WIDE R4, R6, R7, RZ", set(), {5}),
        ("IMAD.WIDE R4, R6, R7, c[0x0][0x160]", set(), {5}),
        ("UIMAD.WIDE UR4, UR6, UR7, UR8", {9}, {5}),
        ("IMAD R4, R6, R7, R8", set(), set()),
        ("IMAD.WIDE R4, R6", set(), set()),  # a broken listing
    ],
)
def test_upper_halves_of_64_bit_sums_are_late(text, read, written):
    one = parse_instruction(text, address=0)
    assert tuple({index for _, index in names} for names in late_names(one)) == (read, written)


@pytest.mark.parametrize(
    ("text", "name", "made"),
    [
        ("IADD3 R4, P1, R5, R6, RZ", (Kind.REGISTER, 4), "alu R"),
        ("IADD3 R4, P1, R5, R6, RZ", (Kind.PREDICATE, 1), "alu P"),
        ("HFMA2.MMA R4, -RZ, RZ, 0, 0", (Kind.REGISTER, 4), "fp16.mma R"),
        ("HSET2.BF.GT.AND R4, R5, R6, PT", (Kind.REGISTER, 4), "fp16.compare R"),
        ("ULDC UR4, c[0x0][0x160]", (Kind.UNIFORM, 4), "uniform.move UR"),
        ("R2UR UR4, R5", (Kind.UNIFORM, 4), "r2ur UR"),
        ("LDG.E R4, [R2.64]", (Kind.REGISTER, 4), None),
        ("MUFU.EX2 R4, R5", (Kind.REGISTER, 4), None),
    ],
)
def test_results_have_the_class_of_their_pipe(text, name, made):
    assert producer(parse_instruction(text, address=0), name, 80) == made
