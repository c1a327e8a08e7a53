"""Control flow, barriers, special registers, and what lanes exchange."""

from __future__ import annotations

from simtc.isa import Kind, Operand
from simtc.machine.lowering.builder import Builder, Lowering, refuse
from simtc.machine.micro import Control, Family, Flag, Integer, Predicate
from simtc.machine.special import Special

__all__ = ["LOWERINGS"]

_ALL = 0xFFFFFFFF
_BARRIER_THREADS = 4095  # as its field says; a block has at most 1024


def _nothing(b: Builder) -> None:
    """Lower what changes time but no value: fences, cache hints, waits for scoreboards."""
    b.op["family"], b.op["code"] = int(Family.CONTROL), int(Control.NOP)
    while b.more():
        b.take()


def _target(b: Builder, operand: Operand) -> int:
    if (
        operand.kind is not Kind.LABEL
        or operand.value % 16
        or not 0 <= operand.value // 16 < len(b.kernel.instructions)
    ):
        raise refuse(b.i, "the branch leaves the kernel")
    return operand.value // 16


def _bra(b: Builder) -> None:
    diverged = bool(b.mods & {"DIV", "CONV"})
    known = ("U", "DIV", "CONV", "INC", "NODEC", "ANY", "ALL")
    b.does(Family.CONTROL, Control.BRANCH_DIVERGED if diverged else Control.BRANCH, *known)
    b.op["variant"] = int("CONV" in b.mods)
    if diverged and b.more(Kind.LABEL):
        b.word("a", _ALL)
    elif diverged:
        b.integer("a", b.take())
    elif b.more(Kind.PREDICATE, Kind.UNIFORM_PREDICATE):
        b.predicate("q", b.take())
    b.op["imm"] = _target(b, b.take())


def _call(b: Builder) -> None:
    b.does(Family.CONTROL, Control.CALL, "REL", "ABS", "NOINC")
    if not b.more(Kind.LABEL):
        # printf, assert, malloc, a function pointer: what it calls is not here, so a warp that comes here stops
        b.take()
        b.op["code"] = int(Control.CALL_OUTSIDE)
        return
    b.op["imm"] = _target(b, b.take())


def _indirect(b: Builder) -> None:
    b.does(Family.CONTROL, Control.BRANCH_INDIRECT, "REL", "NODEC", "ABS")
    if "ABS" in b.mods:
        raise refuse(b.i, "an absolute return is not modelled")
    b.plain("a", b.take())
    operand = b.take() if b.more() else None
    base = operand.value if operand is not None and operand.kind in (Kind.LABEL, Kind.IMMEDIATE) else 0
    b.op["imm"] = base - (1 << 32) if base & 0x80000000 else base
    b.op["aux"] = len(b.kernel.instructions)


def _exit(b: Builder) -> None:
    b.does(Family.CONTROL, Control.EXIT)
    if b.more(Kind.PREDICATE, Kind.UNIFORM_PREDICATE):
        b.predicate("q", b.take())


def _convergence(code: Control, *known: str) -> Lowering:
    def lower(b: Builder) -> None:
        b.does(Family.CONTROL, code, *known)
        if b.more(Kind.PREDICATE):
            b.predicate("guard", b.take())
        operand = b.take()
        if operand.kind is not Kind.BARRIER or not 0 <= operand.index < 16:
            raise refuse(b.i, f"{operand!r} is no convergence barrier")
        b.op["imm"] = operand.index
        if b.more(Kind.LABEL):
            b.take()  # where the lanes will meet: BSYNC stands there

    return lower


