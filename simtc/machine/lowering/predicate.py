"""Instructions whose results or operands are predicates: integer comparisons, truth tables, packing."""

from __future__ import annotations

from simtc.isa import Kind, Operand
from simtc.machine.lowering.builder import JOIN, Builder, Lowering, refuse
from simtc.machine.micro import UNIFORM_PREDICATE, Family, Flag, Predicate

__all__ = ["LOWERINGS"]

_RELATIONS = {"F": 0, "LT": 1, "EQ": 2, "LE": 3, "GT": 4, "NE": 5, "GE": 6, "T": 7}


def _isetp(b: Builder) -> None:
    b.does(Family.PREDICATE, Predicate.ISETP, *_RELATIONS, *JOIN, "U32", "EX", "S32")
    b.op["imm"] = _RELATIONS[b.i.modifiers[0]]
    b.op["variant"] = next((JOIN[m] for m in b.i.modifiers if m in JOIN), 0)
    b.flag(Flag.SIGNED, "U32" not in b.mods)
    b.flag(Flag.EXTENDED, "EX" in b.mods)
    b.predicate_into("p", b.take())
    b.predicate_into("p2", b.take())
    b.plain("a", b.take())
    b.op["aux"] = b.integer("b", b.take()) << 8
    b.predicate("q", b.take())
    if b.more():
        b.predicate("q2", b.take())


def _plop3(b: Builder) -> None:
    b.does(Family.PREDICATE, Predicate.PLOP3, "LUT")
    b.predicate_into("p", b.take())
    b.predicate_into("p2", b.take())
    for place, (name, slot) in enumerate(zip(("q", "q2", "q3"), "abc", strict=True)):
        if b.more(Kind.REGISTER, Kind.UNIFORM):  # R4.SIGN: the register's top bit
            b.op["code"] = int(Predicate.PLOP3_SIGNS)
            b.op["variant"] |= 1 << place
            b.integer(slot, _sign_of(b, b.take()))
        else:
            b.predicate(name, b.take())
    b.op["imm"], b.op["aux"] = b.immediate(b.take()), b.immediate(b.take())


def _sign_of(b: Builder, operand: Operand) -> Operand:
    if "SIGN" not in operand.modifiers or operand.negate:
        raise refuse(b.i, f"{operand!r} is no predicate")
    return operand


def _p2r(b: Builder) -> None:
    b.does(Family.PREDICATE, Predicate.P2R, "B0", "B1", "B2", "B3")
    b.op["imm"] = next((int(m[1]) for m in b.i.modifiers), 0)
    b.into(b.take())
    name = b.take().name
    if name not in ("PR", "UPR"):
        raise refuse(b.i, "only the predicate registers can be packed")
    b.op["variant"] = UNIFORM_PREDICATE if name == "UPR" else 0
    b.plain("a", b.take())
    b.plain("b", b.take())


def _r2p(b: Builder) -> None:
    b.does(Family.PREDICATE, Predicate.R2P, "B0", "B1", "B2", "B3")
    operands = [b.take() for _ in range(3)]
    b.op["imm"] = next((int(m[1]) for o in (operands[1], b.i) for m in o.modifiers if m in ("B1", "B2", "B3")), 0)
    b.plain("a", operands[1])
    b.plain("b", operands[2])


LOWERINGS: dict[str, Lowering] = {
    "ISETP": _isetp,
    "UISETP": _isetp,
    "PLOP3": _plop3,
    "UPLOP3": _plop3,
    "P2R": _p2r,
    "UP2UR": _p2r,
    "R2P": _r2p,
}
