"""Predictions of ladders as they were made: each run is appended with its date and commit, none is taken away."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simtc.errors import BadInputError
from simtc.files import read_json, write_text
from simtc.resources import folder
from simtc.validate.ladders.predict import Prediction

__all__ = ["append", "latest"]

_FILE = "predictions.json"


def _path() -> Path:
    return folder("validate") / "ladders" / _FILE


def append(name: str, predictions: Sequence[Prediction], made: dict[str, str], path: Path | None = None) -> None:
    """Append a run of a ladder, or of some of its figures.

    Args:
        name: of the ladder.
        predictions: one for each figure.
        made: its date, commit and compiler.
        path: of the record; the project's own by default.

    """
    path = path or _path()
    runs = _runs(path) if path.exists() else []
    runs.append({"ladder": name, **made, "predictions": [one.to_dict() for one in predictions]})
    written = ",\n".join(_written(run) for run in runs)
    write_text(path, f'{{"schema": "simtc.ladders/1",\n"runs": [\n{written}\n]}}\n')


def _written(run: dict[str, Any]) -> str:
    """Return a run with one prediction a line, so that a change of one is seen as one."""
    head = json.dumps({key: value for key, value in run.items() if key != "predictions"})
    rows = ",\n ".join(json.dumps(row) for row in run["predictions"])
    return f'{head[:-1]}, "predictions": [\n {rows}]}}'


def latest(path: Path | None = None) -> dict[str, dict[str, Prediction]]:
    """Return the last prediction of each figure, by ladder and figure.

    Raises:
        BadInputError: the record is damaged.

    """
    found: dict[str, dict[str, Prediction]] = {}
    for run in _runs(path or _path()):
        try:
            rows = [Prediction(**row) for row in run["predictions"]]
            found.setdefault(str(run["ladder"]), {}).update({row.figure: row for row in rows})
        except (KeyError, TypeError) as error:
            raise BadInputError(f"{_FILE}: a run is damaged: {error}") from None
    return found


def _runs(path: Path) -> list[dict[str, Any]]:
    raw = read_json(path, what="the record of ladders")
    runs = raw.get("runs") if isinstance(raw, dict) else None
    if not isinstance(runs, list):
        raise BadInputError(f"{path}: this is no record of ladders")
    return runs
