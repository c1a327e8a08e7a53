"""How far each SM of an H200 is from L2 (data/distances.csv): by its CPC, and by its pair there.

The chip numbers pairs over the GPCs by turns, and the first pairs come last. The pairs of a GPC are in its CPCs by
turns.
"""

from __future__ import annotations

import numpy as np
import pytest

import simtc
from simtc.arch import device
from tests.timing.measured import cases_of, code_of, pairs_by_turns

H200 = device("h200")
CPCS = 3  # of a GPC


def measured():
    """Return the cycles of a load by GPC, pair and SM of the pair, but for first pairs."""
    cycles = [float(row["cycles"]) for row in cases_of("distances")]
    assert len(cycles) == H200.sm_count
    pairs = pairs_by_turns(H200)
    return {(gpc, pair, second): cycles[2 * i + second] for i, (gpc, pair) in enumerate(pairs) for second in (0, 1)}


def test_each_cpc_of_a_gpc_is_farther_and_each_pair_of_a_cpc_nearer():
    """A CPC by 2.0 cycles, a pair by 4.7; GPCs are alike."""
    found = measured()
    gpcs = np.eye(H200.gpcs)
    wanted = np.array([(*gpcs[gpc], pair % CPCS, pair // CPCS) for gpc, pair, _ in found])
    means, (left,), *_ = np.linalg.lstsq(wanted, np.array(list(found.values())), rcond=None)
    assert means[-2] == pytest.approx(2.0, abs=0.05)
    assert means[-1] == pytest.approx(-4.7, abs=0.05)
    assert np.sqrt(left / len(found)) < 1.7
    assert np.ptp(means[: H200.gpcs]) < 2.7


def test_here_all_are_as_far():
    """With the chip's distances five halves of the corpus were no nearer: these are 4 cycles of 292."""
    kernel, lines = code_of("distances")["distances"], 512
    cycles, number = np.zeros(132, np.uint32), np.zeros(132, np.uint32)
    arguments = [cycles, number, np.zeros(lines * 128, np.uint8), np.int32(lines)]
    simtc.launch(
        kernel, 132, 32, arguments, device="h200", timing=True, caches="warm", fidelity="full", shared_bytes=200 << 10
    )
    here = cycles[8:] / lines  # behind the first pairs
    assert abs(here - here.mean()).mean() < 0.5
    chip = np.array(list(measured().values()))
    assert 3.5 < abs(chip - chip.mean()).mean() < 4.5
