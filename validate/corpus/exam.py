"""Compare the exam half of the corpus, and log the look: python validate/corpus/exam.py CAPTURE.

Nothing else compares that half. Each look appends a line to exam.jsonl: date, commit, board, and result whatever it is.
No constant and no mechanism may change after the last look without another EXAM_SEED, and captures of what it draws.
"""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from simtc.errors import SimtcError
from simtc.validate.campaigns.corpus import CorpusCase
from simtc.validate.capture import Capture, read_capture
from simtc.validate.compare import captured_cases, replay
from simtc.validate.corpus.drawing import EXAM_SEED
from simtc.validate.corpus.summary import summary
from simtc.validate.predictions import Predictions

_LOG = Path(__file__).resolve().parent / "exam.jsonl"


def exam_cases(capture: Capture) -> list[CorpusCase]:
    """Return the launches of the exam half, to be compared."""
    every = [case for case in captured_cases(capture) if isinstance(case, CorpusCase)]
    return [replace(case, examined=True) for case in every if case.half == "exam"]


def main() -> int:
    """Compare, print, and log; 2 where no capture can be read."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        capture = read_capture(Path(sys.argv[1]))
    except SimtcError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    cases = exam_cases(capture)
    names = {case.name for case in cases}
    half = replace(capture, cases={name: one for name, one in capture.cases.items() if name in names})
    found = replay(half, cases=cases, predictions=Predictions())  # an interrupted look goes on, and is logged once
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()  # noqa: S607
    dirty = subprocess.run(["git", "status", "--porcelain", "-uno"], capture_output=True, text=True, check=True).stdout  # noqa: S607
    look = {
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"), "commit": commit + ("+changes" if dirty else ""),
        "seed": EXAM_SEED, "board": capture.machine["device"], "captured": capture.date, **summary(found.cases),
    }  # fmt: skip
    with _LOG.open("a", encoding="utf-8") as log:
        log.write(json.dumps(look) + "\n")
    print(json.dumps(look, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
