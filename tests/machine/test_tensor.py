"""Matrix fragments that are read eight elements at a time, and the same ones read element by element."""

from __future__ import annotations

import numpy as np
import pytest

from simtc.arch import device
from simtc.bundle import bundle
from simtc.gemm.shipped import shipped
from simtc.jit import callable_part
from simtc.machine.functional import WORK_WORDS
from simtc.machine.lowering import lower
from simtc.machine.micro import LANES
from simtc.machine.state import CODE, STATE, Geometry, new_state
from simtc.machine.tensor import Field
from simtc.machine.tensor import tensor as part

tensor = callable_part(part)
A, B, C, ROWS = 0, 8 * LANES, 16 * LANES, 24
KERNELS = [
    ("wmma_tiled", "t4"), ("wmma_tiled_f16", "t4"), ("mma_m16n8k16_f32", "a100_sxm"), ("mma_async_f16", "h200"),
]  # fmt: skip


def registers(rng):
    """Return numbers of all sizes in f16, which are also some in f32, and here and there what is no number."""
    halves = rng.standard_normal(2 * ROWS * LANES) * 2.0 ** rng.integers(-24, 12, 2 * ROWS * LANES)
    bits = halves.astype(np.float16).view(np.uint16)
    odd = rng.random(bits.size) < rng.choice([0, 0.004])
    bits[odd] = rng.choice(np.array([0x7C00, 0xFC00, 0x7E00, 0, 0x8000, 1, 0x83FF], np.uint16), odd.sum())
    return bits.view(np.uint32)


@pytest.mark.parametrize(("name", "board"), KERNELS)
def test_both_ways_give_the_same_bits(name, board):
    code = lower(shipped(name).kernel(device(board))).code
    assert code.mma[:, Field.STRAIGHT].all()
    apart = code._replace(mma=code.mma.copy())
    apart.mma[:, Field.STRAIGHT] = 0
    rng, geometry = np.random.default_rng(len(name)), np.zeros(Geometry.COUNT, np.int64)
    for _ in range(40):
        results = []
        file = registers(rng)
        for one in (code, apart):
            state = new_state(file, geometry, slots=1, work_words=WORK_WORDS)
            tensor(bundle(CODE, one), bundle(STATE, state), 0, A, B, C, 4)
            results.append(state.T[: 4 * LANES].copy())
        np.testing.assert_array_equal(*results)
        assert len(np.unique(results[0])) > LANES


def test_quad_pairs_and_bytes_are_read_element_by_element():
    for name, board in (("mma_m8n8k4_f32", "v100_sxm2"), ("wmma_s8", "h200")):
        assert not lower(shipped(name).kernel(device(board))).code.mma[:, Field.STRAIGHT].any()
