"""Compare simtc with published ladders of kernels on Volta and Turing: a development set.

python validate/ladders/run.py [--whole] LADDER FOLDER [FIGURE ...]
    FOLDER holds the sources, fetched as LADDER.toml says; the predictions of all figures, or of those named, are
    appended to predictions.json with date and commit; --whole also executes launches whole that take minutes
python validate/ladders/run.py --report [--figures] [--svg FILE] [LADDER ...]

The sources are their authors' and stay outside the project: a ladder's toml says repository, commit and file, and has a
digest of each kernel.
"""

from __future__ import annotations

import argparse
import datetime as dt
import subprocess
import sys
from pathlib import Path

from simtc.compiler.nvrtc import nvrtc
from simtc.errors import SimtcError, unknown
from simtc.files import write_text
from simtc.report.ladders import ladders_text
from simtc.report.plots import scatter_plot
from simtc.validate.ladders import Ladder, Standing, append, ladders, latest, predict, standing

_HOME = Path(__file__).resolve().parent


def _commit() -> str:
    asked = ["git", "-C", str(_HOME), "describe", "--always", "--dirty", "--abbrev=10"]
    try:
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def make(ladder: Ladder, folder: Path, names: list[str], *, whole: bool) -> None:
    """Predict every figure of a ladder, or those that are named, and append the run."""
    known = [figure.name for figure in ladder.figures]
    for name in names:
        if name not in known:
            raise unknown(f"figure of ladder {ladder.name}", name, known)
    found = []
    for figure in [figure for figure in ladder.figures if not names or figure.name in names]:
        found.append(predict(ladder, figure, folder, whole=whole))
        one, said = found[-1], 1e6 * ladder.seconds(figure)
        time = f"{1e6 * one.seconds:,.1f} us ({one.fidelity}), published {said:,.1f}"
        print(f"{figure.name}: {one.refused or time}", file=sys.stderr, flush=True)
    made = {"date": dt.datetime.now(dt.UTC).date().isoformat(), "commit": _commit(), "compiler": nvrtc().version}
    append(ladder.name, found, made)


def compared(names: list[str]) -> list[Standing]:
    """Return where the ladders of some names stand; all of them if none is named."""
    known, runs = ladders(), latest()
    for name in names:
        if name not in known:
            raise unknown("ladder", name, list(known))
    return [standing(ladder, runs.get(name, {})) for name, ladder in known.items() if not names or name in names]


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="LADDER FOLDER [FIGURE]")
    parser.add_argument("--whole", action="store_true", help="execute launches whole that take minutes")
    parser.add_argument("--report", action="store_true", help="compare the last predictions with what was published")
    parser.add_argument("--figures", action="store_true", help="with --report: every figure")
    parser.add_argument("--svg", type=Path, help="with --report: also draw published against predicted times")
    asked = parser.parse_args()
    try:
        if asked.report:
            found = compared(asked.words)
            print(ladders_text(found, figures=asked.figures), end="")
            if asked.svg:
                points = [point for one in found if one.ladder.level for point in one.points]
                write_text(asked.svg, scatter_plot(points, unit="microseconds", measured="published"))
            return 0
        if len(asked.words) < 2:
            parser.error("name a ladder and the folder of its sources, or ask for --report")
        known = ladders()
        if asked.words[0] not in known:
            raise unknown("ladder", asked.words[0], list(known))
        make(known[asked.words[0]], Path(asked.words[1]), asked.words[2:], whole=asked.whole)
    except SimtcError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
