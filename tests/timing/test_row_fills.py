"""LDGSTS through L1: by its rows, by where it goes and by what L1 holds, on an H200 and an H100.

One SM, 8 and 16 warps, eight copies a group (data/row_fills.csv: in-kernel clocks, median of five). L1 and shared
memory are one array of two halves: what goes beyond the first 124 KiB of shared memory, to the half in which L1's
lines are, takes longer. So does what lands in more wavefronts than it has passes.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from statistics import mean

import numpy as np
import pytest

import simtc

DATA = Path(__file__).parent / "data"
COPIES, ROUNDS = 8, 48
ALWAYS_NEW, ALWAYS_THE_SAME = 6 << 20, 1  # bytes after which the rows begin anew
FAR = 127  # KiB: all of what begins there lies in the far half
EVERY = 4  # of the H200's 869 copies are simulated one in four; of the H100's the chip's cycles are compared


@cache
def rows(board):
    """Return the cycles of each copy, by width, warps, row, stride, pitch, shared KiB, offset KiB, share and span."""
    with (DATA / "row_fills.csv").open(encoding="utf-8") as lines:
        table = [list(map(int, row[1:])) for row in csv.reader(lines) if row[0] == board]
    return {tuple(row[:-1]): row[-1] / (ROUNDS * COPIES * row[1]) for row in table}


def here(width, warps, row, stride, pitch, shared_kib, offset_kib, share, span):
    """Return the clock's cycles of each copy."""
    out = np.zeros(2 * warps, np.uint32)
    numbers = map(np.uint32, (row, stride, pitch, offset_kib << 10, ROUNDS, span, share))
    simtc.launch(
        kernels()[f"row_fills_{width}"], 1, 32 * warps, [np.zeros(16 << 20, np.uint8), out, *numbers],
        shared_bytes=shared_kib << 10, device="h200", timing=True, caches="warm",
    )  # fmt: skip
    return float(out[1::2].max() - out[::2].min()) / (ROUNDS * COPIES * warps)


@cache
def kernels():
    return simtc.load(DATA / "row_fills.sass")


def errors(wanted):
    """Return how far off every fourth of the H200's copies is here, of those that are wanted."""
    cases = [case for case in rows("h200") if wanted(case)]
    return [here(*case) / rows("h200")[case] - 1 for case in cases[::EVERY]]


def test_both_boards_take_as_long():
    assert rows("h200").keys() == rows("h100").keys()
    assert len(rows("h200")) == 869
    assert mean(abs(rows("h100")[case] / cycles - 1) for case, cycles in rows("h200").items()) < 0.01


@pytest.mark.parametrize("board", ["h200", "h100"])
def test_copies_beyond_124_kib_take_longer(board):
    """Windows of 32 KiB that begin 16 KiB apart: 7 cycles, 12 in the far half, between by what lies there."""
    took = {case[6]: cycles for case, cycles in rows(board).items() if case[:6] == (16, 8, 128, 128, 128, 227)}
    assert max(took[offset] for offset in (0, 16, 32, 48, 64, 80)) < 7.1
    assert min(took[offset] for offset in (128, 144, 160)) > 11.5
    share = {offset: (took[offset] - took[0]) / (took[128] - took[0]) for offset in (96, 112)}
    assert 96 + 32 * (1 - share[96]) == pytest.approx(124, abs=1.5)
    assert 112 + 32 * (1 - share[112]) == pytest.approx(124, abs=3)


def test_wavefronts_count_where_they_are_more_than_passes():
    """Rows of 16 bytes next to each other, at a pitch of 32: 8 wavefronts, 10.5 cycles; at 16, 4 and 6.6."""
    plain, apart = (16, 8, 16, 16, 16, 195, 0, 1, ALWAYS_NEW), (16, 8, 16, 16, 32, 195, 0, 1, ALWAYS_NEW)
    assert rows("h200")[apart] / rows("h200")[plain] == pytest.approx(1.6, rel=0.05)
    assert here(*apart) / here(*plain) == pytest.approx(1.6, rel=0.05)


@pytest.mark.parametrize(
    ("kind", "limits"),
    [
        ("near", {16: 0.07, 8: 0.05, 4: 0.07}),
        ("far", {16: 0.115, 8: 0.075, 4: 0.065}),
        ("again", {16: 0.09, 8: 0.085, 4: 0.081}),
        ("shared", {16: 0.16, 8: 0.125, 4: 0.1}),
    ],
)
def test_copies_take_as_long_as_on_the_chip(kind, limits):
    """Worst where rows of 16 bytes 400 to 512 apart are copied by several warps: here these meet more often.

    Those that L1 has dropped before another warp came for them are fetched again on the chip.
    """
    wanted = {
        "near": lambda case: case[6] < FAR and case[7] == 1 and case[8] == ALWAYS_NEW,
        "far": lambda case: case[6] >= FAR,
        "again": lambda case: case[8] == ALWAYS_THE_SAME,
        "shared": lambda case: case[7] > 1 and case[8] == ALWAYS_NEW,
    }[kind]
    for width, limit in limits.items():
        assert mean(map(abs, errors(lambda case, w=width: wanted(case) and case[0] == w))) < limit
