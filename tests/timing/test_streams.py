"""Samples of launches whose time is memory's, beside the same launches executed whole."""

from __future__ import annotations

import numpy as np
import pytest

from simtc.arch import device
from simtc.gemm.registry import family
from simtc.resources import folder
from simtc.run.launch import launch
from simtc.sass import load
from simtc.timing.sampling import portion
from simtc.validate.drawn import DrawnLaunch
from simtc.validate.streams import DrawnStream

# kernel, threads, blocks, board, caches: tens of waves, of blocks of one warp to 32, that load, store, or both
STREAMS = [
    ("add", 256, 3200, "t4", "cold"),  # L2 is full of results after three waves
    ("gather", 32, 16000, "t4", "warm"),
    ("copy", 1024, 1000, "orin_agx", "cold"),
    ("scatter", 128, 8000, "orin_agx", "warm"),  # sectors are written in part
    ("transpose", 256, 1024, "orin_agx", "cold"),
    ("copy", 1024, 1000, "v100_pcie", "cold"),  # DRAM writes in batches: rows that are written together
    ("transpose", 256, 4096, "v100_pcie", "cold"),  # and rows that are not
]

# Since stores wait for DRAM a sample of these is further off: its SMs wait for a share of what all have stored.
WORSE = {
    ("copy", "orin_agx"): 0.08, ("scatter", "orin_agx"): 0.24,
    ("gather", "t4"): 0.09,  # warm: in full, L2 holds what the launch before has left; here, the last of the operands
}  # fmt: skip


@pytest.fixture(autouse=True)
def none_small(monkeypatch):
    monkeypatch.setattr(portion, "_SMALL", 0)


@pytest.mark.parametrize(("kernel", "threads", "blocks", "board", "caches"), STREAMS)
def test_a_launch_of_many_short_waves_takes_as_long_as_memory_lets_it(kernel, threads, blocks, board, caches):
    one = DrawnStream(kernel=kernel, threads=threads, blocks=blocks, board=device(board), caches=caches)
    full, sampled = (one.run(fidelity) for fidelity in ("full", "sampled"))
    assert sampled.cycles == pytest.approx(full.cycles, rel=WORSE.get((kernel, board), 0.03))
    for name in ("dram_sectors", "store_sectors"):
        assert sampled.timing.counters[name] == pytest.approx(full.timing.counters[name], rel=0.1)


@pytest.mark.parametrize(
    ("kernel", "blocks", "moved", "published"),
    [("search", 4096, 16, 887.4), ("add", 8192, 12, 846.5), ("copy", 2048, 32, 811.7)],
)
def test_dram_loses_to_turns_what_babelstream_saw_on_a_v100(kernel, blocks, moved, published):
    """GB/s of dot product, triad and copy, 3.2 % off at most until 2026-12-01: the more of it is written, the less."""
    one = DrawnStream(kernel=kernel, threads=1024, blocks=blocks, board=device("v100_pcie"), caches="cold")
    assert 1e-9 * moved * 1024 * blocks / one.run("sampled").timing.seconds == pytest.approx(published, rel=0.034)


def test_l2_forgets_the_operands_of_before_in_its_own_order(monkeypatch):
    """Of 16 MB that were touched it holds 4 MB, which are in no known order, and each line is as likely to stay."""
    monkeypatch.setattr(portion, "_AFFORDABLE", 100_000)
    one = DrawnStream(kernel="search", threads=256, blocks=2048, board=device("t4"), caches="warm")
    full, sampled = (one.run(fidelity).timing.counters["l2_hits"] for fidelity in ("full", "sampled"))
    assert sampled == pytest.approx(full, rel=0.05)


def test_the_matrices_of_a_batch_are_read_by_all_sms(monkeypatch):
    """Each belongs to a few blocks, which may all be among those that are simulated: that makes it no cheaper."""
    monkeypatch.setattr(portion, "_AFFORDABLE", 100_000)
    batched = family("hgemm_batched")
    problem = batched.problem({"m": 80, "n": 160, "k": 80, "batch": (30,)}, {})
    made = batched.configure(problem, device("t4"), {})
    one = DrawnLaunch(family="hgemm_batched", configuration=made, problem=problem, board=device("t4"), caches="cold")
    full, sampled = (one.run(fidelity).timing for fidelity in ("full", "sampled"))
    assert sampled.counters["dram_sectors"] == pytest.approx(full.counters["dram_sectors"], rel=0.05)
    assert sampled.cycles == pytest.approx(full.cycles, rel=0.11)


def test_blocks_that_leave_at_once_take_no_part_of_the_sample():
    """Three of four blocks lie beyond the arrays: the waves that are executed are of the others."""
    blocks, threads = 6400, 256
    n = blocks * threads // 4
    arrays = [np.zeros(n, np.float32) for _ in range(3)]
    add = load(folder("validate") / "interval" / "streams_sm_75.sass")["add"]
    full, sampled = (
        launch(
            add, blocks, threads, [*arrays, np.int32(n)], device="t4", timing=True, values=False,
            fidelity=fidelity,
        ).timing
        for fidelity in ("full", "sampled")
    )  # fmt: skip
    assert "4,800 of 6,400 blocks leave before they touch memory: only their cycles count" in sampled.notes
    assert sampled.cycles == pytest.approx(full.cycles, rel=0.05)
