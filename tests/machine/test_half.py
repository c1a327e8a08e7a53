"""Packed halves: VHMNMX takes the largest or smallest of three, as HMNMX2 twice would."""

from __future__ import annotations

import numpy as np
import pytest

from simtc.isa import Kernel, Parameter
from simtc.run.launch import launch
from simtc.sass import parse_instruction

VALUES = np.array([0.0, -0.0, 1.5, -2.25, 6e-8, np.inf, -np.inf, np.nan], np.float16)


LOAD = [
    "S2R R0, SR_CTAID.X", "S2R R1, SR_TID.X", "IMAD R0, R0, 0x20, R1", "IMAD R0, R0, 0x10, RZ",
    "IADD3 R2, P0, R0, c[0x0][0x210], RZ", "IADD3.X R3, RZ, c[0x0][0x214], RZ, P0, !PT", "LDG.E.128 R4, [R2.64]",
]  # fmt: skip
STORE = ["STG.E [R2.64+0xc], R8", "EXIT"]


def run(*lines):
    code = [parse_instruction(text, address=16 * place) for place, text in enumerate(lines)]
    kernel = Kernel(
        name="k", sm=90, instructions=tuple(code), parameters=(Parameter(offset=0, size=8),), parameter_base=0x210
    )
    words = VALUES.view(np.uint16).astype(np.uint32)
    grid = np.stack(np.meshgrid(words, words, words, indexing="ij"), -1).reshape(-1, 3)
    data = np.zeros((512, 4), np.uint32)
    data[:, :3] = grid | grid[::-1] << np.uint32(16)
    launch(kernel, 16, 32, [data], device="h200")
    return data


@pytest.mark.parametrize("least", [False, True])
def test_three_at_once_are_two_after_each_other(least):
    predicate = "PT" if least else "!PT"
    three = run(*LOAD, f"VHMNMX R8, |R4|, -R5, R6, {predicate}", *STORE)
    two = run(*LOAD, f"HMNMX2 R8, |R4|, -R5, {predicate}", f"HMNMX2 R8, R8, R6, {predicate}", *STORE)
    assert np.array_equal(three, two)
    assert len(np.unique(three[:, 3])) > 5


@pytest.mark.parametrize(
    "code",
    ["MUFU.RCP.F16 R8, {}", "MUFU.SQRT.F16 R8, |{}|", "F2F.F32.F16 R8, -{}", "F2I.F16.NTZ R8, {}",
     "F2FP.F16.E4M3.UNPACK_B R8, {}"],
)  # fmt: skip
def test_the_upper_half_of_a_register_is_an_operand(code):
    upper = run(*LOAD, code.format("R4.H1"), *STORE)
    lower = run(*LOAD, "PRMT R5, R4, 0x7732, RZ", code.format("R5"), *STORE)
    assert np.array_equal(upper, lower)
    assert len(np.unique(upper[:, 3])) > 4


def test_an_immediate_pair_is_two_halves():
    code = parse_instruction(
        "VHMNMX R38, |R32|, -INF , -INF , |R33|, !PT", address=0, word=0x004FC80007880221FC00FC0020267847
    )
    assert code.operands[2].value & 0xFFFFFFFF == 0xFC00FC00
