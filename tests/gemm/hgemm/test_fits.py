"""What cannot be made is refused with the reason and the nearest that can."""

from __future__ import annotations

import pytest

from simtc import arch
from simtc.errors import BadInputError
from simtc.gemm.hgemm.configuration import Configuration
from simtc.gemm.hgemm.configure import configure
from simtc.gemm.problem import Problem

YAN = {"block": (256, 256, 32), "warp": (128, 64, 8)}
REFUSED = {
    "block 512x256": (
        {"block": (512, 256, 32), "warp": (128, 64, 8)},
        "registers, and an SM has 65536",
        "--block 256,256,32 --warp 128,64,8",
    ),
    "warp 128x128": (
        {"block": (256, 256, 32), "warp": (128, 128, 8)},
        "256 for accumulators",
        "--block 256,256,32 --warp 128,64,8",
    ),
    "block k 64 with padding": (
        {"block": (256, 256, 64), "warp": (128, 64, 8)},
        "73728 bytes of shared memory (8192 of them padding), and sm_75 gives a block 65536",
        "--block 256,256,32 --warp 128,64,8",
    ),
    "block k 64 without": (
        {"block": (256, 256, 64), "warp": (128, 64, 8), "layout": "none"},
        "64 for prefetch",
        "--block 256,256,32 --warp 128,64,8",
    ),
    "two padded buffers": (YAN | {"stages": 2}, "2 stages take 73728 bytes", "--layout xor"),
    "f32 accumulators": (YAN | {"accumulator": "f32"}, "256 for accumulators", "--block 256,128,32"),
    "warp beyond the block": ({"block": (128, 64, 32), "warp": (128, 128, 8)}, "must divide", "--warp 64,64,8"),
    "too many threads": ({"block": (256, 256, 32), "warp": (32, 32, 8)}, "2048 threads", "--block 256,128,32"),
    "one k step": ({"block": (64, 64, 8), "warp": (32, 32, 8)}, "two warp tiles along k at least", "--block 64,64,16"),
    "a small warp tile": ({"block": (64, 64, 32), "warp": (8, 32, 8)}, "a multiple of 16x8x8", "--warp 16,32,8"),
    "odd sizes": (
        {"block": (200, 256, 32), "warp": (100, 64, 8)},
        "a multiple of 16x8x8",
        "--block 192,256,32 --warp 96",
    ),
    "rows of xor": (
        {"block": (96, 96, 48), "warp": (48, 48, 8), "layout": "xor"},
        "the xor layout takes rows of a power of two, and those of A's tile have 48 elements",
        "--block 96,96,64 --warp 48,48,8",
    ),
    "Volta's LDSM": (
        {"block": (64, 64, 32), "warp": (32, 32, 8), "arch": "volta", "loads": "ldsm"},
        "sm_70 has no LDSM",
        "--loads lds",
    ),
    "too wide an interleave": (
        {"block": (128, 128, 32), "warp": (64, 64, 8), "sts_interleave": 5},
        "at most 4 HMMAs",
        "--sts-interleave 4",
    ),
    "too few threads": (
        {"block": (48, 48, 32), "warp": (48, 48, 8), "layout": "xor"},
        "32 threads fill 8 rows at a time, and the xor layout repeats only after 16",
        "--layout pad",
    ),
    "bf16 before sm_80": (
        {"block": (64, 64, 32), "warp": (32, 32, 8), "types": "bf16"},
        "no HMMA of bf16",
        "--types f16",
    ),
    "bf16 in f16": (
        {"block": (64, 64, 32), "warp": (32, 32, 16), "types": "bf16", "arch": "ampere"},
        "summed in f32",
        "--accumulator f32",
    ),
    "one stage of LDGSTS": (
        {"block": (64, 64, 32), "warp": (32, 32, 16), "copy": "ldgsts", "arch": "ampere"},
        "two stages at least",
        "--copy ldg",
    ),
    "three stages of LDG": (
        {"block": (64, 64, 32), "warp": (32, 32, 16), "copy": "ldg", "stages": 3, "arch": "ampere"},
        "ldg serves two stages at most",
        "--copy ldgsts",
    ),
    "stages beyond shared memory": (
        {"block": (128, 128, 32), "warp": (64, 64, 16), "stages": 12, "arch": "ampere"},
        "12 stages take 221184 bytes of shared memory (24576 of them padding), and sm_80 gives a block 166912",
        "--stages 5",
    ),
    "Turing's LDGSTS": ({"block": (64, 64, 32), "warp": (32, 32, 8), "stages": 3}, "no LDGSTS", "--stages 2"),
}


