"""The clock against an H200, on launches that played no part in any fit (validate/evaluation.toml)."""

from __future__ import annotations

import json
from statistics import mean

import pytest

from simtc.arch import device
from simtc.gemm.shipped import shipped
from simtc.resources import folder
from simtc.run.solve import operands, solve
from simtc.validate.evaluation import profiled_conflicts

CAPTURE = json.loads((folder("validate") / "captures" / "h200" / "evaluation.json").read_text())


def blocks(launch):
    x, y, z = shipped(launch["kernel"]).grid(launch["m"], launch["n"])
    return x * y * z


SINGLE = [one for one in CAPTURE["launches"] if blocks(one) == 1]


def timed(launch):
    kernel, size = shipped(launch["kernel"]), {x: launch[x] for x in "mnk"}
    arrays = operands(kernel, **size)
    run = solve(kernel, device("h200"), arrays, **size, alpha=1.25, beta=-0.5, timing=True, caches=launch["caches"])
    return run.launch


@pytest.fixture(scope="module")
def pairs():
    return [(one, timed(one)) for one in SINGLE]


def test_instructions_are_those_that_the_profiler_counted(pairs):
    assert [run.instructions for _, run in pairs] == [one["smsp__inst_executed.sum"] for one, _ in pairs]


def conflicts(one):
    told = ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "memory_l1_wavefronts_shared")
    counted = (one[name] for name in (*told, "memory_l1_wavefronts_shared_ideal"))
    return profiled_conflicts(shipped(one["kernel"]).kernel(device("h200")), *counted)


def test_bank_conflicts_are_those_that_the_profiler_counted(pairs):
    assert [run.bank_conflicts for _, run in pairs] == [conflicts(one) for one, _ in pairs]


def test_wavefronts_are_those_that_the_profiler_counted(pairs):
    told = [(one, run.timing.counters) for one, run in pairs if not one["kernel"].startswith("mma_async")]
    assert [c["wavefronts"] for _, c in told] == [one["memory_l1_wavefronts_shared"] for one, _ in told]


def test_cycles_of_single_blocks_are_as_far_off_as_the_readme_says(pairs):
    for caches, most, worst in (("warm", 0.043, 0.11), ("cold", 0.038, 0.105)):
        errors = [abs(run.cycles / one["sm__cycles_active.max"] - 1) for one, run in pairs if one["caches"] == caches]
        assert mean(errors) < most
        assert max(errors) < worst


def test_the_top_stall_is_the_profilers(pairs):
    agree = [
        one["top_stall"] == max((c for c in run.stalls if c != "selected"), key=run.stalls.get) for one, run in pairs
    ]
    assert mean(agree) > 0.93
