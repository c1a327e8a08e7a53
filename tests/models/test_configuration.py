"""What a configuration takes of an SM, and what is refused with which words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simtc import arch
from simtc.errors import BadInputError
from simtc.models.configuration import Configuration
from simtc.models.configure import configure, default_shapes
from simtc.models.occupancy import occupancy

T4 = arch.device("t4")


def test_table_vii():
    ours = configure(arch.device("rtx2070"), (256, 256, 32), (128, 64, 8))
    cublas = configure(arch.device("rtx2070"), (128, 128, 64), (64, 64, 8), layout="none")
    assert [one.shared_bytes // 1024 for one in (ours, cublas)] == [36, 32]
    assert [one.occupancy.blocks for one in (ours, cublas)] == [1, 2]
    assert [one.occupancy.blocks * one.warps for one in (ours, cublas)] == [8, 8]


@pytest.mark.parametrize("layout", ["none", "pad", "xor"])
def test_padding_is_what_the_layout_takes(layout):
    tiles = configure(T4, layout=layout)
    assert tiles.shared_bytes - tiles.copy_bytes == (4096 if layout == "pad" else 0)


REFUSED = [
    ({"block": (512, 256, 32), "warp": (128, 64, 8)}, "block 512x256 holds C in 65536 registers; t4 (sm_75) has 65536"),
    (
        {"block": (256, 256, 32), "warp": (128, 128, 8)},
        (
            "warp 128,128,8 needs 360 registers a thread "
            "(256 for C, 32 for A and B, 64 for prefetch, 8 for addresses); t4 (sm_75) has 255"
        ),
    ),
    (
        {"block": (256, 256, 64), "warp": (128, 64, 8)},
        "block 256,256,64 needs 73728 bytes of shared memory, 8192 of them padding; t4 (sm_75) has 65536",
    ),
    (
        {"block": (128, 128, 256), "warp": (32, 32, 8), "layout": "none"},
        "block 128,128,256 needs 131072 bytes of shared memory; t4 (sm_75) has 65536",
    ),
    ({"block": (256, 256, 32), "warp": (32, 32, 8)}, "block 256,256,32 has 2048 threads; t4 (sm_75) allows 1024"),
    ({"block": (256, 256, 32), "warp": (100, 64, 8)}, "warp 100,64,8 is no multiple of the HMMA.1688.F16's 16,8,8"),
    ({"block": (200, 256, 32), "warp": (128, 64, 8)}, "block 200,256,32 is no multiple of the warp's 128,64,8"),
    (
        {"block": (256, 256, 24), "warp": (128, 64, 8), "layout": "xor"},
        "block k is 24: it must be a power of two for the xor layout",
    ),
]


@pytest.mark.parametrize(("given_", "message"), REFUSED)
def test_refusals_say_why_and_name_what_fits(given_, message):
    with pytest.raises(BadInputError) as refused:
        configure(T4, **given_)
    reason, hint = str(refused.value).split("; the nearest that fits: ")
    assert reason == message
    shapes = re.fullmatch(r"--block (\d+),(\d+),(\d+) --warp (\d+),(\d+),(\d+)", hint)
    numbers = tuple(map(int, shapes.groups()))
    fits = configure(T4, numbers[:3], numbers[3:], layout=given_.get("layout", "pad"))
    assert fits.occupancy.blocks >= 1


def test_the_papers_own_choice_is_the_nearest_to_what_it_refuses():
    for block, warp in (
        ((512, 256, 32), (128, 64, 8)),
        ((256, 256, 32), (128, 128, 8)),
        ((256, 256, 64), (128, 64, 8)),
    ):
        with pytest.raises(BadInputError, match=r"fits: --block 256,256,32 --warp 128,64,8$"):
            configure(T4, block, warp)


def test_block_k_of_64_works_without_padding():
    assert configure(T4, (256, 256, 64), (128, 64, 8), layout="none").shared_bytes == 65536


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"layout": "pda"}, r"unknown layout 'pda': known are none, pad, xor; did you mean 'pad'\?"),
        ({"accumulator": "f64"}, "unknown accumulator 'f64': known are f16, f32"),
        ({"stages": 0}, "stages 0: at least 1"),
        ({"block": (0, 256, 32)}, r"block \(0, 256, 32\): sizes m,n,k are at least 1"),
    ],
)
def test_bad_input(given_, message):
    with pytest.raises(BadInputError, match=message):
        configure(T4, **given_)


@pytest.mark.parametrize("board", ["v100_pcie", "rtx2080ti", "a100_pcie", "orin_agx", "h100_sxm"])
def test_the_defaults_fit_every_generation(board):
    device = arch.device(board)
    for accumulator in ("f16", "f32"):
        block, warp = default_shapes(device, accumulator)
        tiles = Configuration(device=device, block=block, warp=warp, accumulator=accumulator)
        assert tiles.occupancy.blocks >= 1


@given(
    threads=st.integers(1, 1024), registers=st.integers(1, 255), shared_bytes=st.integers(0, 65536),
)  # fmt: skip
def test_occupancy_is_the_most_that_fits(threads, registers, shared_bytes):
    limits = T4.limits
    room = occupancy(T4, threads=threads, registers=registers, shared_bytes=shared_bytes)

    def fits(blocks):
        warps = -(-threads // 32)
        taken = -(-registers * 32 // 256) * 256 * (-(-warps // 4) * 4)
        shared = -(-shared_bytes // 256) * 256
        return (
            blocks * taken <= limits.registers
            and blocks * warps <= limits.warps
            and blocks <= limits.blocks
            and blocks * shared <= limits.shared_bytes
        )

    assert fits(room.blocks)
    assert not fits(room.blocks + 1)
