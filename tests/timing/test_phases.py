"""Warps of a sub-core that want the same pipe."""

from __future__ import annotations

import numpy as np
import pytest

from simtc import launch
from simtc.resources import folder
from simtc.sass import load


@pytest.fixture(scope="module")
def program():
    return load(folder("validate") / "microbench" / "listings" / "sm_90" / "phases.sass")


def ends(kernel, laps, sums):
    """Return when the two warps of the first sub-core began and ended."""
    times = np.zeros(32, np.uint32)
    args = [times, np.zeros(1024, np.uint32), np.int32(laps), np.int32(sums)]
    launch(kernel, 1, 256, args, device="h200", timing=True, caches="warm")
    return times.astype(int).reshape(-1, 2)[[0, 4]]


@pytest.mark.parametrize("name", ["16816_f32", "16816_f16"])
def test_a_warp_issues_its_matrix_instructions_in_a_row(program, name):
    """Both begin together and end a burst of 32 HMMA apart, as on the chip (208 and 198 cycles)."""
    first, last = sorted(ends(program[f"chain_phases_{name}"], 16, 0)[:, 1])
    assert 150 < last - first < 250


def test_warps_that_begin_in_step_multiply_and_add_by_turns(program):
    """32 HMMA (192 cycles) and 32 sums a lap: 468 cycles of two warps on the chip, 388 of one; in step it were 580."""
    begun = ends(program["chain_phases_16816_f16"], 16, 2)
    lap = (begun[:, 1].max() - begun[:, 0].min()) / 16
    assert lap == pytest.approx(468, rel=0.06)
