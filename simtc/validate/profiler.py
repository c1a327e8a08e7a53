"""Nsight Compute around a process of simtc's own, and what its counters say of each launch."""

from __future__ import annotations

import csv
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from simtc.errors import SimtcError
from simtc.gpu import Gpu, open_gpu
from simtc.results import Stall
from simtc.validate.chip import Chip
from simtc.validate.measured import NotHereError

__all__ = ["CYCLES", "EVERYTHING", "Profile", "find_ncu", "read_counters"]

# Cycles are counted in one pass: between several, the profiler restores memory through L2, which then is not warm.
_CYCLES = {
    "smsp__inst_executed.sum": "instructions",
    "sm__cycles_active.max": "active_cycles",
    "gpc__cycles_elapsed.max": "elapsed_cycles",
}
_COUNTERS = {
    **_CYCLES,
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": "counted_conflicts",
    "memory_l1_wavefronts_shared": "wavefronts",
    "memory_l1_wavefronts_shared_ideal": "ideal_wavefronts",
}
_STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
_LIMIT_SECONDS = 900

# What one start of the profiler counts: cycles and instructions; or, in another start, the rest.
CYCLES = tuple(_CYCLES)
EVERYTHING = ((*(name for name in _COUNTERS if name not in _CYCLES), *(_STALL.format(x.name) for x in Stall)), CYCLES)


def find_ncu() -> str | None:
    """Return ncu: $NCU, the one on PATH, or that of $CUDA_HOME, $CUDA_ROOT, /usr/local/cuda or /opt/nvidia."""
    given = os.environ.get("NCU") or shutil.which("ncu")
    homes = [Path(os.environ[key]) for key in ("CUDA_HOME", "CUDA_ROOT") if os.environ.get(key)]
    places = [home / "bin" / "ncu" for home in (*homes, Path("/usr/local/cuda"))]
    places += sorted(Path("/opt/nvidia/nsight-compute").glob("*/ncu"), reverse=True)
    return given or next((str(place) for place in places if place.exists()), None)


