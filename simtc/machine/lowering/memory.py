"""Loads, stores, copies, atomics and matrix moves."""

from __future__ import annotations

from simtc.isa import Kind, Operand, lane_bytes, matrices, opcode_of
from simtc.machine.atomic import How, Number
from simtc.machine.lowering.builder import Builder, Lowering, refuse
from simtc.machine.micro import LANES, Family, Flag, Memory, Predicate, Tensor

__all__ = ["LOWERINGS"]

# Modifiers that choose caches, ordering or prefetching: they change time, not values.
_HINTS = (
    "E", "SYS", "GPU", "SM", "CTA", "CONSTANT", "STRONG", "WEAK", "CI", "EF", "EL", "LU", "EU", "NA", "LTC64B",
    "LTC128B", "LTC256B", "BYPASS", "ACCESS", "PRIVATE", "VC", "MMIO", "ENL2", "L1", "SPIN", "U", "ZFILL", "RN", "FTZ",
)  # fmt: skip
_WIDTHS = ("U8", "S8", "U16", "S16", "32", "64", "128")
_BANKS, _ZERO = 32, 255  # RZ
_SPACES = ("S", "L", "G")
_SCALES = {"X4": 2, "X8": 3, "X16": 4}


def _width(b: Builder) -> int:
    b.flag(Flag.SIGNED, bool(b.mods & {"S8", "S16"}))
    return lane_bytes(b.i)


def _address(b: Builder, operand: Operand, *, slots: tuple[str, str] = ("a", "b"), name: str = "imm") -> None:
    """Read [register + uniform register + offset]."""
    if operand.kind is not Kind.ADDRESS:
        raise refuse(b.i, f"{operand!r} should be an address")
    register, uniform = slots
    b.plain(register, Operand(kind=Kind.REGISTER, index=operand.index))
    b.plain(uniform, Operand(kind=Kind.UNIFORM, index=operand.uniform))
    b.op[name] = operand.value
    b.op["scale"] = next((_SCALES[m] for m in operand.modifiers if m in _SCALES), 0)
    long = "64" in operand.modifiers
    narrow = "U32" in operand.modifiers or operand.index == 255
    if not {"global", "generic"}.isdisjoint(opcode_of(b.i).spaces):
        b.op["wide"] = int(long or not narrow) + 2 * int(operand.uniform != 63)


