"""The notes show what simtc says: those that no other test runs, and the figures of two of them."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from simtc.reproduce.reproduce import reproduce

NOTES = Path(__file__).resolve().parents[2] / "sass_notes"


NOTED = (
    "banks.md", "blocking.md", "errata.md", "ladders.md", "layouts.md", "quantization.md", "register_blocking.md",
    "sweep.md", "validation.md",
)  # fmt: skip


@pytest.mark.parametrize("note", NOTED)
def test_every_number_of_the_note(note):
    if not NOTES.exists():
        pytest.skip("the notes are not beside the tests")
    failed, tried = doctest.testfile(str(NOTES / note), module_relative=False)
    assert (failed, tried > 5) == (0, True)


@pytest.mark.parametrize("note", ["blocking.md", "quantization.md"])
def test_every_figure_of_the_note_is_what_its_command_draws(note):
    text = (NOTES / note).read_text(encoding="utf-8")
    drawn = re.findall(r"^    simtc reproduce (\S+) --plot sass_notes/(figures/\S+)$", text, re.MULTILINE)
    assert sorted(path for _, path in drawn) == sorted(re.findall(r"\((figures/\S+)\)", text))
    assert drawn
    for name, path in drawn:
        assert (NOTES / path).read_text(encoding="utf-8") == reproduce(name).svg
