"""A GPU made of simtc itself: what a campaign compiled, disassembled and executed with no GPU."""

from __future__ import annotations

import pytest

import simtc
from simtc.gpu import Description, Launched
from simtc.run.launch import launch

BOARDS = {75: "t4", 80: "a100_sxm", 89: "l4", 90: "h200"}


class SimulatedGpu:
    """Stands in for simtc.gpu.Gpu; `works` is what alive() says."""

    def __init__(self, sm, folder):
        self.description = Description(
            device=BOARDS[sm],
            compute_capability=divmod(sm, 10),
            sms=4,
            memory_bytes=1,
            clock_mhz=1000,
            memory_clock_mhz=1000,
            driver="1.0",
            cuda=13000,
            backend="simulated 1",
        )
        self.works = True
        self._folder = folder
        self._programs = {}

    def launch(self, code, grid, block, args, *, shared_bytes=0):
        if code.image not in self._programs:
            path = self._folder / f"{len(self._programs)}.cubin"
            path.write_bytes(code.image)
            self._programs[code.image] = simtc.load(path)
        kernel, device = self._programs[code.image][code.kernel.name], self.description.device
        done = launch(kernel, grid, block, args, shared_bytes=shared_bytes, device=device)
        return Launched(kernel=done.kernel, device=done.device, grid=done.grid, block=done.block)

    def alive(self):
        return self.works


@pytest.fixture
def simulated_gpu(tmp_path):
    return lambda sm: SimulatedGpu(sm, tmp_path)
