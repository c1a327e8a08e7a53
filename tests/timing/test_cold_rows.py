"""Loads and copies of rows that DRAM answers, by up to 18 SMs, on an H200 and an H100 (data/cold_rows.csv; 24 steps).

Kinds, rows, pieces, stages, warps and blocks are drawn by lot: the first 160 of the 247 with up to 8 warps and 18
blocks that were measured (420 in all). `at` is where the rows lie, behind the first 528 MiB of the chip's memory, as a
process's first array of 8 GiB does. Cycles are the medians of four launches, of steps 2 to 23, in the mean of all
warps. That copies share the places of lines on their way was found here: this is no exam.
"""

from __future__ import annotations

from statistics import mean

import pytest

from tests.timing.rows import errors


@pytest.mark.parametrize(("board", "most", "beyond"), [("h200", 0.042, 3), ("h100_sxm", 0.043, 4)])
def test_all_rows(board, most, beyond):
    found = errors(board, "cold_rows")
    assert len(found) == 160
    assert mean(map(abs, found)) < most
    assert sum(abs(error) > 0.15 for error in found) <= beyond


def test_copies_share_the_places_of_lines_on_their_way():
    """Copies of pieces of one line, in several stages: up to 158 % too slow where each had a place of its own."""

    def shares(one):
        return one["kind"] in (3, 4) and one["pieces"] > 1 and one["stages"] > 1 and one["piece"] < 128

    found = errors("h200", "cold_rows", shares)
    assert len(found) == 6
    assert max(map(abs, found)) < 0.17
