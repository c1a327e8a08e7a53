"""When an H200's GPC coalesces what its SMs ask L2 for (data/meets.csv, meets.cu), and when it does here.

Each SM asks at a time of its own, 20 cycles more or less: it looks at its clock that often. The SMs of a GPC have the
same clock, those of another GPC another one. The chip numbers pairs over the GPCs by turns; the first pairs come last.
"""

from __future__ import annotations

from collections import Counter
from statistics import mean

import numpy as np
import pytest

import simtc
from simtc.arch import device
from simtc.timing.placing import places
from tests.timing.measured import cases_of, code_of, pairs_by_turns

H200 = device("h200")
TRIALS, PERIOD, STRIDE = 12, 4000, 1024  # 48 on the chip
AT_ONCE = 4  # requests that become one
PAIRS = pairs_by_turns(H200)


def gpc_of(sm):
    return PAIRS[sm // 2][0] if sm // 2 < len(PAIRS) else 0


def numbers(text, many):
    """Return a column's numbers, of which one stands for all."""
    found = [int(one) for one in text.split()]
    return found if len(found) == many else found * many


def read(case):
    """Return a case with its columns as numbers."""
    sms = list(range(132)) if case["sms"] == "all" else numbers(case["sms"], len(case["sms"].split()))
    return {
        "kernel": case["kernel"], "sms": sms, "delays": numbers(case["delays"], len(sms)),
        "offsets": numbers(case["offsets"], len(sms)), "requests": float(case["requests"]),
    }  # fmt: skip


CASES = [read(case) for case in cases_of("meets")]
MANY = [case for case in CASES if not case["kernel"].endswith("_1")]  # lines: of one, the launch's own requests show


def test_every_case_was_measured():
    assert len(CASES) == 256


def test_four_requests_of_a_gpc_become_one():
    found = [case for case in MANY if not any(case["delays"]) and not any(case["offsets"])]
    assert {len(case["sms"]) for case in found} == {1, 2, 3, 4, 5, 6, 12, 16, 18, 132}
    for case in found:
        least = sum(-(-many // AT_ONCE) for many in Counter(map(gpc_of, case["sms"])).values())
        assert case["requests"] == pytest.approx(least, rel=0.08)


def test_it_waits_some_60_cycles():
    """Half of what comes 60 cycles later goes along, of what comes 15 later nearly all, and 150 later nothing."""
    later = {}
    for case in MANY:
        if case["sms"] == [2, 3] and any(case["delays"]):
            later.setdefault(abs(case["delays"][1] - case["delays"][0]), []).append(case["requests"] - 1)
    alone = {delay: mean(found) for delay, found in later.items()}
    assert alone[15] < 0.15
    assert 0.45 < alone[60] < 0.58
    assert 0.8 < alone[100] < 0.95
    assert all(alone[delay] > 0.99 for delay in (150, 200, 300))


def test_sms_of_two_tpcs_meet_as_well():
    """Of one CPC or of two: one is some 20 cycles nearer, or its clock is as much behind."""
    for sms in ([2, 50], [2, 18]):
        found = {}
        for case in MANY:
            if case["sms"] == sms and not any(case["offsets"]):
                found.setdefault(case["delays"][1] - case["delays"][0], []).append(case["requests"] - 1)
        assert {delay for delay, alone in found.items() if max(alone) > 0.97} >= {150, 200, 300}
        assert max(found[0]) < 0.06


def test_two_gpcs_do_not():
    apart = [case for case in MANY if case["sms"] == [2, 14]]
    assert len(apart) == 24
    assert all(case["requests"] > 1.99 for case in apart)


def test_requests_for_other_sectors_of_a_line_drive_each_other_out():
    """Six SMs, by turns at two places of each line: in one sector they ask twice, in two sectors each for itself."""
    for case in MANY:
        if len(case["sms"]) == 6 and any(case["offsets"]):
            if max(case["offsets"]) < 32:
                assert case["requests"] == pytest.approx(2, rel=0.01)
            else:
                assert case["requests"] > 5


def simulated(case):
    """Return the requests of a case for each line of a trial."""
    lines = int(case["kernel"].split("_")[1])
    place = {(one.gpc, one.pair, one.second): i for i, one in enumerate(places(H200, 132)) if not one.is_first}
    plan, nobody = np.full((132, 4), -1, np.int32), np.full((132, 4), -1, np.int32)
    for sm, delay, offset in zip(case["sms"], case["delays"], case["offsets"], strict=True):
        plan[place[*PAIRS[sm // 2], sm % 2]] = delay, offset, -1, 0
    sectors = []
    for one in (plan, nobody):
        arguments = [np.zeros(1 << 21, np.uint8), one, np.zeros((132, 2), np.uint32)]
        run = simtc.launch(
            code_of("meets")[case["kernel"]], 132, 32, [*arguments, *map(np.int32, (TRIALS, PERIOD, STRIDE))],
            device="h200", timing=True, caches="warm", fidelity="full",
        )  # fmt: skip
        sectors.append(run.timing.counters["l2_sectors"])
    return (sectors[0] - sectors[1]) / TRIALS / lines


def test_here_it_waits_17_cycles():
    """SMs are more in step here than on the chip: with 60 cycles the corpus is further off.

    So 16 SMs that ask one after another, 5 to 80 cycles apart, reach L2 1.3 to 2.2 times as often here.
    """
    chains = [case for case in MANY if len(case["sms"]) == 16 and any(case["delays"])]
    found = [simulated(case) / case["requests"] for case in chains]
    assert len(found) == 5
    assert min(found) > 1.2
    assert max(found) < 2.3
    together = next(case for case in MANY if len(case["sms"]) == 16 and not any(case["delays"]))
    assert simulated(together) == pytest.approx(together["requests"], rel=0.2)
