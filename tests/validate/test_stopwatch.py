"""The kernels that stand around a timed launch, assembled and executed by simtc's own machine."""

from __future__ import annotations

import numpy as np
import pytest

import simtc
from simtc.gpu.compile import assemble, find_nvcc
from simtc.run.launch import launch
from simtc.validate.stopwatch import watch_ptx

BOARDS = {75: "t4", 80: "a100_sxm", 90: "h200"}


@pytest.fixture
def kernel(tmp_path):
    if find_nvcc() is None:
        pytest.skip("needs nvcc")

    def made(what, sm):
        path = tmp_path / "watch.cubin"
        path.write_bytes(assemble(watch_ptx(what, sm), f"sm_{sm}")[0])
        return simtc.load(path)["probe"]

    return made


@pytest.mark.parametrize("sm", BOARDS)
def test_a_stamp_leaves_every_sms_clock(kernel, sm):
    clocks = np.zeros(8, np.uint64)
    launch(kernel("stamp", sm), 4, 1, [clocks], device=BOARDS[sm], timing=True)
    assert (clocks[:4] > 0).all()
    assert not clocks[4:].any()


@pytest.mark.parametrize("sm", BOARDS)
def test_spinning_takes_as_long_as_it_should_and_an_empty_kernel_nothing(kernel, sm):
    def cycles(what):
        return launch(kernel(what, sm), 1, 1, [np.zeros(8, np.uint8)], device=BOARDS[sm], timing=True).cycles

    assert cycles("empty") < 1000
    assert 400_000 < cycles("spin") < 401_000


@pytest.mark.parametrize("sm", BOARDS)
def test_flushing_reads_every_byte_once_and_writes_none(kernel, sm):
    buffer = np.zeros(1 << 16, np.uint8)
    run = launch(kernel("flush", sm), buffer.size // 2048, 128, [buffer], device=BOARDS[sm], timing=True)
    counters = run.timing.counters
    assert counters["l2_sectors"] == buffer.size // 32
    assert counters["store_sectors"] == 0
