"""The note on the clock and the README's timing run show what simtc says."""

from __future__ import annotations

import doctest
import re
import shlex
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from simtc.cli import main

ROOT = Path(__file__).resolve().parents[2]
NOTE, README = ROOT / "sass_notes" / "clock.md", ROOT / "README.md"
RUN = re.compile(r"simtc (run wmma_tiled .*?--cycles \d+,\d+)", re.DOTALL)


def test_every_number_of_the_note():
    if not NOTE.exists():
        pytest.skip("the notes are not beside the tests")
    failed, tried = doctest.testfile(str(NOTE), module_relative=False)
    assert (failed, tried > 20) == (0, True)


def words(element):
    return [one.text for one in element.iter() if one.tag.endswith("text")]


def test_the_timing_run_of_the_readme(monkeypatch, capsys, tmp_path):
    """The sentence to 2 % of each number; the picture has the same warps, cycles and causes."""
    if not README.exists():
        pytest.skip("the README is not beside the tests")
    text = README.read_text(encoding="utf-8")
    command = shlex.split(RUN.search(text)[1])
    assert shlex.split(RUN.search(NOTE.read_text(encoding="utf-8"))[1]) == command
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["simtc", *command])
    with pytest.raises(SystemExit):
        main()
    said = capsys.readouterr().out.splitlines()[-1]
    lines = text.splitlines()
    shown = lines[next(n for n, line in enumerate(lines) if "--cycles" in line) + 1]
    ours, theirs = (
        [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", line)] for line in (said, shown)
    )
    assert re.sub(r"[\d,]+|for \w+", "#", said) == re.sub(r"[\d,]+|for \w+", "#", shown)
    assert ours == pytest.approx(theirs, rel=0.02)
    drawn, kept = (ET.parse(place).getroot() for place in ("timeline.svg", ROOT / "sass_notes/figures/timeline.svg"))  # noqa: S314 - our own
    assert words(drawn)[:9] == words(kept)[:9]
    assert set(words(drawn)) & {"selected", "barrier", "long_scoreboard"} <= set(words(kept))