def _choices(hint):
    words = hint.split()
    pairs = zip(words[::2], words[1::2], strict=True)
    return {flag[2:].replace("-", "_"): _value(text) for flag, text in pairs}


def _value(text):
    numbers = [int(part) if part.isdecimal() else part for part in text.split(",")]
    return tuple(numbers) if len(numbers) > 1 else numbers[0]


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_reason_and_nearest(case):
    asked, reason, nearest = REFUSED[case]
    with pytest.raises(BadInputError) as caught:
        Configuration(**asked)
    said, _, hint = str(caught.value).partition("; the nearest that fits: ")
    assert reason in said
    assert nearest in hint
    Configuration(**asked | _choices(hint))  # what is named as the nearest can be made


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"layout": "paper"}, "unknown layout 'paper': known are none, pad, xor"),
        ({"accumulator": "bf16"}, "unknown accumulator 'bf16'"),
        ({"loads": "ldms"}, "unknown fragment load 'ldms': known are lds, ldsm"),
        ({"arch": "turin"}, "did you mean 'turing'"),
        ({"stages": 0}, "at least one tile"),
        ({"sts_interleave": -1}, "fewer than 0"),
        ({"warp": (96, 64, 8)}, "must divide"),
        ({"copy": "lgd"}, "unknown copy 'lgd': known are ldg, ldgsts; did you mean 'ldg'"),
        ({"types": "tf32"}, "unknown types 'tf32': known are f16, bf16"),
        (
            {"stages": 3, "arch": "ampere", "sts_interleave": 2, "warp": (64, 64, 16)},
            "no STS.*without --sts-interleave",
        ),
        ({"block": (256, 256)}, "three sizes"),
        ({"block": (256, 0, 32)}, "three sizes"),
    ],
)
def test_names_and_numbers(choice, message):
    with pytest.raises(BadInputError, match=message):
        Configuration(**YAN | choice)


def test_table_vii():
    board = arch.device("rtx2070")
    ours = Configuration(**YAN)
    cublas = Configuration(block=(128, 128, 64), warp=(64, 64, 8), layout="none")
    assert [one.shared_bytes // 1024 for one in (ours, cublas)] == [36, 32]
    assert [one.occupancy(board).blocks for one in (ours, cublas)] == [1, 2]
    assert [one.occupancy(board).blocks * one.threads // 32 for one in (ours, cublas)] == [8, 8]


@pytest.mark.parametrize("layout", ["none", "pad", "xor"])
def test_padding_is_what_the_layout_takes(layout):
    tiles = Configuration(**YAN, layout=layout)
    assert tiles.shared_bytes - tiles.copy_bytes == (4096 if layout == "pad" else 0)


@pytest.mark.parametrize("board", ["v100_pcie", "rtx2080ti", "t4", "a100_pcie", "orin_agx", "h100_sxm"])
@pytest.mark.parametrize("accumulator", ["f16", "f32"])
@pytest.mark.parametrize("given_", [{}, {"block": (128, 64, 32)}, {"warp": (32, 32, 16)}, {"stages": 2}])
def test_what_is_not_given_is_chosen_so_that_it_fits(board, accumulator, given_):
    device = arch.device(board)
    tiles = configure(device, accumulator=accumulator, **given_)
    assert tiles.occupancy(device).blocks >= 1
    assert given_.items() <= {"block": tiles.block, "warp": tiles.warp, "stages": tiles.stages}.items()


@pytest.mark.parametrize("board", ["v100_sxm2", "t4", "a100_sxm", "h200"])
@pytest.mark.parametrize("given_", [{"block": (96, 128, 32)}, {"block": (144, 96, 64)}, {"warp": (48, 32, 16)}])
def test_sizes_that_are_no_power_of_two_are_completed(board, given_):
    """A block gets a warp tile that divides it, and a warp tile a block that it divides; every SM holds one."""
    device = arch.device(board)
    tiles = configure(device, problem=Problem(m=1000, n=1000, k=1000), **given_)
    assert tiles.occupancy(device).blocks >= 1
    assert given_.items() <= {"block": tiles.block, "warp": tiles.warp}.items()
    with pytest.raises(BadInputError, match="must divide"):
        configure(device, **given_, **({"warp": (80, 48, 16)} if "block" in given_ else {"block": (80, 48, 32)}))


def test_the_papers_choice_is_what_turing_gets():
    assert configure(arch.device("t4")) == Configuration(**YAN, arch="sm_75")


def test_a_board_is_configured_with_words_that_mean_something():
    with pytest.raises(BadInputError, match=r"unknown layout 'pda': known are none, pad, xor; did you mean 'pad'\?"):
        configure(arch.device("t4"), layout="pda")
