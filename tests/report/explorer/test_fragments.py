"""What the browser computes of fragments is what simtc.layout says: every instruction, operand and architecture."""

from __future__ import annotations

from collections import Counter

import pytest

from simtc.errors import BadInputError
from simtc.layout import explain, fragment
from simtc.layout.views import cell, slot
from simtc.numerics.instructions import instructions
from simtc.numerics.rules import ARCHITECTURES

DESCRIBE = """
const out = [];
for (const [name] of e.DATA.fragments.instructions[arguments[0]]) {
  const instruction = e.instructionOf(arguments[0], name);
  for (const operand of "abcd") for (const major of ["", "row", "col"]) for (const view of ["registers", "api"]) {
    const one = e.fragmentOf(instruction, operand, major, view);
    out.push(one ? [name, operand, major, view, one.rows, one.cols, one.row, one.col, one.count, one.width, one.major,
      one.status, one.source, one.registers, one.laneNumbers.length, one.type, one.rule] : null);
  }
}
return out;
"""
HOLDERS = """
const [arch, name, operand, major, view, quadPair] = arguments;
const one = e.fragmentOf(e.instructionOf(arch, name), operand, major, view, quadPair);
const out = [];
for (let row = 0; row < one.rows; row += 1) for (let col = 0; col < one.cols; col += 1) {
  for (const held of e.holdersOf(one, row, col)) out.push(row, col, held.lane, held.register, held.half);
}
const slots = [];
for (const lane of one.laneNumbers) {
  for (let index = 0; index < one.count; index += 1) slots.push(...e.elementAt(one, lane, index));
}
const names = e.holdersOf(one, 0, 0).map((held) => e.slotName(one, held));
return [out, slots, names, e.copiesOf(one)];
"""


def known(name, operand, arch, major, view, quad_pair=None):
    """Return a fragment, or None where layout has none in that major and view."""
    try:
        return fragment(name, operand=operand, arch=arch, major=major or None, view=view, quad_pair=quad_pair)
    except BadInputError:
        return None


def places(frag):
    return [number for element in frag.elements() for number in element]


def test_every_cell_of_every_fragment(explorer):
    """Each configuration follows the rule that the browser thinks it does, and each rule gives the same cells."""
    wrong, cells, checked = [], 0, {}
    for arch in ARCHITECTURES:
        configurations = [
            (name, operand, major, view)
            for name in instructions(arch)
            for operand in "abcd"
            for major in ("", "row", "col")
            for view in ("registers", "api")
        ]
        shown = explorer.run(DESCRIBE, arch)
        assert len(shown) == len(configurations)
        for configuration, one in zip(configurations, shown, strict=True):
            name, operand, major, view = configuration
            frag = known(name, operand, arch, major, view)
            if frag is None or one is None:
                if (frag is None) != (one is None):
                    wrong.append((arch, *configuration))
                continue
            due = [
                name, operand, major, view,
                frag.rows, frag.cols, list(frag.row), list(frag.col), frag.count, frag.width,
                frag.major or "", frag.status, frag.source, frag.registers, len(frag.lane_numbers),
                getattr(instructions(arch)[name], operand),
            ]  # fmt: skip
            if one[:-1] != due:
                wrong.append((arch, *configuration, one))
            cells += frag.rows * frag.cols * frag.count * len(frag.lane_numbers) // (frag.rows * frag.cols)
            checked.setdefault((one[-1], frag.rows, frag.cols, view), (arch, *configuration))
    assert wrong == []
    for arch, name, operand, major, view in checked.values():
        frag = known(name, operand, arch, major, view)
        for quad_pair in range(4) if frag.quad_pair is not None else (0,):
            here = known(name, operand, arch, major, view, quad_pair if frag.quad_pair is not None else None)
            found, elements, names, copies = explorer.run(HOLDERS, arch, name, operand, major, view, quad_pair)
            due_elements = [
                number
                for lane in here.lane_numbers
                for index in range(here.count)
                for number in here.element(
                    lane, index // here.per_register * max(1, here.width // 32), index % here.per_register
                )
            ]
            if (found, elements, copies) != (places(here), due_elements, here.copies):
                wrong.append((arch, name, operand, major, view, quad_pair))
            assert names == [slot(here, *held[1:]) for held in here.holders(0, 0)]
    assert wrong == []
    assert cells > 20_000_000
    assert len(checked) > 100


