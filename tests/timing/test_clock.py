"""What must hold of every timed run."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from simtc.arch import device
from simtc.errors import SimtcError
from simtc.gemm.shipped import shipped
from simtc.run.solve import operands, solve
from simtc.timing.tables import clock_table

BOARDS = ["v100_sxm2", "t4", "rtx2070", "a100_sxm", "h200"]


def run(board, m=128, n=128, k=64, name="wmma_tiled", **options):
    kernel = shipped(name)
    chip = device(board) if isinstance(board, str) else board
    return solve(kernel, chip, operands(kernel, m, n, k), m=m, n=n, k=k, **options)


@pytest.mark.parametrize("board", BOARDS)
def test_every_warp_cycle_has_exactly_one_cause(board):
    timing = run(board, 256, 128, 64, timing=True).launch.timing
    assert sum(timing.stalls.values()) == timing.warp_cycles
    assert timing.stalls["selected"] == sum(one.issued for one in timing.by_instruction)
    assert sum(one.cycles for one in timing.by_instruction) == timing.warp_cycles
    assert timing.warp_cycles <= 16 * timing.cycles


@pytest.mark.parametrize("board", BOARDS)
def test_timing_changes_no_bit_and_no_count(board):
    plain, timed = run(board), run(board, timing=True)
    assert np.array_equal(plain.D.view(np.uint32), timed.D.view(np.uint32))
    assert plain.launch.instructions == timed.launch.instructions


def test_the_same_launch_takes_the_same_cycles():
    assert run("t4", 256, 256, 64, timing=True).launch.cycles == run("t4", 256, 256, 64, timing=True).launch.cycles


def test_threads_and_the_order_of_launches_change_no_cycle():
    """Launches side by side, as a sweep makes them, and one after another."""
    sizes = [(128, 128, 64), (256, 128, 64), (128, 256, 96), (256, 256, 64)]
    alone = [run("t4", *size, timing=True).launch.timing for size in sizes]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda size: run("t4", *size, timing=True).launch.timing, sizes[::-1]))
    assert together == alone[::-1]


def test_a_warm_cache_saves_cycles():
    assert run("t4", timing=True, caches="warm").launch.cycles < run("t4", timing=True).launch.cycles


def test_a_geforce_board_takes_longer_with_f32_accumulators():
    fast, slow = run("t4", timing=True).launch.timing, run("rtx2070", timing=True).launch.timing
    assert slow.resources["the tensor pipe"] == 2 * fast.resources["the tensor pipe"]


def test_more_blocks_than_fit_run_in_waves():
    chip = dataclasses.replace(device("t4"), sm_count=2)
    one, four = (run(chip, m, 256, 32, timing=True).launch.cycles for m in (128, 512))
    assert 3 * one < four < 4.5 * one


@pytest.mark.parametrize("pipe", ["alu", "imad"])
def test_a_planted_wrong_latency_is_caught(pipe):
    chip = device("t4")
    constants = dataclasses.replace(getattr(chip.sm.pipes, pipe), safe_same_cycles=9, safe_cross_cycles=9)
    pipes = dataclasses.replace(chip.sm.pipes, **{pipe: constants})
    wrong = dataclasses.replace(chip, cycle_level=dataclasses.replace(chip.sm, pipes=pipes))
    with pytest.raises(SimtcError, match="before simtc takes it to be ready"):
        run(wrong, timing=True)


def test_the_tensor_pipe_is_busy_for_its_instructions():
    timing = run("t4", timing=True).launch.timing
    hmma = sum(one.issued for one in timing.by_instruction if one.text.startswith("HMMA"))
    assert timing.resources["the tensor pipe"] == hmma / 4 * 8


def test_the_lsu_port_is_busy_for_the_operands_it_reads():
    timing = run("t4", timing=True).launch.timing
    reads = clock_table(shipped("wmma_tiled").kernel(device("t4")), device("t4")).ops["operand_read"]
    share = sum(one.issued * int(cycles) for one, cycles in zip(timing.by_instruction, reads, strict=False)) / 4
    assert timing.resources["the LSU port"] == pytest.approx(share, rel=0.02)


def test_the_sentence_names_the_limit():
    limit = run("t4", timing=True).launch.timing.limit
    assert "were the only limit" in limit
    assert "warps wait most for" in limit
