"""When a barrier lets warps go that come at different times, on an H200 (data/releases.{csv,cu}), and here.

All go at once on the chip, in the order in which they came; each sub-core issues one after the other. Until 2026-12-01
they went two cycles apart here, by their numbers. What is not understood: of 24 warps and more the last one to come is
held up by the others of its sub-core, as if it had the lowest rank until they wait again.
"""

from __future__ import annotations

from functools import cache
from statistics import mean

import numpy as np
import pytest

import simtc
from tests.timing.measured import cases_of, code_of, side_by_side

ROWS, CODE = cases_of("releases"), code_of("releases")


def off(number):
    """Return how many cycles later the first and the last instruction behind the last warp's barrier come here."""
    row = ROWS[number]
    warps, per = int(row["warps"]), int(row["per"])
    out = np.zeros((warps, 2), np.uint32)
    args = [out, np.fromstring(row["delays"], np.int32, sep=" "), np.int32(per), np.int32(0)]
    simtc.launch(CODE[row["kernel"]], 1, 32 * warps, args, device="h200", timing=True, caches="warm")
    came, went = out.astype(int).T
    late = int(came.argmax())
    own = went[late // per * per : (late // per + 1) * per] - came[late]
    return int(own.min()) - int(row["first"]), int(own.max()) - int(row["last"])


@cache
def all_off():
    return side_by_side(off, len(ROWS))


@pytest.mark.parametrize(("kernel", "warps", "count", "first", "last", "worst"), [
    ("bar_all", (1, 16), 36, 1.2, 1.8, 25), ("bar_named", (1, 16), 83, 1.3, 1.5, 26),
    ("bar_all", (24, 32), 14, 7, 45, 70), ("bar_named", (24, 32), 42, 13, 14, 85),
])  # fmt: skip
def test_all_warps_go_at_once(kernel, warps, count, first, last, worst):
    found = [
        both for row, both in zip(ROWS, all_off(), strict=True)
        if row["kernel"] == kernel and warps[0] <= int(row["warps"]) <= warps[1]
    ]  # fmt: skip
    assert len(found) == count
    assert mean(abs(one) for one, _ in found) < first
    assert mean(abs(one) for _, one in found) < last
    assert max(max(map(abs, both)) for both in found) < worst  # bar_named's was 25 until later on 2026-12-01
