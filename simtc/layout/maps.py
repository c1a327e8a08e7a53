"""The two rules behind every fragment: Volta's quad pairs, and the 8x8 matrix of a warp's register since Turing.

A rule names the index bit behind each bit of an element's row and column: `l0`, `l1`, ... of the lane's number, `x0`,
`x1`, ... of the element's index among those of its lane.
"""

from __future__ import annotations

from dataclasses import dataclass

from simtc.numerics.formats import format_named
from simtc.numerics.instructions import Instruction

__all__ = ["Map", "element_bits", "quad_pair_map", "size", "warp_map"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Map:
    """The index bits behind the rows and columns of a layout, lowest first, and the elements in each lane."""

    row: tuple[str, ...]
    col: tuple[str, ...]
    count: int

    @property
    def transposed(self) -> Map:
        """The layout of the transposed matrix."""
        return Map(row=self.col, col=self.row, count=self.count)


def size(instruction: Instruction, operand: str) -> tuple[int, int]:
    """Return the rows and columns of operand a, b, c or d."""
    return {"a": (instruction.m, instruction.k), "b": (instruction.k, instruction.n)}.get(
        operand, (instruction.m, instruction.n)
    )


def element_bits(instruction: Instruction, operand: str) -> int:
    """Return the bits that an element of operand a, b, c or d occupies."""
    return format_named(getattr(instruction, operand)).bits


# Volta's m8n8k4 by operand and by A's and B's major or the accumulator's type. Eight lanes work on it, l4 telling the
# upper four from the lower; along the major a lane holds four neighbours, as one 64-bit load brings them.
_M8N8K4 = {
    ("a", "row"): ("l0 l1 l4", "x0 x1"),
    ("a", "col"): ("x0 x1 l4", "l0 l1"),
    ("b", "row"): ("l0 l1", "x0 x1 l4"),
    ("b", "col"): ("x0 x1", "l0 l1 l4"),
    ("d", "f16"): ("l0 l1 l4", "x0 x1 x2"),
    ("d", "f32"): ("l0 x1 l4", "x0 l1 x2"),
}


def quad_pair_map(instruction: Instruction, operand: str, major: str | None) -> Map:
    """Lay out an operand of Volta's m8n8k4, or of a WMMA shape made of it.

    Bits l2 and l3 number the quad pair. In a WMMA they choose its 8 rows and 8 columns of D: 2 by 2 blocks for
    m16n16k16, 4 by 1 for m32n8k16, 1 by 4 for m8n32k16. Rows of A are shared by the quad pairs of one block row,
    columns of B by those of one block column, so A and B live in two quad pairs or in four.
    """
    key = ("d", getattr(instruction, operand)) if operand in "cd" else (operand, str(major))
    row, col = (names.split() for names in _M8N8K4[key])
    down = (instruction.m // 8).bit_length() - 1
    quad_pairs = ["l2", "l3"][: (instruction.m * instruction.n // 64).bit_length() - 1]
    steps = ["x2", "x3"][: (instruction.k // 4).bit_length() - 1]
    row += steps if operand == "b" else quad_pairs[:down]
    col += steps if operand == "a" else quad_pairs[down:]
    count = 1 << sum(name.startswith("x") for name in row + col)
    return Map(row=tuple(row), col=tuple(col), count=count)


def warp_map(instruction: Instruction, operand: str) -> Map:
    """Lay out an operand as every MMA of a whole warp does since Turing.

    One register of the warp holds 8 lines of four 32-bit words: lane 4 * g + t has word t of line g, where a line is a
    row of A, C or D and a column of B. Further registers continue A, C and D 8 rows below, then to the right, then
    further below; and B along k, then to the right. A 32-bit or 64-bit accumulator still goes two columns to a lane.
    The four warps of a warpgroup stack 16 rows each.
    """
    rows, cols = size(instruction, operand)
    warps = 4 if instruction.name.startswith("wgmma") else 1
    lines, length = (cols, rows) if operand == "b" else (rows, cols)
    neighbours = 2 if operand in "cd" else max(1, 32 // element_bits(instruction, operand))
    inner = [f"x{bit}" for bit in range(neighbours.bit_length() - 1)]
    outer = (f"x{bit}" for bit in range(len(inner), 8))
    across, along = ["l2", "l3", "l4"], [*inner, "l0", "l1"]
    if operand != "b" and lines > 8:
        across.append(next(outer))
    across += ["l5", "l6"][: warps.bit_length() - 1]
    along += [next(outer) for _ in range((length - 1).bit_length() - len(along))]
    across += [next(outer) for _ in range((lines - 1).bit_length() - len(across))]
    found = Map(row=tuple(across), col=tuple(along), count=lines * length // (32 * warps))
    return found.transposed if operand == "b" else found
