"""What an instruction without a row of its own is timed as: an estimate that says so, or an error."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from simtc import arch
from simtc.arch.altered import altered
from simtc.errors import BadInputError
from simtc.gemm.shipped import shipped
from simtc.isa import Kernel
from simtc.reproduce.microbenchmark import cycles, kernel, line
from simtc.run.launch import launch
from simtc.timing.rates import estimates, memory_row, special_row, tensor_row
from simtc.timing.tables import clock_table
from simtc.timing.units.fills import MSHRS


def test_an_atomic_on_words_of_64_bits_moves_64_bits():
    board = arch.device("h200")
    for text in ("ATOMG.E.ADD.F64.RN", "ATOMG.E.MIN.S64", "ATOMG.E.ADD.64", "ATOMG.E.MAX.U64"):
        found, bits, _ = memory_row(line(f"{text} R0, [R8], R16"), board)
        assert (found, bits) == (board.sm.memory["LDG.64"], 64), text
    assert memory_row(line("ATOMG.E.ADD R0, [R8], R16"), board)[1] == 32


def row(text, sm):
    board = next(name for name in arch.device_names() if arch.device(name).sm_name == sm)
    return tensor_row(line(f"{text} R0, R8, R16, R24"), arch.device(board))


@pytest.mark.parametrize(
    ("text", "sm", "like"),
    [
        ("IMMA.8816.S8.S8", "sm_90", "IMMA.16816.S8"),
        ("IMMA.8832.S4.S4", "sm_80", "IMMA.16832.S4"),
        ("BMMA.88128.XOR.POPC", "sm_80", "BMMA.168128"),
        ("BMMA.168256.AND.POPC", "sm_90", "IMMA.16832.S8"),  # as many registers of A and of B
        ("BMMA.88128.AND.POPC", "sm_90", "IMMA.16816.S8"),
    ],
)
def test_a_smaller_matrix_instruction_takes_as_long_as_the_next_larger(text, sm, like):
    found, note = row(text, sm)
    due = arch.sm(sm).tensor[like]
    assert dataclasses.replace(found, fma=due.fma) == due
    assert note.endswith(f"is timed as {like}: no number of its own is known on {sm}")


def test_a_larger_one_takes_as_much_longer_as_it_does_more():
    found, note = row("DMMA.16x8x8", "sm_80")
    own = arch.sm("sm_80").tensor["DMMA.884"]
    assert found.issue_interval_cycles == 4 * own.issue_interval_cycles
    assert found.latency_second_cycles == own.latency_second_cycles + 3 * own.issue_interval_cycles
    assert "4 times DMMA.884" in note


@pytest.mark.parametrize(
    ("text", "sm", "like"),
    [("IMMA.16832.U8.U8", "sm_80", "IMMA.16832.S8"), ("HMMA.16816.F32.BF16", "sm_90", "HMMA.16816.F32")],
)
def test_types_of_one_rate_have_one_row_and_no_note(text, sm, like):
    assert row(text, sm) == (arch.sm(sm).tensor[like], "")


def test_what_nothing_is_known_of_is_an_error():
    with pytest.raises(
        BadInputError, match=r"nothing is known of the timing of BMMA.88128 at 0x0000 on sm_70; the near"
    ):
        row("BMMA.88128", "sm_70")
    with pytest.raises(BadInputError, match=r"nothing is known of the timing of BAR.SYNC at 0x0000 on sm_90"):
        special_row(line("BAR.SYNC 0x0"), arch.sm("sm_90"))


def test_estimates_are_notes_of_the_launch():
    body = [line("ATOMG.E.ADD.STRONG.GPU PT, R8, [R2], R4", write=0), line("MATCH.ANY R9, R4", write=1, stall=2)]
    one = kernel("estimated", 75, body)
    due = ("ATOMG is timed as LDG: no number is known", "MATCH is timed as SHFL: no number is known")
    assert estimates(one, arch.device("t4")) == due
    result = launch(one, 1, 32, [np.zeros(64, np.uint32)], device="t4", timing=True)
    assert result.timing.notes == due
    assert result.to_dict()["notes"] == list(due)


@pytest.mark.parametrize("name", ["wmma_tiled", "wmma_s8", "mma_async_f32", "wmma_naive"])
def test_shipped_kernels_need_no_estimate(name):
    board = arch.device("h200")
    assert estimates(shipped(name).kernel(board), board) == ()


def test_a_pipe_that_a_generation_lacks_is_an_error():
    one = Kernel(name="k", sm=70, instructions=(line("UMOV UR4, 0x1"),), registers=32)
    with pytest.raises(BadInputError, match="nothing is known of the timing of UMOV at 0x0000 on sm_70"):
        clock_table(one, arch.device("v100_pcie"))


def test_loads_beyond_those_that_an_sm_keeps_count_of_wait():
    """With a latency of 6,000 cycles more are asked for than can be on their way: some wait for the first ones."""
    warps, loads = 16, 96
    assert warps * loads > MSHRS
    start = [
        line("S2R R6, SR_TID.X", write=0, stall=2),
        line("SHF.R.U32.HI R6, RZ, 0x5, R6", wait=(0,), stall=6),
        line(f"IMAD R6, R6, {hex(128 * loads)}, RZ", stall=6),
        line("IADD3 R2, R2, R6, RZ", stall=10),
    ]
    body = [*start, *(line(f"LDG.E R10, [R2+{hex(128 * i)}]", write=0, stall=2) for i in range(loads))]
    far = altered(arch.device("h200"), "dram_cycles", 6000)
    taken = cycles(far, body, warps=warps, buffer_bytes=128 * warps * loads, caches="cold")
    assert 2 * 6000 < taken < 3 * 6000
