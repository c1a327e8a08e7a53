"""Loops that read shared memory while copies of later stages land, on one SM of an H200 (data/while_copies.csv).

What a warp reads comes behind its own copies: few of them wait at the tags without holding it up. Of a chain
of SHFL behind copies past L1 of 11 to 25 pieces the chip hides a third at most; steps of 16 warps with one were 10 to
14 % too quick here until 2026-11-28, and are 4 to 5.
`l1.bypass_queue_entries` was chosen here (9 to 11 do as well). Between two turns of copies that come through L1 the
data stage passes four LDS.32, as it does one LDS.128: 24 % too slow with one, now 3. And a warp that waits at a barrier
goes on with CS2R: these loops read the clock so, and took 20 cycles a step more.

What the clock lacks: of rows that lie a KiB apart, 16 warps get one in 1.3 cycles on the chip, here in one, and behind
copies through L1 of eight and 16 lines less is hidden than here; LDS in eight passes beside copies past L1 takes 6 %
longer here; two stages, of which the second one is awaited at once, come 5 % later.
"""

from __future__ import annotations

from functools import cache
from statistics import mean

import numpy as np
import pytest

import simtc
from tests.timing.measured import cases_of, code_of, side_by_side

CASES, CODE = cases_of("while_copies"), code_of("while_copies")
STEPS, COPIES, LEAST = 24, 4, 100 << 10  # steps, copies of a warp in each, and bytes of shared memory at least


def step_cycles(number):
    """Return how long a step takes, from the first warp's beginning to the last one's end."""
    case = CASES[number]
    warps, row, stride, pitch, ways = (int(case[key]) for key in ("warps", "row", "stride", "pitch", "ways"))
    rows, stages = warps * 512 // row * COPIES, int(case["kernel"][-1])
    out, data = np.zeros(256, np.uint32), np.zeros(rows * stride * (STEPS + 4) + 4096, np.uint8)
    numbers = (np.int32(value) for value in (row, stride, pitch, ways, STEPS))
    simtc.launch(CODE[case["kernel"]], 1, 32 * warps, [out, data, *numbers], device="h200", timing=True, caches="warm",
                 shared_bytes=max(rows * pitch * stages, LEAST))  # fmt: skip
    begun, ended = out[: 5 * warps].reshape(warps, 5).astype(np.int64).T[:2]
    return float(ended.max() - begun.min()) / STEPS


@cache
def all_off():
    """Return how far off each case is."""
    found = side_by_side(step_cycles, len(CASES))
    return [cycles / float(case["cycles"]) - 1 for cycles, case in zip(found, CASES, strict=True)]


def off(kernel, **chosen):
    """Return how far off the cases of a kernel are, or some of them."""
    return [
        error
        for error, case in zip(all_off(), CASES, strict=True)
        if case["kernel"] == kernel and all(case[key] == str(value) for key, value in chosen.items())
    ]


@pytest.mark.parametrize(
    ("read", "ways", "cg2", "cg4", "ca2", "ca4"),
    [
        ("none", 1, 0.039, 0.045, 0.06, 0.05),
        ("lds4", 1, 0.052, 0.065, 0.055, 0.08),
        ("lds4", 8, 0.08, 0.085, 0.045, 0.06),  # 0.075 of four copies until 2026-11-30: LDS behind copies of 32 pieces
        ("lds16", 1, 0.061, 0.068, 0.045, 0.08),
        ("shfl", 1, 0.04, 0.03, 0.045, 0.07),
        ("chain", 1, 0.033, 0.025, 0.05, 0.065),
    ],
)
def test_a_step(read, ways, cg2, cg4, ca2, ca4):
    """Two copies past L1 were 0.2 to 0.6 points less off until 2026-12-01, when warps left barriers one by one."""
    for name, limit in {"cg2": cg2, "cg4": cg4, "ca2": ca2, "ca4": ca4}.items():
        found = off(f"{read}_{name}", ways=ways)
        assert len(found) == (62 if name.endswith("2") else 46)
        assert mean(map(abs, found)) < limit, (name, mean(map(abs, found)))


@pytest.mark.parametrize("read", ["shfl", "chain"])
def test_what_comes_behind_copies_past_l1_is_hidden_as_on_the_chip(read):
    """Rows of 32 to 128 bytes that lie next to each other and land 16 bytes apart: 11 to 25 pieces a copy."""
    rows = (32, 64, 128)
    found = [error for row in rows for error in off(f"{read}_cg4", warps=16, row=row, stride=row, pitch=row + 16)]
    assert len(found) == 3
    assert max(map(abs, found)) < 0.06, found


def test_lds_32_pass_between_the_turns_of_copies_through_l1():
    rows = (32, 64, 128)
    found = [error for row in rows for error in off("lds4_ca4", warps=16, row=row, stride=row, pitch=row, ways=1)]
    assert len(found) == 3
    assert max(map(abs, found)) < 0.056, found
