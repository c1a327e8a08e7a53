"""The compiled path is the reference path, for every instruction of every architecture, on awkward operands."""

from __future__ import annotations

import numpy as np
import pytest

from simtc.jit import callable_part
from simtc.numerics import ARCHITECTURES, compiled, instructions
from simtc.numerics.compiled import work_words
from simtc.numerics.multiply import mma

mma_tile = callable_part(compiled.mma_tile)
WGMMA = ("m64n8k", "m64n24k")  # N changes nothing but the number of columns
CASES = [
    (arch, name)
    for arch in ARCHITECTURES
    for name in instructions(arch)
    if not name.startswith("wgmma") or name.split(".")[1].startswith(WGMMA)
]
FLOATS = [case for case in CASES if ".s32." not in case[1]]
INTEGERS = [case for case in CASES if ".s32." in case[1]]


@pytest.mark.parametrize(("arch", "name"), [case for case in FLOATS if "wgmma" not in case[1]] + INTEGERS[::5])
def test_every_instruction(arch, name, operands):
    A, B, C = operands(instructions(arch)[name], 1, seed=len(name))
    slow = mma(name, A, B, C, arch=arch, reference=True)
    np.testing.assert_array_equal(mma(name, A, B, C, arch=arch), slow)


@pytest.mark.slow
@pytest.mark.parametrize(("arch", "name"), CASES)
def test_every_instruction_longer(arch, name, operands):
    A, B, C = operands(instructions(arch)[name], 6, seed=7 * len(name) + 1)
    slow = mma(name, A, B, C, arch=arch, reference=True)
    np.testing.assert_array_equal(mma(name, A, B, C, arch=arch), slow)


@pytest.mark.parametrize(("m", "n", "k"), [(4, 4, 4), (8, 4, 4), (1, 1, 4), (3, 5, 7), (16, 24, 32), (2, 12, 9)])
@pytest.mark.parametrize("arch", ["volta", "turing", "hopper"])
def test_tiles_of_any_size(arch, m, n, k):
    """A tile is the corner of a larger one, wherever the larger one's further elements are zero; D may be C."""
    found = instructions(arch)["m8n8k4.f32.f16.f16.f32" if arch == "volta" else "m16n8k8.f32.f16.f16.f32"]
    rng = np.random.default_rng(m * n * k)
    shapes = {"A": (m, k), "B": (k, n), "C": (m, n)}
    A, B = (rng.standard_normal(shapes[what]).astype(np.float16) for what in "AB")
    C = rng.standard_normal((m, n)).astype(np.float32)
    words = [x.view(np.uint16).astype(np.uint32).ravel() for x in (A, B)] + [C.view(np.uint32).ravel().copy()]
    work = np.full(work_words(m, n, k), -1, np.int32)
    a, b, c = words
    mma_tile(found.rule, (m, n, k), a, b, c, c, work)
    expected, step = C, found.arithmetic.products
    size = (found.m, found.n, found.k)
    for begin in range(0, k, step):
        expected = np.block(
            [
                [_corner(found, A, B, expected, i, j, slice(begin, begin + step), size) for j in range(0, n, size[1])]
                for i in range(0, m, size[0])
            ]
        )[:m, :n]
    np.testing.assert_array_equal(c.view(np.float32).reshape(m, n), expected)


def _corner(found, A, B, C, i, j, inner, size):
    """One fused step of one block, padded with zeros to an instruction whose K holds it."""
    rows, columns = slice(i, i + size[0]), slice(j, j + size[1])
    parts = (A[rows, inner], B[inner, columns], C[rows, columns])
    k = max(size[2], found.arithmetic.products)
    shapes = ((size[0], k), (k, size[1]), (size[0], size[1]))
    padded = [np.zeros(shape, part.dtype) for shape, part in zip(shapes, parts, strict=True)]
    for whole, part in zip(padded, parts, strict=True):
        whole[: part.shape[0], : part.shape[1]] = part
    name = found.name if k == size[2] else "m16n8k16.f32.f16.f16.f32"
    return mma(name, *padded, arch=found.arch, reference=True)
