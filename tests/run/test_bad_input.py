"""Launches that cannot be: one clear sentence each."""

from __future__ import annotations

import numpy as np
import pytest

from simtc.errors import BadInputError, KernelFaultError
from simtc.resources import folder
from simtc.run.launch import launch
from simtc.sass import load

KERNEL = load(folder("kernels") / "listings" / "sm_75" / "wmma_naive.sass")["wmma_naive"]


def arguments():
    half, single = np.zeros((16, 16), np.float16), np.zeros((16, 16), np.float32)
    return [
        half,
        half.copy(),
        single,
        single.copy(),
        np.int32(16),
        np.int32(16),
        np.int32(16),
        np.float32(1),
        np.float32(0),
    ]


def refused(says, args=None, grid=1, block=128, **options):
    with pytest.raises(BadInputError, match=says) as caught:
        launch(KERNEL, grid, block, arguments() if args is None else args, **options)
    assert caught.value.exit_code == 2


def test_it_runs():
    assert launch(KERNEL, 1, 128, arguments()).instructions > 0


def test_arguments():
    good = arguments()
    refused(r"wmma_naive takes 9 arguments \(8, 8, 8, 8, 4, 4, 4, 4, 4 bytes\), got 8", good[:-1])
    refused(r"argument 4 of wmma_naive takes 4 bytes, got 8", [*good[:4], np.int64(16), *good[5:]])
    refused(
        r"argument 4 of wmma_naive: got int 16; pass an array, a numpy scalar of 4 bytes", [*good[:4], 16, *good[5:]]
    )
    refused(r"argument 4 of wmma_naive is a value of 4 bytes, got float16\[16, 16\]", [*good[:4], good[0], *good[5:]])
    refused(r"argument 0 of wmma_naive: the array must be C-contiguous", [good[0].T, *good[1:]])
    refused(r"argument 0 of wmma_naive: pointers lead to numpy arrays, got int", [[1, 2], *good[1:]])


def test_sizes():
    refused(r"block \(2048, 1, 1\)|block \(2048,\): one to three numbers, each from 1 to", block=2048)
    refused(r"grid \(0,\): one to three numbers", grid=0)
    refused(r"block \(32, 32, 1\) has 1024 threads; .* allow at most", block=(32, 32))
    refused(
        r"wmma_naive needs 70000 bytes of shared memory in a block \(0 static, 70000 dynamic\); t4 has 65536",
        shared_bytes=70000,
    )


def test_the_wrong_chip():
    refused(r"wmma_naive is compiled for sm_75, which h200 \(sm_90\) cannot execute. Try: simtc arch", device="h200")
    refused(r"unknown device 't5'", device="t5")
    refused(r"caches 'hot': allowed are 'cold' and 'warm'", caches="hot")


def test_too_few_elements_is_a_fault_and_not_a_crash():
    args = arguments()
    args[0] = np.zeros(255, np.float16)
    with pytest.raises(KernelFaultError, match=r"byte 508 of buffer 0 \(510 bytes\)"):
        launch(KERNEL, 1, 128, args)
