"""Compare kernels by others with what an H200 counted, and keep what came out: python validate/others/development.py.

It needs the archive that build.py makes. captures/h200/others-clock.json gets the errors, every launch's prediction,
and what both were made with; the README quotes it. An interrupted comparison goes on where it was.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from simtc.cli.progress import bar
from simtc.resources import folder
from simtc.validate.capture import read_capture
from simtc.validate.compare import captured_cases, replay
from simtc.validate.corpus.summary import summary
from simtc.validate.made import digest_of, made_with
from simtc.validate.measured import MeasuredCase
from simtc.validate.predictions import Predictions
from simtc.validate.recorded import archive

_KEPT = ("active_cycles", "nanoseconds", "instructions", "bits")


def main() -> None:
    """Compare, print, and keep."""
    home = folder("validate") / "captures" / "h200"
    path = home / "others-pycuda.json"
    capture, predictions = read_capture(path), Predictions()
    cases = {case.name: case for case in captured_cases(capture) if isinstance(case, MeasuredCase)}
    with bar("launches") as progress:
        found = replay(capture, cases=cases.values(), predictions=predictions, progress=progress)
    kept = {
        "what": "what the clock gave the kernels by others, fidelity full",
        "made_with": made_with(),
        "capture": digest_of(path),
        "archive": digest_of(archive()),
        "errors": summary(found.cases),
        "not_compared": {case.name: case.problem for case in found.problems},
        "not_run": {name: one.reason for name, one in capture.cases.items() if one.status != "ran"},
        "predicted": {
            case.name: told(predictions.of(cases[case.name]).values) for case in found.cases if not case.problem
        },
    }
    (home / "others-clock.json").write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({name: kept[name] for name in ("errors", "not_compared", "not_run")}, indent=1))


def told(values: Mapping[str, float]) -> dict[str, Any]:
    """Return the quantities that are kept, and the cause that most warps waited for."""
    stalls = {name.removeprefix("stall_"): share for name, share in values.items() if name.startswith("stall_")}
    waiting = {cause: share for cause, share in stalls.items() if cause != "selected"}
    return {name: round(values[name]) for name in _KEPT} | {"top_stall": max(waiting, key=waiting.__getitem__)}


if __name__ == "__main__":
    main()
