"""A driver whose device is host memory and whose kernels are Python functions."""

from __future__ import annotations

import numpy as np
import pytest

from simtc.gpu import Description


class Refused(Exception):  # noqa: N818 - plays the part of a package's own error
    pass


class FakeDriver:
    """Memory is a dictionary of addresses; `kernels` maps names to functions of (memory, area)."""

    failures = (Refused,)

    def __init__(self):
        self.memory, self.kernels, self.optin, self.loaded = {}, {}, {}, 0

    def describe(self):
        return Description(
            device="Fake", compute_capability=(7, 5), sms=1, memory_bytes=1, clock_mhz=1, memory_clock_mhz=1, driver="",
            cuda=13000, backend="fake 1",
        )  # fmt: skip

    def function(self, image, name, dynamic_shared_bytes):
        self.loaded += 1
        self.optin[name] = dynamic_shared_bytes
        if image == b"broken":
            raise Refused("invalid image")
        return self.kernels[name]

    def upload(self, array):
        address = 0x1000 * (len(self.memory) + 1)
        self.memory[address] = bytearray(np.ascontiguousarray(array).tobytes())
        return address, address

    def refill(self, memory, array):
        self.memory[memory][:] = array.tobytes()

    def download(self, memory, array):
        array[...] = np.frombuffer(bytes(self.memory[memory]), array.dtype).reshape(array.shape)

    def launch(self, function, grid, block, shared_bytes, area):  # noqa: ARG002 - the protocol's
        function(self.memory, area)

    def synchronize(self):
        pass

    def seconds(self, work):
        work()
        return 0.25

    def nvrtc(self, source, name, options):  # noqa: ARG002 - the protocol's
        return None


@pytest.fixture
def fake_driver():
    return FakeDriver()


@pytest.fixture
def refused():
    return Refused
