"""The note on machine code shows what the listings say."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

NOTE = Path(__file__).resolve().parents[2] / "sass_notes" / "sass.md"


def test_every_figure_of_the_note():
    if not NOTE.exists():
        pytest.skip("the notes are not beside the tests")
    failed, tried = doctest.testfile(str(NOTE), module_relative=False)
    assert (failed, tried > 8) == (0, True)
