"""The committed captures, replayed with no GPU: 0 differing bits."""

from __future__ import annotations

import json
from dataclasses import replace
from statistics import mean

import pytest

from simtc.arch import device
from simtc.resources import folder
from simtc.validate.capture import SCHEMA, read_capture
from simtc.validate.compare import errors_by_quantity, replay
from simtc.validate.validate import CAMPAIGNS

CAPTURES = [
    path
    for path in sorted((folder("validate") / "captures").rglob("*.json"))
    if json.loads(path.read_text(encoding="utf-8")).get("schema") == SCHEMA
]
BITS = ("numerics", "layouts", "kernels")
HOME = folder("validate") / "captures"
H200 = HOME / "h200"


@pytest.mark.parametrize("path", [H200 / f"{campaign}-pycuda.json" for campaign in BITS], ids=lambda path: path.stem)
def test_no_bit_differs(path):
    capture = read_capture(path)
    outcome = replay(capture)
    assert capture.count("failed") == 0
    assert outcome.elements == capture.elements > 1_000_000
    assert [(case.name, case.first[:1]) for case in outcome.differing] == []
    assert outcome.problems == ()


def some(name, wanted):
    """Replay those cases of a capture that `wanted` takes."""
    capture = read_capture(H200 / f"{name}.json")
    kept = {case: record for case, record in capture.cases.items() if wanted(case)}
    assert kept
    return replay(replace(capture, cases=kept))


def small(case):
    return case.split("/")[1] in ("128x128x128", "32x32x128", "64x64x128")


def test_counters_of_small_launches_agree_and_cycles_are_near():
    outcome = some("counters-pycuda", small)
    assert outcome.same
    found = errors_by_quantity(outcome.points)
    assert found["instructions"]["worst"] == 0
    assert found["active_cycles"]["count"] >= 18
    assert found["active_cycles"]["mean"] < 0.048
    conflicts = [p for p in outcome.points if p.quantity == "bank_conflicts"]
    assert len(conflicts) >= 24
    assert [p.case for p in conflicts if p.predicted != p.measured] == []


def test_small_launches_take_the_cycles_of_the_chips_own_clock():
    found = errors_by_quantity(some("timing-pycuda", small).points)
    assert found["cycles"]["count"] >= 24
    assert found["cycles"]["mean"] < 0.052


def test_stamps_and_the_profiler_agree_on_elapsed_cycles():
    """What lies between two stamps, less an empty launch's, is what the profiler counts less what starting costs."""
    timing, counters = (read_capture(H200 / f"{name}-pycuda.json").cases for name in ("timing", "counters"))
    start = device("h200").sm.launch.chip_cycles
    off = [
        timing[name].measured["cycles"] / (record.measured["elapsed_cycles"] - start) - 1
        for name, record in counters.items()
        if name in timing
    ]
    assert len(off) >= 90
    assert mean(abs(x) for x in off) < 0.03


def test_microbenchmarks_of_one_sm_are_near():
    outcome = some("microbench-pycuda", lambda case: case.startswith(("hmma_", "shared_chase", "wmma_", "chase")))
    assert outcome.problems == ()
    assert errors_by_quantity(outcome.points)["cycles"]["mean"] < 0.042


def test_closed_forms_of_configurations_are_compared():
    outcome = some("configured-pycuda", lambda case: case.startswith("hgemm_128x256x32") and case.endswith("4096"))
    quantities = {point.quantity for point in outcome.points}
    assert quantities == {"simulate_analytic_cycles", "simulate_sampled_cycles"}
    names = {case.split("/")[0] for case in read_capture(H200 / "configured-pycuda.json").cases}
    assert len(names) >= 12


def test_what_was_captured():
    names = {f"{path.parent.name}/{path.stem}" for path in CAPTURES}
    assert names >= {"h200/numerics-cupy", "h200/kernels-cupy"}
    captured = set(CAMPAIGNS)
    assert names >= {f"h200/{campaign}-pycuda" for campaign in captured}
    assert names >= {
        f"h100/{campaign}-pycuda"
        for campaign in captured - {"families", "batched", "tuning", "simt", "profiled", "others"}
    }


OTHERS = [path for path in CAPTURES if read_capture(path).campaign in BITS and path != H200 / f"{path.stem}.json"]
OTHERS += [H200 / f"{campaign}-cupy.json" for campaign in ("numerics", "kernels")]


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_other_boards_and_packages_gave_the_same_bits(path):
    """So a replay of one capture is a replay of all."""
    capture = read_capture(path)
    same = read_capture(H200 / f"{capture.campaign}-pycuda.json")
    assert capture.settings == same.settings
    assert {name: record.to_dict() for name, record in capture.cases.items()} == {
        name: record.to_dict() for name, record in same.cases.items()
    }


def test_no_capture_names_a_host_or_a_path():
    for path in CAPTURES:
        machine = read_capture(path).machine
        assert set(machine) == {
            "device", "compute_capability", "sms", "memory_bytes", "clock_mhz", "memory_clock_mhz", "driver", "cuda",
            "backend", "toolkit",
        }  # fmt: skip
        assert "/" not in json.dumps(machine)
