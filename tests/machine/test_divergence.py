"""Lanes that part: how many instructions a warp executes until they meet again."""

from __future__ import annotations

import numpy as np

from simtc.isa import Kernel, Parameter
from simtc.run.launch import launch
from simtc.sass import parse_instruction


def executed(*lines):
    code = tuple(parse_instruction(text, address=16 * place) for place, text in enumerate(lines))
    kernel = Kernel(name="k", sm=75, instructions=code, parameters=(Parameter(offset=0, size=8),))
    out = np.zeros(1, np.uint32)
    return launch(kernel, 1, 32, [out]).instructions


def test_each_group_comes_to_a_convergence_barrier_by_itself():
    """Three groups jump to one BSYNC: it is executed three times, and what follows it once."""
    count = executed(
        "S2R R0, SR_TID.X", "BSSY B0, `(0x80)", "ISETP.GE.AND P0, PT, R0, 0x4, PT", "ISETP.GE.AND P1, PT, R0, 0x8, PT",
        "@P1 BRA `(0x70)", "@P0 BRA `(0x70)", "NOP", "BSYNC B0", "NOP", "EXIT",
    )  # fmt: skip
    assert count == 7 + 3 + 2


def test_lanes_that_do_not_part_come_together():
    assert executed("BSSY B0, `(0x30)", "BRA `(0x20)", "BSYNC B0", "EXIT") == 4
