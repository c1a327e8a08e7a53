"""Fit constants of a board to its committed captures, each with the others as they stand, and keep what comes out.

python validate/fits.py {h200|h100} [PATTERN ...]
python validate/fits.py {h200|h100} --standing

captures/BOARD/fit.json holds of each constant its best value, the range that agrees as well, its cases' error, and the
sources that it was made with; those that the patterns do not name are kept. All of a board takes ten minutes of two
cores. `simtc fit` moves all of them together and writes a patch; this says whether boards stand where fits put them.
"""

from __future__ import annotations

import json
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from simtc.calibrate.fit import Fitted, fit
from simtc.calibrate.table import chip_of
from simtc.errors import BadInputError
from simtc.resources import folder
from simtc.validate.capture import Capture, read_capture
from simtc.validate.made import digest_of, made_with, standing
from simtc.validate.validate import campaign_settings

NAMES = ("microbench", "counters")


def entry(one: Fitted) -> dict[str, Any]:
    """Return what is kept of a constant."""
    return {
        "value": one.value, "low": one.low, "high": one.high, "status": one.status, "stood": one.old,
        "error": round(one.error_before, 5), "error_at_best": round(one.error_after, 5), "cases": len(one.cases),
        "made_with": made_with(),
    }  # fmt: skip


def line(constant: str, told: dict[str, Any]) -> str:
    """Return a constant's outcome in a line."""
    low, high = ("..." if told[end] is None else f"{told[end]:g}" for end in ("low", "high"))
    return (
        f"{constant:45} stood {told['stood']:>10g} {told['status']:10} fits {told['value']:>10g}  {low} to {high}  "
        f"error {told['error']:.2%} -> {told['error_at_best']:.2%} of {told['cases']}"
    )


def fitted(captures: dict[str, Capture], constant: str) -> Fitted | None:
    """Return a constant's fit; None where no case of the captures determines it."""
    try:
        _, (one,) = fit(captures["microbench"], counters=captures["counters"], only=constant, overrule=True)
    except BadInputError as error:
        print(f"{constant}: {error}", flush=True)
        return None
    return one


def main(home: Path, patterns: list[str]) -> int:
    """Fit what the patterns name, constant by constant, and keep it."""
    path = home / "fit.json"
    told = json.loads(path.read_text()) if path.exists() else {"schema": "simtc.fits/1", "constants": {}}
    if "--standing" in patterns:
        for constant, known in told["constants"].items():
            print(f"{constant:45} {standing(known['made_with']) or 'made with the sources at hand'}")
        return 0
    files = {name: home / f"{name}-pycuda.json" for name in NAMES}
    captures = {name: read_capture(file) for name, file in files.items()}
    known = chip_of(captures["microbench"]).board.constants
    told["captures"] = {file.name: digest_of(file) for file in files.values()}
    for row in campaign_settings("microbench")["fit"]:
        constant = row["constant"]
        if constant in known and any(fnmatchcase(constant, pattern) for pattern in patterns or ["*"]):
            one = fitted(captures, constant)
            if one is not None:
                told["constants"][constant] = entry(one)
                print(line(constant, told["constants"][constant]), flush=True)
                path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(folder("validate") / "captures" / sys.argv[1], sys.argv[2:]))