def _load(code: Memory) -> Lowering:
    def lower(b: Builder) -> None:
        b.does(Family.MEMORY, code, *_HINTS, *_WIDTHS)
        b.op["bytes"] = _width(b)
        b.into(b.take(), max(int(b.op["bytes"]) // 4, 1))
        if b.more(Kind.PREDICATE):
            b.take()
        _address(b, b.take())
        if b.more(Kind.PREDICATE):
            b.take()

    return lower


def _store(code: Memory) -> Lowering:
    def lower(b: Builder) -> None:
        b.does(Family.MEMORY, code, *_HINTS, *_WIDTHS)
        b.op["bytes"] = _width(b)
        _address(b, b.take())
        rows = max(int(b.op["bytes"]) // 4, 1)
        b.plain("c", b.take(), rows)
        b.op["source_rows"] = rows

    return lower


def _ldc(b: Builder) -> None:
    b.does(Family.MEMORY, Memory.LOAD_CONSTANT, *_WIDTHS, "IL", "IS", "ISL", "E")
    if b.mods & {"IL", "IS", "ISL"}:
        raise refuse(b.i, "indexed constant banks are not modelled")
    b.op["bytes"] = _width(b)
    b.into(b.take(), max(int(b.op["bytes"]) // 4, 1))
    operand = b.take()
    if operand.kind is not Kind.CONSTANT or operand.descriptor is not None:
        raise refuse(b.i, "a bindless constant is not modelled")
    if operand.index >= _BANKS:
        raise refuse(b.i, f"there are {_BANKS} constant banks")
    if operand.uniform != 63:
        b.plain("a", Operand(kind=Kind.UNIFORM, index=operand.uniform))
    else:
        b.plain("a", Operand(kind=Kind.REGISTER, index=operand.base))
    b.op["imm"], b.op["aux"] = operand.value, operand.index


def _query_space(b: Builder) -> None:
    """QSPC: is a generic address one of shared (S), local (L) or global (G) memory?"""
    b.does(Family.PREDICATE, Predicate.QUERY_SPACE, "E", *_SPACES)
    b.op["variant"] = next(_SPACES.index(m) for m in b.i.modifiers if m in _SPACES)
    b.predicate_into("p", b.take())
    if b.take().index != _ZERO:
        raise refuse(b.i, "only its predicate is modelled")
    _address(b, b.take())


def _ldsm(b: Builder) -> None:
    b.does(Family.MEMORY, Memory.LOAD_MATRIX, "16", "M88", "MT88", "2", "4", "1")
    count = _matrices(b)
    b.into(b.take(), count)
    _address(b, b.take())


def _stsm(b: Builder) -> None:
    b.does(Family.MEMORY, Memory.STORE_MATRIX, "16", "M88", "MT88", "2", "4", "1")
    count = _matrices(b)
    _address(b, b.take())
    b.plain("c", b.take(), count)
    b.op["source_rows"] = count


def _matrices(b: Builder) -> int:
    b.flag(Flag.LEFT, "MT88" in b.mods)
    count = matrices(b.i)
    b.op["bytes"] = count
    return count


def _movm(b: Builder) -> None:
    b.does(Family.TENSOR, Tensor.TRANSPOSE, "16", "MT88")
    b.into(b.take())
    b.plain("a", b.take())


def _ldgsts(b: Builder) -> None:
    b.does(Family.MEMORY, Memory.COPY_ASYNC, *_HINTS, *_WIDTHS)
    b.op["bytes"] = _width(b)
    first, second = b.take(), b.take()
    shared, remote = (second, first) if first.descriptor is not None else (first, second)
    _address(b, shared, slots=("c", "a"), name="aux")
    if shared.uniform != 63 and shared.index != 255:
        raise refuse(b.i, "a shared address of two registers is not modelled")
    if shared.uniform != 63:
        b.plain("c", Operand(kind=Kind.UNIFORM, index=shared.uniform))
    _address(b, remote)
    if b.more(Kind.PREDICATE):
        b.predicate("q", b.take())


_HOWS = {
    "ADD": How.ADD, "MIN": How.MIN, "MAX": How.MAX, "AND": How.AND, "OR": How.OR, "XOR": How.XOR, "EXCH": How.EXCH,
    "CAS": How.CAS, "INC": How.INC, "DEC": How.DEC, "CAST": How.CAST, "POPC": How.COUNT,
}  # fmt: skip
_NUMBERS = {
    "S32": Number.S32, "U32": Number.U32, "64": Number.U64, "U64": Number.U64, "S64": Number.S64, "F32": Number.F32,
    "F64": Number.F64, "F16x2": Number.F16X2, "BF16_V2": Number.BF16X2, "BF16x2": Number.BF16X2,
}  # fmt: skip


def _atomic(code: Memory, *, result: bool) -> Lowering:
    def lower(b: Builder) -> None:
        if b.mods & {"ARRIVE", "VEC"}:
            raise refuse(b.i, "this atomic is not modelled")
        b.does(Family.MEMORY, code, *_HINTS, *_HOWS, *_NUMBERS, "32")
        number = next((_NUMBERS[m] for m in b.i.modifiers if m in _NUMBERS), Number.U32)
        how = next((_HOWS[m] for m in b.i.modifiers if m in _HOWS), None)
        if how is None:
            raise refuse(b.i, "it names no operation")
        b.flag(Flag.FTZ, "FTZ" in b.mods)
        b.op["bytes"] = 8 if number in (Number.U64, Number.S64, Number.F64) else 4
        rows = int(b.op["bytes"]) // 4
        if result:
            if b.more(Kind.PREDICATE):
                b.take()
            b.into(b.take(), rows)
        _address(b, b.take())
        if how is How.COUNT:
            b.word("c", 1)
        else:
            value = b.take()
            b.plain("c", value)
            b.reach(value, rows)
        if how in (How.CAS, How.CAST):
            new = b.take()
            if new.kind is not Kind.REGISTER or value.kind is not Kind.REGISTER:
                raise refuse(b.i, "compare-and-swap takes registers")
            b.reach(new, rows)
            b.op["aux"] = (new.index - value.index) * LANES  # RZ is a row like the others
        b.op["variant"] = int(how) + 16 * int(number)
        b.op["source_rows"] = rows

    return lower


LOWERINGS: dict[str, Lowering] = {
    "LDG": _load(Memory.LOAD_GLOBAL),
    "STG": _store(Memory.STORE_GLOBAL),
    "LDS": _load(Memory.LOAD_SHARED),
    "STS": _store(Memory.STORE_SHARED),
    "LDL": _load(Memory.LOAD_LOCAL),
    "STL": _store(Memory.STORE_LOCAL),
    "LD": _load(Memory.LOAD_GENERIC),
    "ST": _store(Memory.STORE_GENERIC),
    "LDC": _ldc,
    "ULDC": _ldc,
    "QSPC": _query_space,
    "LDSM": _ldsm,
    "STSM": _stsm,
    "MOVM": _movm,
    "LDGSTS": _ldgsts,
    "ATOMG": _atomic(Memory.ATOMIC_GLOBAL, result=True),
    "ATOM": _atomic(Memory.ATOMIC_GENERIC, result=True),
    "ATOMS": _atomic(Memory.ATOMIC_SHARED, result=True),
    "RED": _atomic(Memory.ATOMIC_GENERIC, result=False),
    "REDG": _atomic(Memory.ATOMIC_GLOBAL, result=False),
}
