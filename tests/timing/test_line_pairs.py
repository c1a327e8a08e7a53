"""Rounds of loads that DRAM answers, whose hint asks L2 for a line or for two, beside two H100s (data/line_pairs.csv).

A round that begins an aligned 256 bytes is one that DRAM answers, whatever the hint. The others find in L2 what the
hint has brought: the second line only in the half of L2 whose memory it is in. What is compared is how long these take
beside those: rounds of many lines are a seventh too long on an H100 here, whose fit gives long tails to lines of rows
that DRAM opens. Of 14 SMs and rows of 64 bytes, the others take up to a fifth longer on the chip.
"""

from __future__ import annotations

from functools import cache
from statistics import mean

import numpy as np
import pytest

import simtc
from simtc.arch import device
from tests.timing.measured import cases_of, code_of

CASES, CODE = cases_of("line_pairs"), code_of("line_pairs")
ROUNDS = 32


@cache
def rounds(number):
    """Return what rounds take that begin 256 bytes, and the others, of a launch."""
    case = CASES[number]
    row, stride, warps, blocks = (int(case[name]) for name in ("row", "stride", "warps", "blocks"))
    out, per = np.zeros(ROUNDS * blocks, np.uint32), 256 // row
    data = np.zeros(blocks * warps * 512 // row * stride, np.uint8)
    simtc.launch(
        CODE[case["hint"]], blocks, 32 * warps, [out, data, np.int32(row), np.int64(stride), np.int32(ROUNDS)],
        device=device("h100_sxm"), timing=True, caches="cold",
    )  # fmt: skip
    each = out.reshape(blocks, ROUNDS)[:, per:]
    first = np.arange(each.shape[1]) % per == 0
    return each[:, first].mean(), each[:, ~first].mean()


def numbers(hint):
    return [number for number, case in enumerate(CASES) if case["hint"] == hint]


def errors(some):
    """Return how far off it is what the others take beside those that begin 256 bytes."""
    found = [(*rounds(number), float(CASES[number]["first"]), float(CASES[number]["others"])) for number in some]
    return [(others / first) / (true_others / true_first) - 1 for first, others, true_first, true_others in found]


@pytest.mark.parametrize("hint", ["plain", "line", "pair"])
def test_hints_bring_what_they_ask_for(hint):
    found = errors(numbers(hint))
    assert len(found) == 24
    assert mean(map(abs, found)) < 0.08, found
    assert max(map(abs, found)) < 0.24, found


def test_the_second_line_is_found_where_the_hint_is_for_two():
    """Of rows of 128 bytes an even number of lines apart."""
    for number in numbers("pair"):
        case = CASES[number]
        if (case["row"], case["stride"]) == ("128", "12288"):
            first, others = rounds(number)
            assert others < 0.68 * first
            assert float(case["others"]) < 0.68 * float(case["first"])


def test_rounds_of_few_lines_take_as_long_as_on_the_chip():
    few = [number for number, case in enumerate(CASES) if int(case["row"]) == 128 and case["warps"] == "1"]
    off = [rounds(number)[0] / float(CASES[number]["first"]) - 1 for number in few]
    assert mean(map(abs, off)) < 0.08, off
