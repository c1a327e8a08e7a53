"""The file of a sweep that can be resumed: a line of JSON for each finished case, behind one that says of what.

A line is written in one go and is on disk before the next case counts as done. What kills the process in the middle of
a line leaves a last line without its end, which the next start cuts off: that case is computed again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from simtc.errors import BadInputError
from simtc.files import require_writable, write_text
from simtc.jit import sources_digest
from simtc.run.sweep.case import Case, Outcome, prediction_of

__all__ = ["Journal", "sources_of"]

SCHEMA = "simtc.sweep-journal/1"


def sources_of(module: str) -> str:
    """Return a digest of all sources that time a configuration of a module, tables included."""
    return sources_digest("simtc.run.simulate", tables=True)[:20] + sources_digest(module, tables=True)[:20]


class Journal:
    """The finished cases of a sweep, in a file."""

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        """Read the file, or begin it.

        Args:
            path: the file.
            identity: what the sweep is of; the file of another one is refused.

        Raises:
            BadInputError: a file of something else, of another sweep, damaged, or in use.

        """
        self._path = path
        require_writable(path)
        head = {"schema": SCHEMA, **json.loads(json.dumps(identity))}
        if not path.exists() or not path.stat().st_size:
            write_text(path, json.dumps(head) + "\n")
        try:
            self._file: IO[bytes] = path.open("r+b")
        except OSError as error:
            raise BadInputError(f"cannot read {path}: {error.strerror or error}") from None
        try:
            self._lock()
            self.finished = self._read(head)
        except BaseException:
            self._file.close()
            raise
        self.found = len(self.finished)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def keep(self, case: Case, outcome: Outcome) -> None:
        """Append a finished case.

        Raises:
            BadInputError: the disk is full.

        """
        if not outcome.lasting:
            return
        line: dict[str, Any] = {"case": outcome.key, "name": case.simulation.configuration.name, "size": case.size}
        if outcome.prediction is None:
            line |= {"why": outcome.why, "exit_code": outcome.exit_code}
        else:
            line["prediction"] = outcome.prediction.to_dict()
        try:
            self._file.write(json.dumps(line).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise BadInputError(f"cannot write {self._path}: {error.strerror or error}") from None
        self.finished[outcome.key] = outcome

    def _lock(self) -> None:
        """Keep another process from the file: two would compute each case twice."""
        try:
            import fcntl  # noqa: PLC0415 - Windows has none
        except ImportError:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadInputError(f"{self._path} is in use by another sweep. Try: another --resume FILE") from None

    def _read(self, head: Mapping[str, Any]) -> dict[str, Outcome]:
        """Read the finished cases, and cut off a line that was being written."""
        data = self._file.read()
        whole = data.rfind(b"\n") + 1
        lines = data[:whole].splitlines()
        self._require_same(head, lines[0] if lines else data)
        found = {}
        for number, line in enumerate(lines[1:], 2):
            outcome = _outcome(line)
            if outcome is None:
                raise BadInputError(f"{self._path}: line {number} is damaged. Try: another --resume FILE")
            found[outcome.key] = outcome
        self._file.truncate(whole)
        self._file.seek(whole)
        return found

    def _require_same(self, head: Mapping[str, Any], first: bytes) -> None:
        try:
            there = json.loads(first)
        except ValueError:
            there = None
        if not isinstance(there, dict) or there.get("schema") != SCHEMA:
            raise BadInputError(f"{self._path} is no file of simtc sweep --resume. Try: another --resume FILE")
        for name, ours in head.items():
            theirs = there.get(name)
            if theirs != ours:
                what = (
                    "simtc's sources have changed since"
                    if name == "sources"
                    else f"{name} there {_shown(theirs)}, here {_shown(ours)}"
                )
                raise BadInputError(f"{self._path} is of another sweep: {what}. Try: another --resume FILE")


def _outcome(line: bytes) -> Outcome | None:
    """Read a finished case; None where the line is none."""
    try:
        raw = json.loads(line)
        if "prediction" in raw:
            return Outcome(key=str(raw["case"]), prediction=prediction_of(raw["prediction"]))
        return Outcome(key=str(raw["case"]), prediction=None, why=str(raw["why"]), exit_code=int(raw["exit_code"]))
    except (ValueError, KeyError, TypeError):
        return None


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
