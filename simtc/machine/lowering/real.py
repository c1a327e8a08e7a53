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
_CHOICES = ("MIN", "MAX")
_ROUNDINGS = ("RN", "RM", "RP", "RZ", "FTZ", "SAT")
_MUFU = {"RCP64H": 0, "RSQ64H": 1, "RCP": 0, "RSQ": 1, "EX2": 2, "LG2": 3, "SIN": 4, "COS": 5, "SQRT": 6, "TANH": 7}
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
    _single(Single.SET, "BF", *_RELATIONS, *_JOIN)(b)
    if not b.mods & {"AND"}:
        raise refuse(b.i, "only .AND is modelled")
    b.op["variant"] = _relation(b)
    b.op["imm"] = int("BF" in b.mods)


def _relation(b: Builder) -> int:
    return next(_RELATIONS[m] for m in b.i.modifiers if m in _RELATIONS)


def _setp(code: Predicate, kind: str) -> Lowering:
    def lower(b: Builder) -> None:
        b.does(Family.PREDICATE, code, *_RELATIONS, *_JOIN, *_CHOICES, "FTZ", "BF16_V2")
        if b.mods & set(_CHOICES):  # DSETP.MIN and .MAX: is the first operand the result; are both NaN
            b.op["imm"] = 16 if "MIN" in b.mods else 17
        else:
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
    names = [m for m in b.i.modifiers if m in _MUFU]
    if b.mods & {"F16", "BF16"}:
        b.does(Family.HALF, Half.MUFU, *_MUFU, "F16", "BF16")
        b.flag(Flag.BF16, "BF16" in b.mods)
    else:
        b.does(Family.SINGLE, Single.MUFU, *_MUFU)
        b.op["imm"] = int(names[0].endswith("64H"))
    b.op["variant"] = _MUFU[names[0]]
    b.into(b.take())
    operand = b.take()
    b.real("a", operand, "half" if b.mods & {"F16", "BF16"} else "single")
    if "H1" in operand.modifiers:
        b.op["a_half"] = 2


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
    known = (
        "PACK_AB",
        "PACK_B",
        "RELU",
        "RZ",
        "SATFINITE",
        "UNPACK_B",
        "MERGE_C",
        "PACK_AB_MERGE_C",
        "UNPACK_B_MERGE_C",
    )
    b.does(Family.CONVERT, Convert.PACK, *_FORMATS, *known)
    b.rounding()
    b.flag(Flag.RELU, "RELU" in b.mods)
    fp8 = Format.E5M2 if "E5M2" in b.mods else Format.E4M3
    b.into(b.take())
    if "UNPACK_B" in b.mods:
        b.op["code"], b.op["variant"] = int(Convert.UNPACK8), int(fp8)
        operand = b.take()
        b.real("a", operand, "half")
        if "H1" in operand.modifiers:  # the upper two of four bytes
            b.op["a_half"] = 2
    elif b.mods & {"PACK_AB_MERGE_C", "UNPACK_B_MERGE_C"}:
        pair = "UNPACK_B_MERGE_C" in b.mods
        b.op["code"] = int(Convert.PACK8)
        b.op["variant"] = int(Format.F16 if pair else Format.F32) + 16 * int(fp8)
        b.real("a", b.take(), "half" if pair else "single")
        if not pair:
            b.real("b", b.take())
        b.plain("c", b.take())
    elif b.mods & {"E4M3", "E5M2"}:
        raise refuse(b.i, "this packing is not modelled")
    else:
        target = Format.BF16 if "BF16" in b.mods else Format.TF32 if "TF32" in b.mods else Format.F16
        b.op["variant"] = int(Format.F32) + 16 * int(target)
        b.flag(Flag.MERGE, "MERGE_C" in b.mods)
        if "PACK_B" in b.mods:
            b.real("b", b.take())
            return
        b.real("a", b.take())
        if "MERGE_C" in b.mods:
            b.plain("c", b.take())
        else:
            b.real("b", b.take())


def _i2fp(b: Builder) -> None:
    b.does(Family.CONVERT, Convert.I2F, *_FORMATS, "RZ", "RN", "RM", "RP")
    b.rounding()
    source = Format.U32 if "U32" in b.mods else Format.S32
    b.op["variant"] = int(source) + 16 * int(Format.F32)
    b.into(b.take())
    b.op["aux"] = b.integer("a", b.take())


def _i2ip(b: Builder) -> None:
    b.does(Family.CONVERT, Convert.PACK8, "S8", "U8", "S16", "U16", "S32", "SAT")
    target = _FORMATS[b.i.modifiers[0]]
    if target in (Format.S16, Format.U16):
        b.op["code"] = int(Convert.PACK_INTEGERS)
    b.op["variant"] = int(Format.S32) + 16 * int(target)
    b.into(b.take())
    for slot in "abc":
        b.plain(slot, b.take())


def _f2ip(b: Builder) -> None:
    b.does(Family.CONVERT, Convert.PACK8, "S8", "U8", "F32", "NTZ", "TRUNC", "FLOOR", "CEIL")
    b.rounding()
    b.op["variant"] = int(Format.F32) + 16 * int(_FORMATS[b.i.modifiers[0]])
    b.into(b.take())
    b.real("a", b.take())
    b.real("b", b.take())
    b.plain("c", b.take())


def _i2i(b: Builder) -> None:
    b.does(Family.CONVERT, Convert.I2I, "U8", "S8", "U16", "S16", "S32", "SAT")
    b.op["variant"] = 16 * int(_FORMATS[b.i.modifiers[0]])
    b.into(b.take())
    b.plain("a", b.take())


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
    "F2F": _convert(Convert.F2F, ("F32", "F32")),
    "F2I": _convert(Convert.F2I, ("S32", "F32")),
    "I2F": _convert(Convert.I2F, ("F32", "S32")),
    "FRND": _convert(Convert.FRND, ("F32", "F32")),
    "F2FP": _f2fp,
    "I2FP": _i2fp,
    "I2IP": _i2ip,
    "F2IP": _f2ip,
    "I2I": _i2i,
}
