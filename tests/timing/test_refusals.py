"""Launches that the chip cannot run are refused with the limit named, as a driver does."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from simtc.errors import BadInputError, SimtcError
from simtc.run.launch import launch
from tests.timing.micro import kernel, line


def refused(match, *, board="t4", block=32, shared_bytes=0, grid=1, **changes):
    sm = {"t4": 75, "h200": 90, "v100_pcie": 70}[board]
    one = dataclasses.replace(kernel("large", sm, [line("NOP")]), **changes)
    for timing in (False, True):
        with pytest.raises(BadInputError, match=match):
            launch(one, grid, block, [np.zeros(4)], shared_bytes=shared_bytes, device=board, timing=timing)


def test_too_many_threads():
    refused(r"block \(33, 32, 1\) has 1056 threads; t4 allow at most 1024", block=(33, 32))
    refused("the kernel's launch bounds allow at most 128", block=256, max_threads=128)
    refused(r"block \(2048,\)", block=2048)
    refused("block", block=(1, 1, 65))


def test_too_many_registers():
    refused("needs 131072 registers in a block of 1024 threads .128 each.; t4 has 65536", block=1024, registers=128)


@pytest.mark.parametrize(("board", "most"), [("t4", 65536), ("v100_pcie", 98304), ("h200", 232448)])
def test_too_much_shared_memory(board, most):
    one = kernel("small", {"t4": 75, "v100_pcie": 70, "h200": 90}[board], [line("NOP")])
    launch(one, 1, 32, [np.zeros(4)], shared_bytes=most, device=board)
    refused(f"needs {most + 16} bytes of shared memory .* {board} has {most}", board=board, shared_bytes=most + 16)


def test_too_large_a_grid():
    refused("grid", grid=(1, 65536))
    refused("grid", grid=0)


def test_local_memory():
    refused("bytes of local memory a thread; chips have 524288", local_bytes=1 << 20)


def test_a_run_that_leaves_blocks_out(monkeypatch):
    """As when what an ended block waits for never comes: its place is not handed to the next one."""
    monkeypatch.setattr("simtc.timing.simulate.entry", lambda _: lambda *_: 1)
    one = kernel("short", 75, [line("NOP")])
    with pytest.raises(SimtcError, match="short: the clock stopped after 0 of 81 blocks"):
        launch(one, 81, 32, [np.zeros(4)], device="t4", timing=True)
