"""The opcode table and the registers that instructions read and write, proved on every shipped kernel."""

from __future__ import annotations

import re

import pytest

from simtc.errors import BadInputError
from simtc.isa import (
    Instruction,
    Kind,
    Opcode,
    mma_shape,
    opcode_of,
    opcodes,
    operands_read,
    operands_written,
    registers_read,
    registers_written,
)
from simtc.isa.widths import RULES
from simtc.resources import folder
from simtc.sass import load, parse_instruction

LISTINGS = sorted((folder("kernels") / "listings").glob("*/*.sass"))


def names(found):
    order = ["R", "UR", "P", "UP", "B"]
    return " ".join(
        f"{kind.value}{index}" for kind, index in sorted(found, key=lambda x: (order.index(x[0].value), x[1]))
    )


@pytest.mark.parametrize(
    ("text", "read", "written"),
    [
        ("IADD3 R2, P0, R4, -R6, RZ", "R4 R6", "R2 P0"),
        ("@!P3 IADD3.X R3, R3, UR4, RZ, P0, !PT", "R3 UR4 P0 P3", "R3"),
        ("LOP3.LUT P0, RZ, R0, 0x1, RZ, 0xc0, !PT", "R0", "P0"),
        ("ISETP.GE.U32.AND.EX P0, PT, R27, R13, PT, P1", "R13 R27 P1", "P0"),
        ("PLOP3.LUT P0, PT, P2, P1, PT, 0xa8, 0x0", "P1 P2", "P0"),
        ("IMAD.WIDE.U32 R2, P1, R11, R4, R6", "R4 R6 R7 R11", "R2 R3 P1"),
        ("IMAD.WIDE R2, R2, c[0x0][0x184], R8", "R2 R8 R9", "R2 R3"),
        ("IMAD.HI.U32 R13, R13, R17, R12", "R12 R13 R17", "R13"),
        ("IMAD R2, R3, R4, R5", "R3 R4 R5", "R2"),
        ("UIMAD.WIDE UR4, UR7, UR6, UR8", "UR6 UR7 UR8 UR9", "UR4 UR5"),
        ("CS2R R2, SRZ", "", "R2 R3"),
        ("CS2R.32 R2, SR_CLOCKLO", "", "R2"),
        ("LDG.E.128.SYS R4, [R2+0x10]", "R2 R3", "R4 R5 R6 R7"),
        ("LDG.E.U8 R4, [R2.U32+UR4]", "R2 UR4 UR5", "R4"),
        ("STG.E.64 desc[UR6][R2.64], R8", "R2 R3 R8 R9 UR6 UR7", ""),
        ("LDS.U.64 R4, [R2.X4+UR5]", "R2 UR5", "R4 R5"),
        ("STS.128 [R2], RZ", "R2", ""),
        ("STL.64 [R1+0x8], R4", "R1 R4 R5", ""),
        ("LDSM.16.MT88.4 R4, [R2]", "R2", "R4 R5 R6 R7"),
        ("LDSM.16.M88 R4, [R2]", "R2", "R4"),
        ("STSM.16.M88.4 [R2], R4", "R2 R4 R5 R6 R7", ""),
        ("LDGSTS.E.BYPASS.128 [R2], [R4.64], P1", "R2 R4 R5 P1", ""),
        ("LDC.64 R4, c[0x3][R2+0x8]", "R2", "R4 R5"),
        ("ULDC.64 UR4, c[0x0][0x118]", "", "UR4 UR5"),
        ("ATOMG.E.CAS.64.STRONG.GPU PT, R2, [R4.64], R6, R8", "R4 R5 R6 R7 R8 R9", "R2 R3"),
        ("RED.E.ADD.F64.RN.STRONG.GPU [R4.64], R8", "R4 R5 R8 R9", ""),
        ("ATOMS.CAST.SPIN R15, [R3], R14, R15", "R3 R14 R15", "R15"),
        ("SHFL.BFLY PT, R5, R2, 0x10, 0x1f", "R2", "R5"),
        ("VOTE.ANY R7, PT, P2", "P2", "R7"),
        ("VOTE.ALL P1, P2", "P2", "P1"),
        ("P2R R4, PR, R5, 0x5", "R5 P0 P2", "R4"),
        ("R2P PR, R4, 0x6", "R4", "P1 P2"),
        ("DFMA R6, R2, R8, -R10", "R2 R3 R8 R9 R10 R11", "R6 R7"),
        ("DSETP.GT.AND P0, PT, R6, RZ, PT", "R6 R7", "P0"),
        ("F2F.F64.F32 R2, R5", "R5", "R2 R3"),
        ("F2F.F32.F64 R5, R2", "R2 R3", "R5"),
        ("I2F.F64.S64 R2, R6", "R6 R7", "R2 R3"),
        ("I2F.U64.RP R2, R6", "R6 R7", "R2"),
        ("F2I.U64.TRUNC R16, R4", "R4", "R16 R17"),
        ("F2I.F64.TRUNC R16, R4", "R4 R5", "R16"),
        ("FRND.F64.FLOOR R6, R4", "R4 R5", "R6 R7"),
        ("MUFU.RCP64H R11, R5", "R5", "R11"),
        ("HMMA.884.F32.F32.STEP2 R12, R16.COL, R18.ROW, R12", "R12 R13 R16 R17 R18 R19", "R12 R13"),
        ("HMMA.1688.F16 R8, R10, R4, R8", "R4 R8 R9 R10 R11", "R8 R9"),
        ("HMMA.16816.F32 R8, R12, R16, RZ", "R12 R13 R14 R15 R16 R17", "R8 R9 R10 R11"),
        ("HMMA.1684.F32.TF32 R8, R12, R4, R8", "R4 R8 R9 R10 R11 R12 R13", "R8 R9 R10 R11"),
        ("HMMA.1688.F32.TF32 R8, R12, R4, R8", "R4 R5 R8 R9 R10 R11 R12 R13 R14 R15", "R8 R9 R10 R11"),
        ("IMMA.8816.S8.U8.SAT R8, R2.ROW, R5.COL, R8", "R2 R5 R8 R9", "R8 R9"),
        ("IMMA.16864.S4.S4 R8, R12.ROW, R16.COL, RZ", "R12 R13 R14 R15 R16 R17", "R8 R9 R10 R11"),
        ("BMMA.168256.XOR.POPC R8, R12.ROW, R16.COL, RZ", "R12 R13 R14 R15 R16 R17", "R8 R9 R10 R11"),
        ("DMMA.884 R8, R2, R4, RZ", "R2 R3 R4 R5", "R8 R9 R10 R11"),
        ("BSSY B0, `(0x160)", "", "B0"),
        ("BSYNC B0", "B0", ""),
        ("BMOV.32.CLEAR R4, B6", "B6", "R4"),
        ("BMOV.32 B6, R2", "R2", "B6"),
        ("BRX R2 -0x130", "R2 R3", ""),
        ("RET.REL.NODEC R4 `(0x0)", "R4 R5", ""),
        ("@P0 EXIT", "P0", ""),
    ],
)
def test_reads_and_writes(text, read, written):
    instruction = parse_instruction(text, address=0)
    assert (names(registers_read(instruction)), names(registers_written(instruction))) == (read, written)
    assert (*operands_written(instruction), *operands_read(instruction)) == instruction.operands


