"""f32, packed f16 and bf16, and f64 instructions; conversions."""

from __future__ import annotations

from simtc.isa import Kind
from simtc.machine.convert import Format
from simtc.machine.lowering.builder import Builder, Lowering, refuse
from simtc.machine.micro import Convert, Double, Family, Flag, Half, Predicate, Single

__all__ = ["LOWERINGS"]

_RELATIONS = {
    name: number
    for number, name in enumerate("F LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T".split())  # noqa: SIM905
}
_JOIN = {"AND": 0, "OR": 1, "XOR": 2}
_ROUNDINGS = ("RN", "RM", "RP", "RZ", "FTZ", "SAT")
_MUFU = {"RCP": 0, "RSQ": 1, "EX2": 2, "LG2": 3, "SIN": 4, "COS": 5, "SQRT": 6, "TANH": 7}
_FORMATS = {
    "F16": Format.F16,
    "BF16": Format.BF16,
    "F32": Format.F32,
    "F64": Format.F64,
    "U8": Format.U8,
    "S8": Format.S8,
    "U16": Format.U16,
    "S16": Format.S16,
    "U32": Format.U32,
    "S32": Format.S32,
    "U64": Format.U64,
    "S64": Format.S64,
    "E4M3": Format.E4M3,
    "E5M2": Format.E5M2,
    "TF32": Format.TF32,
}


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


def _fmnmx(b: Builder) -> None:
    _single(Single.MIN_MAX, "NAN")(b)
    b.flag(Flag.NAN, "NAN" in b.mods)


def _fset(b: Builder) -> None:
    _single(Single.SET, "BF", *_RELATIONS, *_JOIN)(b)
    if not b.mods & {"AND"}:
        raise refuse(b.i, "only .AND is modelled")
    b.op["variant"] = _relation(b)
    b.op["imm"] = int("BF" in b.mods)


def _relation(b: Builder) -> int:
    return next(_RELATIONS[m] for m in b.i.modifiers if m in _RELATIONS)


def _setp(code: Predicate, kind: str) -> Lowering:
    def lower(b: Builder) -> None:
        b.does(Family.PREDICATE, code, *_RELATIONS, *_JOIN, "FTZ", "BF16_V2")
        b.op["imm"] = _relation(b)
        b.op["variant"] = next((_JOIN[m] for m in b.i.modifiers if m in _JOIN), 0)
        b.rounding()
        b.predicate_into("p", b.take())
        b.predicate_into("p2", b.take())
        b.real("a", b.take(), kind)
        b.real("b", b.take(), kind)
        b.predicate("q", b.take())

    return lower


def _mufu(b: Builder) -> None:
    b.does(Family.SINGLE, Single.MUFU, *_MUFU, "F16", "F32")
    if "F16" in b.mods:
        raise refuse(b.i, "MUFU on f16 is not modelled")
    b.op["variant"] = _MUFU[b.i.modifiers[0]]
    b.into(b.take())
    b.real("a", b.take())


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
        b.does(Family.DOUBLE, code, "RN")
        b.into(b.take(), 2)
        for slot in sources:
            b.real(slot, b.take(), "double")
        if b.more(Kind.PREDICATE):
            b.predicate("q", b.take())

    return lower


def _formats(b: Builder, *default: str) -> tuple[Format, Format]:
    """Return target and source format, in the order in which SASS writes them."""
    named = [m for m in b.i.modifiers if m in _FORMATS] or list(default)
    target, source = (*named, *default[len(named) :])[:2]
    return _FORMATS[target], _FORMATS[source]


_CONVERSION = ("RN", "RM", "RP", "RZ", "FTZ", "SAT", "FLOOR", "CEIL", "TRUNC", "NTZ", *_FORMATS)


