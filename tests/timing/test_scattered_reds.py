"""RED whose lines wait for the tags, on boards of which it is not known how many RED wait in an SM: all blocks run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import simtc

BLOCKS, THREADS, ROUNDS = 400, 256, 4


@pytest.mark.parametrize("device", ["t4", "rtx2080ti"])
def test_every_block_runs_and_adds(device):
    words = np.zeros(65536, np.uint32)
    kernel = simtc.load(Path(__file__).parent / "data" / "scattered_reds.sass")["scatter"]
    simtc.launch(
        kernel, BLOCKS, THREADS, [words, np.int32(ROUNDS)], device=device, timing=True, caches="warm", fidelity="full"
    )
    assert int(words.sum()) == BLOCKS * THREADS * ROUNDS
