"""Conversions between number formats, packed ones too."""

from __future__ import annotations

from simtc.machine.convert import Format
from simtc.machine.lowering.builder import Builder, Lowering, refuse
from simtc.machine.micro import Convert, Family, Flag

__all__ = ["LOWERINGS"]

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
_CONVERSION = ("RN", "RM", "RP", "RZ", "FTZ", "SAT", "FLOOR", "CEIL", "TRUNC", "NTZ", *_FORMATS)


def _formats(b: Builder, *default: str) -> tuple[Format, Format]:
    """Return target and source format, in the order in which SASS writes them."""
    named = [m for m in b.i.modifiers if m in _FORMATS] or list(default)
    target, source = (*named, *default[len(named) :])[:2]
    return _FORMATS[target], _FORMATS[source]


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
            b.real("a", operand, "double" if source is Format.F64 else "single" if source is Format.F32 else "one half")

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
        b.real("a", b.take(), "one half")  # two of four bytes
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
        _pack(b)


def _pack(b: Builder) -> None:
    """Pack two numbers into 32 bits, or one beside what the other half holds."""
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
