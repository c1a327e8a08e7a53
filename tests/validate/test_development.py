"""The README's errors on the development set are those of the committed result, which says what it was made with."""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import mean

import pytest

from simtc.resources import folder
from simtc.validate.made import standing

README = Path(__file__).resolve().parents[2] / "README.md"
FOUND = json.loads((folder("validate") / "captures" / "h200" / "development.json").read_text(encoding="utf-8"))
ROWS = {  # of the README's table, which launches each is of
    "one block, warm": lambda one: one["blocks"] == 1 and one["caches"] == "warm",
    "one block, cold": lambda one: one["blocks"] == 1 and one["caches"] == "cold",
    "4 to 1,024 blocks": lambda one: one["blocks"] > 1,
}


@pytest.mark.parametrize("name", ROWS)
def test_a_row_of_the_readme_is_what_came_out(name):
    if not README.exists():
        pytest.skip("the README is not beside the tests")
    errors = [one["cycles"] / one["measured"] - 1 for one in FOUND["launches"] if ROWS[name](one)]
    row = re.search(
        rf"\| shipped GEMMs, {name} \((\d+)\) \|.*\| ([\d.]+) % \| ([\d.]+) % \|", README.read_text("utf-8")
    )
    count, off, worst = int(row[1]), float(row[2]), float(row[3])
    assert count == len(errors)
    assert off == pytest.approx(100 * mean(map(abs, errors)), abs=0.051)
    assert worst == pytest.approx(100 * max(map(abs, errors)), abs=0.051)


def test_blocks_are_those_of_the_row():
    blocks = [one["blocks"] for one in FOUND["launches"] if one["blocks"] > 1]
    assert (min(blocks), max(blocks)) == (4, 1024)


def test_the_result_is_of_the_sources_at_hand():
    if stale := standing(FOUND["made_with"]):
        pytest.skip(f"development.json: {stale}; python tests/benchmarks/bench_clock.py --write makes it again")
