"""No number of the hardware hides in the code of the clock's units: boards say it, and a queue has room for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from simtc import arch
from simtc.arch.altered import altered
from simtc.errors import BadInputError
from simtc.timing import units
from simtc.timing.pipeline import UNITS
from simtc.timing.setup import parameters
from simtc.timing.unit import Launched

PLAIN = {0, 1, 2, 3, 4}  # of sectors in a line, of halves, of a heap's children
HASHES = {  # bits of an address that decide as if by chance, by function
    **dict.fromkeys(
        (f"addresses.{one}" for one in ("spread", "slot", "hashed", "chance", "parity")), None
    ),
    "joining._place": {10}, "write_combining._combines": {10}, "dram._bank_of": {12}, "slices.slice_of": {8},
    "store_lines.placed": {10},
    "dram._gather": {0.5},  # to the nearest number of channels
    "dram.distance": {0.5},  # of the mean: a half is nearer by half of the difference
    "atomics.atomic_unit": {5, 8, 9},
    "l2.read": {5},  # a sector's bytes, as a shift
    "l2.beyond_mean": {0.5},  # chance lies between 0 and 1
    "l2_tags.announce": {8},  # numbers in a line of the host's cache
}  # fmt: skip
ROOM = {  # what the clock's arrays have room for, or can tell apart, beside what `room=` and `shape=` name
    "events._HEAP", "fetch.LINES", "fetch._SUB_CORES", "fills.MSHRS", "crossbar.AHEAD", "l1.WAITING",
    "l1._NOTED", "places.SETS", "places._PENDING",
    "landing._PLACES", "landing._ABLE", "ldgsts.GROUPS", "memory_queue.TO",
    "memory_queue.QUEUE", "memory_queue._SECTORS", "merging._PAIRS", "write_combining._COMBINED", "aging.FULL",
    "aging._RING", "barrier.PASSED", "atomics.UNITS", "store_lines._NOTED", "store_lines._BLOCK", "store_lines._BLOCKS",
}  # fmt: skip
MARKS = {  # numbers in place of something, bits of a word, and what a format fixes
    "blocks.NO_BLOCK", "blocks.ENDED", "dispatch._NOBODY", "events.ENTRY", "events.FILL", "fetch._UNKNOWN",
    "events.COME", "events.TURN", "atomics._OF_PAGE", "atomics._PORTS",
    "places._COUNT",
    "l2_tags.NEVER", "l2_tags.STAYS", "l2_tags._BEFORE", "l2_tags._COPY", "l2_tags._SECTORS", "l2_tags._HALF",
    "l2_tags._FROM_BEFORE", "l2_tags._PARTS", "ldgsts._SECTORS", "landing._UNIT",
    "scoreboards._BOARDS", "fetch._CODE_LINE",
    "fence._LOOKS",  # how often the clock looks: no cycle depends on it
    "dram._EVEN",  # of the golden section: when in a period of refreshes rows are opened
    "dram._NEARER",  # a page is half of the spread nearer than the mean, or farther
    "aging._ALIKE",  # how different two rates are that a sample tells apart
    "slices._OF_STACK", "slices._BESIDE", "slices._NUMBERS",  # how lines lie at the slices and stacks of memory
    "atomics._NOTHING",  # cycles of work that are left by rounding
}  # fmt: skip


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(Path(units.__path__[0]).glob("*.py")):
        yield path.stem, ast.parse(path.read_text(encoding="utf-8"))


def numbers(tree: ast.AST) -> set[float]:
    found = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {one for one in found if isinstance(one, (int, float)) and not isinstance(one, bool)}


def hidden(module: str, tree: ast.Module) -> Iterator[tuple[str, set[float]]]:
    """Yield the functions of a unit with the numbers in them that have neither a name nor a reason above."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            known = HASHES.get(f"{module}.{node.name}", set())
            if known is not None and (rest := numbers(node) - PLAIN - known):
                yield f"{module}.{node.name}", rest


def named(module: str, tree: ast.Module) -> Iterator[str]:
    """Yield the constants of a module that are numbers, or made of numbers."""
    made = (ast.Constant, ast.UnaryOp, ast.BinOp)
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, made) and numbers(node.value):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            yield f"{module}.{target.id}"


def test_no_number_hides_in_a_function_of_a_unit():
    assert [one for module, tree in modules() for one in hidden(module, tree)] == []


def declared_room(module: str, tree: ast.Module) -> Iterator[str]:
    """Yield what a unit declares as the room that it has: of a constant, or of an array."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in ("room", "shape"):
            yield from (f"{module}.{one.id}" for one in ast.walk(node.value) if isinstance(one, ast.Name))


def test_a_named_number_is_room_or_a_mark():
    found = {one for module, tree in modules() for one in named(module, tree)}
    rooms = {one for module, tree in modules() for one in declared_room(module, tree)}
    assert found - rooms == (ROOM | MARKS) - rooms
    assert ROOM & rooms == set()


def test_a_hidden_number_is_found():
    tree = ast.parse("_WAIT = 6\ndef f(now):\n    return now + 7\n")
    assert [*hidden("l1", tree)] == [("l1.f", {7})]
    assert [*named("l1", tree)] == ["l1._WAIT"]
    assert [*declared_room("l1", ast.parse("a_cycles = constant('clock.l1.a', room=_WAIT)"))] == ["l1._WAIT"]


def rooms() -> dict[str, int]:
    """Return the constants of which the clock has room for so many."""
    own = [one for unit in UNITS if unit.parameters for one in fields(unit.parameters)]
    return {one.metadata["paths"][0]: one.metadata["room"] for one in own if one.metadata["room"] is not None}


def test_what_may_be_too_large_is_known():
    assert rooms().items() >= {"l1.copies_pending": 1024, "dram_banks": 1024, "clock.dram.channels": 128}.items()


@pytest.mark.parametrize(("path", "room"), rooms().items())
def test_a_queue_longer_than_the_clock_has_room_for_is_refused(path, room):
    boards = [arch.device(name) for name in ("h200", *arch.device_names())]
    board, launch = (
        next(one for one in boards if path in one.constants),
        Launched(slots=1, warps=1, l1_sets=1, l2_sets=1),
    )
    parameters(altered(board, path, room), launch)
    told = rf"^{path} of {board.name} is {room + 1}: the clock has room for {room}, or fewer"
    with pytest.raises(BadInputError, match=told):
        parameters(altered(board, path, room + 1), launch)