def _bmov(b: Builder) -> None:
    first, second = b.take(), b.take()
    known = ("32", "CLEAR", "PQUAD")
    if any(operand.kind is Kind.BARRIER and not 0 <= operand.index < 16 for operand in (first, second)):
        raise refuse(b.i, "there are 16 convergence barriers")
    if first.kind is second.kind is Kind.BARRIER:
        b.does(Family.CONTROL, Control.COPY_CONVERGENCE, *known)
        b.op["imm"], b.op["variant"], b.op["aux"] = first.index, second.index, int("CLEAR" in b.mods)
    elif first.kind is Kind.BARRIER:
        b.does(Family.CONTROL, Control.WRITE_CONVERGENCE, *known)
        b.plain("a", second)
        b.op["imm"] = first.index
    elif second.kind is Kind.BARRIER:
        b.does(Family.CONTROL, Control.READ_CONVERGENCE, *known)
        b.into(first)
        b.op["imm"], b.op["aux"] = second.index, int("CLEAR" in b.mods)
    else:
        _nothing(b)


def _warpsync(b: Builder) -> None:
    b.does(Family.CONTROL, Control.WARP_SYNC, "ALL", "COLLECTIVE", "EXCLUSIVE")
    if b.more(Kind.REGISTER, Kind.UNIFORM, Kind.IMMEDIATE, Kind.CONSTANT):
        b.integer("a", b.take())
    else:
        b.word("a", _ALL)
    if b.more(Kind.LABEL):
        b.take()


def _bar(b: Builder) -> None:
    b.does(Family.CONTROL, Control.BARRIER, "SYNC", "ARV", "RED", "DEFER_BLOCKING", "POPC", "AND", "OR")
    b.op["variant"] = 1 if "ARV" in b.mods else 2 if "RED" in b.mods else 0
    which = b.take()
    if which.kind is Kind.IMMEDIATE:
        if not 0 <= which.value <= 15:
            raise refuse(b.i, "there are 16 barriers")
        b.op["imm"] = which.value
    else:
        b.op["imm"] = -1
        b.plain("a", which)
    if b.more(Kind.IMMEDIATE):
        b.op["aux"] = count = b.take().value
        if not 0 <= count <= _BARRIER_THREADS:
            raise refuse(b.i, f"a barrier takes at most {_BARRIER_THREADS} threads")
    elif b.more(Kind.REGISTER):
        b.op["aux"] = -1
        b.plain("b", b.take())
    if b.more(Kind.PREDICATE):
        b.predicate("q", b.take())


def _lepc(b: Builder) -> None:
    """Lower the address that a call will return to: nothing but the call reads it, and its label is checked."""
    b.does(Family.INTEGER, Integer.MOV)
    b.into(b.take())
    b.word("a", 16 * _target(b, b.take()) if b.more(Kind.LABEL) else b.i.address)


