"""The note on generated kernels shows what the code computes."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

NOTE = Path(__file__).resolve().parents[3] / "sass_notes" / "codegen.md"


def test_every_figure_of_the_note():
    if not NOTE.exists():
        pytest.skip("the notes are not beside the tests")
    failed, tried = doctest.testfile(str(NOTE), module_relative=False)
    assert (failed, tried > 15) == (0, True)
