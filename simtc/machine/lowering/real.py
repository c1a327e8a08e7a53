"""f32, packed f16 and bf16, and f64 instructions."""

from __future__ import annotations

from simtc.isa import Kind
from simtc.machine.lowering.builder import JOIN, Builder, Lowering, refuse
from simtc.machine.micro import Double, Family, Flag, Half, Predicate, Single

__all__ = ["LOWERINGS"]

_RELATIONS = {
    name: number
    for number, name in enumerate("F LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T".split())  # noqa: SIM905
}
_CHOICES = ("MIN", "MAX")
_ROUNDINGS = ("RN", "RM", "RP", "RZ", "FTZ", "SAT")
_MUFU = {"RCP64H": 0, "RSQ64H": 1, "RCP": 0, "RSQ": 1, "EX2": 2, "LG2": 3, "SIN": 4, "COS": 5, "SQRT": 6, "TANH": 7}


def _single(code: Single, *known: str, flags: int = 0) -> Lowering:
    def lower(b: Builder) -> None:
        b.does(Family.SINGLE, code, *_ROUNDINGS, *known)
        b.rounding()
        b.flag(flags)
        b.into(b.take())
        for slot in "abc":
            if b.more(Kind.REGISTER, Kind.UNIFORM, Kind.IMMEDIATE, Kind.CONSTANT):
                b.real(slot, b.take())
        if b.more(Kind.PREDICATE):
            b.predicate("q", b.take())

    return lower


_SCALES = {"D8": -3, "D4": -2, "D2": -1, "M2": 1, "M4": 2, "M8": 3}


def _fmul(b: Builder) -> None:
    """Lower FMUL; .D2 and its like scale the product before it is rounded."""
    _single(Single.MUL, *_SCALES)(b)
    b.op["scale"] = next((_SCALES[m] for m in b.i.modifiers if m in _SCALES), 0)


def _fmnmx(b: Builder) -> None:
    _single(Single.MIN_MAX, "NAN", "XORSIGN")(b)
    b.flag(Flag.NAN, "NAN" in b.mods)
    b.flag(Flag.XOR_SIGN, "XORSIGN" in b.mods)


def _fset(b: Builder) -> None:
    _single(Single.SET, "BF", *_RELATIONS, *JOIN)(b)
    if not b.mods & {"AND"}:
        raise refuse(b.i, "only .AND is modelled")
    b.op["variant"] = _relation(b)
    b.op["imm"] = int("BF" in b.mods)


def _relation(b: Builder) -> int:
    return next(_RELATIONS[m] for m in b.i.modifiers if m in _RELATIONS)


def _setp(code: Predicate, kind: str) -> Lowering:
    def lower(b: Builder) -> None:
        b.does(Family.PREDICATE, code, *_RELATIONS, *JOIN, *_CHOICES, "FTZ", "BF16_V2")
        if b.mods & set(_CHOICES):  # DSETP.MIN and .MAX: is the first operand the result; are both NaN
            b.op["imm"] = 16 if "MIN" in b.mods else 17
        else:
            b.op["imm"] = _relation(b)
        b.op["variant"] = next((JOIN[m] for m in b.i.modifiers if m in JOIN), 0)
        b.rounding()
        b.predicate_into("p", b.take())
        b.predicate_into("p2", b.take())
        b.real("a", b.take(), kind)
        b.real("b", b.take(), kind)
        b.predicate("q", b.take())

    return lower


def _mufu(b: Builder) -> None:
    names = [m for m in b.i.modifiers if m in _MUFU]
    if b.mods & {"F16", "BF16"}:
        b.does(Family.HALF, Half.MUFU, *_MUFU, "F16", "BF16")
        b.flag(Flag.BF16, "BF16" in b.mods)
    else:
        b.does(Family.SINGLE, Single.MUFU, *_MUFU)
        b.op["imm"] = int(names[0].endswith("64H"))
    b.op["variant"] = _MUFU[names[0]]
    b.into(b.take())
    b.real("a", b.take(), "one half" if b.mods & {"F16", "BF16"} else "single")


def _fchk(b: Builder) -> None:
    b.does(Family.PREDICATE, Predicate.FCHK, "DIVIDE")
    b.predicate_into("p", b.take())
    b.plain("a", b.take())
    b.plain("b", b.take())


def _half(code: Half, sources: str) -> Lowering:
    def lower(b: Builder) -> None:
        b.does(Family.HALF, code, "F32", "MMA", "BF16", "BF16_V2", "FTZ", "SAT", "RELU", "NAN", "XORSIGN")
        b.rounding()
        b.flag(Flag.RELU, "RELU" in b.mods)
        b.flag(Flag.NAN, "NAN" in b.mods)
        b.flag(Flag.XOR_SIGN, "XORSIGN" in b.mods)
        b.op["variant"] = int("F32" in b.mods)
        b.into(b.take())
        for slot in sources:
            b.real(slot, b.take(), "half")
        if b.more(Kind.PREDICATE):
            b.predicate("q", b.take())

    return lower


def _hset(b: Builder) -> None:
    b.does(Family.HALF, Half.SET, "BF", "BF16_V2", "FTZ", *_RELATIONS, "AND")
    b.rounding()
    b.op["variant"], b.op["imm"] = _relation(b), int("BF" in b.mods)
    b.into(b.take())
    b.real("a", b.take(), "half")
    b.real("b", b.take(), "half")
    b.predicate("q", b.take())


def _double(code: Double, sources: str) -> Lowering:
    def lower(b: Builder) -> None:
        b.does(Family.DOUBLE, code, "RN", "RM", "RP", "RZ")
        b.rounding()
        b.into(b.take(), 2)
        for slot in sources:
            b.real(slot, b.take(), "double")
        if b.more(Kind.PREDICATE):
            b.predicate("q", b.take())

    return lower


LOWERINGS: dict[str, Lowering] = {
    "FADD": _single(Single.ADD),
    "FMUL": _fmul,
    "FFMA": _single(Single.FMA),
    "FSEL": _single(Single.SEL),
    "FMNMX": _fmnmx,
    "FSET": _fset,
    "FSETP": _setp(Predicate.FSETP, "single"),
    "DSETP": _setp(Predicate.DSETP, "double"),
    "HSETP2": _setp(Predicate.HSETP, "half"),
    "MUFU": _mufu,
    "FCHK": _fchk,
    "HADD2": _half(Half.ADD, "ab"),
    "HMUL2": _half(Half.MUL, "ab"),
    "HFMA2": _half(Half.FMA, "abc"),
    "HMNMX2": _half(Half.MIN_MAX, "ab"),
    "VHMNMX": _half(Half.MIN_MAX_3, "abc"),
    "HSET2": _hset,
    "DADD": _double(Double.ADD, "ab"),
    "DMUL": _double(Double.MUL, "ab"),
    "DFMA": _double(Double.FMA, "abc"),
}
