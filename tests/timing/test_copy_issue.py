"""How soon LDGSTS issue behind each other on an H200 (data/copy_issue.csv, copy_issue.cu), and here.

The registers of an LDGSTS past L1 may be overwritten when it has left its sub-core's queue, and ten wait at the tags
behind that. Until 2026-11-30 they were kept here until the tags took it, which was 29 % off for rows of 16 bytes, and
the tags took a cycle less for a copy. LDGSTS through L1 wait there on the chip as well, and here for the data stage.
"""

from __future__ import annotations

import numpy as np
import pytest

import simtc
from tests.timing.measured import cases_of, code_of

FROM, TO = 5, 13  # of 24
CASES = {(case["kernel"], int(case["warps"]), int(case["stride"])): case for case in cases_of("copy_issue")}
STRIDE = 1024


def apart(cycles, warps):
    """Return how many cycles the SM's LDGSTS are apart, while others wait."""
    return (cycles[TO] - cycles[FROM]) / (TO - FROM) / warps


def measured(kernel, warps, stride=STRIDE):
    return [int(one) for one in CASES[kernel, warps, stride]["first"].split()]


def simulated(kernel, warps, stride=STRIDE):
    cycles = np.zeros((warps, 24), np.uint32)
    simtc.launch(
        code_of("copy_issue")[kernel], 1, 32 * warps, [np.zeros(8 << 20, np.uint8), cycles, np.int32(stride)],
        device="h200", timing=True, caches="warm", shared_bytes=12288 * warps,
    )  # fmt: skip
    return [int(one) for one in cycles[0]]


def test_every_case_was_measured():
    assert len(CASES) == 84


@pytest.mark.parametrize(("kernel", "cycles"), [("cg_16", 33), ("cg_32", 17), ("cg_128", 4)])
def test_tags_take_a_piece_a_cycle_and_one_more_for_many(kernel, cycles):
    """A cycle more for 16 and for 32 pieces."""
    for warps in (8, 16):
        assert apart(measured(kernel, warps), warps) == pytest.approx(cycles, abs=0.2)
        assert apart(simulated(kernel, warps), warps) == pytest.approx(cycles, abs=0.25)


def test_one_warp_overwrites_registers_at_once_until_ten_wait():
    """14 cycles each, until 17 have issued and seven have passed, or 16 here; then as the tags take them."""
    chip, here = measured("cg_16", 1), simulated("cg_16", 1)
    assert set(np.diff(chip[:17])) == {14}
    assert np.diff(chip[18:22]).mean() == pytest.approx(33, abs=0.1)
    assert set(np.diff(here[:16])) == {14}
    assert np.diff(here[16:22]).mean() == pytest.approx(33, abs=0.5)
    assert set(np.diff(measured("cg_128", 1)[:22])) == {14}
    assert apart(simulated("cg_128", 1), 1) == pytest.approx(14, abs=0.1)


def test_warps_of_all_sub_cores_take_turns():
    """One by one, in the order of the sub-cores: the clocks of the first warp and of the last one follow each other."""
    last = [int(one) for one in CASES["cg_16", 4, STRIDE]["last"].split()]
    assert np.diff(last[4:13]).tolist() == [132] * 8


@pytest.mark.parametrize(
    ("kernel", "off"),
    [("cg_16", 0.077), ("cg_32", 0.08), ("cg_128", 0.026), ("cg_512", 0.054), ("ca_16", 0.45), ("ca_128", 0.50),
     ("ca_512", 0.53)],
)  # fmt: skip
def test_all_cases(kernel, off):
    """One to 16 warps: worst are one warp, five, two of which share a sub-core, and four to eight through L1.

    Past L1 they were half a point or a whole one less off until 2026-12-01, when warps left barriers one by one.
    """
    found = [
        apart(simulated(*case), case[1]) / apart(measured(*case), case[1]) - 1 for case in CASES if case[0] == kernel
    ]
    assert len(found) == 12
    assert np.abs(found).mean() < off
