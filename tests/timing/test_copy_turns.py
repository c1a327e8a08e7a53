"""How LDGSTS through L1 of lines that it holds follow each other, on one SM of an H200 (data/copy_turns.csv), and here.

Of copies whose lanes need `passes` over the banks, in L1 or in shared memory, whichever are more, several warps of
different sub-cores have one every `passes` cycles, and one cycle later where these are one or two; of more lines than
that, a cycle for four lines and two more. Copies of one warp follow each other in twice their passes, and those of one
sub-core in six cycles at least. So they do here.
"""

from __future__ import annotations

from functools import cache
from statistics import mean, median

import numpy as np
import pytest

import simtc
from tests.timing.measured import code_of, numbers_of, side_by_side

CASES, CODE = numbers_of("copy_turns"), code_of("copy_turns")
EVERY = 4  # of the cases, one in so many is executed here
FEW, MANY = 32, 64  # copies of a warp
ONE, SAME_SUB_CORE, FOUR, EIGHT, SIXTEEN = 1, 0x11, 0xF, 0xFF, 0xFFFF  # which warps copy


def places(case, from_memory):
    """Return where the lanes of a case begin, in bytes, in global or in shared memory."""
    byte = np.arange(32) * case["width"]
    apart = case["stride"] if from_memory else case["pitch"]
    return (case["offset"] if from_memory else 0) + byte // case["row"] * apart + byte % case["row"]


def passes(case, from_memory):
    """Return how many lines hold words of one bank, at most."""
    banks = {}
    for place in places(case, from_memory):
        for word in range(place // 4, (place + case["width"]) // 4):
            banks.setdefault(word % 32, set()).add(word // 32)
    return max(map(len, banks.values()))


def most(case):
    return max(passes(case, from_memory=True), passes(case, from_memory=False))


def lines(case):
    return len({*places(case, from_memory=True) // 128})


def per_copy(case, few, many):
    """Return the cycles of a copy, without those of the first ones."""
    return (many - few) / (MANY - FEW) / case["active"].bit_count()


def timed(case, copies):
    """Return the cycles of all warps' copies."""
    warps = case["active"].bit_count()
    out, shared = np.zeros((32, 2), np.uint32), warps * 8 * 32 * case["width"] // case["row"] * case["pitch"]
    numbers = (np.int32(case[name]) for name in ("row", "stride", "pitch", "offset", "active", "apart"))
    simtc.launch(
        CODE[f"turns_{case['width']}_{copies}"], 1, 512, [np.zeros(2 << 20, np.uint8), out, *numbers], device="h200",
        timing=True, caches="warm", shared_bytes=max(shared, 1024),
    )  # fmt: skip
    begun, ended = out[:warps].astype(np.int64).T
    return int(ended.max() - begun.min())


def here(number):
    case = CASES[EVERY * number]
    return per_copy(case, timed(case, FEW), timed(case, MANY))


@cache
def all_off():
    chosen = CASES[::EVERY]
    return [
        (case, cycles / per_copy(case, case["c32"], case["c64"]) - 1)
        for case, cycles in zip(chosen, side_by_side(here, len(chosen)), strict=True)
    ]


def measured(active, chosen):
    return [
        (case, per_copy(case, case["c32"], case["c64"])) for case in CASES if case["active"] == active and chosen(case)
    ]


def test_every_case_was_measured():
    assert len(CASES) == 1096


@pytest.mark.parametrize("active", [FOUR, EIGHT])
def test_a_copy_takes_its_passes_and_one_cycle_more_where_they_are_few(active):
    """On the chip, of up to eight lines."""
    for count, cycles, rel in ((1, 2.3, 0.2), (2, 3.2, 0.15), (4, 4.2, 0.1), (8, 8.3, 0.1), (16, 16.3, 0.08)):
        found = [took for case, took in measured(active, lambda case, n=count: most(case) == n and lines(case) <= 8)]
        assert median(found) == pytest.approx(cycles, rel=rel), count


def test_four_lines_are_looked_up_in_a_cycle():
    """On the chip, where lines have few passes: 16 rows and 32, of one warp or of more."""
    for active in (FOUR, EIGHT):
        for width, cycles in ((8, 6), (16, 10)):
            wanted = {"width": width, "row": 16, "stride": 144, "offset": 0}
            found = [took for case, took in measured(active, lambda case, w=wanted: w.items() <= case.items())]
            assert mean(found) == pytest.approx(cycles, rel=0.14)


def test_copies_of_one_warp_follow_each_other_in_twice_their_passes():
    """On the chip: those of two warps of a sub-core do not; of a sub-core a copy takes six cycles at least."""
    found = measured(ONE, lambda case: lines(case) <= 8 and most(case) < 32)
    assert len(found) > 80
    for case, took in found:
        assert took == pytest.approx(max(2 * most(case), 6), abs=0.1), case
    for case, took in measured(SAME_SUB_CORE, lambda case: lines(case) <= 8 and most(case) < 32):
        assert took == pytest.approx(max(1.15 * most(case), 6.4), rel=0.12), case


@pytest.mark.parametrize(
    ("active", "off"), [(ONE, 0.01), (SAME_SUB_CORE, 0.085), (FOUR, 0.08), (EIGHT, 0.065), (SIXTEEN, 0.07)]
)
def test_how_far_off_the_clock_is(active, off):
    found = [abs(error) for case, error in all_off() if case["active"] == active]
    assert len(found) > 20
    assert mean(found) < off
