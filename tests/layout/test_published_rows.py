"""Every published row (element, lane, index) of three generations, in both directions."""

from __future__ import annotations

import csv
import re
from collections import defaultdict

import pytest

from simtc.layout import Holder, fragment


def rows_of(shared, name):
    with (shared / "facts" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def fragment_of(row, generation):
    match = re.fullmatch(r"(wmma|mma)(?:\.\w+)?(?: \(per quad-pair (\d)\))?", row["api"])
    accumulator = row["elem_type"] if row["use"] == "acc" else "f32"
    return fragment(
        f"{'wmma.' if match[1] == 'wmma' else ''}{row['shape']}.{accumulator}.f16.f16.{accumulator}",
        operand={"acc": "d"}.get(row["use"], row["use"]),
        arch=generation,
        major={"row_major": "row", "col_major": "col"}.get(row["layout"]) if row["use"] != "acc" else None,
        quad_pair=int(match[2]) if match[2] else None,
    )


@pytest.mark.parametrize(("name", "generation"), [("sm70", "volta"), ("sm75", "turing"), ("sm80", "ampere")])
def test_every_published_row_holds_in_both_directions(shared, name, generation):
    published = defaultdict(set)
    for row in rows_of(shared, f"fragment_layout_{name}.csv"):
        frag = fragment_of(row, generation)
        register, half = divmod(int(row["frag_index"]), frag.per_register)
        element, holder = (int(row["row"]), int(row["col"])), Holder(int(row["lane"]), register, half)
        assert frag.element(*holder) == element
        published[frag, element].add(holder)
    for (frag, element), holders in published.items():
        assert set(frag.holders(*element)) == holders
    for frag in {frag for frag, _ in published}:
        assert sum(1 for other, _ in published if other == frag) == frag.rows * frag.cols


def test_the_lanes_of_jias_volta_figures(shared):
    published = defaultdict(set)
    for row in rows_of(shared, "fragment_layout_sm70_jia_figures.csv"):
        published[row["use"], int(row["row"]), int(row["col"])].add(int(row["lane"]))
    assert len(published) == 3 * 256
    for (use, row, col), lanes in published.items():
        operand = {"acc f32": "d"}.get(use, use)
        frag = fragment("wmma.m16n16k16.f32.f16.f16.f32", operand=operand, arch="volta", major="col")
        assert {holder.lane for holder in frag.holders(row, col)} == lanes, (use, row, col)
