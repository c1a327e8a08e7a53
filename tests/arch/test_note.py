"""The note on chips shows what the data say."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

NOTE = Path(__file__).resolve().parents[2] / "sass_notes" / "chips.md"


def test_every_figure_of_the_note():
    if not NOTE.exists():
        pytest.skip("the notes are not beside the tests")
    failed, tried = doctest.testfile(str(NOTE), module_relative=False)
    assert (failed, tried > 5) == (0, True)
