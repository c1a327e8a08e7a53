"""Compare the development half of the corpus, and keep what came out: python validate/corpus/development.py BOARD.

The board is h200 or h100. Its capture's launches are predicted on all cores, some minutes; an interrupted comparison
goes on where it was. captures/BOARD/corpus-clock.json gets the errors, every launch's prediction, and what both were
made with; the README quotes it.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace

from simtc.cli.progress import bar
from simtc.resources import folder
from simtc.validate.campaigns.corpus import CorpusCase
from simtc.validate.capture import read_capture
from simtc.validate.compare import captured_cases, replay
from simtc.validate.corpus.summary import summary
from simtc.validate.made import digest_of, made_with
from simtc.validate.predictions import Predictions

_KEPT = ("active_cycles", "nanoseconds")


def main() -> None:
    """Compare, print, and keep."""
    home = folder("validate") / "captures" / sys.argv[1]
    path = home / "corpus-pycuda.json"
    capture = read_capture(path)
    cases = [x for x in captured_cases(capture) if isinstance(x, CorpusCase) and x.half == "development"]
    names = {case.name for case in cases}
    half = replace(capture, cases={name: one for name, one in capture.cases.items() if name in names})
    with bar("launches") as progress:
        found = replay(half, cases=cases, predictions=Predictions(), progress=progress)
    errors = summary(found.cases)
    predicted = {
        case.name: {point.quantity: round(point.predicted) for point in case.points if point.quantity in _KEPT}
        for case in found.cases
        if not case.problem
    }
    kept = {
        "what": "what the clock gave the development half of the corpus, fidelity full",
        "made_with": made_with(),
        "capture": digest_of(path),
        "errors": errors,
        "not_compared": {case.name: case.problem for case in found.problems},
        "predicted": predicted,
    }
    (home / "corpus-clock.json").write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(errors, indent=1))


if __name__ == "__main__":
    main()
