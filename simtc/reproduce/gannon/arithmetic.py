"""What the document's table and expressions say: types, shapes, padding, operations."""

from __future__ import annotations

from typing import Any

from simtc.gemm.wmma_gemm.configuration import WmmaGemm
from simtc.gemm.wmma_gemm.document import eops, eops_a_byte
from simtc.gemm.wmma_gemm.pairs import PAIRS, TRANSPOSES
from simtc.reproduce.printed import printed
from simtc.results.comparison import Item

__all__ = ["operations", "padding", "shapes", "types"]

_Made = tuple[list[Item], str | None]


def _print(key: str) -> Any:
    return printed("gannon")[key]


def _text(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _one(types: str, shape: tuple[int, int, int] | None = None) -> WmmaGemm:
    pair = PAIRS[types]
    return WmmaGemm(types=types, shape=shape or pair.shapes[0], transpose="nn", sm=80)


def types() -> _Made:
    """The type pairs, and the tolerance that each is verified with."""
    return [
        Item(name=name, paper=row, simtc=[PAIRS[name].operand, PAIRS[name].sum, PAIRS[name].tolerance], kind="exact")
        for name, row in _print("types").items()
    ], None


def shapes() -> _Made:
    """The shapes that each pair has, and the programs that come of them."""
    items = [
        Item(name=name, paper=row, simtc=[_text(shape) for shape in PAIRS[name].shapes], kind="exact")
        for name, row in _print("shapes").items()
    ]
    combinations = sum(len(row) for row in _print("shapes").values())
    found = sum(len(pair.shapes) for pair in PAIRS.values())
    programs = {
        sm: len(TRANSPOSES) * sum(len(p.shapes) for p in PAIRS.values() if sm in p.built) for sm in (70, 75, 80)
    }
    return [
        *items,
        Item(name="pairs and shapes", paper=combinations, simtc=found, kind="exact"),
        *(
            Item(name=f"programs of sm_{sm}", paper=None, simtc=count, kind="closed form", note="times 4 transposes")
            for sm, count in programs.items()
        ),
    ], None


def padding() -> _Made:
    """What 10,000 cubed is padded to, and the blocks that come of it."""
    items = []
    size = _print("eops")["size"]
    for name, row in _print("padding").items():
        pair = next(one for one in PAIRS.values() if name in map(_text, one.shapes))
        made = _one(pair.name, next(shape for shape in pair.shapes if _text(shape) == name))
        whole = made.problem({"m": size, "n": size, "k": size}).padded(made.pad_to)
        x, y, z = made.grid_dim(whole)
        items.append(Item(name=name, paper=row, simtc=[whole.m, whole.n, whole.k, x * y * z], kind="exact"))
    return items, None


def operations() -> _Made:
    """The effective operations, and those for each byte of A, B and C."""
    table = _print("eops")
    size = table["size"]

    def cubed(width: int, name: str = "s8") -> Any:
        return _one(name).problem({"m": width, "n": width, "k": width})

    items = [
        Item(name=f"eOPS of {size} cubed", paper=table["total"], simtc=eops(cubed(size)), kind="exact"),
        Item(name="eOPS of 1000 cubed", paper=table["of_1000"], simtc=eops(cubed(1000)), kind="exact"),
    ]
    for name, paper in table["a_byte"].items():
        problem = cubed(size, name)
        value = round(eops_a_byte(problem), 2)
        moved = problem.bytes + problem.m * problem.n * problem.element_bytes("C")
        note = f"with C read and written: {eops(problem) / moved:.2f}"
        items.append(Item(name=f"eOPS a byte, {name}", paper=paper, simtc=value, kind="exact", note=note))
    return items, None
