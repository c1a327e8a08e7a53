"""Launches that cannot be: one clear sentence each."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from simtc.errors import BadInputError, KernelFaultError
from simtc.resources import folder, require_memory
from simtc.run.arguments import marshal
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
        r"argument 4 of wmma_naive: got str '16'; pass an array, a numpy scalar of 4 bytes",
        [*good[:4], "16", *good[5:]],
    )
    refused(r"argument 4 of wmma_naive has 4 bytes: 4294967296 is not from", [*good[:4], 1 << 32, *good[5:]])
    refused(r"argument 7 of wmma_naive has 4 bytes: 1e\+300 is beyond an f32", [*good[:7], 1e300, good[8]])
    refused(r"argument 0 of wmma_naive: a buffer holds numbers", [np.array([None], object), *good[1:]])
    refused(r"argument 0 of wmma_naive: a buffer holds numbers in this machine's byte order", [
        good[0].astype(">f2"), *good[1:]
    ])  # fmt: skip
    refused(r"argument 4 of wmma_naive: got NoneType None", [*good[:4], None, *good[5:]])
    for none in (7, "abc", {}):
        refused(r"the arguments of wmma_naive are a list", none)
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


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"device": None}, "device None: a board's name, such as 't4'"),
        ({"device": 75}, "device 75: a board's name"),
        ({"shared_bytes": -1}, "shared_bytes -1: a whole number from 0"),
        ({"shared_bytes": 1.5}, r"shared_bytes 1\.5: a whole number"),
        ({"instruction_limit": 0}, "instruction_limit 0: a whole number from 1"),
        ({"instruction_limit": 2**63}, "instruction_limit 9223372036854775808: a whole number"),
        ({"instruction_limit": None}, "instruction_limit None: a whole number"),
        ({"threads": -1}, "threads -1: a whole number"),
        ({"threads": "all"}, "threads 'all': a whole number"),
        ({"grid": None}, r"grid \(None,\): one to three numbers"),
        ({"grid": "4"}, r"grid \('4',\): one to three numbers"),
        ({"grid": 1.5}, r"grid \(1\.5,\): one to three"),
        ({"grid": (float("nan"), 1)}, "one to three"),
        ({"grid": 2**31}, r"grid \(2147483648,\): one to three"),
        ({"block": [[32]]}, "one to three"),
        ({"fidelity": None}, "unknown fidelity"),
    ],
)
def test_numbers_and_names_that_are_none(options, says):
    refused(says, **options)


def test_a_program_is_no_kernel_and_names_its_kernels():
    program = load(folder("kernels") / "listings" / "sm_75" / "wmma_naive.sass")
    with pytest.raises(BadInputError, match=r"one kernel.*with wmma_naive\. Try: program\['wmma_naive'\]"):
        launch(program, 1, 128, arguments())
    with pytest.raises(BadInputError, match=r"a launch takes a kernel, not str"):
        launch("wmma_naive", 1, 128, arguments())


def test_buffers_beyond_memory():
    """One zero, seen as many: nothing of this size is made."""
    large = np.lib.stride_tricks.as_strided(np.zeros(1, np.float16), (1 << 45,), (0,))
    kernel = dataclasses.replace(KERNEL, parameters=KERNEL.parameters[:1])
    with pytest.raises(BadInputError, match="must be C-contiguous"):
        marshal(kernel, [large])
    with pytest.raises(BadInputError, match=r"needs 70,368\.7 GB of memory; this machine has"):
        require_memory(2 * large.nbytes // 2, "it")


def test_the_wrong_chip():
    refused(r"wmma_naive is compiled for sm_75, which h200 \(sm_90\) cannot execute. Try: simtc arch", device="h200")
    refused(r"unknown device 't5'", device="t5")
    refused(r"caches 'hot': allowed are 'cold' and 'warm'", caches="hot")


def test_too_few_elements_is_a_fault_and_not_a_crash():
    args = arguments()
    args[0] = np.zeros(255, np.float16)
    with pytest.raises(KernelFaultError, match=r"byte 508 of buffer 0 \(510 bytes\)"):
        launch(KERNEL, 1, 128, args)
