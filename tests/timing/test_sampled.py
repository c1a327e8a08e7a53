"""Sampled timings beside full ones, and what a sampled launch must leave alone."""

from __future__ import annotations

import numpy as np
import pytest

from simtc.arch import device
from simtc.errors import BadInputError
from simtc.gemm.shipped import shipped
from simtc.machine.lowering import lower
from simtc.resources import folder
from simtc.run.launch import launch
from simtc.run.solve import operands, solve
from simtc.sass import load
from simtc.timing.sampling import portion
from simtc.timing.sampling.skeleton import Part, skeleton

# kernel, board, size, caches: loops to skip, several waves, two blocks an SM, data that L2 keeps between waves
SMALL = [
    ("wmma_tiled", "t4", (128, 128, 2048), "cold"),
    ("wmma_tiled", "t4", (512, 512, 512), "cold"),
    ("wmma_tiled", "t4", (512, 640, 256), "warm"),
    ("wmma_tiled", "v100_sxm2", (512, 512, 512), "cold"),
    ("wmma_tiled_f16", "rtx2070", (384, 512, 512), "cold"),
    ("wmma_tiled_unpadded", "a100_sxm", (512, 512, 256), "warm"),
    ("mma_async_f32", "a100_sxm", (512, 512, 1024), "cold"),
    ("mma_async_f32", "h200", (512, 512, 1024), "warm"),
    ("mma_m16n8k16_f32", "h200", (1024, 512, 512), "cold"),
    ("wmma_tiled", "h200", (512, 512, 512), "warm"),
    ("wmma_tiled", "rtx2080ti", (768, 512, 512), "cold"),
    ("mma_m16n8k8_f16", "a100_sxm", (512, 512, 512), "cold"),
    ("wmma_tiled", "h200", (512, 512, 512), "cold"),
    ("wmma_ragged", "t4", (320, 320, 256), "cold"),
    ("wmma_naive", "v100_sxm2", (512, 512, 256), "cold"),
]
LARGER = [  # tests/benchmarks/bench_sampled.py has thirty more, drawn by chance
    ("wmma_tiled", "t4", (512, 640, 2048), "cold"),  # some SMs go round the loop a tenth slower than others
    ("mma_async_f32", "a100_sxm", (1408, 1152, 512), "cold"),
    ("mma_m16n8k8_f16", "t4", (3072, 1536, 256), "cold"),  # L2 loses results while operands come
    ("wmma_tiled", "t4", (2944, 1280, 256), "warm"),  # L2 holds a part of them before the launch
    ("wmma_m16n16k16_row_col_f16", "h200", (1344, 768, 256), "cold"),
]
PART = 300_000  # instructions: some SMs of a launch that would be executed whole else


def timed(name, board, size, caches="cold", **options):
    kernel, chip = shipped(name), device(board)
    m, n, k = size
    seed = None if options.get("fidelity") == "sampled" else 0
    arrays = operands(kernel, m, n, k, seed=seed)
    return solve(kernel, chip, arrays, m=m, n=n, k=k, timing=True, caches=caches, **options)


@pytest.fixture
def none_small(monkeypatch):
    monkeypatch.setattr(portion, "_SMALL", 0)


@pytest.fixture
def part(monkeypatch):
    monkeypatch.setattr(portion, "_SMALL", 0)
    monkeypatch.setattr(portion, "_AFFORDABLE", PART)


def beside(name, board, size, caches="cold"):
    return (timed(name, board, size, caches, fidelity=fidelity).launch for fidelity in ("full", "sampled"))


def agree(full, sampled):
    assert sampled.cycles == pytest.approx(full.cycles, rel=0.05)  # of mma_m16n8k16_f32, cold, on an H200 4.9 %
    assert sampled.instructions == pytest.approx(full.instructions, rel=0.001)
    assert sampled.bank_conflicts == pytest.approx(full.bank_conflicts, rel=0.01)
    assert sum(sampled.stalls.values()) == sampled.timing.warp_cycles
    assert sampled.stalls["selected"] == sampled.instructions


@pytest.mark.parametrize(("name", "board", "size", "caches"), LARGER)
@pytest.mark.usefixtures("none_small")
def test_sampled_agrees_with_full(name, board, size, caches):
    full, sampled = beside(name, board, size, caches)
    agree(full, sampled)
    assert sampled.timing.error_estimate > 0


@pytest.mark.parametrize(("name", "board", "size", "caches"), SMALL)
@pytest.mark.usefixtures("part")
def test_a_few_sms_agree_with_all_of_them(name, board, size, caches):
    agree(*beside(name, board, size, caches))


@pytest.mark.parametrize("caches", ["cold", "warm"])
def test_a_small_launch_is_executed_whole(caches):
    full, sampled = beside("wmma_tiled", "t4", (512, 512, 2048), caches)
    assert sampled.timing.counters == full.timing.counters
    assert (sampled.cycles, sampled.stalls, sampled.timing.error_estimate) == (full.cycles, full.stalls, 0)
    assert sampled.timing.notes[0] == "all blocks were executed: the launch is small"


