"""What copies through L1, atomics and returns from functions cost, by kernels of a few instructions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simtc.arch import device
from simtc.jit import callable_part
from simtc.reproduce.microbenchmark import SHARED_BYTES, cycles, each, kernel, line
from simtc.sass import load
from simtc.timing.tables import clock_table
from simtc.timing.units import on_the_way
from simtc.validate.campaigns.microbench import cases
from simtc.validate.chip import Chip
from simtc.validate.validate import campaign_settings

H200 = device("h200")
CALLS = load(Path(__file__).parent / "data" / "calls_sm90.sass")
WORD = "REDG.E.ADD.STRONG.GPU [R2.64], R4"


def hits(board, warps):
    """Cycles of a copy of 512 bytes that L1 holds, by warps that wait for nothing else."""

    def link(i):
        first = [line("IADD3 R2, R2, R5, RZ", stall=8)] if i == 0 else []  # a lane's own 16 bytes
        return [*first, line("LDGSTS.E.128 [R5], [R2.64]", stall=2)]

    return each(board, link, warps=warps, shared_bytes=SHARED_BYTES) / warps


def test_a_copy_that_l1_holds_is_read_line_by_line_while_others_are_written():
    """A copy of 512 bytes is four lines: they are read while the data stage writes the copy before."""
    assert hits("a100_sxm", 4) == pytest.approx(4, rel=0.1)
    assert hits("h200", 4) == pytest.approx(4.4, rel=0.03)


def test_a_fence_waits_for_an_atomic_without_a_result():
    fence = line("MEMBAR.SC.GPU", stall=5)
    alone, one, both = (cycles(H200, body) for body in ([fence], [line(WORD, stall=2)], [line(WORD, stall=2), fence]))
    near = H200.l2_hit_cycles
    assert one - alone < 30
    assert both - alone > near


def at_one_word(board, opcode):
    """Cycles of 16 atomics of all lanes of a warp at one word."""
    many = [line(f"{opcode}.E.ADD.STRONG.GPU PT, R{8 + i}, [R2], R4", write=0, stall=2) for i in range(16)]
    return cycles(board, [*many, line("NOP", wait=(0,))])


def test_lanes_at_one_word_are_a_request_where_nothing_is_known_of_atomics():
    lanes = 16 * 32
    assert at_one_word("a100_sxm", "ATOMG") < device("a100_sxm").l2_hit_cycles + lanes
    assert at_one_word(H200, "ATOMG") > H200.l2_hit_cycles + lanes  # known: one after another


def spread(name):
    """Predict a case of spread.cu: KERNEL/BLOCKSxTHREADS/count,words,turn,shift."""
    settings = campaign_settings("microbench")
    found = next(one for one in cases(settings, Chip(90, "h200")) if one.name == f"{name}/warm")
    return found.predict().values["cycles"]


def test_atomics_wait_in_the_sm_and_loads_behind_them():
    """An H200 takes 475 cycles to issue four of each warp, of 132 SMs, 40,772 for 16; a load behind each, 33,749."""
    assert spread("red_issued/132x256/4,8,1,0") < 600
    assert spread("red_issued/132x256/16,8,1,0") == pytest.approx(40772, rel=0.35)
    assert spread("red_beside_load/132x128/16,8,1,65536") == pytest.approx(33749, rel=0.25)


def test_words_512_bytes_further_share_a_unit():
    """Atomics of 16 SMs on a KiB take the time of two units (4,441 cycles on an H200), those of 132 SMs of four."""
    assert spread("red_beside_load/132x128/16,1024,1,65536") == pytest.approx(22231, rel=0.12)
    assert spread("red_spread/132x256/16,256,0,0") == pytest.approx(19769, rel=0.12)


def test_an_atomic_without_a_result_brings_none():
    made = kernel("red", 90, [line(WORD)])
    ops = clock_table(made, H200).ops
    found = [int(ops["returned"][at]) for at, one in enumerate(made.instructions) if one.opcode == "REDG"]
    assert found == [0]


def test_a_return_waits_for_its_target():
    kernel = CALLS["calls"]
    ops = clock_table(kernel, H200).ops
    found = {one.opcode: int(ops["latency"][at]) for at, one in enumerate(kernel.instructions)}
    assert found["RET"] == H200.sm.issue.register_branch_cycles
    assert found["BRA"] == found["CALL"] == 0


@pytest.mark.parametrize(("board", "expected"), [("t4", 4.0), ("titan_v", 2.0)])
def test_the_lsu_takes_a_register_of_some_lanes_in_a_cycle(board, expected):
    """LDG has two registers of addresses: 16 lanes a cycle on Turing, 32 on Volta, for the four sub-cores together."""

    def link(i):
        return [line(f"LDG.E R{8 + 4 * (i % 8)}, [R2]", write=0, stall=2)]

    found = each(board, link, warps=16, shared_bytes=SHARED_BYTES)
    assert found / 16 == pytest.approx(expected, rel=0.1)


def test_a_strong_load_takes_nothing_of_what_l1_holds():
    """A warp loads the same line again and again; of strong loads an H200's profiler counts every one in L2."""

    def again(load):
        return [line(f"{load} R4, [R2.64]", stall=2, write=0), line("IADD3 R5, R4, RZ, RZ", stall=8, wait=[0])]

    held = each(H200, lambda _: again("LDG.E.CONSTANT"), 16)
    assert held < 60
    assert each(H200, lambda _: again("LDG.E.STRONG.SM"), 16) == held
    nearest = H200.l2_hit_cycles - H200.l2_spread_cycles / 2 - H200.clocked("clock.l2.first_sm_cycles")
    assert each(H200, lambda _: again("LDG.E.STRONG.GPU"), 16) > nearest


def test_what_is_on_its_way_leaves_in_the_order_of_asking():
    has_room_at, take_room = map(callable_part, (on_the_way.has_room_at, on_the_way.take_room))
    ring = np.zeros(4)
    for number, arrival in enumerate((900.0, 300.0, 310.0)):
        assert has_room_at(ring, 3, number) == 0
        take_room(ring, 3, number, arrival)
    assert [has_room_at(ring, 3, number) for number in (3, 4, 5)] == [900, 900, 900]
    assert has_room_at(ring, 0, 7) == 0
