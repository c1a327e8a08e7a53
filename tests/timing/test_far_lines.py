"""Lines hang on one half of L2, SMs on one as well: atomics of each SM on the first words of 32 times 4 KiB.

data/far_lines.csv has them for an H200 and an H100: what one takes whose predecessor has answered, alone on the chip.
data/half_lines.csv has the quickest of four by one SM on 512 times 4 KiB and on 1,024 times 2 MiB of an array of 8 GiB.
"""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import mean

import numpy as np
import pytest

import simtc
from simtc.arch import device
from simtc.arch.altered import altered

DATA = Path(__file__).parent / "data"
BETWEEN = 390  # cycles, which no near line takes and every far one does


def far(board):
    """Return by SM number which of the lines are far from it, (32,) each."""
    with (DATA / "far_lines.csv").open(encoding="utf-8") as rows:
        return {
            int(row["sm"]): np.array([int(cycles) > BETWEEN for cycles in row["cycles"].split()])
            for row in csv.DictReader(rows) if row["board"] == board
        }  # fmt: skip


@pytest.mark.parametrize("board", ["h200", "h100"])
def test_half_of_all_lines_are_far_from_each_sm_and_its_neighbours(board):
    """The first eight SMs that get blocks (124 to 131) are near one half, and each pair is."""
    lines = far(board)
    assert {int(seen.sum()) for seen in lines.values()} == {16}
    assert all(np.array_equal(lines[sm], lines[sm + 1]) for sm in range(0, 132, 2))
    assert all(np.array_equal(lines[sm], lines[124]) for sm in range(124, 132))
    assert sum(np.array_equal(seen, lines[124]) for seen in lines.values()) == 66


def parity(number, bits):
    """Return whether an odd number of these bits are set."""
    return (number & sum(1 << bit for bit in bits)).bit_count() & 1


@pytest.mark.parametrize("board", ["h200", "h100"])
@pytest.mark.parametrize("apart", [4096, 2 << 20])
def test_the_parity_of_some_bits_of_an_address_says_which_half_a_line_hangs_on(board, apart):
    """Of the higher bits that holds for where the driver has put the array, which is 528 MiB on, or 1 GiB further."""
    bits = [bit for bit in device({"h100": "h100_sxm"}.get(board, board)).memory_half_bits if apart >> bit <= 1]
    with (DATA / "half_lines.csv").open(encoding="utf-8") as rows:
        row = next(row for row in csv.DictReader(rows) if (row["board"], row["apart"]) == (board, str(apart)))
    is_far = [int(cycles) > BETWEEN for cycles in row["cycles"].split()]
    first = 0 if apart < 2 << 20 else 528 << 20
    says = [parity(first + number * apart, bits) for number in range(len(is_far))]
    assert is_far in ([one == 1 for one in says], [one == 0 for one in says])


def test_what_the_other_half_has_takes_longer_once():
    """470 cycles on three H200, and then 292: a half's first load of a line that only the other one has."""

    def round_cycles(far_cycles):
        board, out = altered(device("h200"), "l2_far_cycles", far_cycles), np.zeros(132, np.uint32)
        counts = (np.int32(number) for number in (24, 32, 128, 0, 4096))
        simtc.launch(  # each block loads what the one behind it has loaded in the round before
            simtc.load(DATA / "cold_rounds.sass")["cold"], 132, 32,
            [out, np.zeros(1 << 20, np.uint8), *counts, np.int64(4096)], device=board, timing=True, caches="cold",
        )  # fmt: skip
        return mean(out.tolist()) / 24

    never, as_it_is, always = (round_cycles(cycles) for cycles in (0, device("h200").l2_far_cycles, 5000))
    assert never + 1 < as_it_is < always - 40
