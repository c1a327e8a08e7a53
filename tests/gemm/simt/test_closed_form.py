"""Closed forms of boards with a clock and without one: occupancy, ceilings, counts, what fits, autotuning."""

from __future__ import annotations

import pytest

from simtc import arch, simulate
from simtc.analytic.before_volta import bank_cycles, simt_of, transactions
from simtc.analytic.occupancy import occupancy
from simtc.errors import BadInputError
from simtc.gemm.family import Refused
from simtc.gemm.problem import Problem
from simtc.gemm.registry import family
from simtc.gemm.simt.blocking import Blocking, candidates
from simtc.gemm.simt.closed_form import ceiling
from simtc.gemm.simt.configuration import BUILT, SimtGemm
from simtc.gemm.simt.numbers import METHODS
from simtc.reproduce.magma2010.closed_forms import kernel_of, multiply_add_gflops
from simtc.reproduce.magma2010.counted import counted
from simtc.reproduce.printed import printed

CUBE = {"m": 2304, "n": 2304, "k": 2304}


@pytest.mark.parametrize(
    ("name", "board", "blocks", "warps", "limit", "registers"),
    [
        ("sgemm", "c2050", 2, 8, "registers", 63),
        ("dgemm", "c2050", 2, 8, "registers", 63),
        ("sgemm", "gtx280", 8, 2, "registers", 30),
    ],
)
def test_occupancy_of_the_papers_kernels(name, board, blocks, warps, limit, registers):
    made, device = kernel_of(name, board), arch.device(board)
    assert made.blocking.registers(made.how, made.numbers.real_bytes) == registers
    room = occupancy(
        device, threads=made.blocking.count, registers=registers,
        shared_bytes=made.blocking.shared_bytes(made.how, made.numbers.real_bytes),
    )  # fmt: skip
    assert (room.blocks, room.warps, room.limit) == (blocks, warps, limit)


def test_ceilings_are_above_what_was_measured():
    measured = printed("magma2010")["measured"]
    sgemm, dgemm = (ceiling(kernel_of(name, "c2050"), arch.device("c2050")).share for name in ("sgemm", "dgemm"))
    slower = ceiling(kernel_of("dgemm", "c2050"), arch.device("c2050"), wide_load_slots=2).share
    assert (sgemm, dgemm, slower) == (0.75, 0.8, pytest.approx(2 / 3))
    assert measured["sgemm_share"] / 100 < sgemm
    assert measured["dgemm_share"] / 100 < slower
    older = ceiling(kernel_of("sgemm", "gtx280"), arch.device("gtx280")).share
    reached = measured["gtx280_sgemm_share"] / 100 * 936 / multiply_add_gflops("gtx280", "f32")
    assert reached == pytest.approx(0.6)
    assert reached < older == pytest.approx(2 / 3)


def test_ceilings_rise_with_the_register_block():
    device = arch.device("c2050")
    shares = [
        ceiling(family("sgemm").configured("sm_20", {"block": (16 * each, 16 * each, 16)}), device).share
        for each in (1, 2, 4, 6)
    ]
    assert shares == pytest.approx([1 / 3, 1 / 2, 2 / 3, 3 / 4])


