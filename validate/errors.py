"""Replay the captures that measure, and write (or --check) their errors: captures/h200/errors.json.

python validate/errors.py [--check] [--all] [--fresh] [CAMPAIGN ...]
python validate/errors.py --standing

Launches of the evaluation set of at most 16 blocks are executed, a minute of work; with --all every case, half an hour.
All cores work. What was predicted is kept under a digest of the sources: after an interruption the same line goes on
where it was, and --fresh begins anew. --standing executes nothing: it says which errors were made with other sources
than those at hand.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from simtc.arch import Device
from simtc.cli.progress import bar
from simtc.gemm.shipped import shipped, shipped_names
from simtc.isa import Kernel
from simtc.report.validation import outcome_html, outcome_of
from simtc.resources import folder
from simtc.results import LaunchResult
from simtc.validate.capture import read_capture
from simtc.validate.compare import errors_by_quantity, replay
from simtc.validate.evaluation import GemmLaunch
from simtc.validate.made import made_with, standing
from simtc.validate.predictions import Predictions

HOME = folder("validate") / "captures" / "h200"
CAMPAIGNS = ("microbench", "counters", "timing", "configured")
USUAL = ("counters", "timing")
MOST_BLOCKS = 16
NEAR = 0.015  # the mean may move by so much before the file is stale


def errors(campaign: str) -> dict[str, Any]:
    """Return the errors of a campaign by quantity; stalls are one."""
    capture = read_capture(HOME / f"{campaign}-pycuda.json")
    if "--all" not in sys.argv:
        capture = replace(capture, cases={name: one for name, one in capture.cases.items() if small(name)})
    with bar("cases") as progress:
        found = replay(capture, predictions=Predictions(fresh="--fresh" in sys.argv), progress=progress)
    problems = [f"{case.name}: {case.problem}" for case in found.problems]
    if "--pages" in sys.argv:
        Path(f"{campaign}.html").write_text(outcome_html(outcome_of(found)), encoding="utf-8")
    kept = [point for point in found.points if point.unit in ("cycles", "count", "conflicts")]
    return {"made_with": made_with(), "quantities": errors_by_quantity(kept), "not_compared": problems}


def small(name: str) -> bool:
    """Tell whether a case is a launch of the evaluation set of few blocks."""
    kernel, size, *_ = name.split("/")
    if kernel not in shipped_names():
        return False
    x, y, z = shipped(kernel).grid(*(int(n) for n in size.split("x")[:2]))
    return x * y * z <= MOST_BLOCKS


def remembered() -> None:
    """Execute each launch of the evaluation set once: two campaigns have it."""
    simulate, known = GemmLaunch.simulate, {}

    def once(launch: GemmLaunch, board: Device, kernel: Kernel | None = None, fidelity: str = "full") -> LaunchResult:
        key = launch.name, board.name, fidelity
        if key not in known:
            known[key] = simulate(launch, board, kernel, fidelity)
        return known[key]

    GemmLaunch.simulate = once  # type: ignore[method-assign]


def main() -> int:
    """Write the file, or say how far it is from what comes out now."""
    path = HOME / "errors.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    if "--standing" in sys.argv:
        for campaign, entry in kept.items():
            print(f"{campaign:11}{standing(entry['made_with']) or 'made with the sources at hand'}")
        return 0
    remembered()
    wanted = [word for word in sys.argv[1:] if word in CAMPAIGNS] or list(USUAL)
    stale = 0
    for campaign in wanted:
        now = errors(campaign)
        for quantity, entry in now["quantities"].items():
            before = kept.get(campaign, {}).get("quantities", {}).get(quantity, {}).get("mean", 1.0)
            stale += abs(entry["mean"] - before) > NEAR
            print(
                f"{campaign:11}{quantity:26}{entry['count']:5} mean {entry['mean']:7.1%} worst {entry['worst']:+7.1%}"
            )
        kept[campaign] = now
        if "--check" not in sys.argv:
            path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    if "--check" in sys.argv:
        return int(stale > 0)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
