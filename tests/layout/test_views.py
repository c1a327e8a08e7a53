"""Every view lists the same holders; the pictures are well-formed and show every element."""

from __future__ import annotations

import csv
import io
import json
import re
from xml.etree import ElementTree as ET

import pytest

from simtc.errors import BadInputError
from simtc.layout import fragment
from simtc.layout.views import cell, to_csv, to_json, to_markdown, to_table

CASES = [
    {"instr": "m16n8k8.f32.f16.f16.f32", "operand": "a", "arch": "turing"},
    {"instr": "wmma.m16n16k16.f32.f16.f16.f32", "operand": "a", "arch": "volta", "major": "row"},
    {"instr": "wmma.m16n16k16.f32.f16.f16.f32", "operand": "b", "arch": "turing", "major": "col"},
    {"instr": "m16n8k32.s32.s8.s8.s32", "operand": "a", "arch": "ampere"},
    {"instr": "m8n8k32.s32.s4.s4.s32", "operand": "b", "arch": "turing"},
    {"instr": "m8n8k4.f64.f64.f64.f64", "operand": "d", "arch": "ampere"},
    {"instr": "m8n8k4.f32.f16.f16.f32", "operand": "b", "arch": "volta", "major": "col", "quad_pair": 3},
]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(params=CASES, ids=lambda case: case["instr"] + case["operand"])
def frag(request):
    case = dict(request.param)
    return fragment(case.pop("instr"), **case)


def test_csv_and_json_list_every_holder(frag):
    rows = list(csv.DictReader(io.StringIO(to_csv(frag))))
    listed = [tuple(map(int, row.values())) for row in rows]
    assert listed == [tuple(element) for element in frag.elements()]
    assert list(rows[0]) == ["row", "col", "lane", "register", frag.part]
    values = json.loads(json.dumps(to_json(frag)))
    assert next(iter(values)) == "schema"
    assert values["schema"] == "simtc.layout/1"
    assert [tuple(element.values()) for element in values["elements"]] == listed
    assert list(values["elements"][0]) == ["row", "col", "lane", "register", frag.part]


def test_json_names_bytes():
    frag = fragment("m16n8k32.s32.s8.s8.s32", operand="a", arch="ampere")
    assert to_json(frag)["elements"][1] == {"row": 0, "col": 1, "lane": 0, "register": 0, "byte": 1}


def test_table_and_markdown_show_both_directions(frag):
    table, markdown = to_table(frag), to_markdown(frag)
    for row in range(frag.rows):
        for col in range(frag.cols):
            text = " ".join(cell(frag, row, col))
            assert text in table
            assert text in markdown
    for lane in frag.lane_numbers:
        row, col = frag.element(lane, 0)
        assert re.search(rf"^T{lane} +{row},{col}\b", table, re.MULTILINE)
    assert frag.status in table


@pytest.mark.parametrize("color", ["lane", "register"])
def test_svg_has_a_cell_for_every_element(frag, color):
    root = ET.fromstring(frag.to_svg(color=color))  # noqa: S314 - our own text
    texts = [node.text for node in root.iter(f"{SVG}text")]
    cells = frag.rows * frag.cols // (frag.per_register if frag.width < 8 else 1)
    assert sum(text is not None and bool(re.fullmatch(r"T\d+(,\d+)*", text)) for text in texts) == cells
    assert root.find(f"{SVG}title").text.startswith(frag.instr)
    assert frag._repr_svg_() in frag._repr_html_()


def test_svg_of_an_unknown_colour():
    with pytest.raises(BadInputError, match="unknown colour 'quad': known are lane, register"):
        fragment("m16n8k8.f32.f16.f16.f32", operand="a", arch="turing").to_svg(color="quad")