def _b2r(b: Builder) -> None:
    b.does(Family.CONTROL, Control.BARRIER_RESULT, "RESULT")
    b.into(b.take())
    if b.more(Kind.PREDICATE):
        b.predicate_into("p", b.take())
    # which barrier, and whether its predicate means all or any, was said by the BAR.RED before it
    before = [i for i in b.kernel.instructions[: b.i.address // 16] if i.opcode == "BAR" and "RED" in i.modifiers]
    if not before or before[-1].operands[0].kind is not Kind.IMMEDIATE or before[-1].operands[0].value > 15:
        raise refuse(b.i, "no barrier reduction precedes it")
    b.op["imm"], b.op["variant"] = before[-1].operands[0].value, int("AND" in before[-1].modifiers)


def _trap(b: Builder) -> None:
    b.op["family"], b.op["code"] = int(Family.CONTROL), int(Control.TRAP)
    while b.more():
        b.take()


def _yield(b: Builder) -> None:
    b.op["family"], b.op["code"] = int(Family.CONTROL), int(Control.YIELD)
    while b.more():
        b.take()


def _s2r(b: Builder) -> None:
    b.does(Family.PREDICATE, Predicate.S2R, "32", "64")
    destination, operand = b.take(), b.take()
    name = operand.name.replace(".", "_")
    if name not in Special.__members__:
        raise refuse(b.i, f"the special register {operand.name} is not modelled")
    b.op["imm"] = int(Special[name])
    b.into(destination, 2 if b.i.opcode == "CS2R" and "32" not in b.mods else 1)


def _vote(b: Builder) -> None:
    b.does(Family.PREDICATE, Predicate.VOTE, "ANY", "ALL", "EQ", "U")
    b.op["variant"] = 1 if "ALL" in b.mods else 2 if "EQ" in b.mods else 0
    if b.more(Kind.REGISTER, Kind.UNIFORM):
        b.into(b.take())
    b.predicate_into("p", b.take())
    b.predicate("q", b.take())


def _elect(b: Builder) -> None:
    """Lower ELECT: the lowest of the lanes that are here leads; all learn its number, and it alone that it leads."""
    b.does(Family.PREDICATE, Predicate.VOTE)
    b.op["variant"] = 3
    b.predicate_into("p", b.take())
    b.into(b.take())
    b.predicate("q", b.take())


def _shfl(b: Builder) -> None:
    b.does(Family.PREDICATE, Predicate.SHFL, "IDX", "UP", "DOWN", "BFLY")
    b.op["variant"] = ("IDX", "UP", "DOWN", "BFLY").index(b.i.modifiers[0])
    b.predicate_into("p", b.take())
    b.into(b.take())
    for slot in "abc":
        b.plain(slot, b.take())


def _match(b: Builder) -> None:
    b.does(Family.PREDICATE, Predicate.MATCH, "ANY", "ALL", "U32", "U64")
    b.op["variant"], b.op["aux"] = int("ALL" in b.mods), int("U64" in b.mods)
    if b.more(Kind.PREDICATE):
        b.predicate_into("p", b.take())
    b.into(b.take())
    b.plain("a", b.take(), 2 if "U64" in b.mods else 1)


def _redux(b: Builder) -> None:
    kinds = ("OR", "AND", "XOR", "SUM", "MIN", "MAX")
    b.does(Family.PREDICATE, Predicate.REDUX, *kinds, "S32", "U32")
    b.op["variant"] = next((kinds.index(m) for m in b.i.modifiers if m in kinds), kinds.index("AND"))
    b.flag(Flag.SIGNED, "S32" in b.mods)
    b.into(b.take())
    b.plain("a", b.take())


def _r2ur(b: Builder) -> None:
    b.does(Family.PREDICATE, Predicate.R2UR, "FILL", "OR")
    if b.more(Kind.PREDICATE, Kind.UNIFORM_PREDICATE):
        b.predicate_into("p", b.take())
    b.into(b.take())
    b.plain("a", b.take())


LOWERINGS: dict[str, Lowering] = {
    "BRA": _bra,
    "JMP": _bra,
    "CALL": _call,
    "LEPC": _lepc,
    "RET": _indirect,
    "BRX": _indirect,
    "BRXU": _indirect,
    "JMX": _indirect,
    "EXIT": _exit,
    "BSSY": _convergence(Control.SET_CONVERGENCE, "RECONVERGENT", "RELIABLE"),
    "BSYNC": _convergence(Control.CONVERGE, "RECONVERGENT", "RELIABLE"),
    "BREAK": _convergence(Control.BREAK, "RELIABLE"),
    "BMOV": _bmov,
    "WARPSYNC": _warpsync,
    "BAR": _bar,
    "B2R": _b2r,
    "BPT": _trap,
    "YIELD": _yield,
    "NANOSLEEP": _yield,
    "S2R": _s2r,
    "S2UR": _s2r,
    "CS2R": _s2r,
    "VOTE": _vote,
    "VOTEU": _vote,
    "ELECT": _elect,
    "SHFL": _shfl,
    "MATCH": _match,
    "REDUX": _redux,
    "R2UR": _r2ur,
    **dict.fromkeys(
        (
            "NOP",
            "MEMBAR",
            "ERRBAR",
            "CCTL",
            "DEPBAR",
            "LDGDEPBAR",
            "PREEXIT",
            "CGAERRBAR",
            "ACQBULK",
            "ENDCOLLECTIVE",
        ),  # its lanes arrive together at WARPSYNC.COLLECTIVE, and go on together
        _nothing,
    ),
}
