"""Lanes that part: how many instructions a warp executes until they meet again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simtc.isa import Kernel, Parameter
from simtc.run.launch import launch
from simtc.sass import load, parse_instruction


def executed(*lines):
    code = tuple(parse_instruction(text, address=16 * place) for place, text in enumerate(lines))
    kernel = Kernel(name="k", sm=75, instructions=code, parameters=(Parameter(offset=0, size=8),))
    out = np.zeros(1, np.uint32)
    return launch(kernel, 1, 32, [out]).instructions


def test_a_generic_address_is_of_one_space():
    """QSPC, what __isShared() and its like become: lanes point into shared, local and global memory."""
    code = tuple(
        parse_instruction(text, address=16 * place)
        for place, text in enumerate([
            "S2R R0, SR_TID.X", "MOV R2, 0x10", "MOV R5, 0x4", "IMAD.WIDE R6, R0, R5, c[0x0][0x160]",
            "ISETP.GE.AND P0, PT, R0, 0x8, PT", "ISETP.GE.AND P1, PT, R0, 0x10, PT", "MOV R3, 0x7ffe",
            "@P0 MOV R3, 0x7fff", "@P1 MOV R3, R7", "QSPC.E.S P2, RZ, [R2]", "QSPC.E.L P3, RZ, [R2]",
            "QSPC.E.G P4, RZ, [R2]", "P2R R4, PR, RZ, 0x1c", "STG.E [R6], R4", "EXIT",
        ])
    )  # fmt: skip
    kernel = Kernel(name="k", sm=75, instructions=code, parameters=(Parameter(offset=0, size=8),))
    out = np.zeros(32, np.uint32)
    launch(kernel, 1, 32, [out])
    assert out.tolist() == [0x4] * 8 + [0x8] * 8 + [0x10] * 16


def test_each_group_comes_to_a_convergence_barrier_by_itself():
    """Three groups jump to one BSYNC: it is executed three times, and what follows it once."""
    count = executed(
        "S2R R0, SR_TID.X", "BSSY B0, `(0x80)", "ISETP.GE.AND P0, PT, R0, 0x4, PT", "ISETP.GE.AND P1, PT, R0, 0x8, PT",
        "@P1 BRA `(0x70)", "@P0 BRA `(0x70)", "NOP", "BSYNC B0", "NOP", "EXIT",
    )  # fmt: skip
    assert count == 7 + 3 + 2


def test_lanes_that_do_not_part_come_together():
    assert executed("BSSY B0, `(0x30)", "BRA `(0x20)", "BSYNC B0", "EXIT") == 4


def meets(n):
    """What kernel `meets` of barriers.cu computes."""
    t = np.arange(32, dtype=np.uint64)
    x = t.copy()
    for i in range(n):
        odd, other = x & 1 == 1, (x + 1_000_000_007 * t) // np.uint64(2 + i) & 0xFFFFFFFF
        tripled = (3 * x + 1) & 0xFFFFFFFF
        tripled += np.where(tripled % 5 == 0, [int(one).bit_count() for one in tripled], 0).astype(np.uint64)
        x = np.where(odd, tripled & 0xFFFFFFFF, other)
        x = (x + (x[np.arange(32) ^ 1] & 7)) & 0xFFFFFFFF
    return x.astype(np.uint32)


@pytest.mark.parametrize("timing", [False, True])
def test_kernels_of_sm_87_clear_their_barriers_first(timing):
    """BMOV.32.CLEAR B1, B0 hands the lanes on from barrier to barrier, and BMOV B15, 0 lets go of them."""
    kernel = load(Path(__file__).with_name("data") / "barriers_sm87.sass")["meets"]
    assert sum(i.mnemonic == "BMOV.32.CLEAR" for i in kernel.instructions) == 15
    out = np.zeros(32, np.uint32)
    launch(kernel, 1, 32, [out, np.uint32(9)], device="orin_agx", timing=timing)
    assert out.tolist() == meets(9).tolist()


@pytest.mark.parametrize(("clear", "left"), [(".CLEAR", 0), ("", 0xFFFFFFFF)])
def test_a_barrier_moved_to_another_is_left_as_it_was_unless_it_is_cleared(clear, left):
    code = tuple(
        parse_instruction(text, address=16 * place)
        for place, text in enumerate([
            "BMOV.32 B0, 0xffffffff", f"BMOV.32{clear} B1, B0", "BMOV.32 R4, B1", "BMOV.32 R5, B0",
            "MOV R2, c[0x0][0x160]", "MOV R3, c[0x0][0x164]", "STG.E.64 [R2.64], R4", "EXIT",
        ])
    )  # fmt: skip
    kernel = Kernel(name="k", sm=75, instructions=code, parameters=(Parameter(offset=0, size=8),))
    out = np.zeros(2, np.uint32)
    launch(kernel, 1, 32, [out])
    assert out.tolist() == [0xFFFFFFFF, left]
