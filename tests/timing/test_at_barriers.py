"""What a warp issues while it waits at a barrier, on an H200 (data/at_barriers.{csv,cu}), and here.

Arithmetic goes on, of doubles too, matrix instructions, VOTE and what reads the clock; all else waits: branches, XU,
SHFL, memory instructions, LDGDEPBAR and DEPBAR, a NOP. Until 2026-12-01 HMMA, IMMA, DMMA and DFMA waited here.
"""

from __future__ import annotations

import numpy as np
import pytest

import simtc
from tests.timing.measured import cases_of, code_of

ROWS, CODE = cases_of("at_barriers"), code_of("at_barriers")
LATE = 1000  # cycles, which nothing that goes on takes, and all that waits does


def stamps(kernel):
    """Return when the first warp reads the clock behind the instruction, and behind the second barrier."""
    out = np.zeros(4096, np.uint32)
    args = [out, np.zeros(4096, np.uint32), np.int32(0), np.int32(500)]
    simtc.launch(CODE[kernel], 1, 64, args, device="h200", timing=True, caches="warm")
    first, behind, opened = out[:3].astype(int)
    return behind - first, opened - first


def test_both_kinds_were_measured():
    assert len(ROWS) == 40
    assert sum(int(row["stamp"]) < LATE for row in ROWS) == 20


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["kernel"])
def test_what_waits_on_the_chip_waits_here(row):
    stamp, opens = stamps(row["kernel"])
    assert (stamp < LATE) == (int(row["stamp"]) < LATE)
    assert abs(stamp - int(row["stamp"])) < (16 if stamp < LATE else 50)
    assert abs(opens - int(row["opens"])) < 50
