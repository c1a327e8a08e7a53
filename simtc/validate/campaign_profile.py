"""Many launches under Nsight Compute: cycles in one pass, launch after launch; what was counted survives a limit."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from simtc.errors import SimtcError
from simtc.gpu import Gpu
from simtc.results import Stall
from simtc.validate.measured import NotHereError
from simtc.validate.profiler import STALL, find_ncu, profiled

__all__ = ["CampaignProfile"]

_BASE = ["sm__cycles_active.max", "gpu__time_duration.sum", "smsp__inst_executed.sum"]
_TRAFFIC = [
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "lts__t_sectors_srcunit_tex.sum",
]
_STALLS = [STALL.format(cause.name) for cause in Stall]
_TRIED = ([*_BASE, *_TRAFFIC, *_STALLS], [*_BASE, *_TRAFFIC], _BASE)  # the first that takes one pass is counted
_STARTS = 6  # of the profiler for one batch: a launch that faults ends its process
_SPREAD = ("active_cycles", "nanoseconds")  # of these the extremes are kept beside the median


class CampaignProfile:
    """The counters of a campaign: the profiler starts once for a batch's cold launches, once for its warm ones."""

    def __init__(
        self,
        settings: Mapping[str, Any],
        launches: Sequence[tuple[str, str]],
        *,
        campaign: str,
        tried: Sequence[Sequence[str]] = _TRIED,
    ) -> None:
        """Take the campaign's settings, and (name, caches) of its launches in the order in which they are asked for."""
        self._settings, self._campaign, self._tried = settings, campaign, tried
        self._batch = {name: (at // (2 * settings["batch"]), caches) for at, (name, caches) in enumerate(launches)}
        self._found: dict[str, dict[str, float]] = {}
        self._why: dict[str, str] = {}
        self._seen: set[tuple[int, str]] = set()
        self._metrics: Sequence[str] = ()
        self._absent = ""  # why there is no profiler
        self._began = time.monotonic()

    def of(self, gpu: Gpu, name: str) -> dict[str, float]:
        """Return the counters of a launch.

        Raises:
            NotHereError: there is no profiler, or it may not read counters.
            SimtcError: the launch failed under it.

        """
        if self._absent:
            raise NotHereError(self._absent)
        batch = self._batch[name]
        if batch not in self._seen:
            self._seen.add(batch)
            try:
                self._run(gpu, [one for one, its in self._batch.items() if its == batch], batch[1])
            except NotHereError as error:
                self._absent = str(error)
                raise
        if name not in self._found:
            raise SimtcError(f"{name} left no counters: {self._why.get(name, 'it failed under the profiler')}")
        return self._found[name]

    def _run(self, gpu: Gpu, names: list[str], caches: str) -> None:
        """Count a batch; stall causes, which need several passes, once and of warm launches, while there is time."""
        ncu = find_ncu()
        if ncu is None:
            raise NotHereError(f"Nsight Compute was not found. Try: NCU=/path/to/ncu simtc validate {self._campaign}")
        metrics = self._one_pass(ncu, gpu, names[:3], caches)
        self._count(ncu, gpu, names, caches, metrics)
        late = time.monotonic() - self._began > self._settings["stalls_until_seconds"]
        if caches == "warm" and not late and _STALLS[0] not in metrics:
            done = profiled(ncu, gpu, self._work([name for name in names if name in self._found], 1), caches, _STALLS)
            for name, rows in done.rows.items():
                self._found[name] |= {key: value for key, value in rows[0].items() if key.startswith("stall_")}

    def _work(self, names: list[str], repeats: int) -> dict[str, Any]:
        return {"campaign": self._campaign, "settings": dict(self._settings), "names": names, "repeats": repeats}

    def _one_pass(self, ncu: str, gpu: Gpu, names: list[str], caches: str) -> Sequence[str]:
        """Return the most metrics that the chip counts in one pass: several would restore memory in between."""
        for metrics in () if self._metrics else self._tried:
            done = profiled(ncu, gpu, self._work(names, 1), caches, metrics)
            if done.passes == 1 and done.rows:
                self._metrics = metrics
                break
        else:
            if not self._metrics:
                raise NotHereError(f"the profiler counted nothing: {done.why}")
        return self._metrics

    def _count(self, ncu: str, gpu: Gpu, names: list[str], caches: str, metrics: Sequence[str]) -> None:
        """Count launches; one that ends the process is left out, and the rest are begun again behind it."""
        left = list(names)
        for _ in range(_STARTS):
            if not left:
                return
            done = profiled(ncu, gpu, self._work(left, self._settings["repeats"]), caches, metrics)
            for name, rows in done.rows.items():
                self._found[name] = _summary(rows) | {"bits": done.checksums[name], **done.beside.get(name, {})}
            self._why |= done.failed
            ended = [name for name in left if name not in done.rows and name not in done.failed]
            if len(ended) == len(left):
                self._why |= dict.fromkeys(left, done.why)
                return
            left = ended
        self._why |= dict.fromkeys(left, f"launches before it ended the process {_STARTS} times")


def _summary(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the median of each counter, and of the times the extremes too.

    Example:
        >>> _summary([{"active_cycles": 5.0}, {"active_cycles": 3.0}, {"active_cycles": 4.0}])
        {'active_cycles': 4.0, 'least_active_cycles': 3.0, 'most_active_cycles': 5.0}

    """
    found = {name: median(row[name] for row in rows) for name in rows[0]}
    ends = {"least": min, "most": max}
    return found | {
        f"{word}_{name}": end(row[name] for row in rows)
        for name in _SPREAD
        if name in found
        for word, end in ends.items()
    }
