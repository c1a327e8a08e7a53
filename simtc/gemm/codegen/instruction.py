"""The matrix instruction of each generation: its shape, its text, and where a warp's registers lie in the tile.

A place is (row, column): of A (m, k), of B (n, k), of D (m, n). Layouts permute index bits (simtc.layout), so a map is
the place that each bit of the lane, or of a register's number, adds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from simtc.layout import fragment

__all__ = ["MatrixInstruction", "Place", "Side", "matrix_instruction"]

Place = tuple[int, int]
_BITS = 5  # of a lane's number


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One operand of the instruction."""

    registers: int
    rows: int  # of the operand: m of A, n of B
    lanes: tuple[Place, ...]  # what each bit of the lane adds
    elements: tuple[Place, ...]  # what each bit of an element's number within its lane adds

    @property
    def in_registers(self) -> tuple[Place, ...]:
        """What each bit of a register's number adds, for two halves a register."""
        return self.elements[1:]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixInstruction:
    """A generation's matrix instruction with one type of accumulator."""

    sm: int
    accumulator: str
    shape: tuple[int, int, int]
    opcode: str
    constants: str  # its key in arch
    steps: int  # instructions of a unit: Volta's STEPs
    a: Side
    b: Side
    d: Side

    def lines(self, d: int, a: int, b: int) -> list[str]:
        """Return the instructions that add the product of the fragments at registers a and b to those at d.

        Example:
            >>> matrix_instruction(75, "f16").lines(0, 8, 12)
            ['HMMA.1688.F16 R0, R8, R12, R0']
            >>> matrix_instruction(70, "f16").lines(0, 8, 12)[1]
            'HMMA.884.F16.F16.STEP1 R2, R8.ROW, R12.COL, R2'

        """
        if self.sm >= 75:
            return [f"{self.opcode} R{d}, R{a}, R{b}, R{d}"]
        return [
            f"{self.opcode}.STEP{step} R{d + 2 * step}, R{a}.ROW, R{b}.COL, R{d + 2 * step}"
            for step in range(self.steps)
        ]


@cache
def matrix_instruction(sm: int, accumulator: str, types: str = "f16") -> MatrixInstruction:
    """Return the instruction that a generation's GEMM is made of: of f16, or from Ampere on of bf16.

    Example:
        >>> [matrix_instruction(sm, "f32").shape for sm in (70, 75, 90)]
        [(16, 16, 4), (16, 8, 8), (16, 8, 16)]
        >>> matrix_instruction(75, "f16").a.lanes
        ((0, 2), (0, 4), (1, 0), (2, 0), (4, 0))

    """
    kind = accumulator.upper()
    if sm < 75:
        return _volta(accumulator)
    shape, digits = ((16, 8, 8), "1688") if sm < 80 else ((16, 8, 16), "16816")
    name = f"m16n8k{shape[2]}.{accumulator}.f16.f16.{accumulator}"
    generation = "turing" if sm < 80 else "ampere"
    a, b, d = (fragment(name, operand=x, arch=generation) for x in "abd")
    sides = [
        _side(part.registers, rows, row, col)
        for part, rows, row, col in ((a, 16, a.row, a.col), (b, 8, b.col, b.row), (d, 16, d.row, d.col))
    ]
    constants = f"HMMA.{digits}.{kind}"
    opcode = constants + (".BF16" if types == "bf16" else "")  # of one width, and so of one time
    return MatrixInstruction(
        sm=sm, accumulator=accumulator, shape=shape, opcode=opcode, constants=constants, steps=1,
        a=sides[0], b=sides[1], d=sides[2],
    )  # fmt: skip


def _volta(accumulator: str) -> MatrixInstruction:
    """Arrange Volta's four quad pairs, each with an 8x8x4 product of its own, into 16x16x4.

    Bit 2 of the lane chooses the quad pair's rows, bit 3 its columns. A quad pair's rows need not be neighbours: rows
    0-3 and 8-11 go to one and 4-7 and 12-15 to the other, so that the eight lanes that a shared-memory phase serves
    read eight successive rows, which the padded layout keeps apart.
    """
    name = f"m8n8k4.{accumulator}.f16.f16.{accumulator}"
    a, b, d = (
        fragment(name, operand=x, arch="volta", major=major, quad_pair=0)
        for x, major in (("a", "row"), ("b", "col"), ("d", None))
    )
    rows, row_pair = (1, 2, 8), {"l2": (4, 0)}
    columns, column_pair = (1, 2, 4), {"l3": (0, 8)}
    turned = {name: (column, row) for name, (row, column) in column_pair.items()}
    kind = accumulator.upper()
    return MatrixInstruction(
        sm=70,
        accumulator=accumulator,
        shape=(16, 16, 4),
        opcode=f"HMMA.884.{kind}.{kind}",
        constants=f"HMMA.884.{kind}",
        steps=d.registers // 2,
        a=_side(a.registers, 16, a.row, a.col, rows=rows, more=row_pair),
        b=_side(b.registers, 16, b.col, b.row, rows=columns, more=turned),
        d=_side(d.registers, 16, d.row, d.col, rows=rows, columns=columns, more=row_pair | column_pair),
    )


def _side(
    registers: int,
    size: int,
    row: tuple[str, ...],
    column: tuple[str, ...],
    *,
    rows: tuple[int, ...] = (1, 2, 4, 8),
    columns: tuple[int, ...] = (1, 2, 4, 8),
    more: dict[str, Place] | None = None,
) -> Side:
    """Turn a fragment's bit names into what each bit adds."""
    adds = {name: (weight, 0) for name, weight in zip(row, rows, strict=False)}
    adds |= {name: (0, weight) for name, weight in zip(column, columns, strict=False)}
    adds |= more or {}
    elements = sorted(name for name in adds if name.startswith("x"))
    return Side(
        registers=registers,
        rows=size,
        lanes=tuple(adds.get(f"l{bit}", (0, 0)) for bit in range(_BITS)),
        elements=tuple(adds[name] for name in elements),
    )
