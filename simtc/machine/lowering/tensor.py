"""Matrix instructions: each names a PTX-like product, whose fragments and arithmetic other rooms know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from simtc.isa import Kind, mma_shape
from simtc.layout import Fragment, fragment
from simtc.machine.lowering.builder import Builder, Lowering, refuse
from simtc.machine.micro import LANES, Family, Tensor
from simtc.machine.tensor import Field
from simtc.numerics.rules import rule_index

__all__ = ["LOWERINGS", "MatrixTables"]

_ARCHITECTURES = {70: "volta", 75: "turing", 80: "ampere", 86: "ampere", 87: "ampere", 89: "ada", 90: "hopper"}


@dataclass(slots=True)
class MatrixTables:
    """The matrix instructions that a kernel uses, as arrays for the compiled code."""

    entries: list[list[int]] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    shifts: list[int] = field(default_factory=list)
    known: dict[tuple[str, ...], int] = field(default_factory=dict)

    def places(self, fragments: list[Fragment], rows: np.ndarray | None, columns: np.ndarray | None, first: int) -> int:
        """Append the places of the elements of each group's fragment (a sub-matrix of it); return where they start."""
        start = len(self.words)
        for part in fragments:
            gather = part.gather()
            shape = (part.rows, part.cols)
            i = np.arange(part.rows) if rows is None else rows
            j = np.arange(part.cols) if columns is None else columns
            pick = np.ix_(i, j)
            register = gather.register.reshape(shape)[pick].ravel() - first
            lane = gather.lane.reshape(shape)[pick].ravel()
            self.words.extend((register * LANES + lane).tolist())
            self.shifts.extend(gather.shift.reshape(shape)[pick].ravel().tolist())
        return start


