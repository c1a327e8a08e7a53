"""WMMA fragments against what an H200 did, and against what the compiler's code does for the other generations.

Both archives hold, by fragment, the number row * columns + column of element x[i] of each lane, (32, elements) uint16.
The H200's was read off the chip: load_matrix_sync of numbered elements, every x[i] dumped; store_matrix_sync of
numbered x[i]. The other is the result of executing the compiled code of the same kernels.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simtc.layout import fragment

HERE = Path(__file__).parent
ACCUMULATOR = {"f16": "f32", "bf16": "f32", "tf32": "f32", "f64": "f64"}


def cases():
    for name, generation in (("wmma_h200.npz", "hopper"), ("wmma_compiled.npz", None)):
        with np.load(HERE / name) as archive:
            for key in archive.files:
                yield name, key, generation or key.split(".")[0], key if generation else key.split(".", 1)[1]


@pytest.fixture(scope="module")
def archives():
    return {name: dict(np.load(HERE / name)) for name in ("wmma_h200.npz", "wmma_compiled.npz")}


@pytest.mark.parametrize(("name", "key", "generation", "what"), list(cases()))
def test_the_api_fragment_holds_what_the_kernel_put_there(archives, name, key, generation, what):
    shape, element, operand, *accumulator, major = what.split(".")
    d = accumulator[0] if accumulator else ACCUMULATOR.get(element, "s32")
    frag = fragment(f"wmma.{shape}.{d}.{element}.{element}.{d}", operand=operand, arch=generation, major=major)
    seen = archives[name][key]
    assert seen.shape == (32, frag.count)
    for lane in range(32):
        for index, number in enumerate(seen[lane].tolist()):
            register, half = divmod(index, frag.per_register)
            register *= max(1, frag.width // 32)
            assert frag.element(lane, register, half) == divmod(number, frag.cols)
