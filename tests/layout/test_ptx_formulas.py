"""The formulas of the PTX ISA, restated: row and column of the i-th element of a lane, against every fragment."""

from __future__ import annotations

import pytest

from simtc.layout import fragment


def check(frag, place):
    """Compare a fragment with place(group, thread, i) -> (row, column) over every lane and element."""
    seen = set()
    for lane in range(frag.lanes):
        for i in range(frag.count):
            register, half = divmod(i, frag.per_register)
            register *= max(1, frag.width // 32)
            expected = place(lane >> 2, lane & 3, i)
            assert frag.element(lane, register, half) == expected, (lane, i)
            assert (lane, register, half) in frag.holders(*expected)
            seen.add(expected)
    assert seen == {(row, col) for row in range(frag.rows) for col in range(frag.cols)}


def accumulator(g, t, i):
    return g + 8 * (i >= 2), 2 * t + (i & 1)


FORMULAS = [
    ("m16n8k8.f32.f16.f16.f32", "a", lambda g, t, i: (g + 8 * (i >= 2), 2 * t + (i & 1))),
    ("m16n8k8.f32.f16.f16.f32", "b", lambda g, t, i: (2 * t + i, g)),
    ("m16n8k8.f16.f16.f16.f16", "d", accumulator),
    ("m16n8k8.f32.f16.f16.f32", "c", accumulator),
    ("m16n8k16.f32.f16.f16.f32", "a", lambda g, t, i: (g + 8 * (i in (2, 3, 6, 7)), 2 * t + (i & 1) + 8 * (i >= 4))),
    ("m16n8k16.f32.bf16.bf16.f32", "b", lambda g, t, i: (2 * t + (i & 1) + 8 * (i >= 2), g)),
    ("m16n8k16.f32.f16.f16.f32", "d", accumulator),
    ("m16n8k4.f32.tf32.tf32.f32", "a", lambda g, t, i: (g + 8 * i, t)),
    ("m16n8k4.f32.tf32.tf32.f32", "b", lambda g, t, _: (t, g)),
    ("m16n8k8.f32.tf32.tf32.f32", "a", lambda g, t, i: (g + 8 * (i in (1, 3)), t + 4 * (i >= 2))),
    ("m16n8k8.f32.tf32.tf32.f32", "b", lambda g, t, i: (t + 4 * i, g)),
    ("m8n8k16.s32.s8.u8.s32", "a", lambda g, t, i: (g, 4 * t + i)),
    ("m8n8k16.s32.s8.s8.s32", "b", lambda g, t, i: (4 * t + i, g)),
    ("m8n8k16.s32.s8.s8.s32", "d", lambda g, t, i: (g, 2 * t + i)),
    ("m16n8k16.s32.s8.s8.s32", "a", lambda g, t, i: (g + 8 * (i >= 4), 4 * t + (i & 3))),
    ("m16n8k16.s32.u8.u8.s32", "b", lambda g, t, i: (4 * t + i, g)),
    ("m16n8k32.s32.s8.s8.s32", "a", lambda g, t, i: (g + 8 * (i // 4 % 2), 4 * t + (i & 3) + 16 * (i >= 8))),
    ("m16n8k32.s32.s8.s8.s32", "b", lambda g, t, i: (4 * t + (i & 3) + 16 * (i >= 4), g)),
    ("m8n8k32.s32.s4.s4.s32", "a", lambda g, t, i: (g, 8 * t + i)),
    ("m16n8k32.s32.s4.s4.s32", "a", lambda g, t, i: (g + 8 * (i >= 8), 8 * t + (i & 7))),
    ("m16n8k64.s32.u4.u4.s32", "a", lambda g, t, i: (g + 8 * (i // 8 % 2), 8 * t + (i & 7) + 32 * (i >= 16))),
    ("m16n8k64.s32.u4.u4.s32", "b", lambda g, t, i: (8 * t + (i & 7) + 32 * (i >= 8), g)),
    ("m8n8k128.s32.b1.b1.s32", "a", lambda g, t, i: (g, 32 * t + i)),
    ("m16n8k128.s32.b1.b1.s32", "a", lambda g, t, i: (g + 8 * (i >= 32), 32 * t + (i & 31))),
    ("m16n8k256.s32.b1.b1.s32", "a", lambda g, t, i: (g + 8 * (i // 32 % 2), 32 * t + (i & 31) + 128 * (i >= 64))),
    ("m16n8k256.s32.b1.b1.s32", "b", lambda g, t, i: (32 * t + (i & 31) + 128 * (i >= 32), g)),
    ("m8n8k4.f64.f64.f64.f64", "a", lambda g, t, _: (g, t)),
    ("m8n8k4.f64.f64.f64.f64", "b", lambda g, t, _: (t, g)),
    ("m8n8k4.f64.f64.f64.f64", "d", lambda g, t, i: (g, 2 * t + i)),
]
HOPPER = [
    ("m16n8k4.f64.f64.f64.f64", "a", lambda g, t, i: (g + 8 * i, t)),
    ("m16n8k8.f64.f64.f64.f64", "a", lambda g, t, i: (g + 8 * (i % 2), t + 4 * (i // 2))),
    ("m16n8k16.f64.f64.f64.f64", "a", lambda g, t, i: (g + 8 * (i % 2), t + 4 * (i // 2))),
    ("m16n8k16.f64.f64.f64.f64", "b", lambda g, t, i: (t + 4 * i, g)),
    ("m16n8k16.f64.f64.f64.f64", "c", accumulator),
    ("m16n8k32.f32.e4m3.e5m2.f32", "a", lambda g, t, i: (g + 8 * (i // 4 % 2), 4 * t + (i & 3) + 16 * (i >= 8))),
    ("m16n8k32.f16.e4m3.e4m3.f16", "b", lambda g, t, i: (4 * t + (i & 3) + 16 * (i >= 4), g)),
]


@pytest.mark.parametrize(("instr", "operand", "place"), FORMULAS)
def test_mma_since_turing(instr, operand, place):
    arch = (
        "turing" if instr.startswith(("m16n8k8.f16", "m16n8k8.f32.f16", "m8n8k16", "m8n8k32", "m8n8k128")) else "ampere"
    )
    check(fragment(instr, operand=operand, arch=arch), place)


@pytest.mark.parametrize(("instr", "operand", "place"), HOPPER)
def test_mma_of_hopper(instr, operand, place):
    check(fragment(instr, operand=operand, arch="hopper"), place)


def volta_row(lane):
    return (lane & 3) + 4 * (lane >= 16)


VOLTA = {
    ("a", "row"): lambda lane, i: (volta_row(lane), i),
    ("a", "col"): lambda lane, i: (i % 4 + 4 * (lane >= 16), lane % 4),
    ("b", "row"): lambda lane, i: (lane % 4, i + 4 * (lane >= 16)),
    ("b", "col"): lambda lane, i: (i, volta_row(lane)),
    ("d", "f16"): lambda lane, i: (volta_row(lane), i),
    ("d", "f32"): lambda lane, i: ((lane & 1) + (i & 2) + 4 * (lane >= 16), (i & 4) + (lane & 2) + (i & 1)),
}


@pytest.mark.parametrize("quad_pair", range(4))
@pytest.mark.parametrize(("operand", "kind"), list(VOLTA))
@pytest.mark.parametrize("arch", ["volta", "turing"])
def test_m8n8k4_of_each_quad_pair(arch, operand, kind, quad_pair):
    total = kind if operand == "d" else "f32"
    major = None if operand == "d" else kind
    frag = fragment(f"m8n8k4.{total}.f16.f16.{total}", operand=operand, arch=arch, major=major, quad_pair=quad_pair)
    for lane in (*range(4 * quad_pair, 4 * quad_pair + 4), *range(16 + 4 * quad_pair, 20 + 4 * quad_pair)):
        for i in range(frag.count):
            register, half = divmod(i, frag.per_register)
            assert frag.element(lane, register, half) == VOLTA[operand, kind](lane, i)


@pytest.mark.parametrize("n", [8, 24, 64, 256])
@pytest.mark.parametrize("total", ["f16", "f32"])
def test_wgmma_accumulator(n, total):
    frag = fragment(f"wgmma.m64n{n}k16.{total}.f16.f16.{total}", operand="d", arch="hopper")
    assert (frag.lanes, frag.count) == (128, n // 2)
    for lane in range(128):
        warp, g, t = lane // 32, lane % 32 // 4, lane % 4
        for i in range(frag.count):
            register, half = divmod(i, frag.per_register)
            expected = 16 * warp + g + 8 * (i // 2 % 2), 8 * (i // 4) + 2 * t + i % 2
            assert frag.element(lane, register, half) == expected


def test_wgmma_a_in_registers():
    def place(i, g, t, warp):
        return 16 * warp + g + 8 * (i in (2, 3, 6, 7)), 2 * t + (i & 1) + 8 * (i >= 4)

    frag = fragment("wgmma.m64n8k16.f32.bf16.bf16.f32", operand="a", arch="hopper")
    for lane in range(128):
        for i in range(8):
            assert frag.element(lane, i // 2, i % 2) == place(i, lane % 32 // 4, lane % 4, lane // 32)
