"""Equations 3, 4 and 5, in the paper's form and as the general model has them."""

from __future__ import annotations

import pytest

from simtc import arch
from simtc.gemm.hgemm.configuration import Configuration
from simtc.gemm.hgemm.interleave import hmmas_between, load_hiding_cycles
from simtc.gemm.hgemm.pipes import (
    copy_cycles,
    hmma_cycles,
    memory_io_cycles,
    path_from_l2_cycles,
    shared_load_cycles,
    tensor_cycles,
)

T4 = arch.device("t4")
BLOCKS = [((128, 128, 32), (64, 64, 8)), ((256, 128, 32), (128, 64, 8)), ((256, 256, 32), (64, 64, 8))]


@pytest.mark.parametrize(("block", "warp"), BLOCKS)
def test_on_turing_the_general_model_is_the_papers(block, warp):
    tiles = Configuration(block=block, warp=warp)
    memory = T4.sm.memory
    by_equations = copy_cycles(block, T4.sm.l1.l2_cpi_128_cycles, memory["STS.128"].cpi_cycles)
    by_equations += shared_load_cycles(block, warp, memory["LDS.32"].cpi_cycles)
    assert memory_io_cycles(tiles, T4) == pytest.approx(by_equations)
    assert tensor_cycles(tiles, T4) == hmma_cycles(block, T4.sm.tensor["HMMA.1688.F16"].issue_interval_cycles)


def test_a_warp_step_of_any_depth_loads_the_same():
    shallow, deep = (shared_load_cycles((256, 256, 32), (128, 64, k), 2.11) for k in (8, 16))
    assert shallow == deep


def test_bank_conflicts_cost_a_pass_of_the_data_stage_each():
    plain, padded = (
        Configuration(block=(256, 256, 32), warp=(128, 64, 8), layout=layout) for layout in ("none", "pad")
    )
    loads = 8 * (128 + 64) // 8 * 4
    assert memory_io_cycles(plain, T4) - memory_io_cycles(padded, T4) == pytest.approx(
        loads * 3 * 2
    )  # 4 wavefronts, not 1


def test_the_naive_layout_halves_the_throughput_as_figure_5_says():
    plain = Configuration(block=(256, 256, 32), warp=(128, 64, 8), layout="none")
    assert tensor_cycles(plain, T4) / memory_io_cycles(plain, T4) == pytest.approx(0.5, abs=0.05)


def test_xor_costs_no_more_than_padding():
    pad, xor = (
        memory_io_cycles(Configuration(block=(256, 256, 32), warp=(128, 64, 8), layout=layout), T4)
        for layout in ("pad", "xor")
    )
    assert pad == xor


def test_geforce_halves_the_rate_of_an_f32_accumulator():
    for board, factor in (("rtx2070", 2), ("t4", 1)):
        one, two = (
            tensor_cycles(Configuration(block=(128, 128, 32), warp=(64, 64, 8), accumulator=kind), arch.device(board))
            for kind in ("f16", "f32")
        )
        assert two == factor * one


@pytest.mark.parametrize("board", ["v100_sxm2", "t4", "a100_sxm", "orin_agx", "h200"])
def test_tensor_cycles_never_beat_the_documented_rate(board):
    device = arch.device(board)
    tiles = Configuration(block=(128, 128, 32), warp=(64, 32, 16), accumulator="f32", arch=device.sm_name)
    assert 128 * 128 * 32 / tensor_cycles(tiles, device) <= device.tensor_rate("f16", "f32")


def test_narrower_loads_take_longer_on_turing():
    tiles = Configuration(block=(256, 256, 32), warp=(128, 64, 8))
    cycles = [memory_io_cycles(tiles, T4, load_bytes=(width, width)) for width in (16, 8, 4, 2)]
    assert cycles == sorted(cycles)
    assert len(set(cycles)) == 4


def test_asynchronous_copies_skip_the_registers():
    a100 = arch.device("a100_sxm")
    one, three = (
        Configuration(block=(256, 128, 32), warp=(64, 64, 16), stages=stages, arch="ampere") for stages in (1, 3)
    )
    assert (one.asynchronous, three.asynchronous) == (False, True)
    assert three.registers < one.registers
    assert three.shared_bytes == 3 * one.shared_bytes
    assert path_from_l2_cycles(one, a100) == path_from_l2_cycles(three, a100) == (256 + 128) * 32 * 2 / 64


def test_volta_reads_its_fragments_twice():
    v100 = arch.device("v100_sxm2")
    tiles = Configuration(block=(128, 128, 32), warp=(64, 64, 8), arch="volta")
    reads = 4 * (64 + 64) * 32 * 2 * 2  # warps, rows, k, bytes, copies
    copies = (128 + 128) * 32 * 2
    assert memory_io_cycles(tiles, v100) == pytest.approx((reads + copies) / 128)


@pytest.mark.parametrize(
    ("memory", "hmma", "count"), [(10, 8.06, 5), (10, 8, 5), (8, 8, 4), (2.11, 8.06, 2), (0.1, 8, 1)]
)
def test_equation_6(memory, hmma, count):
    assert hmmas_between(memory, hmma) == count
    assert count * hmma >= 4 * memory > (count - 1) * hmma


def test_cycles_that_hide_a_load():
    assert load_hiding_cycles((128, 64, 8), 8) == (64 + 32) * 8
