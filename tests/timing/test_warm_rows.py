"""Loads and copies of rows by 64 to 264 blocks, in warm launches, on an H200 and an H100 (data/warm_rows.csv).

The programs are those of cold_rows.cu, of 24 steps. Of 438 loops that were drawn by lot and measured, 200 have so many
blocks. Here are 28 by lot of the 118 with up to four warps whose lines fit L2, and two of the nine with up to eight
warps and 49 MB or more of them, which DRAM answers. Cycles are the medians of two launches behind one like them, of
steps 2 to 23, in the mean of all warps. `at` is where the rows lie; here it counts modulo 2 MiB. What the clock has of
them was found by all of them: this is no exam.
"""

from __future__ import annotations

from statistics import mean

import pytest

from tests.timing.rows import errors


@pytest.mark.parametrize(("board", "most", "beyond"), [("h200", 0.05, 2), ("h100_sxm", 0.054, 2)])
def test_all_rows(board, most, beyond):
    found = errors(board, "warm_rows")
    assert len(found) == 30
    assert mean(map(abs, found)) < most
    assert sum(abs(error) > 0.15 for error in found) <= beyond