@pytest.mark.usefixtures("part")
def test_one_sm_alone_and_its_loop_is_skipped():
    """What differs is where the skipped lines lie: each has a latency of its own."""
    full, sampled = beside("wmma_tiled", "t4", (128, 128, 8192))
    assert sampled.cycles == pytest.approx(full.cycles, rel=0.02)
    assert dict(sampled.stalls) == pytest.approx(dict(full.stalls), rel=0.13, abs=2000)
    assert "of the 255 laps of each warp's main loop 233 were skipped" in sampled.timing.notes


@pytest.mark.usefixtures("part")
def test_the_estimate_knows_of_drams_limit():
    """Here DRAM is nearly the limit: SMs that drift apart overlap what one alone waits for after its own requests."""
    full, sampled = beside("mma_m16n8k8_f16", "t4", (768, 768, 256))
    off = abs(sampled.cycles / full.cycles - 1)
    assert off < 0.06
    assert off < 3 * sampled.timing.error_estimate


@pytest.mark.usefixtures("none_small")
def test_a_sampled_launch_says_so_and_computes_nothing():
    solved = timed("wmma_tiled", "t4", (1024, 1024, 1024), fidelity="sampled")
    assert not solved.D.any()
    assert solved.error is None
    out = solved.to_dict()
    assert (out["fidelity"], out["digest"]) == ("sampled", None)
    assert 0 < out["error_estimate"] < 0.1
    assert any("no values were computed" in note for note in out["notes"])


def test_a_large_gemm_takes_as_long_as_its_waves():
    small, large = (timed("wmma_tiled", "t4", (m, 640, 2048), fidelity="sampled").launch for m in (2048, 8192))
    assert large.cycles == pytest.approx(4 * small.cycles, rel=0.05)
    assert large.instructions == 4 * small.instructions


def test_the_same_sample_takes_the_same_cycles():
    one, two = (timed("wmma_tiled", "h200", (2048, 2048, 2048), fidelity="sampled").launch for _ in range(2))
    assert one.timing == two.timing


def test_an_unknown_fidelity_is_refused():
    with pytest.raises(BadInputError, match="unknown fidelity 'exact'"):
        timed("wmma_tiled", "t4", (128, 128, 32), fidelity="exact")


@pytest.mark.parametrize("board", ["v100_sxm2", "t4", "a100_sxm", "h200"])
@pytest.mark.parametrize("name", ["wmma_tiled", "wmma_naive", "wmma_ragged"])
def test_a_skeleton_holds_addresses_and_branches_and_no_arithmetic(name, board):
    kernel = shipped(name).kernel(device(board))
    bones = skeleton(lower(kernel))
    assert bones.is_closed
    assert not bones.needs_data
    run = [i.opcode for i, part in zip(kernel.instructions, bones.parts, strict=False) if part & Part.RUN]
    assert {"BRA", "EXIT"} <= set(run)
    assert not {"HMMA", "LDS", "LDG", "STG", "BAR"} & set(run)
    assert all(kernel.instructions[place].opcode == "BRA" for place in bones.loops)


@pytest.mark.parametrize(
    ("name", "board"), [("wmma_tiled", "t4"), ("mma_async_f32", "h200"), ("mma_m8n8k4_f32", "titan_v")]
)
def test_a_gemm_without_values_takes_as_long(name, board):
    kernel, chip = shipped(name), device(board)
    m, n, k = (size * times for size, times in zip(kernel.block, (2, 1, 8), strict=True))
    arrays = operands(kernel, m, n, k, seed=0)
    shape = kernel.kernel(chip), kernel.grid(m, n), kernel.threads, kernel.arguments(arrays, m, n, k, 1.0, 0.0)
    shared = kernel.dynamic_shared_bytes
    without, whole = (
        launch(*shape, shared_bytes=shared, device=chip, timing=True, values=values) for values in (False, True)
    )
    assert without.timing == whole.timing


def test_arrays_are_untouched():
    kernel = shipped("wmma_tiled")
    arrays = operands(kernel, 128, 128, 64)
    before = {name: array.copy() for name, array in arrays.items()}
    solve(kernel, device("t4"), arrays, m=128, n=128, k=64, timing=True, fidelity="sampled")
    assert all(np.array_equal(arrays[name], before[name]) for name in before)


def test_warps_that_went_past_a_barrier_are_taken_on_from_there():
    """Not from the barrier: arithmetic behind it, done twice, sends LDSM out of shared memory here."""
    name, m, n, k = "hgemm_128x128x32_64x32x16_pad_ldsm_f32_2buf", 1024, 2048, 2048
    kernel = load(folder("kernels") / "twins" / "sm_90" / f"{name}.sass")[name]
    a, b, c = np.zeros((m, k), np.float16), np.zeros((k, n), np.float16), np.zeros((m, n), np.float32)
    args, grid, options = (
        [a, b, c, *map(np.int32, (m, n, k))],
        (n // 128, m // 128),
        {"device": "h200", "caches": "warm"},
    )
    cycles = [
        launch(kernel, grid, 256, args, shared_bytes=40960, timing=True, fidelity=fidelity, **options).cycles
        for fidelity in ("sampled", "full")
    ]
    assert cycles[0] == pytest.approx(cycles[1], rel=0.03)
