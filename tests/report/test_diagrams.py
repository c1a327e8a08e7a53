"""The diagrams of the machine are those that the code draws, and say what the clock says."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from simtc import arch
from simtc.report.diagrams import diagrams, passage_svg
from simtc.report.diagrams.passage import shared_to_tensor
from simtc.results.stall import Stall
from simtc.timing.pipeline import UNITS

FIGURES = Path(__file__).resolve().parents[2] / "sass_notes" / "figures"


def words(svg):
    return [one.text for one in ET.fromstring(svg).iter() if one.tag.endswith("text")]  # noqa: S314 - our own


@pytest.mark.parametrize("name", ["sm.svg", "passage.svg"])
def test_the_notes_have_the_diagrams_of_today(name):
    if not FIGURES.exists():
        pytest.skip("the notes are not beside the tests")
    kept = (FIGURES / name).read_text(encoding="utf-8")
    assert kept == diagrams()[name], "out of date: python sass_notes/build.py"


def test_the_sm_has_every_unit_with_its_number_and_causes():
    said = words(diagrams()["sm.svg"])
    assert {f"{number}  {unit.name}" for number, unit in enumerate(UNITS, 1)} <= {*said}
    causes = {word for line in said for word in line.split(", ")}
    assert {stall.name for unit in UNITS for stall in unit.stalls} <= {word.rstrip(",") for word in causes}


def test_the_passage_is_the_timelines():
    """A scoreboard's bar ends where the instruction that waited for it issued."""
    kernel, timeline = shared_to_tensor(arch.device("t4"))
    said = words(passage_svg(kernel, timeline, first=5, last=9))
    issued = {one.instruction: one.start for one in timeline if one.cause is Stall.selected}
    texts = [kernel.instructions[number].text for number in range(5, 9)]
    assert [line for line in said if line in texts] == texts
    bars = [int(match[1]) for line in said if (match := re.match(r"scoreboard \d: (\d+) cycles", line))]
    assert bars == [issued[7] - issued[5] - 1, issued[8] - issued[6] - 1]
    assert bars[1] > 2 * bars[0]  # conflicts
