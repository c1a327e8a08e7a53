"""Arguments that are no numpy arrays: Python's numbers, and arrays of other libraries."""

from __future__ import annotations

import gc
import struct
import weakref

import numpy as np
import pytest

from simtc.errors import BadInputError
from simtc.isa import Kernel, Parameter
from simtc.run.arguments import marshal
from simtc.run.export import exported


class Versioned:
    """An array that exports itself as DLPack 1.0 asks."""

    def __init__(self, array, device=(1, 0)):
        self._array, self._device = array, device

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._device


class Unversioned(Versioned):
    """An exporter from before 1.0, such as torch 2.6: its capsule says nothing of read-only memory."""

    def __dlpack__(self, stream=None):
        return self._array.__dlpack__(stream=stream)


def kernel(*sizes):
    parameters, at = [], 0
    for size in sizes:
        at = -(-at // size) * size
        parameters.append(Parameter(offset=at, size=size))
        at += size
    return Kernel(name="k", sm=75, instructions=(), parameters=tuple(parameters))


@pytest.mark.parametrize("kind", [Versioned, Unversioned])
def test_a_dlpack_array_is_a_buffer_and_written_in_place(kind):
    memory = np.arange(6, dtype=np.float32).reshape(2, 3)
    marshalled = marshal(kernel(8), [kind(memory)])
    assert np.array_equal(marshalled.buffers[0], memory)
    marshalled.buffers[0][...] = 7
    assert (memory == 7).all()
    marshalled.arena.write_back()  # what the launch left: here the values from before
    assert memory[1, 2] == 5


def test_the_same_memory_is_one_buffer_whoever_exports_it():
    memory = np.zeros(8, np.float32)
    marshalled = marshal(kernel(8, 8), [memory, Unversioned(memory[4:])])
    assert len(marshalled.buffers) == 1
    first, second = struct.unpack("<QQ", marshalled.area)
    assert second - first == 16


def test_read_only_memory_stays_so():
    memory = np.zeros(4, np.float32)
    memory.flags.writeable = False
    assert not exported(Versioned(memory)).flags.writeable


def test_lists_of_them_are_arrays_of_pointers():
    arrays = [Versioned(np.zeros(4, np.float32)) for _ in range(3)]
    marshalled = marshal(kernel(8), [arrays])
    assert len(marshalled.tables[3]) == 3


def test_what_lies_on_a_gpu_or_exports_nothing_is_told():
    array = np.zeros(4, np.float32)
    with pytest.raises(BadInputError, match=r"argument 0 of k: this .*Versioned is not in the CPU's memory"):
        marshal(kernel(8), [Versioned(array, (2, 0))])

    class Broken(Versioned):
        def __dlpack__(self, **options):
            raise BufferError("it needs its gradient")

    with pytest.raises(BadInputError, match=r"does not export to numpy \(it needs its gradient\)"):
        marshal(kernel(8), [Broken(array)])


def test_the_memory_lives_as_long_as_the_array():
    memory = np.arange(4, dtype=np.int32)
    owner = memory.copy()
    gone = weakref.ref(owner)
    view = exported(Unversioned(owner))
    del owner
    gc.collect()
    assert view.flags.writeable
    assert gone() is not None
    assert view.tolist() == [0, 1, 2, 3]
    del view
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    ("value", "size", "data"),
    [
        (1, 4, b"\1\0\0\0"),
        (-1, 4, b"\xff" * 4),
        (2**32 - 1, 4, b"\xff" * 4),
        (-(2**63), 8, b"\0" * 7 + b"\x80"),
        (True, 1, b"\1"),
        (200, 1, b"\xc8"),
        (1.5, 4, np.float32(1.5).tobytes()),
        (0.1, 8, np.float64(0.1).tobytes()),
        (float("inf"), 4, np.float32(np.inf).tobytes()),
        (np.array(3, ">i4"), 4, b"\3\0\0\0"),
    ],
)
def test_numbers_take_the_size_of_their_parameter(value, size, data):
    assert marshal(kernel(size), [value]).area == data


@pytest.mark.parametrize(
    ("value", "size"), [(256, 1), (-129, 1), (2**32, 4), (2**64, 8), (1.5, 2), (1.5, 1), (1e39, 4), (1, 16), (1j, 8)]
)
def test_numbers_that_do_not_fit_are_refused(value, size):
    with pytest.raises(BadInputError, match="argument 0 of k"):
        marshal(kernel(size), [value])
