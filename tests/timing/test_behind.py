"""Shared memory behind loads and copies that miss L1, on one SM of an H100 (data/behind.csv, in SM clocks).

An LDS waits for what came before it to the tags of L1, except for the last 17 instructions, however many lines each of
them touches. LDGSTS past L1 waits in its sub-core's queue where ten are before it (test_while_copies.py), LDGSTS
through L1 where six are. Lines take places of L1 while they are on their way, one for all loads of the same line: with
64 KB of shared memory, 28 KB are L1's, and the loads of two and four instructions that share lines come as if L1 were
larger, but not strong loads, each of which has a place. Each number is the median of seven launches.
`l1.tag_queue_entries` was chosen here (15 to 19 do about as well), and
`l1.copy_queue_entries` (5 to 7).
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import simtc

DATA = Path(__file__).parent / "data"
COPIES = ("7", "8", "11", "12")  # of the kinds, LDGSTS
STRONG = ("9", "10")  # loads of which each has a place


@pytest.fixture(scope="module")
def errors():
    """Return for each row the errors of when shared memory, and all of global memory, has answered."""
    kernels, found = simtc.load(DATA / "behind.sass"), {}
    with (DATA / "behind.csv").open(encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            kind, times, warps, room = (row[name] for name in ("kind", "times", "warps", "room"))
            noted = np.zeros((16, 4), np.uint32)
            simtc.launch(
                kernels[f"behind_{kind}_{times}"], 1, 32 * int(warps),
                [np.zeros(1 << 20, np.uint8), noted, np.zeros(512, np.uint32)],
                shared_bytes=int(room), device="h100_sxm", timing=True, caches="warm", hazards="note",
            )  # fmt: skip
            clocks = noted[: int(warps)].astype(np.int64)
            shared, every = (clocks[:, 2:] - clocks[:, 0].min()).max(axis=0)
            found[kind, times, warps, room] = (shared / int(row["shared"]) - 1, every / int(row["all"]) - 1)
    assert len(found) == 120
    return found


def mean(errors, which, copies):
    return np.mean([abs(error[which]) for case, error in errors.items() if (case[0] in COPIES) == copies])


def test_shared_memory_answers_behind_loads_as_on_the_chip(errors):
    assert mean(errors, 0, copies=False) < 0.12
    assert max(abs(shared) for shared, _ in errors.values()) < 0.5


def test_shared_memory_answers_behind_copies_as_on_the_chip(errors):
    assert mean(errors, 0, copies=True) < 0.13


def test_global_memory_answers_as_on_the_chip(errors):
    assert mean(errors, 1, copies=False) < 0.04
    assert mean(errors, 1, copies=True) < 0.062  # 0.055 until 2026-12-01
    assert max(abs(every) for _, every in errors.values()) < 0.24  # 0.16 until 2026-11-30


def test_strong_loads_share_no_place_in_l1(errors):
    assert np.mean([abs(every) for (kind, *_), (_, every) in errors.items() if kind in STRONG]) < 0.055
    few = [every for (kind, _, _, room), (_, every) in errors.items() if kind in STRONG and room != "0"]
    assert abs(np.mean(few)) < 0.055
