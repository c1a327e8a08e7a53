"""Predictions of earlier runs, kept by content: the same sources, kernel, case and board give the same numbers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from simtc.errors import BadInputError, SimtcError
from simtc.files import read_json, write_text
from simtc.jit import cache_root, sources_digest
from simtc.run.fingerprint import fingerprint
from simtc.validate.measured import Measured, MeasuredCase

__all__ = ["Predictions", "key"]


class Predictions:
    """What was predicted, in a folder of small files; one that cannot be written costs time and nothing else."""

    def __init__(self, *, fresh: bool = False, folder: Path | None = None) -> None:
        """Take predictions from the folder, or with `fresh` make all of them anew."""
        self._folder = folder or cache_root() / "predictions"
        self._fresh = fresh
        self.found = 0  # earlier predictions that were taken
        self.made = 0  # new ones that were kept
        self.problem = ""  # why new ones cannot be kept

    def of(self, case: MeasuredCase) -> Measured | None:
        """Return a case's prediction, and keep it where it is new.

        Raises:
            SimtcError: the case cannot be predicted.

        """
        path = self._folder / f"{key(case)}.json"
        kept = None if self._fresh else _read(path)
        if kept is not None:
            self.found += 1
            return kept
        predicted = case.predict()
        if predicted is not None:
            self._keep(path, predicted)
        return predicted

    def _keep(self, path: Path, predicted: Measured) -> None:
        values = {name: float(value) for name, value in predicted.values.items()}
        text = json.dumps({"values": values, "code": predicted.code, "note": predicted.note})
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, text)
            self.made += 1
        except (OSError, BadInputError) as error:
            self.problem = str(error)


def _read(path: Path) -> Measured | None:
    if not path.is_file():
        return None
    try:
        raw = read_json(path, what="a prediction")
        values = {str(name): float(value) for name, value in raw["values"].items()}
        return Measured(values=values, code=str(raw["code"]), note=str(raw["note"]))
    except (BadInputError, AttributeError, KeyError, TypeError, ValueError):
        return None  # damaged: it is made again


def key(case: MeasuredCase) -> str:
    """Return what a prediction depends on, as a digest."""
    try:
        kernel = getattr(case, "kernel", None)
    except SimtcError:  # a configuration whose twin does not ship: its program is made from the sources
        kernel = None
    return fingerprint(np.__version__, sources_digest(type(case).__module__, tables=True), case, kernel)
