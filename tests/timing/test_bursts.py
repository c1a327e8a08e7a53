"""32 copies or loads of each warp at once, of lines of their own, on an H200 (data/bursts.csv), and here.

One to 32 warps of one block or of eight, L2 warm and cold. LDGSTS through L1 of a line or two that miss it take 4.5
cycles each, but for the first 80 or so; of 16 lines and more, longer on the chip than here.
"""

from __future__ import annotations

from functools import cache
from statistics import mean

import numpy as np
import pytest

import simtc
from tests.timing.measured import code_of, numbers_of, side_by_side
from tests.timing.rows import places

CASES, CODE = numbers_of("bursts"), code_of("bursts")
ASKED = 32  # copies or loads of a warp


def timed(case, caches):
    """Return the cycles from the first warp's beginning to the last one's end, in the mean of all blocks."""
    kind, width = case["kernel"].split("_")
    width, warps, blocks = int(width), case["warps"], case["blocks"]
    size = ASKED * 32 * width // case["row"] * case["stride"] * warps * blocks + (1 << 16)
    out = np.zeros((blocks, warps, 2), np.uint32)
    simtc.launch(
        CODE[case["kernel"]], blocks, 32 * warps,
        [np.zeros(size, np.uint8), out, np.int32(case["row"]), np.int32(case["stride"])],
        device="h200", timing=True, caches=caches, threads=1, places=places(case, caches, size),
        shared_bytes=0 if kind == "ldg" else warps * ASKED * 32 * width,
    )  # fmt: skip
    begun, ended = out.astype(np.int64).transpose(2, 0, 1)
    return float((ended.max(1) - begun.min(1)).mean())


def both(number):
    """Return the cycles of a case, cold and warm."""
    return tuple(timed(CASES[number], caches) for caches in ("cold", "warm"))


@cache
def all_timed():
    return [(case, *cycles) for case, cycles in zip(CASES, side_by_side(both, len(CASES)), strict=True)]


def test_every_case_was_measured():
    assert len(CASES) == 380


def test_copies_of_one_line_on_the_chip():
    """From 16 to 32 warps, of 4 bytes a lane: rows of 128 bytes."""
    took = {
        case["warps"]: case["none"] for case in CASES if (case["kernel"], case["stride"]) == ("ca_4", 1152)
        and case["blocks"] == 1
    }  # fmt: skip
    assert (took[32] - took[16]) / (16 * ASKED) == pytest.approx(4.5, abs=0.1)


@pytest.mark.parametrize(("kernel", "warm", "cold"), [
    ("ca_4", 0.095, 0.08), ("ca_8", 0.1, 0.07), ("ca_16", 0.14, 0.075), ("cg_16", 0.12, 0.085), ("ldg_4", 0.105, 0.055),
])  # fmt: skip
def test_how_far_off_the_clock_is(kernel, warm, cold):
    found = [one for one in all_timed() if one[0]["kernel"] == kernel]
    assert mean(abs(here / case["none"] - 1) for case, _, here in found) < warm
    assert mean(abs(here / case["read"] - 1) for case, here, _ in found) < cold
