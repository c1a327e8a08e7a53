"""The API reference says what the code says, of every public name."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path

import pytest

import simtc
from simtc.report.reference import ROOMS, reference

PAGE = Path(__file__).resolve().parents[2] / "sass_notes" / "api.md"


def test_the_page_is_in_step():
    assert PAGE.read_text(encoding="utf-8") == reference(), "out of date: python sass_notes/build.py"


def test_dir_shows_the_public_names():
    assert dir(simtc) == sorted([*simtc.__all__, "__version__"])
    assert all(callable(getattr(simtc, name)) for name in simtc.__all__)


@pytest.mark.parametrize("room", ["simtc", *ROOMS])
def test_every_public_function_and_class_is_on_it(room):
    part = reference().partition(f"\n## {room}\n")[2].partition("\n## ")[0]
    module = import_module(room)
    for name in module.__all__:
        found = inspect.unwrap(getattr(module, name))
        if inspect.isfunction(found) or inspect.isclass(found):
            assert f"### `{name}`" in part
            assert found.__doc__.split(".")[0].split()[0] in part


def test_examples_are_no_doctests():
    assert ">>>" not in reference()
    assert 'device: str | arch.Device = "t4"' in reference().replace("'", '"')