def _convert(code: Convert, default: tuple[str, str]) -> Lowering:
    def lower(b: Builder) -> None:
        b.does(Family.CONVERT, code, *_CONVERSION, "RND")
        b.rounding()
        target, source = _formats(b, *default)
        named = [m for m in b.i.modifiers if m in _FORMATS]
        if len(named) == 1 and code in (Convert.I2F, Convert.F2I):  # one name stands for the integer, or the wide float
            only = _FORMATS[named[0]]
            is_integer = Format.U8 <= only <= Format.S64
            target, source = (
                (Format.F32 if is_integer else only, only if is_integer else Format.S32)
                if code is Convert.I2F
                else (only if is_integer else Format.S32, Format.F32 if is_integer else only)
            )
        if code is Convert.FRND and len(named) < 2:
            target = source = _FORMATS[named[0]] if named else Format.F32
        b.op["variant"] = int(source) + 16 * int(target)
        b.into(b.take(), 2 if target in (Format.F64, Format.U64, Format.S64) else 1)
        operand = b.take()
        wide = source in (Format.U64, Format.S64)
        if code is Convert.I2F:
            b.op["aux"] = b.integer("a", operand, 2 if wide else 1)
            part = next((int(m[1]) for m in operand.modifiers if m in ("B1", "B2", "B3", "H1")), 0)
            b.op["imm"] = 2 * part if "H1" in operand.modifiers else part
        else:
            b.real("a", operand, "double" if source is Format.F64 else "single" if source is Format.F32 else "half")

    return lower


def _f2fp(b: Builder) -> None:
    b.does(Family.CONVERT, Convert.PACK, *_FORMATS, "PACK_AB", "PACK_B", "RELU", "RZ", "SATFINITE", "UNPACK_B")
    if "UNPACK_B" in b.mods:
        source = Format.E5M2 if "E5M2" in b.mods else Format.E4M3
        b.op["code"], b.op["variant"] = int(Convert.UNPACK8), int(source)
        b.into(b.take())
        b.real("a", b.take(), "half")
        return
    if b.mods & {"E4M3", "E5M2", "SATFINITE", "RZ"}:
        raise refuse(b.i, "this packing is not modelled")
    target = Format.BF16 if "BF16" in b.mods else Format.F16
    b.flag(Flag.RELU, "RELU" in b.mods)
    b.op["variant"] = int(Format.F32) + 16 * int(target)
    b.into(b.take())
    if "PACK_B" in b.mods:
        b.real("b", b.take())
        return
    b.real("a", b.take())
    b.real("b", b.take())


def _i2fp(b: Builder) -> None:
    b.does(Family.CONVERT, Convert.I2F, *_FORMATS, "RZ", "RN", "RM", "RP")
    b.rounding()
    source = Format.U32 if "U32" in b.mods else Format.S32
    b.op["variant"] = int(source) + 16 * int(Format.F32)
    b.into(b.take())
    b.op["aux"] = b.integer("a", b.take())


def _i2ip(b: Builder) -> None:
    b.does(Family.CONVERT, Convert.PACK8, "S8", "U8", "S32", "SAT")
    b.op["variant"] = 16 * int(Format.S8 if "S8" in b.mods else Format.U8)
    b.into(b.take())
    for slot in "abc":
        b.plain(slot, b.take())


def _i2i(b: Builder) -> None:
    b.does(Family.CONVERT, Convert.I2I, "U8", "S8", "U16", "S16", "S32", "SAT")
    b.op["variant"] = 16 * int(_FORMATS[b.i.modifiers[0]])
    b.into(b.take())
    b.plain("a", b.take())


LOWERINGS: dict[str, Lowering] = {
    "FADD": _single(Single.ADD),
    "FMUL": _single(Single.MUL),
    "FFMA": _single(Single.FMA),
    "FADD32I": _single(Single.ADD),
    "FMUL32I": _single(Single.MUL),
    "FFMA32I": _single(Single.FMA),
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
    "HSET2": _hset,
    "DADD": _double(Double.ADD, "ab"),
    "DMUL": _double(Double.MUL, "ab"),
    "DFMA": _double(Double.FMA, "abc"),
    "DMNMX": _double(Double.MIN_MAX, "ab"),
    "F2F": _convert(Convert.F2F, ("F32", "F32")),
    "F2I": _convert(Convert.F2I, ("S32", "F32")),
    "I2F": _convert(Convert.I2F, ("F32", "S32")),
    "FRND": _convert(Convert.FRND, ("F32", "F32")),
    "F2FP": _f2fp,
    "I2FP": _i2fp,
    "I2IP": _i2ip,
    "I2I": _i2i,
}
