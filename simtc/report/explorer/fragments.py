"""Every fragment that `layout` knows, as one table: instructions share rules of index bits, and rules are few."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Generic, TypeVar

from simtc.errors import BadInputError
from simtc.layout import explain, fragment
from simtc.numerics.instructions import Instruction, instructions
from simtc.numerics.rules import ARCHITECTURES

__all__ = ["fragment_table"]

_Item = TypeVar("_Item", bound=Hashable)


class _Pool(Generic[_Item]):
    """Distinct values in the order in which they came."""

    def __init__(self) -> None:
        self.places: dict[_Item, int] = {}

    def place(self, item: _Item) -> int:
        return self.places.setdefault(item, len(self.places))

    @property
    def items(self) -> list[_Item]:
        return list(self.places)


def fragment_table() -> dict[str, Any]:
    """Return all instructions of all architectures with their fragments and steps, as JSON values.

    `rules`: index bits of the row and of the column, elements of a lane, bits of an element, lanes. `operands`: sets of
    fragments, by operand; a fragment is the major asked for, the view, its rule, its evidence, and the major that it
    has. `instructions`, by architecture: name, m, n, k, set of operands, SASS opcode, steps, words.
    """
    rules: _Pool[tuple[Any, ...]] = _Pool()
    evidence: _Pool[tuple[str, str]] = _Pool()
    sets: _Pool[tuple[Any, ...]] = _Pool()
    steps: _Pool[tuple[tuple[int, ...], ...]] = _Pool()
    words: _Pool[tuple[str, str, str]] = _Pool()
    listed: dict[str, list[list[Any]]] = {}
    for arch in ARCHITECTURES:
        listed[arch] = [
            [
                name, one.m, one.n, one.k, sets.place(_operands(one, rules, evidence)), one.opcode,
                steps.place(one.steps), words.place(_words(one)),
            ]
            for name, one in instructions(arch).items()
        ]  # fmt: skip
    return {
        "rules": rules.items,
        "evidence": evidence.items,
        "operands": [dict(one) for one in sets.items],
        "steps": steps.items,
        "words": words.items,
        "instructions": listed,
    }


def _operands(
    one: Instruction, rules: _Pool[tuple[Any, ...]], evidence: _Pool[tuple[str, str]]
) -> tuple[tuple[str, tuple[tuple[Any, ...], ...]], ...]:
    """Return the fragments of an instruction: of each operand, in each major and view that it has."""
    found = []
    for operand in "abcd":
        entries = []
        for major in ("", "row", "col"):
            for view in ("registers", "api"):
                try:
                    frag = fragment(one.name, operand=operand, arch=one.arch, major=major or None, view=view)
                except BadInputError:  # it has no such major, view or, of wgmma's B, no registers
                    continue
                row, col = " ".join(frag.row), " ".join(frag.col)
                lanes = frag.lanes if frag.quad_pair is None else 8
                rule = rules.place((row, col, frag.count, frag.width, lanes))
                entries.append((major, view, rule, evidence.place((frag.status, frag.source)), frag.major or ""))
        found.append((operand, tuple(entries)))
    return tuple(found)


def _words(one: Instruction) -> tuple[str, str, str]:
    """Return how a step adds, whether the first one adds to C ("C") or to 0, and what follows the last one."""
    try:
        found = explain(one.name, 0, 0, arch=one.arch)
    except BadInputError:  # wgmma reads B from shared memory, where there are no registers to explain
        return ("", "C", "")
    return (found.how, "0" if found.first == "0" else "C", found.last)