class Profile:
    """The counters of a campaign's launches: the profiler starts for the cold ones and for the warm ones."""

    def __init__(
        self,
        campaign: str,
        settings: Mapping[str, Any],
        launches: Mapping[str, str],
        *,
        passes: Sequence[Sequence[str]] = EVERYTHING,
    ) -> None:
        """Take a campaign, the caches ("cold" or "warm") of each launch, and what each start of the profiler counts."""
        self._campaign, self._settings, self._launches, self._passes = campaign, settings, launches, passes
        self._found: dict[str, dict[str, float]] = {}
        self._why: dict[str, str] = {}

    def of(self, gpu: Gpu, name: str) -> dict[str, float]:
        """Return the counters of a launch.

        Raises:
            NotHereError: there is no profiler, or it may not read counters.
            SimtcError: the launch failed under it.

        """
        caches = self._launches[name]
        if caches not in self._why:
            self._run(gpu, caches)
        if self._why[caches]:
            raise NotHereError(self._why[caches])
        if name not in self._found:
            raise SimtcError(f"{name} left no counters: it failed under the profiler")
        return self._found[name]

    def _run(self, gpu: Gpu, caches: str) -> None:
        ncu = find_ncu()
        self._why[caches] = ""
        if ncu is None:
            self._why[caches] = f"Nsight Compute was not found. Try: NCU=/path/to/ncu simtc validate {self._campaign}"
            return
        found: dict[str, dict[str, float]] = {}
        for metrics in self._passes:
            for name, counted in self._counted(ncu, gpu, caches, metrics).items():
                found[name] = found.get(name, {}) | counted
            if self._why[caches]:
                return
        self._found |= found

    def _counted(self, ncu: str, gpu: Gpu, caches: str, metrics: Sequence[str]) -> dict[str, dict[str, float]]:
        """Return some counters of the launches; where that fails, nothing, and note why."""
        names = [name for name, kind in self._launches.items() if kind == caches]
        backend = gpu.description.backend.split()[0]
        with tempfile.TemporaryDirectory() as scratch:
            todo, done = Path(scratch) / "todo.json", Path(scratch) / "done.json"
            work = {"campaign": self._campaign, "settings": dict(self._settings), "names": names, "backend": backend}
            todo.write_text(json.dumps(work))
            command = [
                ncu, "--profile-from-start", "off", "--target-processes", "all", "--clock-control", "none",
                "--cache-control", "all" if caches == "cold" else "none", "--csv", "--page", "raw",
                "--print-units", "base", "--metrics", ",".join(metrics),
                sys.executable, "-m", "simtc.validate.profiler", str(todo), str(done),
            ]  # fmt: skip
            try:
                ran = subprocess.run(  # noqa: S603 - the user's profiler
                    command, capture_output=True, text=True, check=False, timeout=_LIMIT_SECONDS
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                self._why[caches] = f"{ncu} could not be run: {error}"
                return {}
            said = [line for line in (ran.stdout + ran.stderr).splitlines() if "==ERROR==" in line or "Error" in line]
            if not done.exists():
                self._why[caches] = (
                    f"{ncu} ended with {ran.returncode}: {' '.join(said[:2])[:300] or 'it said nothing'}"
                )
                return {}
            rows = read_counters(ran.stdout)
            order = json.loads(done.read_text())
        if len(rows) != len(order):
            self._why[caches] = f"{ncu} counted {len(rows)} of {len(order)} launches: {' '.join(said[:2])[:300]}"
            return {}
        return dict(zip(order, rows, strict=True))


def read_counters(text: str) -> list[dict[str, float]]:
    r"""Read ncu's raw page as CSV: one dictionary a launch, stalls as shares of all warps' cycles.

    Example:
        >>> stall = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
        >>> page = ['"ID","smsp__inst_executed.sum"', ",".join(f'"{stall.format(x)}"' for x in ("wait", "selected"))]
        >>> read_counters("==PROF== 1\n" + ",".join(page) + '\n"","inst","",""\n"0","1,024","3.0","1.0"\n')
        [{'instructions': 1024.0, 'stall_wait': 0.75, 'stall_selected': 0.25}]

    """
    lines = [line for line in text.splitlines() if line.startswith('"')]
    if not lines:
        return []
    head, _, *rows = csv.reader(lines)
    pattern = re.compile(_STALL.replace(".", r"\.").replace("{}", r"(\w+)"))
    out = []
    for row in rows:
        entry: dict[str, float] = {}
        waiting: dict[str, float] = {}
        for name, value in zip(head, row, strict=False):
            stall = pattern.fullmatch(name)
            if name in _COUNTERS:
                entry[_COUNTERS[name]] = float(value.replace(",", ""))
            elif stall and value not in ("", "n/a"):
                waiting[stall[1]] = float(value.replace(",", ""))
        total = sum(waiting.values())
        out.append(entry | {f"stall_{cause}": round(x / total, 6) for cause, x in waiting.items() if total})
    return out


def launch_all(todo: Path, done: Path) -> None:
    """Launch what the file names: this is the process that is profiled."""
    work = json.loads(todo.read_text())
    campaign = import_module(f"simtc.validate.campaigns.{work['campaign']}")
    gpu = open_gpu(work["backend"])
    chip = Chip(gpu.description.sm, gpu.description.device)
    made = {case.name: case for case in campaign.cases(work["settings"], chip)}
    cuda = ctypes.CDLL("libcuda.so.1")
    order: Sequence[str] = []
    for name in work["names"]:
        case: Any = made[name]
        try:
            with case.prepared(gpu) as ready:
                ready.seconds()  # the first launch of a process finds more than caches cold
                ready.seconds()
                gpu.driver.synchronize()
                cuda.cuProfilerStart()
                ready.seconds()
                cuda.cuProfilerStop()
                order = [*order, name]
        except SimtcError:
            continue  # the campaign says which are missing
    done.write_text(json.dumps(order))


if __name__ == "__main__":
    launch_all(Path(sys.argv[1]), Path(sys.argv[2]))
