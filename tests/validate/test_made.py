"""Committed errors say which sources they were made with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simtc import arch, jit
from simtc.jit import _digest, _sources
from simtc.resources import folder
from simtc.validate import made

HOME = folder("validate") / "captures" / "h200"
MARKS = {
    **{name: entry["made_with"] for name, entry in json.loads((HOME / "errors.json").read_text()).items()},
    "tuning": json.loads((HOME / "tuning-clock.json").read_text())["made_with"],
    "others": json.loads((HOME / "others-clock.json").read_text())["made_with"],
}

AGAIN = {"tuning": "simtc compare", "others": "python validate/others/development.py"}


@pytest.mark.parametrize("name", MARKS)
def test_errors_say_what_they_were_made_with(name):
    """They need not be made again at each commit: a skip says that they were not."""
    mark = MARKS[name]
    assert set(mark) in ({"date", "sources"}, {"date", "commit"})
    if stale := made.standing(mark):
        pytest.skip(f"{name}: {stale}; {AGAIN.get(name, f'python validate/errors.py {name}')} makes them again")


def test_the_mark_is_of_the_clock_and_its_boards():
    sources = {path.name for path in _sources("simtc.validate.compare")}
    assert {"pipeline.py", "issue.py", "fused.py", "sections.py"} <= sources
    assert made.standing(made.made_with()) == ""


@pytest.mark.parametrize("name", ["devices/h200.toml", "sm/sm_90.toml"])
def test_another_constant_is_another_mark(monkeypatch, name):
    before = jit.sources_digest.__wrapped__("simtc.validate.compare", tables=True)
    edited = Path(arch.__file__).parent / name
    monkeypatch.setattr(jit, "_digest", lambda path: b"edited" if path == edited else _digest(path))
    assert jit.sources_digest.__wrapped__("simtc.validate.compare", tables=True) != before


def test_another_clock_is_another_mark(monkeypatch):
    mark = made.made_with()
    monkeypatch.setattr(made, "sources_digest", lambda *_, **__: "edited" * 4)
    assert made.standing(mark).endswith(f"with sources {mark['sources']}, which are editededitededit now")
