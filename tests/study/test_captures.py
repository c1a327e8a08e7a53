"""The committed captures, replayed with no GPU: 0 differing bits."""

from __future__ import annotations

import json

import pytest

from simtc.resources import folder
from simtc.study.capture import SCHEMA, read_capture
from simtc.study.compare import replay

CAPTURES = [
    path
    for path in sorted((folder("validate") / "captures").rglob("*.json"))
    if json.loads(path.read_text(encoding="utf-8")).get("schema") == SCHEMA
]
REPLAYED = [path for path in CAPTURES if not path.name.startswith("timing")]


@pytest.mark.parametrize("path", REPLAYED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_no_bit_differs(path):
    capture = read_capture(path)
    outcome = replay(capture)
    assert capture.count("failed") == 0
    assert outcome.elements == capture.elements > 1_000_000
    assert [(case.name, case.first[:1]) for case in outcome.differing] == []
    assert outcome.problems == ()


def test_the_h200_was_captured_through_both_packages():
    names = {path.stem for path in REPLAYED if path.parent.name == "h200"}
    assert names >= {"numerics-pycuda", "numerics-cupy", "kernels-pycuda", "kernels-cupy", "layouts-pycuda"}


@pytest.mark.parametrize("campaign", ["numerics", "kernels"])
def test_both_packages_gave_the_same_bits(campaign):
    pycuda, cupy = (
        read_capture(folder("validate") / "captures/h200" / f"{campaign}-{x}.json") for x in ("pycuda", "cupy")
    )
    assert {name: record.to_dict() for name, record in pycuda.cases.items()} == {
        name: record.to_dict() for name, record in cupy.cases.items()
    }


def test_no_capture_names_a_host_or_a_path():
    for path in CAPTURES:
        machine = read_capture(path).machine
        assert set(machine) == {
            "device", "compute_capability", "sms", "memory_bytes", "clock_mhz", "memory_clock_mhz", "driver", "cuda",
            "backend", "toolkit",
        }  # fmt: skip
        assert "/" not in json.dumps(machine)