def _enter(
    b: Builder,
    key: tuple[str, ...],
    shape: tuple[int, int, int],
    types: tuple[str, str, str, str],
    parts: dict[str, list[Fragment]],
    *,
    rows: np.ndarray | None = None,
    columns: np.ndarray | None = None,
    first: int = 0,
    deep: np.ndarray | None = None,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> int:
    """Add one matrix instruction to the tables, or find it there.

    `rows` and `columns` select a part of the product, whose registers begin at `first`; `deep` the places along k whose
    registers are gathered (of b1 every 32nd: 32 elements make one word); `options` are rule_index's.
    """
    tables: MatrixTables = b.tables
    if key in tables.known:
        return tables.known[key]
    entry = [0] * Field.COUNT
    d, a, second, c = types
    entry[Field.RULE] = rule_index(_ARCHITECTURES[b.kernel.sm], d=d, a=a, b=second, c=c, **options)
    entry[Field.M], entry[Field.N], entry[Field.K] = shape
    entry[Field.GROUPS] = len(parts["a"])
    entry[Field.A] = tables.places(parts["a"], rows, deep, 0)
    entry[Field.A_COUNT] = (len(tables.words) - entry[Field.A]) // entry[Field.GROUPS]
    entry[Field.B] = tables.places(parts["b"], deep, columns, 0)
    entry[Field.B_COUNT] = (len(tables.words) - entry[Field.B]) // entry[Field.GROUPS]
    for name, bits in (("a", Field.A_BITS), ("b", Field.B_BITS)):
        entry[bits] = 32 if deep is not None else parts[name][0].width
    for name, place, bits in (("c", Field.C, Field.C_BITS), ("d", Field.D, Field.D_BITS)):
        entry[place] = tables.places(parts[name], rows, columns, first)
        entry[bits] = parts[name][0].width
    entry[Field.STRAIGHT] = int(_is_straight(tables, entry))
    tables.entries.append(entry)
    tables.known[key] = len(tables.entries) - 1
    return tables.known[key]


def _is_straight(tables: MatrixTables, entry: list[int]) -> bool:
    """Tell whether an instruction's fragments lie as simtc.machine.tensor can read them eight elements at a time."""
    m, n, k = (entry[field] for field in (Field.M, Field.N, Field.K))
    halves = entry[Field.A_BITS] == entry[Field.B_BITS] == 16 and {entry[Field.C_BITS], entry[Field.D_BITS]} <= {16, 32}
    if not halves or entry[Field.GROUPS] != 1 or n != 8 or k % 8:
        return False
    i, j = np.ogrid[:8, :8]
    in_halves, in_pairs = (j // 2, 16 * (j & 1)), (j // 2 + LANES * (j & 1), 0 * j)
    return (
        _lies(tables, entry[Field.A], (m * k // 8, 1, 8), in_halves)
        and _lies(tables, entry[Field.B], (k // 8, 8, 8), (4 * j + i // 2, 16 * (i & 1)))
        and all(
            _lies(tables, entry[place], (m, 1, 8), in_halves if entry[bits] == 16 else in_pairs)
            for place, bits in ((Field.C, Field.C_BITS), (Field.D, Field.D_BITS))
        )
    )


def _lies(
    tables: MatrixTables, start: int, shape: tuple[int, int, int], expected: tuple[np.ndarray, np.ndarray]
) -> bool:
    """Tell whether each block of places has its words, counted from its first one, and its shifts as expected."""
    end = start + shape[0] * shape[1] * shape[2]
    words, shifts = (np.array(x[start:end]).reshape(shape) for x in (tables.words, tables.shifts))
    return bool((words - words[:, :1, :1] == expected[0]).all() and (shifts == expected[1]).all())


def _operands(b: Builder, entry: int, d_rows: int) -> None:
    b.op["family"], b.op["code"], b.op["imm"] = int(Family.TENSOR), int(Tensor.MMA), entry
    b.into(b.take(), d_rows)
    fields = b.tables.entries[entry]
    for slot, place, count, bits in zip(
        "abc",
        (Field.A, Field.B, Field.C),
        (Field.A_COUNT, Field.B_COUNT, None),
        (Field.A_BITS, Field.B_BITS, Field.C_BITS),
        strict=True,
    ):
        operand = b.take()
        if operand.kind is not Kind.REGISTER:
            raise refuse(b.i, f"{operand!r} is no register")
        size = fields[Field.M] * fields[Field.N] if count is None else fields[count]
        used = b.tables.words[fields[place] : fields[place] + size * fields[Field.GROUPS]]
        b.plain(slot, operand, max(used) // LANES + max(fields[bits] // 32, 1))


def _warp_wide(b: Builder, shape: str, types: tuple[str, str, str, str], **options: Any) -> None:
    """Lower an instruction that works on one fragment of the whole warp."""
    arch = _ARCHITECTURES[b.kernel.sm]
    instruction = ".".join((shape, *types))
    key = (arch, instruction, *map(str, options.items()))
    parts = {x: [fragment(instruction, operand=x, arch=arch)] for x in "abcd"}
    m, k = parts["a"][0].rows, parts["a"][0].cols
    deep = np.arange(0, k, 32) if "binary" in options else None
    entry = _enter(b, key, (m, parts["b"][0].cols, k), types, parts, deep=deep, options=options)
    _operands(b, entry, parts["d"][0].registers)


def _shape(b: Builder, shapes: str, *others: str) -> str:
    """Return the shape as PTX writes it; refuse one that is not among `shapes`, and modifiers not among the others."""
    name = b.i.modifiers[0]
    if name not in shapes.split():
        raise refuse(b.i, f"the shape {name} is not modelled")
    b.only((name, *others))
    m, n, k = mma_shape(b.i)
    return f"m{m}n{n}k{k}"


def _hmma(b: Builder) -> None:
    if b.i.modifiers[0] == "884":
        _quad_pairs(b)
        return
    shape = _shape(b, "1684 1688 16816", "F32", "F16", "BF16", "TF32")
    d = "f32" if "F32" in b.mods else "f16"
    a = "bf16" if "BF16" in b.mods else "tf32" if "TF32" in b.mods else "f16"
    _warp_wide(b, shape, (d, a, a, d))


def _qmma(b: Builder) -> None:
    shape = _shape(b, "16816 16832", "F32", "F16", "E4M3", "E5M2")
    d, a, second = (name.lower() for name in b.i.modifiers[1:])
    _warp_wide(b, shape, (d, a, second, d))


def _quad_pairs(b: Builder) -> None:
    """Lower Volta's HMMA.884: four quad pairs multiply 8x8x4 side by side, a STEP at a time."""
    i = b.i
    accumulators = [m for m in i.modifiers if m in ("F32", "F16")]
    b.only(("884", "F32", "F16", "STEP0", "STEP1", "STEP2", "STEP3"))
    step = next(int(m[-1]) for m in i.modifiers if m.startswith("STEP"))
    if b.kernel.sm == 75:
        raise refuse(i, "HMMA.884 of Turing is not modelled")
    d, c = (name.lower() for name in (*accumulators, accumulators[0])[:2])
    majors = tuple("col" if "COL" in operand.modifiers else "row" for operand in i.operands[1:3])
    rows, columns = _step_of(d, step)
    types = (d, "f16", "f16", c)
    name = ".".join(("m8n8k4", *types))
    parts: dict[str, list[Fragment]] = {
        x: [fragment(name, operand=x, arch="volta", major=major, quad_pair=q) for q in range(4)]
        for x, major in (("a", majors[0]), ("b", majors[1]), ("c", None), ("d", None))
    }
    if d != c and (d, c) != ("f32", "f16"):
        raise refuse(i, f"accumulators {d} from {c} are not modelled")
    key = ("volta", name, *majors, str(step))
    entry = _enter(b, key, (len(rows), len(columns), 4), types, parts, rows=rows, columns=columns, first=2 * step)
    _operands(b, entry, 2)


def _step_of(d: str, step: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and columns of the 8x8 product that one STEP computes: those whose registers it writes."""
    part = fragment(f"m8n8k4.{d}.f16.f16.{d}", operand="d", arch="volta", quad_pair=0)
    register = part.gather().register.reshape(8, 8)
    mine = register // 2 == step
    return np.flatnonzero(mine.any(axis=1)), np.flatnonzero(mine.any(axis=0))


def _imma(b: Builder) -> None:
    shape = _shape(b, "8816 16816 16832 8832 16864", "S8", "U8", "S4", "U4", "SAT", "ROW", "COL")
    kinds = [m.lower() for m in b.i.modifiers if m in ("S8", "U8", "S4", "U4")]
    if not kinds:
        raise refuse(b.i, "it names no operand type")
    _warp_wide(b, shape, ("s32", kinds[0], kinds[-1], "s32"), saturate="SAT" in b.mods)


def _bmma(b: Builder) -> None:
    shape = _shape(b, "88128 168128 168256", "XOR", "AND", "POPC", "ROW", "COL")
    _warp_wide(b, shape, ("s32", "b1", "b1", "s32"), binary="and" if "AND" in b.mods else "xor")


def _dmma(b: Builder) -> None:
    shape = _shape(b, "884 8x8x4 16x8x4 16x8x8 16x8x16")
    _warp_wide(b, shape, ("f64", "f64", "f64", "f64"))


LOWERINGS: dict[str, Lowering] = {"HMMA": _hmma, "IMMA": _imma, "BMMA": _bmma, "DMMA": _dmma, "QMMA": _qmma}
