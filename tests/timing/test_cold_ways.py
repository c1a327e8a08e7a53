"""What "cold" means: rows that DRAM answers after three ways of emptying L2 (data/cold_ways.csv), and here.

120 launches of the kernels of cold_rows.cu on one H200: rows of 16 to 512 bytes, one to 22 SMs, one and eight warps.
Cycles of steps 2 to 23, in the mean of all warps, the median of three launches: `none` behind the same launch, `read`
and `written` behind one that has read or written 512 MiB of other lines, `invalidated` as the profiler leaves L2, with
nothing in it. What DRAM adds is least there: no line has to go for one that comes. Here L2 is empty, too, but constants
come from launches behind reads: what DRAM adds is 2 % more than behind the profiler, and 4 % less than behind reads.
"""

from __future__ import annotations

from functools import cache
from statistics import mean, median

import pytest

from simtc.arch import device
from tests.timing.measured import numbers_of, side_by_side
from tests.timing.rows import timed

CASES = numbers_of("cold_ways")
LEAST = 22 * 60  # cycles that DRAM adds; where rows are neighbours, most steps find theirs in L1 or L2


def both(number):
    """Return the cycles of a case, cold and warm."""
    return tuple(timed(CASES[number], device("h200"), caches) for caches in ("cold", "warm"))


@cache
def cycles():
    """Return the cycles of all cases, cold and warm."""
    return side_by_side(both, len(CASES))


def test_every_case_was_measured():
    assert len(CASES) == 120
    assert sum(case["read"] - case["none"] > LEAST for case in CASES) == 111


@pytest.mark.parametrize(("way", "more"), [("read", 1.0), ("written", 1.03), ("invalidated", 0.97)])
def test_what_dram_adds_on_the_chip(way, more):
    """Beside what it adds behind reads."""
    found = [
        (case[way] - case["none"]) / (case["read"] - case["none"])
        for case in CASES
        if case["read"] - case["none"] > LEAST
    ]
    assert median(found) == pytest.approx(more, abs=0.005)


@pytest.mark.parametrize(("way", "off", "bias", "added"), [
    ("read", 0.05, -0.03, 0.96), ("written", 0.075, -0.055, 0.92), ("invalidated", 0.06, 0.0, 1.02),
])  # fmt: skip
def test_how_far_off_the_clock_is(way, off, bias, added):
    found = [cold / case[way] - 1 for case, (cold, _) in zip(CASES, cycles(), strict=True)]
    assert mean(map(abs, found)) < off
    assert mean(found) == pytest.approx(bias, abs=0.006)
    extra = [
        (cold - warm) / (case[way] - case["none"])
        for case, (cold, warm) in zip(CASES, cycles(), strict=True)
        if case["read"] - case["none"] > LEAST
    ]
    assert median(extra) == pytest.approx(added, abs=0.006)


def test_warm_launches_of_the_same_rows():
    found = [warm / case["none"] - 1 for case, (_, warm) in zip(CASES, cycles(), strict=True)]
    assert mean(map(abs, found)) < 0.042
    assert abs(mean(found)) < 0.005
