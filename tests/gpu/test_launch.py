import struct

import numpy as np
import pytest

from simtc.errors import BadInputError
from simtc.gpu import Code, Gpu, GpuError
from simtc.isa import Kernel, Parameter


def code_of(*sizes, image=b"cubin"):
    parameters, offset = [], 0
    for size in sizes:
        offset = -(-offset // min(size, 8)) * min(size, 8)
        parameters.append(Parameter(offset=offset, size=size))
        offset += size
    return Code(kernel=Kernel(name="k", sm=75, instructions=(), parameters=tuple(parameters)), image=image)


def test_arrays_become_device_addresses_and_come_back(fake_driver):
    def kernel(memory, area):
        address, factor = struct.unpack("<Qi", area)
        values = np.frombuffer(memory[address], np.int32) * factor
        memory[address][:] = values.tobytes()

    fake_driver.kernels["k"] = kernel
    array = np.arange(4, dtype=np.int32)
    done = Gpu(fake_driver).launch(code_of(8, 4), 1, 32, [array, np.int32(3)], timing=True)
    assert array.tolist() == [0, 3, 6, 9]
    assert (done.kernel, done.grid, done.block, done.seconds) == ("k", (1, 1, 1), (32, 1, 1), 0.25)


def test_a_list_of_arrays_is_an_array_of_device_addresses(fake_driver):
    seen = []

    def kernel(memory, area):
        (table,) = struct.unpack("<Q", area)
        seen.extend(bytes(memory[address]) for address in np.frombuffer(memory[table], np.uint64).tolist())

    fake_driver.kernels["k"] = kernel
    Gpu(fake_driver).launch(code_of(8), 1, 1, [[np.array([7], np.uint8), np.array([8, 9], np.uint8)]])
    assert seen == [b"\x07", b"\x08\x09"]


def test_a_struct_passes_as_bytes(fake_driver):
    areas = []
    fake_driver.kernels["k"] = lambda _, area: areas.append(area)
    Gpu(fake_driver).launch(code_of(12), 1, 1, [b"0123456789ab"])
    assert areas == [b"0123456789ab"]


def test_buffers_that_a_launch_changed_are_restored(fake_driver):
    fake_driver.kernels["k"] = lambda memory, area: memory[struct.unpack("<QQ", area)[0]].__setitem__(0, 9)
    arrays = [np.arange(1, 3, dtype=np.uint8), np.full(2, 5, np.uint8)]
    with Gpu(fake_driver).prepared(code_of(8, 8), 1, 1, arrays) as ready:
        first = ready.buffers.contents()
        ready.seconds()
        assert [one.tolist() for one in ready.buffers.written()] == [[9, 2], [5, 5]]
        ready.buffers.restore(first)
        assert [one.tolist() for one in ready.buffers.written()] == [[1, 2], [5, 5]]


def test_read_only_arrays_are_left_alone(fake_driver):
    fake_driver.kernels["k"] = lambda memory, area: memory[struct.unpack("<Q", area)[0]].__setitem__(0, 9)
    array = np.zeros(1, np.uint8)
    array.flags.writeable = False
    Gpu(fake_driver).launch(code_of(8), 1, 1, [array])
    assert array.tolist() == [0]


def test_dynamic_shared_memory_is_asked_for_and_a_function_loaded_once(fake_driver):
    fake_driver.kernels["k"] = lambda *_: None
    gpu = Gpu(fake_driver)
    for _ in range(2):
        gpu.launch(code_of(), 1, 1, [], shared_bytes=70000)
    assert (fake_driver.optin, fake_driver.loaded) == ({"k": 70000}, 1)


def test_what_cuda_refuses_names_kernel_and_device(fake_driver, refused):
    with pytest.raises(GpuError, match=r"k on Fake: invalid image"):
        Gpu(fake_driver).launch(code_of(image=b"broken"), 1, 1, [])

    def fault(*_):
        raise refused("an illegal memory access was encountered")

    fake_driver.kernels["k"] = fault
    with pytest.raises(GpuError, match=r"k on Fake: an illegal memory access"):
        Gpu(fake_driver).launch(code_of(), 1, 1, [])


def test_the_arguments_are_checked_as_simtc_launch_checks_them(fake_driver):
    fake_driver.kernels["k"] = lambda *_: None
    with pytest.raises(BadInputError, match="takes 1 arguments"):
        Gpu(fake_driver).launch(code_of(4), 1, 1, [])
    with pytest.raises(BadInputError, match="takes 4 bytes, got 8"):
        Gpu(fake_driver).launch(code_of(4), 1, 1, [np.int64(1)])


def test_an_untimed_launch_has_no_seconds(fake_driver):
    fake_driver.kernels["k"] = lambda *_: None
    with pytest.raises(AttributeError, match="pass timing=True"):
        _ = Gpu(fake_driver).launch(code_of(), 1, 1, []).seconds
