"""Campaigns under the profiler: what it is told to count, what it is told of launches, and whose numbers are whose."""

from __future__ import annotations

import json
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from simtc.gpu import Description
from simtc.validate import profiled, profiler
from simtc.validate.measured import NotHereError
from simtc.validate.profiler import CYCLES, EVERYTHING, Profile
from simtc.validate.validate import campaign_settings, cases_of

GPU = SimpleNamespace(
    description=Description(
        device="NVIDIA H200", compute_capability=(9, 0), sms=132, memory_bytes=1, clock_mhz=1980, memory_clock_mhz=1,
        driver="1", cuda=13000, backend="pycuda 1",
    )
)  # fmt: skip
# Stands for ncu: it launches nothing, and says of the n-th launch that it took 100 n cycles.
FAKE = """#!/usr/bin/env python3
import json, sys
metrics = sys.argv[sys.argv.index("--metrics") + 1].split(",")
work, done = json.load(open(sys.argv[-2])), sys.argv[-1]
json.dump({{"order": work["names"], "checksums": {{}}, "beside": {{}}, "failed": {{}}}}, open(done, "w"))
with open({log!r}, "a") as log:
    log.write(json.dumps([work["campaign"], sys.argv[sys.argv.index("--cache-control") + 1], metrics]) + "\\n")
print(",".join(f'"{{name}}"' for name in metrics) + "\\n" + ",".join('""' for _ in metrics))
for number, _ in enumerate(work["names"], 1):
    print(",".join(f'"{{100 * number}}"' for _ in metrics))
"""


@pytest.fixture
def ncu(tmp_path, monkeypatch):
    """Put the fake in ncu's place; return what it was asked for."""
    script, log = tmp_path / "ncu", tmp_path / "log"
    script.write_text(FAKE.format(log=str(log)))
    script.chmod(0o755)
    monkeypatch.setenv("NCU", str(script))
    return lambda: [json.loads(line) for line in log.read_text().splitlines()]


def test_cycles_alone_are_one_start_for_cold_launches_and_one_for_warm_ones(ncu):
    profile = Profile("profiled", {}, {"a": "warm", "b": "cold", "c": "warm"}, passes=(CYCLES,))
    assert [profile.of(GPU, name)["elapsed_cycles"] for name in "abc"] == [100, 100, 200]
    assert profile.of(GPU, "a")["instructions"] == 100
    assert ncu() == [["profiled", "none", list(CYCLES)], ["profiled", "all", list(CYCLES)]]


def test_stalls_and_cycles_are_counted_apart(ncu):
    found = Profile("counters", {}, {"a": "cold"}).of(GPU, "a")
    assert found["elapsed_cycles"] == found["counted_conflicts"] == 100
    assert found["stall_wait"] == pytest.approx(1 / (len(EVERYTHING[0]) - 3), abs=1e-6)
    assert [asked[2] for asked in ncu()] == [list(metrics) for metrics in EVERYTHING]


def test_without_a_profiler_the_next_command_is_this_campaigns(monkeypatch):
    monkeypatch.setattr(profiler, "find_ncu", lambda: None)
    with pytest.raises(NotHereError, match=r"NCU=/path/to/ncu simtc validate profiled$"):
        Profile("profiled", {}, {"a": "cold"}).of(GPU, "a")


class Launches:
    """Stands for a GPU that is being profiled: what was launched, and while the profiler looked."""

    description = GPU.description
    driver = SimpleNamespace(synchronize=lambda: None)

    def __init__(self):
        self.seen, self.looking = [], False

    @contextmanager
    def prepared(self, code, grid, block, args, *, shared_bytes=0):
        del args, shared_bytes
        yield SimpleNamespace(seconds=lambda: self.seen.append((code, grid, block, self.looking)), driver=self.driver)

    def look(self, looking):
        self.looking = looking


def test_the_profiled_process_launches_each_thrice_and_the_profiler_sees_the_third(tmp_path, monkeypatch):
    settings = campaign_settings("profiled")
    made = cases_of("profiled", settings, 90, "NVIDIA H200")
    wanted = [case for case in made if case.name.endswith(("32x32x32/warm", "r6_nn/384x384x384/warm"))]
    assert len(wanted) == 6
    gpu = Launches()
    cuda = SimpleNamespace(cuProfilerStart=lambda: gpu.look(True), cuProfilerStop=lambda: gpu.look(False))
    monkeypatch.setattr(profiled, "open_gpu", lambda backend: gpu)  # noqa: ARG005 - as it is called
    monkeypatch.setattr(profiled.ctypes, "CDLL", lambda name: cuda)  # noqa: ARG005 - as it is called
    monkeypatch.setattr("simtc.validate.campaigns.profiled.compile_one", lambda *one, **_: one[1])
    todo, done = tmp_path / "todo", tmp_path / "done"
    names = [case.name for case in wanted]
    work = {"campaign": "profiled", "settings": settings, "names": names, "backend": "pycuda", "repeats": 1}
    todo.write_text(json.dumps(work))
    profiled.launch_all(todo, done)
    assert json.loads(done.read_text())["order"] == names
    assert [looking for *_, looking in gpu.seen] == [False, False, True] * 6
    for case, (_, grid, block, _) in zip(wanted, gpu.seen[2::3], strict=True):
        assert (grid, block) == (case.configuration.grid_dim(case.launch.problem), case.configuration.block_dim)


def test_a_launch_that_is_executed_whole_tells_its_instructions():
    made = {case.name: case for case in cases_of("profiled", campaign_settings("profiled"), 90, "NVIDIA H200")}
    found = made["hgemm_batched_16x4_32x32x32_m32n8k16_nn/32x32x32/warm"].predict().values
    assert set(found) == {"elapsed_cycles", "instructions", "analytic_elapsed_cycles"}
    assert found["instructions"] % 2000 == 0  # 1,000 blocks of two warps, all alike
    assert 0.3 < found["analytic_elapsed_cycles"] / found["elapsed_cycles"] < 3
