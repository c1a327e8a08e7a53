"""What comes behind LDGSTS past L1, on one SM of an H200 (data/loads_behind.csv), and here.

Loads and atomics pass the tags in order with copies: an LDG whose line L1 holds is back 33 cycles later for each copy
of 32 rows before it, of any warp, 17 of 16 rows. STG issue at once, LDS pass three copies (test_behind_copies.py has
SHFL). Until 2026-11-30 the clock looked loads up beside the copies: LDG that L1 answers were 19 % off, by 145 cycles
behind rows of 16 bytes, and as registers were kept until the tags took a copy, those of such rows issued twice as slow.
"""

from __future__ import annotations

from functools import cache
from statistics import mean

import pytest

from tests.timing.measured import behind, cases_of, code_of, side_by_side

EVERY = 3  # of the cases, one in so many is executed here
CASES, CODE = cases_of("loads_behind"), code_of("loads_behind")


def told(number):
    """Return the cycles of the first warp and of the last one of a case."""
    return behind(CODE, CASES[EVERY * number], room=4096)


@cache
def all_told():
    return side_by_side(told, len(CASES[::EVERY]))


def measured(kernel, warps, row):
    """Return when the first of three was back, of the first warp; copies of rows a KiB apart."""
    kinds = {case["row"]: case for case in CASES if (case["kernel"], case["warps"]) == (kernel, str(warps))}
    return int(kinds[str(row)]["first"].split()[1])


def test_every_case_was_measured():
    assert len(CASES) == 900


@pytest.mark.parametrize(("row", "cycles"), [(16, 33), (32, 17)])
def test_loads_wait_for_all_copies_before_them(row, cycles):
    """What L1 answers takes 53 cycles on the chip without copies, in which the first ones begin to leave."""
    for copies in (4, 8, 16):
        late = measured(f"loose_ldgl1_{copies}", 1, row)
        assert late == pytest.approx(copies * cycles + 60, abs=2)
        assert measured(f"loose_ldgl1_{copies}", 8, row) == pytest.approx(8 * copies * cycles + 70, rel=0.04)
    loose, grouped = measured("loose_ldgl1_16", 1, row), measured("grouped_ldgl1_16", 1, row)
    assert grouped - loose == pytest.approx(0, abs=3)  # for a group they do not wait


@pytest.mark.parametrize(
    ("kind", "issued", "answered"),
    [("lds1", 0.08, 0.06), ("lds8", 0.101, 0.058), ("ldg", 0.11, 0.03), ("ldgl1", 0.19, 0.035), ("atom", 0.1, 0.04),
     ("atom1", 0.19, 0.038), ("stg", 0.16, 0.112)],
)  # fmt: skip
def test_how_far_off_the_clock_is(kind, issued, answered):
    """When copies have issued, and when what is asked for behind them is back, of the first and the last warp.

    Copies before LDS of eight ways were 6 % off, and STG 8.5, until warps left barriers together (2026-12-01).
    """
    wrong = {"issued": [], "answered": []}
    for both, case in zip(all_told(), CASES[::EVERY], strict=True):
        if case["kernel"].split("_")[1] != kind:
            continue
        for mine, warp in zip(both, ("first", "last"), strict=True):
            theirs = [int(one) for one in case[warp].split()]
            wrong["issued"].append(abs(mine[0] / theirs[0] - 1))
            wrong["answered"].extend(abs(mine[k] / theirs[k] - 1) for k in (1, 2, 3))
    assert len(wrong["issued"]) > 50
    assert mean(wrong["issued"]) < issued
    assert mean(wrong["answered"]) < answered
