"""BMMA: the machine's registers against the counted bits of every row and column."""

from __future__ import annotations

import numpy as np
import pytest

from simtc.isa import Kernel, Parameter
from simtc.run.launch import launch
from simtc.sass import parse_instruction

SHAPES = [
    ("88128", "m8n8k128", 75, "XOR"),
    ("168128", "m16n8k128", 80, "XOR"),
    ("168256", "m16n8k256", 80, "AND"),
    ("168256", "m16n8k256", 90, "XOR"),
]


@pytest.mark.parametrize(("shape", "name", "sm", "operation"), SHAPES)
def test_every_bit(shape, name, sm, operation):
    m, n, k = (int(part) for part in name[1:].replace("n", " ").replace("k", " ").split())
    rng = np.random.default_rng(5)
    registers = rng.integers(0, 1 << 32, (32, 12), dtype=np.uint64).astype(np.uint32)  # A 0-3, B 4-7, C 8-11 of a lane
    base = 0x210 if sm == 90 else 0x160
    lines = [
        "S2R R0, SR_TID.X", "IMAD R0, R0, 0x30, RZ", f"IADD3 R2, P0, R0, c[0x0][{base:#x}], RZ",
        f"IADD3.X R3, RZ, c[0x0][{base + 4:#x}], RZ, P0, !PT", "LDG.E.128 R4, [R2.64]", "LDG.E.128 R8, [R2.64+0x10]",
        "LDG.E.128 R12, [R2.64+0x20]", f"BMMA.{shape}.{operation}.POPC R12, R4.ROW, R8.COL, R12",
        "STG.E.128 [R2.64+0x20], R12", "EXIT",
    ]  # fmt: skip
    code = tuple(parse_instruction(text, address=16 * place) for place, text in enumerate(lines))
    parameters = (Parameter(offset=0, size=8),)
    kernel = Kernel(name="k", sm=sm, instructions=code, parameters=parameters, parameter_base=base)
    after = registers.copy()
    launch(kernel, 1, 32, [after], device={75: "t4", 80: "a100_sxm", 90: "h200"}[sm])

    group, place = np.arange(32) // 4, np.arange(32) % 4
    halves, words = m // 8, k // 128
    A, B, C, D = (np.zeros(s, np.uint32) for s in ((m, k // 32), (n, k // 32), (m, n), (m, n)))
    for half in range(halves):
        for word in range(words):
            A[group + 8 * half, place + 4 * word] = registers[:, half + halves * word]
        for side in range(2):
            C[group + 8 * half, 2 * place + side] = registers[:, 8 + 2 * half + side]
            D[group + 8 * half, 2 * place + side] = after[:, 8 + 2 * half + side]
    for word in range(words):
        B[group, place + 4 * word] = registers[:, 4 + word]
    both = A[:, None, :] & B[None] if operation == "AND" else A[:, None, :] ^ B[None]
    assert np.array_equal(D, C + np.bitwise_count(both).sum(-1, dtype=np.uint32))
    assert np.array_equal(after[:, :8], registers[:, :8])
