"""The process that is profiled: it launches a campaign's cases, each between the profiler's start and stop."""

from __future__ import annotations

import ctypes
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from simtc.errors import SimtcError
from simtc.gpu import open_gpu
from simtc.gpu.gpu import Prepared
from simtc.validate.chip import Chip

__all__ = ["launch_all"]


def launch_all(todo: Path, done: Path) -> None:
    """Launch what the first file names, and write what was launched to the second."""
    work = json.loads(todo.read_text())
    gpu = open_gpu(work["backend"])
    room = import_module(f"simtc.validate.campaigns.{work['campaign']}")
    chip = Chip(gpu.description.sm, gpu.description.device)
    made = {case.name: case for case in room.cases(work["settings"], chip)}
    told: dict[str, Any] = {"order": [], "checksums": {}, "beside": {}, "failed": {}}
    for name in work["names"]:
        case: Any = made[name]
        try:
            with case.prepared(gpu) as ready:
                checksum = _launches(case, ready, work["repeats"])
                beside = case.beside(gpu, ready) if hasattr(case, "beside") else {}
            told["order"].append(name)
            told["checksums"][name] = checksum
            told["beside"][name] = beside
        except SimtcError as error:
            told["failed"][name] = str(error)
            if not gpu.alive():
                break  # the campaign begins again behind it
    done.write_text(json.dumps(told))


def _launches(case: Any, ready: Prepared, repeats: int) -> int | None:
    """Launch twice unseen, then under the profiler; return the checksum of what the first wrote, if there is one.

    Where a case says so, each launch finds the buffers as the first did.
    """
    first = ready.buffers.contents() if getattr(case, "restores", False) else None
    ready.seconds()  # the first launch of a process finds more than caches cold
    checksum = case.checksum(ready.buffers.written()) if hasattr(case, "checksum") else None
    _again(ready, first)
    ready.driver.synchronize()
    cuda = ctypes.CDLL("libcuda.so.1")
    cuda.cuProfilerStart()
    for _ in range(repeats):
        _again(ready, first)
    cuda.cuProfilerStop()
    return checksum


def _again(ready: Prepared, first: list[Any] | None) -> None:
    if first is not None:
        ready.buffers.restore(first)
    ready.seconds()


if __name__ == "__main__":
    launch_all(Path(sys.argv[1]), Path(sys.argv[2]))
