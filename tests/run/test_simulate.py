"""Configured kernels in the clock: what a prediction says must be what the launch of the generated program gave."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simtc import simulate
from simtc.arch import device
from simtc.errors import BadInputError
from simtc.gemm.hgemm import generate
from simtc.gemm.operands import zeros
from simtc.report.prediction import explored_text
from simtc.run.explore import Explored, Neighbour, explore
from simtc.run.launch import launch
from simtc.run.simulate import simulation
from tests.gemm.hgemm.gemms import arguments

SMALL = {"block": (64, 64, 32), "warp": (32, 32, 8)}


@pytest.fixture(scope="module")
def full():
    return simulate("hgemm", m=200, n=256, k=200, fidelity="full", **SMALL)


def test_full_is_the_launch_of_the_generated_program(full):
    tiles = simulation("hgemm", m=1, n=1, k=1, **SMALL).configuration
    m, n, k = tiles.padded(200, 256, 200)
    assert (m, n, k) == (256, 256, 224)
    A, B, D = np.zeros((m, k), np.float16), np.zeros((n, k), np.float16), np.zeros((m, n), np.float16)
    timing = launch(
        generate(tiles), tiles.grid(m, n), tiles.threads, arguments(A, B, D), device="t4", timing=True
    ).timing
    assert (full.cycles, full.fidelity, full.error_estimate) == (timing.cycles, "full", 0)
    assert full.stalls == timing.stalls
    assert full.limit == timing.limit
    assert set(full.resources) == {name.removeprefix("the ") for name in timing.resources}
    assert full.traffic["written"] == 2 * m * n


@pytest.mark.parametrize("loaded", [False, True])
def test_simulate_and_launch_know_the_same_clocks(loaded):
    """The clock of an H200 falls under HMMA and rises in the epilogue, however the board was handed in."""
    board = device("h200").under_tensor_load() if loaded else device("h200")
    tiles = {"block": (256, 128, 32), "warp": (64, 64, 16)}  # whose epilogue lasts until the clock has risen
    case = simulation("hgemm", m=256, n=256, k=32, beta=1.0, fidelity="full", device=board, **tiles)
    made, problem, one = case.configuration, case.problem, case.predict()
    timing = launch(
        made.program(), made.grid_dim(problem), made.block_dim, made.arguments(problem, zeros(problem)),
        device="h200", timing=True,
    ).timing  # fmt: skip
    assert (one.cycles, one.clock_mhz, one.seconds) == (timing.cycles, timing.clock_mhz, timing.seconds)
    assert one.resources == {name.removeprefix("the "): cycles for name, cycles in timing.resources.items()}
    assert 1700 < one.clock_mhz < 1980  # each fall of the clock takes time as well
    assert one.peak_tflops == pytest.approx(device("h200").tensor_peak_tflops("f16", "f16", clock_mhz=one.clock_mhz))


def test_padding_is_reported_and_does_not_count_as_work(full):
    whole = simulate("hgemm", m=256, n=256, k=224, fidelity="full", **SMALL)
    assert whole.cycles == full.cycles
    assert (whole.tile_waste, whole.depth_waste) == (0, 0)
    assert full.tile_waste == pytest.approx(1 - 200 / 256)
    assert full.depth_waste == pytest.approx(1 - 200 / 224)
    assert full.tflops / whole.tflops == pytest.approx(200 * 200 / (256 * 224))


def test_sampled_is_near_full_and_knows_its_own_doubt():
    sizes = {"m": 768, "n": 1024, "k": 4096, "device": "rtx2070"}
    whole, part = (simulate("hgemm", fidelity=fidelity, **sizes) for fidelity in ("full", "sampled"))
    assert part.cycles == pytest.approx(whole.cycles, rel=0.02)
    assert 0 < part.error_estimate < 0.1
    assert part.bound == whole.bound
    assert part.notes


def test_alpha_and_beta_are_an_epilogue():
    sizes = {"m": 256, "n": 256, "k": 64, "fidelity": "full", **SMALL}
    plain, alpha, beta = (simulate("hgemm", **sizes, **more) for more in ({}, {"alpha": 2.0}, {"beta": 1.0}))
    assert plain.cycles < alpha.cycles < beta.cycles
    assert [one.config["epilogue"] for one in (plain, alpha, beta)] == ["none", "alpha", "beta"]
    assert plain.traffic["L2 read"] == alpha.traffic["L2 read"] == beta.traffic["L2 read"] - 2 * 256 * 256
    assert plain.traffic["written"] == beta.traffic["written"]


def test_transposes_take_other_loads_and_the_same_products():
    sizes = {"m": 512, "n": 512, "k": 256, "fidelity": "full", "block": (128, 128, 32), "warp": (64, 64, 8)}
    found = {transpose: simulate("hgemm", transpose=transpose, **sizes) for transpose in ("tn", "nn", "nt", "tt")}
    assert len({one.cycles for one in found.values()}) == 4
    assert len({one.resources["tensor pipe"] for one in found.values()}) == 1
    assert len({one.traffic["L2 read"] for one in found.values()}) == 1
    assert max(one.cycles for one in found.values()) < 1.3 * min(one.cycles for one in found.values())


def test_conflicts_cost_in_the_clock_what_the_layout_says():
    sizes = {"m": 2048, "n": 2048, "k": 2048, "device": "rtx2070"}
    padded, plain = (simulate("hgemm", layout=layout, **sizes) for layout in ("pad", "none"))
    assert (padded.bound, plain.bound) == ("tensor pipe", "shared memory and L1")
    assert 1.5 < plain.cycles / padded.cycles < 2.2
    assert plain.traffic["shared memory"] > 2 * padded.traffic["shared memory"]


def test_what_the_paper_orders_by_interleaving():
    cycles = [
        simulate("hgemm", m=1536, n=1536, k=4096, device="rtx2070", sts_interleave=count).cycles for count in (5, 2, 0)
    ]
    assert cycles == sorted(cycles)
    assert cycles[0] < cycles[1]


@pytest.mark.parametrize("board", ["v100_sxm2", "a100_sxm", "h200", "orin_agx"])
def test_every_generation_is_below_its_peak(board):
    one = simulate("hgemm", m=2048, n=2048, k=2048, device=board)
    assert 0.1 < one.peak_share < 1
    assert one.cycles >= max(one.resources.values())
    assert set(one.extrapolated) >= {"cycles", "resources", "traffic"}


def test_explore_finds_the_padding():
    case = simulation("hgemm", m=2048, n=2048, k=2048, device="rtx2070", fidelity="analytic", layout="none")
    found = explore(case, case.predict())
    assert {one.change for one in found.neighbours[:2]} == {"--layout pad", "--layout xor"}
    assert found.neighbours[0].speedup > 1.5
    assert found.verdict == (
        f"{found.neighbours[0].change} helps most: {100 * (found.neighbours[0].speedup - 1):.1f} % faster, "
        "then limited by tensor pipe"
    )
    assert "65536" in found.refused["--block 512,256,32"]
    seconds = [one.seconds for one in found.neighbours]
    assert seconds == sorted(seconds)


def test_what_the_estimates_leave_open_is_called_equal():
    one = Neighbour(change="--stages 2", seconds=1.0, speedup=1.0002, bound="DRAM", doubt=0.1)
    other = Neighbour(change="--layout xor", seconds=1.1, speedup=0.9, bound="DRAM", doubt=0.01)
    found = Explored(neighbours=(one, other), refused={})
    assert found.verdict == "no single change helps as far as is known: --stages 2 gains 0.02 %, where 10 % is in doubt"
    assert "the same as far as is known" in explored_text(found).splitlines()[2]
    clear = Neighbour(change="--layout pad", seconds=0.9, speedup=1.05, bound="issue", doubt=0.01)
    found = Explored(neighbours=(replace(one, speedup=1.06), clear), refused={})
    assert found.verdict.startswith("--layout pad helps most: 5.0 % faster")


def test_explore_in_the_clock_and_where_nothing_helps():
    case = simulation("hgemm", m=128, n=128, k=128, fidelity="full", **SMALL)
    prediction = case.predict()
    done = []
    found = explore(case, prediction, lambda *so_far: done.append(so_far))
    assert {"--layout xor", "--stages 2", "--loads ldsm"} <= {one.change for one in found.neighbours}
    assert done == [(number, len(done)) for number in range(len(done))]
    assert "LDGSTS" in explore(simulation("hgemm", m=64, n=64, k=64, fidelity="analytic", stages=2, **SMALL),
                               prediction).refused["--stages 3"]  # fmt: skip
    best = max(one.speedup for one in found.neighbours)
    assert (found.verdict == "no single change helps") == (best <= 1)


def test_what_generated_kernels_do_not_do():
    for options, message in (
        ({"caches": "hot"}, "unknown state of the caches 'hot': known are cold, warm"),
        ({"split_k": 2}, "split_k 2: generated kernels do not split k"),
    ):
        with pytest.raises(BadInputError, match=message):
            simulate("hgemm", m=64, n=64, k=64, **options)
