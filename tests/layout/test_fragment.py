"""Every fragment of every generation: holders and places are two sides of one map. And what bad input is told."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from simtc.errors import BadInputError
from simtc.layout import Fragment, fragment
from simtc.layout.lanes import quad, quad_pair, quad_pair_lanes
from simtc.numerics.instructions import instructions

GENERATIONS = ("volta", "turing", "ampere", "ada", "hopper")


def fragments(arch):
    """Yield every layout of a generation once: equal shapes and widths share theirs; of wgmma three N will do."""
    distinct = {}
    for name, found in instructions(arch).items():
        distinct[re.sub(r"(m\d+n\d+k\d+).*", r"\1", name), *(form.bits for form in found.formats)] = name
    for name in distinct.values():
        if name.startswith("wgmma") and not re.search(r"n(8|24|128)k", name):
            continue
        for operand in "abcd":
            if name.startswith("wgmma") and operand == "b":
                continue
            for major in ("row", "col") if operand in "ab" else (None,):
                for view in ("api", "registers") if name.startswith("wmma") else ("registers",):
                    try:
                        yield fragment(name, operand=operand, arch=arch, major=major, view=view)
                    except BadInputError as error:
                        assert "major only" in str(error)  # noqa: PT017 - any other refusal is a failure


@pytest.mark.parametrize("arch", GENERATIONS)
def test_every_element_has_its_holders_and_every_place_one_element(arch):
    seen = 0
    for frag in fragments(arch):
        seen += 1
        held = Counter((element.row, element.col) for element in frag.elements())
        assert set(held.values()) == {frag.copies}
        assert len(held) == frag.rows * frag.cols
        places = Counter(element[2:] for element in frag.elements())
        assert set(places.values()) == {1}
        assert len(places) == len(frag.lane_numbers) * frag.count
        for row, col, lane, register, half in list(frag.elements())[:: max(1, len(places) // 97)]:
            assert frag.element(lane, register, half) == (row, col)
    assert seen > 20


@pytest.mark.parametrize("arch", GENERATIONS)
def test_gather_reads_back_what_was_scattered(arch):
    for frag in fragments(arch):
        registers = np.zeros((frag.registers, frag.lanes), dtype=np.uint64)
        numbers = np.arange(frag.rows * frag.cols, dtype=np.uint64) % (1 << min(frag.width, 32))
        for row, col, lane, register, half in frag.elements():
            registers[register, lane] |= numbers[row * frag.cols + col] << np.uint64(half * frag.width)
        where = frag.gather()
        mask = np.uint64((1 << min(frag.width, 32)) - 1)
        assert np.array_equal(registers[where.register, where.lane] >> where.shift.astype(np.uint64) & mask, numbers)


@pytest.mark.parametrize(
    ("instr", "operand", "arch", "copies", "lanes"),
    [
        ("wmma.m16n16k16.f32.f16.f16.f32", "a", "volta", 2, {0, 8}),
        ("wmma.m16n16k16.f32.f16.f16.f32", "b", "volta", 2, {0, 4}),
        ("wmma.m32n8k16.f32.f16.f16.f32", "a", "volta", 1, {0}),
        ("wmma.m32n8k16.f32.f16.f16.f32", "b", "volta", 4, {0, 4, 8, 12}),
        ("wmma.m8n32k16.f32.f16.f16.f32", "a", "volta", 4, {0, 4, 8, 12}),
        ("wmma.m16n16k16.f32.f16.f16.f32", "a", "turing", 2, {0}),
        ("wmma.m32n8k16.f32.f16.f16.f32", "b", "ampere", 4, {0}),
    ],
)
def test_copies(instr, operand, arch, copies, lanes):
    frag = fragment(instr, operand=operand, arch=arch, major="row")
    assert frag.copies == copies
    assert {holder.lane for holder in frag.holders(0, 0)} == lanes
    machine = fragment(instr, operand=operand, arch=arch, major="row", view="registers")
    assert machine.copies == len(lanes)


def test_the_octets_of_raihan(shared):
    import csv  # noqa: PLC0415 - of this test alone

    with (shared / "facts" / "volta_octet_structure_raihan.csv").open(encoding="utf-8", newline="") as file:
        octets = [row for row in csv.DictReader(file) if row["kind"] == "octet"]
    assert len(octets) == 4
    for row in octets:
        number = int(row["index"])
        groups = set(map(int, re.findall(r"\d+", row["a"])))
        assert groups == {quad(lane) for lane in quad_pair_lanes(number)}
        for operand, text, axis in (("a", row["b"], 0), ("b", row["c"], 1)):
            low, high = map(int, re.search(r"(\d+)-(\d+)", text).groups())
            frag = fragment("wmma.m16n16k16.f32.f16.f16.f32", operand=operand, arch="volta", major="row")
            lines = {element[axis] for element in frag.elements() if quad_pair(element.lane) == number}
            assert lines == set(range(low, high + 1))


def test_a_map_that_misses_an_element_is_refused():
    good = fragment("m16n8k8.f32.f16.f16.f32", operand="a", arch="turing")
    with pytest.raises(ValueError, match="the same holders"):
        replace(good, row=("l2", "l3", "l4"))
    with pytest.raises(ValueError, match="not distinct"):
        replace(good, row=("l2", "l3", "l4", "l4"))


def test_repr_is_evaluable():
    for frag in fragments("volta"):
        assert eval(repr(frag), {"fragment": fragment}) == frag  # noqa: S307 - our own repr
    assert isinstance(frag, Fragment)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"instr": "m16n8k9.f32.f16.f16.f32"}, ["unknown instruction 'm16n8k9.f32.f16.f16.f32'", "did you mean"]),
        ({"arch": "turin"}, ["unknown architecture 'turin'", "did you mean 'turing'?"]),
        ({"arch": "volta"}, ["volta has no m16n8k8.f32.f16.f16.f32", "turing, ampere"]),
        ({"operand": "q"}, ["unknown operand 'q': known are a, b, c, d"]),
        ({"major": "col"}, ["takes a in row major only, not 'col'"]),
        ({"major": "diagonal"}, ["unknown major 'diagonal': known are row, col"]),
        ({"view": "api"}, ["has machine registers only"]),
        ({"view": "apis"}, ["unknown view 'apis'"]),
        ({"quad_pair": 1}, ["only m8n8k4 on f16 has quad pairs"]),
        ({"instr": "m8n8k4.f32.f16.f16.f32", "major": "row", "quad_pair": 4}, ["quad pair 4 is outside 0..3"]),
        ({"instr": "m8n8k4.f32.f16.f16.f32"}, ["add --major row or --major col"]),
        ({"instr": "wgmma.m64n8k16.f32.f16.f16.f32", "arch": "hopper", "operand": "b"}, ["shared memory"]),
    ],
)
def test_bad_input_is_told_what_is_wrong(arguments, words):
    given = {"instr": "m16n8k8.f32.f16.f16.f32", "operand": "a", "arch": "turing", **arguments}
    with pytest.raises(BadInputError) as caught:
        fragment(given.pop("instr"), **given)
    for word in words:
        assert word in str(caught.value)


def test_places_outside_the_fragment():
    frag = fragment("m16n8k8.f32.f16.f16.f32", operand="a", arch="turing")
    with pytest.raises(BadInputError, match=r"rows are 0\.\.15, columns 0\.\.7"):
        frag.holders(16, 0)
    for place in ((32, 0, 0), (0, 2, 0), (0, 0, 2), (-1, 0, 0)):
        with pytest.raises(BadInputError, match=r"lanes are 0\.\.31, registers 0\.\.1, half 0\.\.1"):
            frag.element(*place)
    pair = fragment("m8n8k4.f32.f16.f16.f32", operand="d", arch="volta", quad_pair=1)
    with pytest.raises(BadInputError, match="lanes are 4, 5, 6, 7, 20, 21, 22, 23"):
        pair.element(0, 0)