@pytest.mark.parametrize(
    ("name", "board", "size", "opcode", "arithmetic", "loads"),
    [("sgemm", "t4", 200, "FFMA", 539_136, 179_712), ("dgemm", "a100_sxm", 100, "DFMA", 57_344, 28_672)],
)
def test_counts_are_the_executed_ones(name, board, size, opcode, arithmetic, loads):
    made = kernel_of(name, board)
    found = counted(made, board, size)
    assert (found[opcode], found["LDS"]) == (arithmetic, loads)
    m, n, depth = made.tile
    step, turns = made.blocking.step(made.how), -(-size // m) * -(-size // n) * 8 * -(-size // depth)
    assert (turns * step.multiply_adds, turns * step.shared_loads) == (arithmetic, loads)
    assert (found["STS"], found["BAR"]) == (turns * step.shared_stores, turns * step.barriers)


@pytest.mark.parametrize("method", METHODS)
def test_three_products_save_a_quarter_of_the_multiply_adds(method):
    step = Blocking(kind="register", block=(64, 64, 16), threads=(16, 16)).step(METHODS[method])
    assert step.multiply_adds == {"real": 1, "4m": 4, "m3": 3}[method] * 16 * 16
    assert step.additions == (8 * 16 if method == "m3" else 0)


def test_a_gemm_without_shared_operands_pays_for_its_loads():
    assert simt_of(arch.device("gtx280")).shared_operand_cycles == 6
    made = family("sgemm").configured("sm_20", {"blocking": "shared", "block": (64, 16, 16)})
    assert ceiling(made, arch.device("c2050")).share == pytest.approx(1 / 2)
    with pytest.raises(BadInputError, match="t4 has a clock"):
        ceiling(made, arch.device("t4"))


def test_conflicts_and_coalescing_by_hand():
    old, fermi = arch.device("gtx280"), arch.device("c2050")
    doubles = [8 * lane for lane in range(32)]
    assert (transactions(old, doubles, 8), transactions(fermi, doubles, 8)) == ([128, 128], [128, 128])
    assert transactions(old, [4 * (lane + 1) for lane in range(16)], 4) == [128]  # misaligned: the half is not enough
    assert transactions(old, [4 * lane + 96 for lane in range(8)], 4) == [32]
    assert (bank_cycles(old, doubles, 8), bank_cycles(fermi, doubles, 8)) == (8, 4)
    assert (bank_cycles(old, [0] * 32, 4), bank_cycles(fermi, [0] * 32, 4)) == (4, 2)
    padded = [17 * 4 * lane for lane in range(32)]
    assert (bank_cycles(old, padded, 4), bank_cycles(fermi, padded, 4)) == (4, 2)


def test_the_paper_s_blocks_are_among_the_best_of_the_space():
    """The closed form does not contradict what was found by measuring; that it picks the same block is not promised."""
    for name, board, papers in (("sgemm", "c2050", (96, 96, 16)), ("sgemm", "gtx280", (64, 16, 16))):
        best = simulate(name, **CUBE, device=board, fidelity="analytic")
        one = simulate(
            name, **CUBE, device=board, fidelity="analytic", block=papers,
            blocking="shared" if board == "gtx280" else "register",
        )  # fmt: skip
        assert best.cycles <= one.cycles < 1.15 * best.cycles
        assert one.notes[0] == "closed forms alone: the machine code and the clock of this board are not known"


def test_autotuning_looks_at_five_parameters_and_says_what_it_refuses():
    device, problem = arch.device("gtx280"), Problem(m=512, n=512, k=512, types="f32.f32.f32.f32")
    found = list(family("sgemm").space(problem, device, {}))
    refused = [one for one in found if isinstance(one, Refused)]
    made = [one for one in found if isinstance(one, SimtGemm)]
    assert len(found) == sum(kind == "shared" for kind, _, _ in candidates())
    assert len(made) > 100
    assert {(*one.tile, *one.blocking.threads) for one in made} >= {(64, 16, 16, 16, 4), (64, 16, 4, 4, 16)}
    assert {one.rule.split(" ", 1)[1] for one in refused if "at most" in one.rule} == {
        "registers a thread, at most 128"
    }
    assert any("must divide" in one.rule for one in refused)
    wide = family("sgemm").space(problem, device, {"blocking": "register"})
    assert any(one.rule == "16640 bytes of shared memory, at most 16384" for one in wide if isinstance(one, Refused))


@pytest.mark.parametrize("board", ["v100_sxm2", "t4", "a100_sxm", "h200"])
def test_closed_forms_say_what_limits_a_large_product(board):
    bounds = {name: simulate(name, **CUBE, device=board, fidelity="analytic") for name in ("sgemm", "dgemm")}
    assert bounds["dgemm"].bound in ("FP64 pipe", "shared memory")
    assert 0.3 < bounds["sgemm"].peak_share < 1
    device = arch.device(board)
    assert all(one.sm in BUILT for one in family("sgemm").programs(device))
