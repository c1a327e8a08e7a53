"""Which blocks of an SM go first: when each of 4 or 8 has ended, beside what an H100 took."""

from __future__ import annotations

import csv
import importlib.util
from dataclasses import replace

import numpy as np
import pytest

from simtc.arch import device
from simtc.resources import folder
from simtc.run.launch import launch
from simtc.sass import load

VALIDATE = folder("validate")
SPEC = importlib.util.spec_from_file_location("order", VALIDATE / "microbench" / "order.py")
ORDER = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(ORDER)
KERNELS = load(VALIDATE / "microbench" / "listings" / "sm_90" / "order.sass")
ONE_SM = replace(device("h100_sxm"), sm_count=1)
LINES = (VALIDATE / "captures" / "h100" / "order.csv").read_text(encoding="utf-8").splitlines()
MEASURED = list(csv.DictReader(line for line in LINES if not line.startswith("#")))
# Blocks that issue in every cycle take turns on the chip, four or five of them, and so do two with long runs of HMMA.
TURNS = ("order_ffma", "order_hfma2", "order_hmma_x64")
EVERY_SM = ("order_ldg",)  # which L2 makes wait


def predicted(row, board):
    blocks, count = int(row["blocks"]), int(row["count"])
    shared = ORDER.SHARED[blocks]
    times = np.zeros((board.sm_count * blocks * ORDER.THREADS // 32, 3), np.uint32)
    arguments = [times, np.zeros(ORDER.DATA_BYTES, np.uint8), np.int32(count)]
    launch(
        KERNELS[row["kernel"]], board.sm_count * blocks, ORDER.THREADS, arguments, shared_bytes=shared, device=board,
        timing=True, caches="warm",
    )  # fmt: skip
    return ORDER.ends(times, blocks)


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: f"{row['kernel']}-{row['blocks']}")
def test_blocks_end_in_the_order_of_the_chip(row):
    here = predicted(row, device("h100_sxm") if row["kernel"] in EVERY_SM else ONE_SM)
    there = [float(end) for end in row["ends"].split()]
    assert here[-1] == pytest.approx(there[-1], rel=0.08)
    if row["kernel"] not in TURNS:
        assert here == pytest.approx(there, rel=0.25)
        assert np.mean(np.abs(np.divide(here, there) - 1)) < 0.1