LETTERS = "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)"
PROVENANCE = """
const [arch, instr, ma, mb, row, col] = arguments;
const instruction = e.instructionOf(arch, instr);
const fragment = (op, major) => e.fragmentOf(instruction, op, major, "registers");
const pick = (op, major) => fragment(op, major) || fragment(op, "");
const all = { a: pick("a", ma), b: pick("b", mb), c: pick("c", ""), d: pick("d", "") };
const found = e.provenanceOf(all, row, col);
const words = found.steps.map((step, i) => e.stepWords(instruction, i, step.length, row, col));
return { ...found, words, unit: instruction.unit, last: instruction.last };
"""


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_steps_are_those_of_explain(explorer, arch):
    compared = 0
    for name, one in instructions(arch).items():
        if name.startswith("wgmma"):
            continue  # B has no registers to explain
        for row, col in {(0, 0), (one.m // 2 + 1, one.n - 2), (one.m - 1, one.n - 1)}:
            found = explain(name, row, col, arch=arch)
            shown = explorer.run(PROVENANCE, arch, name, "row", "col", row, col)
            values = found.to_json()
            assert [shown["d"], shown["c"], shown["unit"], shown["last"]] == [
                values[key] for key in ("d", "c", "unit", "last")
            ]
            assert shown["steps"] == values["steps"]
            lines = [line for line in found.to_text().splitlines() if line.startswith("step ")]
            assert [line.partition(": ")[2] for line in lines] == shown["words"]
            compared += 1
    assert compared > 20


def test_steps_in_both_majors_on_volta(explorer):
    for major_a in ("row", "col"):
        for major_b in ("row", "col"):
            for name in ("m8n8k4.f32.f16.f16.f32", "wmma.m32n8k16.f16.f16.f16.f16"):
                found = explain(name, 5, 3, arch="volta", major_a=major_a, major_b=major_b).to_json()
                assert explorer.run(PROVENANCE, "volta", name, major_a, major_b, 5, 3)["steps"] == found["steps"]


@pytest.mark.parametrize(
    ("arch", "name", "operand", "view"),
    [
        ("turing", "m16n8k8.f32.f16.f16.f32", "a", "registers"),
        ("volta", "wmma.m16n16k16.f32.f16.f16.f32", "d", "registers"),
        ("turing", "wmma.m16n16k16.f32.f16.f16.f32", "b", "api"),
        ("ampere", "m16n8k32.s32.s8.s8.s32", "a", "registers"),
    ],
)
def test_the_letters_in_the_picture(explorer, arch, name, operand, view):
    explorer.open(f"fragments?arch={arch}&instr={name}&view={view}&size=large&beside={operand}")
    frag = fragment(name, operand=operand, arch=arch, major={"a": "row", "b": "col"}.get(operand), view=view)
    drawn = explorer.run(
        "return e.page.view.picture_.drawn[arguments[0]].cells.map((one) => [one.row, one.col, one.lanes, one.slots])",
        operand,
    )
    assert drawn == [[row, col, *cell(frag, row, col)] for row in range(frag.rows) for col in range(frag.cols)]
    texts = Counter(explorer.run(LETTERS, ".picture:first-child svg text"))
    due = Counter(part for row in range(frag.rows) for col in range(frag.cols) for part in cell(frag, row, col))
    assert not due - texts
    lanes = [text for text in explorer.run(LETTERS, ".picture:last-child .base text") if "," in text]
    assert Counter(lanes) == Counter("{},{}".format(*one[:2]) for one in frag.elements())


def test_comparison_counts(explorer):
    explorer.open("compare")  # A of WMMA 16x16x16 on Volta and on Turing
    found = explorer.run("return e.page.view.found")
    sides = [
        fragment("wmma.m16n16k16.f32.f16.f16.f32", operand="a", arch=arch, major="row", view="registers")
        for arch in ("volta", "turing")
    ]
    for side, shown in zip(sides, (found["left"], found["right"]), strict=True):
        held = len(list(side.elements()))
        assert shown == {"elements": 256, "places": held, "copies": held - 256, "holders": side.copies}
    elsewhere = sum(sides[0].holders(i, j) != sides[1].holders(i, j) for i in range(16) for j in range(16))
    assert found["elsewhere"] == elsewhere > 0
    outlined = explorer.all(".side:first-child .picture:last-child .base rect[stroke-dasharray]")
    assert len(outlined) == found["left"]["copies"]
