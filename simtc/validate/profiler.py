"""Nsight Compute around a process of simtc's own, and what its counters say of each launch."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simtc.errors import SimtcError
from simtc.gpu import Gpu
from simtc.results import Stall
from simtc.validate.measured import NotHereError

__all__ = ["CYCLES", "EVERYTHING", "STALL", "Counted", "Profile", "find_ncu", "profiled", "read_counters"]

# Cycles are counted in one pass: between several, the profiler restores memory through L2, which then is not warm.
_CYCLES = {
    "smsp__inst_executed.sum": "instructions",
    "sm__cycles_active.max": "active_cycles",
    "gpc__cycles_elapsed.max": "elapsed_cycles",
    "gpu__time_duration.sum": "nanoseconds",
}
_COUNTERS = {
    **_CYCLES,
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": "counted_conflicts",
    "memory_l1_wavefronts_shared": "wavefronts",
    "memory_l1_wavefronts_shared_ideal": "ideal_wavefronts",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": "shared_wavefronts",
    "lts__t_sectors_srcunit_tex.sum": "l2_sectors",
    "profiler__replayer_passes": "passes",
}
_EVALUATION = list(_COUNTERS)[:7]
_UNITS = {"us": 1e3, "ms": 1e6, "s": 1e9, "usecond": 1e3, "msecond": 1e6, "second": 1e9}  # in nanoseconds
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
_LIMIT_SECONDS = 900

# What one start of the profiler counts: cycles and instructions; or, in another start, the rest.
CYCLES = tuple(_CYCLES)
EVERYTHING = (
    (*(name for name in _EVALUATION if name not in _CYCLES), *(STALL.format(cause.name) for cause in Stall)),
    CYCLES,
)


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
        names = [name for name, kind in self._launches.items() if kind == caches]
        work = {"campaign": self._campaign, "settings": dict(self._settings), "names": names, "repeats": 1}
        found: dict[str, dict[str, float]] = {}
        for metrics in self._passes:
            done = profiled(ncu, gpu, work, caches, metrics)
            self._why[caches] = done.why
            if done.why:
                return
            for name, rows in done.rows.items():
                found[name] = found.get(name, {}) | rows[0]
        self._found |= found


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What one start of the profiler gave: the counters of each launch's repetitions, and of those that failed why."""

    rows: Mapping[str, list[dict[str, float]]] = field(default_factory=dict)
    checksums: Mapping[str, int] = field(default_factory=dict)  # of what the first launch wrote, where the case has one
    beside: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # what a case measures itself, behind them
    failed: Mapping[str, str] = field(default_factory=dict)
    passes: int = 0  # the most that a launch took
    why: str = ""  # nothing was counted


def profiled(ncu: str, gpu: Gpu, work: Mapping[str, Any], caches: str, metrics: Sequence[str]) -> Counted:
    """Count metrics of a campaign's launches in a process of its own.

    Args:
        ncu: Nsight Compute.
        gpu: whose backend launches.
        work: campaign, settings, names of cases, and repeats: how often each is counted.
        caches: cold, flushed by the profiler before each launch; or warm.
        metrics: the profiler's names.

    """
    with tempfile.TemporaryDirectory() as scratch:
        todo, done = Path(scratch) / "todo.json", Path(scratch) / "done.json"
        todo.write_text(json.dumps({**work, "backend": gpu.description.backend.split()[0]}))
        command = [
            ncu, "--profile-from-start", "off", "--target-processes", "all", "--clock-control", "none",
            "--cache-control", "all" if caches == "cold" else "none", "--csv", "--page", "raw",
            "--print-units", "base", "--metrics", ",".join(metrics),
            sys.executable, "-m", "simtc.validate.profiled", str(todo), str(done),
        ]  # fmt: skip
        try:
            ran = subprocess.run(  # noqa: S603 - the user's profiler
                command, capture_output=True, text=True, check=False, timeout=_LIMIT_SECONDS
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return Counted(why=f"{ncu} could not be run: {error}")
        said = [line for line in (ran.stdout + ran.stderr).splitlines() if "==ERROR==" in line or "Error" in line]
        if not done.exists():
            why = f"{ncu} ended with {ran.returncode}: {' '.join(said[:2])[:300] or 'it said nothing'}"
            return Counted(why=why)
        told = json.loads(done.read_text())
    rows, repeats = read_counters(ran.stdout), int(work["repeats"])
    if len(rows) != repeats * len(told["order"]):
        expected = repeats * len(told["order"])
        return Counted(why=f"{ncu} counted {len(rows)} of {expected} launches: {' '.join(said[:2])[:300]}")
    counted = {name: rows[at * repeats : (at + 1) * repeats] for at, name in enumerate(told["order"])}
    passes = max((row.pop("passes", 1) for row in rows), default=0)
    return Counted(
        rows=counted, checksums=told["checksums"], beside=told["beside"], failed=told["failed"], passes=int(passes)
    )


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
    head, units, *rows = csv.reader(lines)
    pattern = re.compile(STALL.replace(".", r"\.").replace("{}", r"(\w+)"))
    out = []
    for row in rows:
        entry: dict[str, float] = {}
        waiting: dict[str, float] = {}
        for name, unit, value in zip(head, units, row, strict=False):
            stall = pattern.fullmatch(name)
            if name in _COUNTERS:
                entry[_COUNTERS[name]] = float(value.replace(",", "")) * _UNITS.get(unit, 1.0)
            elif stall and value not in ("", "n/a"):
                waiting[stall[1]] = float(value.replace(",", ""))
        total = sum(waiting.values())
        out.append(entry | {f"stall_{cause}": round(x / total, 6) for cause, x in waiting.items() if total})
    return out
