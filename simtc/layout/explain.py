"""How one element of D comes to be: which registers of which lanes, in which fused steps, in which order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from simtc.errors import BadInputError
from simtc.layout.catalog import fragment
from simtc.layout.fragment import Fragment, Holder
from simtc.layout.lanes import quad_pair
from simtc.layout.views import slot
from simtc.numerics.instructions import Instruction, instruction_named
from simtc.numerics.rules import Kind
from simtc.results.display import Columns, Display, by_column

__all__ = ["Explanation", "Product", "explain"]

_FUSED = "aligned to the largest exponent, truncated, added exactly, rounded once"
_SUMS = {
    Kind.FUSED: _FUSED,
    Kind.UNPACKED: f"unpacked to f16, {_FUSED}",
    Kind.FMA: "one IEEE fused multiply-add",
    Kind.INTEGER: "added exactly",
    Kind.XOR: "the set bits of a xor b counted and added",
    Kind.AND: "the set bits of a and b counted and added",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """One product A[row, k] * B[k, col]: where the tensor core reads its factors."""

    k: int
    a: Holder
    b: Holder


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Explanation(Display):
    """The provenance of D[row, col]: its register and C's, and the products of each step in the order of the steps."""

    instr: str
    arch: str
    row: int
    col: int
    unit: str  # the SASS opcode that does the steps
    how: str  # what happens in a step
    first: str  # what the first step adds its products to
    last: str  # what happens after the last step, if anything
    d: Holder
    c: Holder
    steps: tuple[tuple[Product, ...], ...]
    operands: tuple[Fragment, Fragment, Fragment, Fragment]  # D, A, B, C

    def headline(self) -> str:
        """Return whose provenance it is in one line."""
        products = sum(map(len, self.steps))
        count = f"{len(self.steps)} step{'' if len(self.steps) == 1 else 's'} of {self.unit}"
        return f"D[{self.row},{self.col}] of {self.instr} on {self.arch}: {products} products in {count}"

    def columns(self) -> Columns:
        """Return one row a product: its step, k, and where A's and B's factors are."""
        _, a, b, _ = self.operands
        return by_column(
            [
                {"step": number, "k": one.k, "A lane": one.a.lane, "A place": slot(a, *one.a[1:])}
                | {"B lane": one.b.lane, "B place": slot(b, *one.b[1:])}
                for number, step in enumerate(self.steps, 1)
                for one in step
            ]
        )

    def to_text(self) -> str:
        """Return the provenance in lines."""
        d, a, b, c = self.operands
        at = f"[{self.row},{self.col}]"
        lines = [
            f"D{at} of {self.instr} on {self.arch}: lane {self.d.lane}, {slot(d, *self.d[1:])}",
            f"A {a.major} major, B {b.major} major; C{at}: lane {self.c.lane}, {slot(c, *self.c[1:])}",
        ]
        for number, step in enumerate(self.steps, 1):
            what = "the product" if len(step) == 1 else f"{len(step)} products"
            before = self.first if number == 1 else f"the result of step {number - 1}"
            lines.append(f"step {number} of {len(self.steps)} ({self.unit}): {what} and {before}, {self.how}")
            lines += [
                f"  A[{self.row},{one.k}] lane {one.a.lane} {slot(a, *one.a[1:])}  x  "
                f"B[{one.k},{self.col}] lane {one.b.lane} {slot(b, *one.b[1:])}"
                for one in step
            ]
        return "\n".join([*lines, *([self.last] if self.last else [])]) + "\n"

    def to_json(self) -> dict[str, Any]:
        """Return the provenance as JSON values."""
        names = ("lane", "register", "half")

        def place(holder: Holder) -> dict[str, int]:
            return dict(zip(names, holder, strict=True))

        return {
            "schema": "simtc.layout/1",
            "instr": self.instr,
            "arch": self.arch,
            "row": self.row,
            "col": self.col,
            "unit": self.unit,
            "how": self.how,
            "first": self.first,
            "last": self.last,
            "d": place(self.d),
            "c": place(self.c),
            "steps": [[{"k": one.k, "a": place(one.a), "b": place(one.b)} for one in step] for step in self.steps],
        }


def explain(instr: str, row: int, col: int, *, arch: str, major_a: str = "row", major_b: str = "col") -> Explanation:
    """Return how element (row, col) of D is computed.

    The registers are the machine's. On Volta, where several quad pairs hold an element of A or B, they are those that
    the quad pair of D's lane reads.

    Raises:
        BadInputError: no such instruction or element, or one whose B no register holds (wgmma).

    Example:
        >>> found = explain("m16n8k16.f32.f16.f16.f32", 3, 5, arch="ampere")
        >>> found.d, len(found.steps)
        (Holder(lane=14, register=1, half=0), 2)
        >>> found.steps[1][0]
        Product(k=8, a=Holder(lane=12, register=2, half=0), b=Holder(lane=20, register=1, half=0))

    """
    instruction = instruction_named(instr, arch)
    if instr.startswith("wgmma"):
        raise BadInputError(f"{instr} reads B from shared memory: only its A, C and D have registers to explain")
    majors = {"a": major_a, "b": major_b}
    d, a, b, c = (
        fragment(instr, operand=operand, arch=arch, major=majors.get(operand), view="registers") for operand in "dabc"
    )
    target, unpacked = d.holders(row, col)[0], instruction.arithmetic.kind == Kind.UNPACKED
    return Explanation(
        instr=instr,
        arch=instruction.arch,
        row=row,
        col=col,
        unit=instruction.opcode,
        how=_SUMS[instruction.arithmetic.kind],
        first="0" if unpacked else f"C[{row},{col}]",
        last=_after(instruction, unpacked=unpacked),
        d=target,
        c=c.holders(row, col)[0],
        steps=tuple(
            tuple(Product(k=k, a=_near(a.holders(row, k), target), b=_near(b.holders(k, col), target)) for k in step)
            for step in instruction.steps
        ),
        operands=(d, a, b, c),
    )


def _near(holders: tuple[Holder, ...], target: Holder) -> Holder:
    """Return the holder in the target's own quad pair: on Volta a quad pair reads no other's registers."""
    return next((holder for holder in holders if quad_pair(holder.lane) == quad_pair(target.lane)), holders[0])


def _after(instruction: Instruction, *, unpacked: bool) -> str:
    if unpacked:
        return "then C is added and the sum rounded once more"
    if instruction.sum_type != instruction.d:
        return f"the sum is kept in {instruction.sum_type}, and D converted to {instruction.d} at the end"
    if instruction.sum_type != instruction.c:
        return f"the sum is kept in {instruction.sum_type}, to which C was converted"
    return ""