@pytest.mark.parametrize("path", LISTINGS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_compiled_kernels(path):
    """What is read has been written, and wide results are aligned: a rule that names too many registers shows here."""
    for kernel in load(path).values():
        read, written = set(), set()
        for instruction in kernel.instructions:
            read |= registers_read(instruction)
            written |= registers_written(instruction)
            width = RULES[opcode_of(instruction).widths](instruction).result
            for operand in operands_written(instruction):
                if operand.kind is Kind.REGISTER and operand.index != 255:
                    assert operand.index % width == 0, instruction.text
        assert not {name for name in read - written if name[0] is not Kind.BARRIER}
        registers = [index for kind, index in read | written if kind is Kind.REGISTER]
        assert max(registers) < kernel.registers


@pytest.mark.parametrize("path", LISTINGS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_variable_latency_is_signalled(path):
    """Who writes a scoreboard is variable, and no fixed-latency instruction does: so says every compiled kernel."""
    for kernel in load(path).values():
        for instruction in kernel.instructions:
            if instruction.control.write_barrier is not None:
                assert not opcode_of(instruction).is_fixed_latency(kernel.sm), instruction.text


def test_unknown_opcode():
    with pytest.raises(BadInputError, match="unknown opcode HGMMA at 0x0120; the nearest known is HMMA"):
        opcode_of(Instruction(address=0x120, opcode="HGMMA"))


@pytest.mark.parametrize(
    ("modifiers", "shape"),
    [(("1688", "F32"), (16, 8, 8)), (("16x8x16",), (16, 8, 16)), (("8x8x4",), (8, 8, 4)), (("168256",), (16, 8, 256))],
)
def test_shape(modifiers, shape):
    assert mma_shape(Instruction(address=0, opcode="DMMA", modifiers=modifiers)) == shape


def test_no_shape():
    with pytest.raises(BadInputError, match=r"HMMA\.F32 at 0x0000 names no shape"):
        mma_shape(Instruction(address=0, opcode="HMMA", modifiers=("F32",)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"unit": "gpu"},
        {"latency": "long"},
        {"latency": "fixed", "fixed_from": 80},
        {"writes": "X"},
        {"widths": "broad"},
    ],
)
def test_table_proves_itself(wrong):
    row = {"name": "X", "unit": "alu", "latency": "variable", "writes": "R", "does": "adds"} | wrong
    with pytest.raises(ValueError, match="opcode X is described wrongly"):
        Opcode(**row)


def test_table_covers_the_published_list(shared):
    text = (shared / "facts" / "sass.md").read_text()
    part = text.split("## Opcodes met")[1].split("HMMA forms")[0]
    met = set(re.findall(r"\b[A-Z][A-Z0-9]{1,10}\b", part)) - {"WMMA", "GEMM", "GEMMS", "SASS"}
    assert met <= set(opcodes()), met - set(opcodes())
