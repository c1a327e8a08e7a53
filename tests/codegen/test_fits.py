"""What cannot be made is refused with the reason and the nearest that can."""

from __future__ import annotations

import pytest

from simtc.codegen import Configuration
from simtc.errors import BadInputError

YAN = {"block": (256, 256, 32), "warp": (128, 64, 8)}
REFUSED = {
    "block 512x256": (
        {"block": (512, 256, 32), "warp": (128, 64, 8)},
        "registers, and an SM has 65536",
        "block=(256, 256, 32), warp=(128, 64, 8)",
    ),
    "warp 128x128": (
        {"block": (256, 256, 32), "warp": (128, 128, 8)},
        "256 for accumulators",
        "block=(256, 256, 32), warp=(128, 64, 8)",
    ),
    "block k 64 with padding": (
        {"block": (256, 256, 64), "warp": (128, 64, 8)},
        "73728 bytes of shared memory with layout 'pad', and sm_75 gives a block 65536",
        "block=(256, 256, 32), warp=(128, 64, 8)",
    ),
    "block k 64 without": (
        {"block": (256, 256, 64), "warp": (128, 64, 8), "layout": "none"},
        "64 for prefetch",
        "block=(256, 256, 32), warp=(128, 64, 8)",
    ),
    "two padded buffers": (YAN | {"stages": 2}, "2 stages take 73728 bytes", "layout='xor'"),
    "f32 accumulators": (YAN | {"accumulator": "f32"}, "256 for accumulators", "block=(256, 128, 32)"),
    "warp beyond the block": ({"block": (128, 64, 32), "warp": (128, 128, 8)}, "must divide", "warp=(64, 64, 8)"),
    "too many threads": ({"block": (256, 256, 32), "warp": (32, 32, 8)}, "2048 threads", "warp=(64, 64, 8)"),
    "one k step": ({"block": (64, 64, 8), "warp": (32, 32, 8)}, "even number", "block=(64, 64, 16)"),
    "a small warp tile": ({"block": (64, 64, 32), "warp": (8, 32, 8)}, "a multiple of 16x8x8", "warp=(16, 32, 8)"),
    "Volta's LDSM": (
        {"block": (64, 64, 32), "warp": (32, 32, 8), "arch": "volta", "loads": "ldsm"},
        "sm_70 has no LDSM",
        "loads='lds'",
    ),
    "too wide an interleave": (
        {"block": (128, 128, 32), "warp": (64, 64, 8), "sts_interleave": 5},
        "at most 4 HMMAs",
        "sts_interleave=4",
    ),
    "too few pieces": ({"block": (32, 32, 16), "warp": (16, 8, 8)}, "16-byte pieces", "block="),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_reason_and_nearest(case):
    asked, reason, nearest = REFUSED[case]
    with pytest.raises(BadInputError) as caught:
        Configuration(**asked)
    said, _, hint = str(caught.value).partition("; the nearest that fits is ")
    assert reason in said
    assert nearest in hint
    Configuration(**asked | eval(f"dict({hint})"))  # noqa: S307 - what is named as the nearest can be made


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"layout": "paper"}, "unknown shared-memory layout 'paper': known are none, pad, xor"),
        ({"accumulator": "bf16"}, "unknown accumulator type"),
        ({"loads": "ldms"}, "unknown fragment load 'ldms': known are lds, ldsm"),
        ({"arch": "turin"}, "did you mean 'turing'"),
        ({"stages": 3}, "one buffer or two"),
        ({"sts_interleave": -1}, "fewer than 0"),
        ({"warp": (96, 64, 8)}, "powers of two"),
        ({"block": (256, 256)}, "powers of two"),
        ({"block": (256, 0, 32)}, "powers of two"),
    ],
)
def test_names_and_numbers(choice, message):
    with pytest.raises(BadInputError, match=message):
        Configuration(**YAN | choice)


def test_what_the_paper_says_fits_does():
    yan = Configuration(**YAN)
    assert (yan.shared_bytes, yan.threads // 32) == (36 * 1024, 8)
    smaller = Configuration(block=(128, 128, 64), warp=(64, 64, 8), layout="none")
    assert (smaller.shared_bytes, smaller.threads // 32) == (32 * 1024, 4)  # two of them: cuBLAS 10.1's 8 warps
