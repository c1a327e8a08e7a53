"""Atomics of blocks that share words beside an H200's own clock (data/shared_atomics.csv; L2 warm, 1980 MHz).

A launch lasts until its last block ends, so that is what is compared first; the mean says how evenly blocks get turns.
On that board the third of the first pairs is near the other half of L2, as on one of five (`far_lines.csv`).
"""

from __future__ import annotations

from pathlib import Path
from statistics import mean

import numpy as np
import pytest

import simtc
from simtc.arch import device
from simtc.timing import simulate
from simtc.validate.corpus.launch import CorpusLaunch
from tests.timing.measured import APART, numbers_of

DATA = Path(__file__).parent / "data"
LOADS = {"red1": 1, "red2": 2, "red4": 4, "red2s": 2, "max2": 2, "red2bar": 2}  # lines of each warp, for an atomic
NEAR = 1 << 19  # words in front of the counters, which puts them near the first SM, as they were on the chip


def measured(*kernels):
    return [row for row in numbers_of("shared_atomics") if row["kernel"] in kernels]


def timed(case):
    warps, own = case["threads"] // 32, LOADS.get(case["kernel"], 0) * case["steps"]
    here = 2 * case["blocks"] * warps
    times, lines = np.zeros(here + NEAR, np.uint32), np.zeros(case["blocks"] * warps * max(32 * own, 2048), np.uint32)
    simtc.launch(
        simtc.load(DATA / "shared_atomics.sass")[case["kernel"]], case["blocks"], case["threads"],
        [times, np.zeros(1 << 20, np.uint32), lines, *(np.int32(case[name]) for name in ("steps", "spread", "turn"))],
        device=APART, timing=True, caches="warm",
    )  # fmt: skip
    since = times[:here].reshape(case["blocks"], warps, 2).astype(np.int64)
    return since[:, :, 1].max(axis=1) - since[:, :, 0].min(axis=1)


def errors(cases):
    found = [(timed(case), case) for case in cases]
    return (
        [cycles.max() / case["most"] - 1 for cycles, case in found],
        [cycles.mean() / case["mean"] - 1 for cycles, case in found],
    )


def test_blocks_take_turns():
    """A unit's arbiters choose between halves, then between CPCs: of four blocks one ends in half of the time."""
    last, middle = errors(case for case in measured("red0", "max0") if 1 < case["blocks"] < 66)
    assert len(last) == 82
    assert mean(map(abs, last)) < 0.06
    assert mean(map(abs, middle)) < 0.065
    four = next(one for one in measured("red0") if (one["blocks"], one["steps"], one["spread"]) == (4, 64, 1))
    cycles = sorted(timed(four))
    assert cycles[0] / cycles[3] == pytest.approx(0.50, abs=0.03)  # on the chip 49,078 and 98,012
    assert cycles[1] / cycles[3] > 0.72  # on the chip 0.75: there two of the others share a port, here none do


def test_all_sms():
    last, middle = errors(case for case in measured("red0", "max0") if case["blocks"] == 132 and case["threads"] < 1024)
    assert len(last) == 25
    assert mean(map(abs, last)) < 0.08
    assert mean(map(abs, middle)) < 0.07


def test_beside_loads_and_barriers():
    kernels = (*LOADS, "redbar", "maxbar")
    last, middle = errors(case for case in measured(*kernels) if case["blocks"] < 132 and case["threads"] < 1024)
    assert len(last) == 88
    assert mean(map(abs, last)) < 0.03
    assert mean(map(abs, middle)) < 0.03


def test_what_stores_wait_for():
    """Stores wait behind atomics, in order; shared memory waits where those that wait in the SM fill its queue."""
    last, middle = errors(case for case in measured("redstore", "redshared") if case["blocks"] < 132)
    assert len(last) == 68
    assert mean(map(abs, last)) < 0.08
    assert mean(map(abs, middle)) < 0.12


def test_no_answer_is_lost_where_more_waits_than_the_clock_has_room_for(monkeypatch):
    """Copies and their groups wait for L2 behind atomics here, as many as there is room for: the next one stays."""
    read, boards = simulate.read_timing, []

    def kept(kernel, clock, *rest):
        boards.append(clock.warps["counts"].min())
        return read(kernel, clock, *rest)

    monkeypatch.setattr(simulate, "read_timing", kept)
    CorpusLaunch(program="loop_215", caches="warm").simulate(device("h200"))
    assert boards == [0]
