"""Integer, logic, shift and move instructions, and their uniform twins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simtc.isa import Kind, Operand
from simtc.machine.lowering.builder import Builder, Lowering, refuse
from simtc.machine.micro import Family, Flag, Integer

__all__ = ["LOWERINGS"]

_BYTES_OF = {"U8": 0, "S8": 1, "U16": 0, "S16": 1}
_PERMUTE = {"F4E": 1, "B4E": 2, "RC8": 3, "ECL": 4, "ECR": 5, "RC16": 6}


def _mov(b: Builder) -> None:
    b.does(Family.INTEGER, Integer.MOV)
    b.into(b.take())
    b.plain("a", b.take())
    if b.more(Kind.IMMEDIATE):
        b.take()  # the byte mask of MOV's long form: the compiler always writes all four bytes


def _add3(b: Builder) -> None:
    b.does(Family.INTEGER, Integer.ADD3, "X", "64")
    b.into(b.take())
    outputs = [b.take() for _ in range(2) if b.more(Kind.PREDICATE, Kind.UNIFORM_PREDICATE)]
    for name, operand in zip(("p", "p2"), outputs, strict=False):
        b.predicate_into(name, operand)
    b.flag(Flag.CARRY_OUT, bool(outputs))
    sources = [b.take() for _ in range(3 if b.i.opcode.endswith("3") else 2)]
    ones = sum(b.integer(slot, operand) for slot, operand in zip("abc", sources, strict=False))
    b.op["imm"] = ones
    _carries_in(b)


def _carries_in(b: Builder) -> None:
    """Read the carries that .X adds; without .X the source predicates count for nothing."""
    for name in ("q", "q2"):
        if b.more(Kind.PREDICATE, Kind.UNIFORM_PREDICATE):
            b.predicate(name, b.take())
        else:
            b.op[f"{name}_flip"] = 0xFFFFFFFF
    if "X" not in b.mods:
        for name in ("q", "q2"):
            b.op[name], b.op[f"{name}_flip"] = 7, 0xFFFFFFFF


def _mad(b: Builder) -> None:
    known = ("MOV", "SHL", "IADD", "U32", "X", "WIDE", "HI", "MMA", "S32")
    wide = "WIDE" in b.mods
    b.does(Family.INTEGER, Integer.MAD_WIDE if wide else Integer.MAD_HI if "HI" in b.mods else Integer.MAD, *known)
    b.into(b.take(), 2 if wide else 1)
    if b.more(Kind.PREDICATE, Kind.UNIFORM_PREDICATE):
        b.predicate_into("p", b.take())
        b.flag(Flag.CARRY_OUT)
    b.flag(Flag.SIGNED, "U32" not in b.mods)
    left, right, added = b.take(), b.take(), b.take()
    b.plain("a", _unsigned(left))
    b.plain("b", _unsigned(right))
    b.flag(Flag.NEGATE_PRODUCT, left.negate != right.negate)
    b.op["imm"] = b.integer("c", added, 2 if wide or "HI" in b.mods else 1)
    _carries_in(b)


def _unsigned(operand: Operand) -> Operand:
    return replace(operand, negate=False)


def _lop3(b: Builder) -> None:
    b.does(Family.INTEGER, Integer.LOP3, "LUT", "PAND")
    if b.more(Kind.PREDICATE, Kind.UNIFORM_PREDICATE):
        b.predicate_into("p", b.take())
        b.flag(Flag.NAN)
    b.into(b.take())
    for slot in "abc":
        b.integer(slot, b.take())
    b.op["imm"] = b.immediate(b.take())
    b.op["q_flip"] = 0xFFFFFFFF
    if b.more(Kind.PREDICATE, Kind.UNIFORM_PREDICATE):
        b.predicate("q", b.take())


def _shf(b: Builder) -> None:
    b.does(Family.INTEGER, Integer.SHF, "L", "R", "W", "U32", "S32", "U64", "S64", "HI", "LO")
    b.flag(Flag.LEFT, "L" in b.mods)
    b.flag(Flag.HIGH, "HI" in b.mods)
    b.flag(Flag.WRAP, "W" in b.mods)
    b.op["variant"] = {"S32": 33, "U64": 64, "S64": 65}.get(next((m for m in b.i.modifiers if m[0] in "US"), "U32"), 32)
    b.into(b.take())
    for slot in "abc":
        b.plain(slot, b.take())


def _lea(b: Builder) -> None:
    b.does(Family.INTEGER, Integer.LEA, "HI", "X", "SX32")
    b.into(b.take())
    if b.more(Kind.PREDICATE, Kind.UNIFORM_PREDICATE):
        b.predicate_into("p", b.take())
        b.flag(Flag.CARRY_OUT)
    b.flag(Flag.HIGH, "HI" in b.mods)
    b.flag(Flag.SIGNED, "SX32" in b.mods)
    first = b.take()
    b.op["aux"] = b.integer("a", first)
    shifted_flip = int(b.op["a_xor"])
    b.op["aux"] += b.integer("b", b.take())
    if "HI" in b.mods and "SX32" not in b.mods:
        b.plain("c", b.take())
    b.op["a_xor"] = shifted_flip
    b.op["imm"] = b.immediate(b.take()) & 31
    _carries_in(b)


def _prmt(b: Builder) -> None:
    b.does(Family.INTEGER, Integer.PRMT, *_PERMUTE)
    b.op["variant"] = next((_PERMUTE[m] for m in b.i.modifiers if m in _PERMUTE), 0)
    b.into(b.take())
    for slot in "abc":
        b.plain(slot, b.take())


def _min_max(b: Builder) -> None:
    packed = bool(b.mods & {"S16x2", "U16x2"})
    plain = b.i.opcode.removeprefix("U") in ("IMNMX", "VIMNMX") and not packed and "RELU" not in b.mods
    known = ("U32", "S32", "S16x2", "U16x2", "RELU")
    b.does(Family.INTEGER, Integer.MIN_MAX if plain else Integer.VIDEO, *known)
    b.flag(Flag.SIGNED, not b.mods & {"U32", "U16x2"})
    b.flag(Flag.RELU, "RELU" in b.mods)
    b.into(b.take())
    if b.more(Kind.PREDICATE, Kind.UNIFORM_PREDICATE) and b.take().index != 7:
        raise refuse(b.i, "a predicate result is not modelled")
    b.plain("a", b.take())
    # imm: 1 packed halves, 2 add the first two, 4 three operands
    b.op["imm"] = int(packed)
    if "ADD" in b.i.opcode:
        b.op["imm"] |= 2
        b.op["aux"] = b.integer("b", b.take())
        b.plain("c", b.take())
    else:
        b.plain("b", b.take())
        if b.i.opcode.endswith("3"):
            b.op["imm"] |= 4
            b.plain("c", b.take())
    b.predicate("q", b.take())


def _add_pairs(b: Builder) -> None:
    b.does(Family.INTEGER, Integer.VIDEO, "16x2")
    b.op["imm"] = 1 + 8
    b.into(b.take())
    b.plain("a", b.take())
    b.op["aux"] = b.integer("b", b.take())


def _viadd(b: Builder) -> None:
    (_add_pairs if "16x2" in b.mods else _add3)(b)


def _sel(b: Builder) -> None:
    b.does(Family.INTEGER, Integer.SEL)
    b.into(b.take())
    b.plain("a", b.take())
    b.plain("b", b.take())
    b.predicate("q", b.take())


def _unary(code: Integer, *known: str) -> Lowering:
    def lower(b: Builder) -> None:
        b.does(Family.INTEGER, code, *known)
        b.flag(Flag.SIGNED, "U32" not in b.mods)
        b.op["variant"] = int("SH" in b.mods)
        b.into(b.take())
        if b.more(Kind.PREDICATE, Kind.UNIFORM_PREDICATE):
            b.take()
        b.integer("a", b.take())

    return lower


def _binary(code: Integer, *known: str) -> Lowering:
    def lower(b: Builder) -> None:
        b.does(Family.INTEGER, code, *known)
        b.flag(Flag.SIGNED, "U32" not in b.mods)
        b.flag(Flag.WRAP, "W" in b.mods)
        b.into(b.take())
        b.plain("a", b.take())
        b.plain("b", b.take())
        if b.more():
            b.plain("c", b.take())

    return lower


def _absolute_difference_4(b: Builder) -> None:
    _binary(Integer.VABSDIFF4, "U8", "S8", "ACC")(b)
    b.flag(Flag.SIGNED, "S8" in b.mods)
    b.op["flags"] &= ~np.int32(0 if "S8" in b.mods else Flag.SIGNED)
    b.op["variant"] = int("ACC" in b.mods)


def _dot_product(code: Integer) -> Lowering:
    def lower(b: Builder) -> None:
        b.does(Family.INTEGER, code, "2A", "4A", "LO", "HI", "U8", "S8", "U16", "S16")
        kinds = [m for m in b.i.modifiers if m in _BYTES_OF]
        b.op["variant"] = _BYTES_OF[kinds[0]] + 2 * _BYTES_OF[kinds[1]] + 4 * ("HI" in b.mods)
        b.into(b.take())
        for slot in "abc":
            b.plain(slot, b.take())

    return lower


def _idp(b: Builder) -> None:
    _dot_product(Integer.DP4A if "4A" in b.mods else Integer.DP2A)(b)


_COMMON: dict[str, Lowering] = {
    "MOV": _mov,
    "IADD3": _add3,
    "IMAD": _mad,
    "LOP3": _lop3,
    "SHF": _shf,
    "LEA": _lea,
    "PRMT": _prmt,
    "SEL": _sel,
    "POPC": _unary(Integer.POPC),
    "FLO": _unary(Integer.FLO, "U32", "S32", "SH"),
    "BREV": _unary(Integer.BREV),
    "BMSK": _binary(Integer.BMSK, "W", "C"),
    "SGXT": _binary(Integer.SGXT, "U32", "W", "C"),
    "IABS": _unary(Integer.ABS),
    "IMNMX": _min_max,
}

_WITHOUT_UNIFORM = ("IABS", "IMNMX")

LOWERINGS: dict[str, Lowering] = {
    **_COMMON,
    **{f"U{name}": lowering for name, lowering in _COMMON.items() if name not in _WITHOUT_UNIFORM},
    "VIADD": _viadd,
    "VIMNMX": _min_max,
    "VIMNMX3": _min_max,
    "VIADDMNMX": _min_max,
    "IDP": _idp,
    "VABSDIFF": _binary(Integer.VABSDIFF, "U32", "S32"),
    "VABSDIFF4": _absolute_difference_4,
}
