"""Atomics alone, and beside what their warps copy or load, against an H200 (data/atoms.csv, atoms.cu).

Eight rounds of one to 528 blocks at one word to 1,024. Limits say how far off the clock is, by active cycles; all 2,040
launches are 4.0 % off. The rules of what waits were made by looking at these launches: they are no examination.
"""

from __future__ import annotations

from functools import cache
from statistics import mean

import numpy as np
import pytest

import simtc
from tests.timing.measured import cases_of, code_of

CASES = [{column: float(value) for column, value in row.items()} for row in cases_of("atoms")]
ROUNDS, FIRST = 8, 1500  # ns that a launch takes beside what L2 executes
RED, MAX = 0, 1
ALONE, PAST_L1 = 0, 1
SAMPLE = 11  # one in so many launches is simulated


def one(**wanted):
    """Return the launch that a few columns say, near the first SM."""
    (found,) = (case for case in CASES if all(case[name] == value for name, value in {"far": 0, **wanted}.items()))
    return found


def simulated(case, at):
    """Return the cycles of a launch, and those of its mean warp, whose words lie at an address."""
    blocks, warps, copy = int(case["blocks"]), int(case["warps"]), int(case["copy"])
    out = np.zeros((blocks * warps, 4), np.uint32)
    run = simtc.launch(
        code_of("atoms")[f"atoms_{int(case['op'])}_{copy}"], blocks, 32 * warps,
        [out, np.zeros(1 << 16, np.uint8), np.zeros(len(out) * ROUNDS * 512, np.uint8), np.int32(ROUNDS),
         np.int32(case["spread"])], device="h200", timing=True, caches="warm", threads=1,
        places=(2 << 20, (4 << 20) + at, 8 << 20), shared_bytes=1024 * warps if copy else 0,
    )  # fmt: skip
    return run.cycles, float((out[:, 1] - out[:, 0]).mean())


@cache
def places():
    """Return where words are near the first SM, and where they are far from it."""
    alone = one(op=MAX, copy=ALONE, spread=1, blocks=1, warps=1)
    cycles = {at: simulated(alone, at)[1] for at in (0, 8192)}
    return sorted(cycles, key=cycles.__getitem__)


@cache
def errors():
    """Return by operation and copy how far off the launches of the sample are."""
    found = {}
    for case in CASES[::SAMPLE]:
        cycles, _ = simulated(case, places()[int(case["far"])])
        found.setdefault((int(case["op"]), int(case["copy"])), []).append(cycles / case["active_cycles"] - 1)
    return found


def test_every_case_was_measured():
    assert len(CASES) == 2040


def test_a_word_takes_a_unit_as_long_as_words_of_a_sector_do():
    """A lane of each of 32 warps of 66 and 132 SMs at one word: 1.46 cycles each; whole lines take 4.8."""
    for blocks in (66, 132):
        for spread, cycles in ((1, 1.46), (32, 4.8)):
            case = one(op=RED, copy=ALONE, spread=spread, blocks=blocks, warps=32)
            each = 1.98 * (case["nanoseconds"] - FIRST) / (blocks * 32 * ROUNDS)
            assert each == pytest.approx(cycles, rel=0.02)


def test_a_lane_alone_takes_a_unit_as_part_of_a_sector_does():
    """It was taken for a whole sector until 2026-11-29: 21 % too quick."""
    case = one(op=MAX, copy=ALONE, spread=1, blocks=66, warps=32)
    assert simulated(case, places()[0])[0] == pytest.approx(case["active_cycles"], rel=0.05)


def test_red_pass_those_that_wait_for_another_slice():
    """64 RED of each of nine SMs at 32 lines leave at once.

    Until 2026-11-29 the first one held up all, and rows that begin in a sector took more room: 38 % too slow.
    """
    case = one(op=RED, copy=ALONE, spread=1024, blocks=9, warps=8)
    assert simulated(case, places()[0])[0] == pytest.approx(case["active_cycles"], rel=0.06)


def test_an_sm_with_copies_is_active_until_most_red_are_executed():
    """One warp an SM: 40 flits of RED hold copies to their slice alone, and one SM or another has such a copy."""
    alone, beside = (
        one(op=RED, copy=copy, spread=32, blocks=132, warps=1)["active_cycles"] for copy in (ALONE, PAST_L1)
    )
    assert beside > 5 * alone
    cycles, _ = simulated(one(op=RED, copy=PAST_L1, spread=32, blocks=132, warps=1), places()[0])
    assert cycles > 4 * alone


def test_the_answer_of_far_memory_comes_200_cycles_later():
    for far, cycles in enumerate((396, 591)):
        same = [
            case["mean"] / ROUNDS for case in CASES
            if case["op"] in (1, 2) and case["copy"] == ALONE and case["far"] == far and case["spread"] > 1
            and case["blocks"] < 10 and case["warps"] < 5
        ]  # fmt: skip
        assert mean(same) == pytest.approx(cycles, abs=1)
        case = one(op=MAX, copy=ALONE, spread=32, blocks=1, warps=1, far=far)
        assert simulated(case, places()[far])[1] / ROUNDS == pytest.approx(cycles, rel=0.02)


@pytest.mark.parametrize(
    ("op", "copy", "off"),
    [(0, 0, 0.10), (1, 0, 0.035), (2, 0, 0.04), (3, 0, 0.035), (0, 1, 0.06), (1, 1, 0.03), (0, 2, 0.045), (1, 2, 0.03),
     (0, 3, 0.05), (1, 3, 0.03)],
)  # fmt: skip
def test_launches_of_the_sample(op, copy, off):
    """RED alone are worst: 256 of 32 warps at one word, and rows of 64 RED that begin in a sector, of many SMs."""
    found = errors()[op, copy]
    assert len(found) > 15
    assert mean(map(abs, found)) < off
