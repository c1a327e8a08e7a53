"""Arguments: structs with pointers in them, arrays of pointers, and arrays that share memory."""

from __future__ import annotations

import numpy as np
import pytest

from simtc.errors import BadInputError
from simtc.isa import Kernel, Parameter
from simtc.machine.state import GLOBAL_BASE
from simtc.resources import folder
from simtc.run.arguments import Struct, marshal
from simtc.run.launch import launch
from simtc.sass import load

WMMA = load(folder("kernels") / "listings" / "sm_75" / "wmma_naive.sass")["wmma_naive"]


def kernel(*sizes):
    offsets = np.cumsum([0, *sizes])
    parameters = tuple(Parameter(offset=int(at), size=size) for at, size in zip(offsets, sizes, strict=False))
    return Kernel(name="k", sm=75, instructions=(), parameters=parameters)


def words(area):
    return np.frombuffer(area, np.uint64).tolist()


def test_a_struct_keeps_its_bytes_and_gets_its_pointers():
    a, b = np.zeros(100, np.uint8), np.zeros(8, np.float32)
    area = marshal(kernel(32, 8), [Struct(bytes(range(32)), {8: b, 24: (a, 3)}), a]).area
    assert area[:8] == bytes(range(8))
    assert area[16:24] == bytes(range(16, 24))
    assert words(area)[1] == GLOBAL_BASE
    assert words(area)[3] == words(area)[4] + 3 > GLOBAL_BASE


def test_a_view_lies_in_the_array_that_it_views():
    whole = np.zeros(1000, np.float32)
    marshalled = marshal(kernel(8, 8, 8), [whole[10:20], whole, [whole[100:], whole[:1]]])
    first, second, _ = words(marshalled.area)
    assert (first, second) == (GLOBAL_BASE + 40, GLOBAL_BASE)
    assert marshalled.buffers[0] is whole
    assert marshalled.buffers[1].tolist() == [GLOBAL_BASE + 400, GLOBAL_BASE]


def test_what_a_kernel_does_through_a_struct_it_does_to_the_array():
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((16, 16)).astype(np.float16) for _ in range(2))
    scalars = [np.int32(16), np.int32(16), np.int32(16), np.float32(1), np.float32(0)]
    plain, pool = np.zeros((16, 16), np.float32), np.zeros(2048, np.uint8)
    launch(WMMA, 1, 128, [a, b, np.zeros_like(plain), plain, *scalars])
    launch(WMMA, 1, 128, [a, b, np.zeros_like(plain), Struct(bytes(8), {0: (pool, 512)}), *scalars])
    assert plain.any()
    assert pool[512:1536].tobytes() == plain.tobytes()
    assert not pool[:512].any()
    assert not pool[1536:].any()


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ([Struct(bytes(12), {}), np.zeros(1)], r"argument 0 of k takes 16 bytes, got 12"),
        ([Struct(bytes(16), {9: np.zeros(1)}), np.zeros(1)], r"a pointer at byte 9 does not fit into 16 bytes"),
        ([Struct(bytes(16), {0: 5}), np.zeros(1)], r"argument 0 of k: .* got int"),
        ([Struct(bytes(16), {0: np.zeros((4, 4)).T[:, :2]}), np.zeros(1)], r"must be C-contiguous"),
    ],
)
def test_structs_that_cannot_be(args, says):
    with pytest.raises(BadInputError, match=says):
        marshal(kernel(16, 8), args)


def test_halves_that_overlap_are_refused():
    whole = np.zeros(100)
    with pytest.raises(BadInputError, match="two buffers of k overlap, and neither holds the other"):
        marshal(kernel(8, 8), [whole[:60], whole[40:]])
