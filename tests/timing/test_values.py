"""Sampled launches of kernels whose own values decide where their warps go, or what they touch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import simtc
from simtc.errors import KernelFaultError
from simtc.machine.lowering import lower
from simtc.timing.sampling import portion
from simtc.timing.sampling.skeleton import skeleton

BOARDS = {75: "t4", 80: "a100_sxm", 90: "h200"}
BLOCKS, THREADS = 120, 128
DATA = Path(__file__).parent / "data"
ALONE = ("bound_in_shared", "gather", "counted")
TOGETHER = ("queue_of_all", "flags")


def code(name, sm=75):
    return simtc.load(DATA / f"values_sm{sm}.sass")[name]


def timed(name, fidelity, sm=75, *, blocks=BLOCKS, size=4096, **options):
    data = np.random.default_rng(0).integers(0, 1 << 20, 1 << 14).astype(np.int32)
    if name in TOGETHER:
        data[:] = 0
    out, before = np.zeros(blocks * THREADS, np.int32), data.copy()
    arguments = [out, data, np.int32(300 if name == "queue_of_all" else size)]
    result = simtc.launch(code(name, sm), blocks, THREADS, arguments, device=BOARDS[sm], timing=True,
                          fidelity=fidelity, **options)  # fmt: skip
    if fidelity == "sampled" or not options.get("values", True):
        assert np.array_equal(data, before)
        assert not out.any()
    return result


@pytest.fixture
def part(monkeypatch):
    monkeypatch.setattr(portion, "_SMALL", 0)
    monkeypatch.setattr(portion, "_AFFORDABLE", 200_000)


@pytest.mark.parametrize(
    ("name", "sm"),
    [("bound_in_shared", 75), ("gather", 80), ("counted", 90), ("early_exit", 75), ("until_all", 75)],
)
@pytest.mark.usefixtures("part")
def test_a_part_of_the_blocks_stands_for_all_as_far_as_it_says(name, sm):
    full, sampled = (timed(name, fidelity, sm) for fidelity in ("full", "sampled"))
    assert sampled.cycles == pytest.approx(full.cycles, rel=max(2 * sampled.timing.error_estimate, 0.03))
    assert sampled.instructions == pytest.approx(full.instructions, rel=max(sampled.timing.error_estimate, 0.01))
    assert "cycles" in sampled.timing.extrapolated
    assert ("no lap was skipped: what blocks compute decides where they go" in sampled.timing.notes) == (name in ALONE)


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize("sm", BOARDS)
def test_the_skeleton_knows_that_a_block_decides(name, sm):
    bones = skeleton(lower(code(name, sm)))
    assert bones.from_block
    assert bones.needs_data
    assert not bones.is_closed


@pytest.mark.parametrize("name", ["early_exit", "until_all", "gather", "flags"])
def test_without_values_every_cycle_is_the_same(name):
    with_values, without = timed(name, "full"), timed(name, "full", values=False)
    assert without.timing == with_values.timing


@pytest.mark.parametrize("name", TOGETHER)
@pytest.mark.usefixtures("part")
def test_blocks_that_wait_for_or_share_with_others_are_all_executed(name):
    full, sampled = (timed(name, fidelity) for fidelity in ("full", "sampled"))
    assert (sampled.cycles, sampled.instructions) == (full.cycles, full.instructions)
    assert sampled.timing.error_estimate == 0
    assert sampled.timing.extrapolated == ()
    assert sampled.timing.notes[-2].startswith("all blocks were executed: ")


@pytest.mark.parametrize(
    ("name", "message", "options"),
    [
        ("beyond", "out-of-bounds global access", {}),
        ("endless", "instruction limit reached", {"instruction_limit": 5000}),
        ("bound_in_shared", "instruction limit reached", {"instruction_limit": 60}),
    ],
)
@pytest.mark.parametrize("fidelity", ["full", "sampled"])
@pytest.mark.usefixtures("part")
def test_a_fault_is_the_same_at_every_fidelity(name, message, options, fidelity):
    with pytest.raises(KernelFaultError, match=message):
        timed(name, fidelity, blocks=4, **options)
