"""Sectors that all SMs read past L1 at the same time, on an H100 (data/hot_lines.csv).

Every warp's request goes to its GPC, which lets up to four pass as one: `lts__t_requests` is a quarter of the
requests, be they one SM's or many's.
"""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import mean

import numpy as np

import simtc

DATA = Path(__file__).parent / "data"


def errors(how, chosen=lambda _blocks, _stride: True):
    kernel, found = simtc.load(DATA / "hot_lines.sass")[how], []
    with (DATA / "hot_lines.csv").open(encoding="utf-8") as rows:
        for case in csv.DictReader(rows):
            blocks, warps, stride, rounds = (int(case[name]) for name in ("blocks", "warps", "stride", "rounds"))
            if case["how"] != how or not chosen(blocks, stride):
                continue
            stamps = np.zeros((blocks, 3), np.uint32)
            simtc.launch(
                kernel, blocks, 32 * warps,
                [np.zeros(32 * stride + rounds * 18432 + 32, np.uint8), stamps, np.int32(stride), np.int32(rounds)],
                device="h100_sxm", timing=True, caches="warm", fidelity="full",
            )  # fmt: skip
            found.append(float(np.mean(stamps[:, 2] - stamps[:, 1])) / float(case["cycles"]) - 1)
    return found


def test_loads_past_l1_from_all_sms():
    """27 % off where an SM's request for a sector that was on its way to it went along with the one before."""
    found = errors("read_cg", lambda blocks, _: blocks == 132)
    assert len(found) == 16
    assert mean(map(abs, found)) < 0.08


def test_loads_past_l1_from_few_sms():
    found = errors("read_cg", lambda blocks, _: blocks < 132)
    assert len(found) == 32
    assert mean(map(abs, found)) < 0.07


def test_loads_that_l1_answers():
    found = errors("read_ca")
    assert len(found) == 48
    assert mean(map(abs, found)) < 0.06


def test_copies_past_l1():
    found = errors("copy_cg", lambda _, stride: stride >= 128)
    assert len(found) == 24
    assert mean(map(abs, found)) < 0.05


def test_copies_of_pieces_that_share_lines_are_too_quick():
    """Lanes copy the same 16 bytes, or sectors of the same lines: L2 gets each piece, and takes longer than here."""
    found = errors("copy_cg", lambda _, stride: stride < 128)
    assert len(found) == 24
    assert mean(map(abs, found)) < 0.35
    assert mean(found) < 0
