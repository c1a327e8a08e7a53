"""Every figure of the notes is what the command printed under it writes; run that command to renew it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from simtc.cli import main

ROOT = Path(__file__).resolve().parents[2]
NOTES = ROOT / "sass_notes"
COMMANDS = [
    (note, line.strip())
    for note in ("layouts.md", "banks.md")
    for line in (NOTES / note).read_text(encoding="utf-8").splitlines()
    if line.startswith("    simtc ") and "--output" in line
]


@pytest.mark.parametrize(("note", "command"), COMMANDS)
def test_figure(note, command, tmp_path, monkeypatch):
    words = shlex.split(command)
    drawn = ROOT / words[-1]
    assert f"({drawn.relative_to(NOTES)})" in (NOTES / note).read_text(encoding="utf-8")
    monkeypatch.setattr("sys.argv", [*words[:-1], str(tmp_path / "figure.svg")])
    with pytest.raises(SystemExit) as exit_:
        main()
    assert not exit_.value.code
    assert (tmp_path / "figure.svg").read_text(encoding="utf-8") == drawn.read_text(encoding="utf-8")


def test_every_figure_shown_has_its_command():
    shown = {
        name
        for note in ("layouts.md", "banks.md")
        for name in re.findall(r"\(figures/(\S+)\)", (NOTES / note).read_text("utf-8"))
    }
    assert shown == {Path(shlex.split(command)[-1]).name for _, command in COMMANDS}
