"""What an interrupted campaign leaves: every finished case, in a file that the next run goes on from."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from simtc.errors import BadInputError
from simtc.files import write_text
from simtc.validate.capture import Record

__all__ = ["State"]


class State:
    """A file of JSON lines: what is being captured where, then one line for each finished case."""

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        """Open or begin the file.

        Raises:
            BadInputError: it was begun for another campaign, settings, device or toolkit.

        """
        self._path = path
        self.finished: dict[str, Record] = {}
        head = json.loads(json.dumps(dict(identity)))
        if path.exists():
            self._read(head)
        else:
            write_text(path, json.dumps(head) + "\n")

    def _read(self, head: Mapping[str, Any]) -> None:
        try:
            whole = self._path.read_text(encoding="utf-8")
            first, *lines = whole[: whole.rfind("\n") + 1].splitlines() or [""]  # a line cut short is not finished
            begun = dict(json.loads(first)) if first else {}
            found = dict(map(_entry, lines))
        except (OSError, AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
            raise BadInputError(
                f"{self._path} is not what an interrupted run leaves ({type(error).__name__}: {error}). "
                "Try: the same command with --fresh, which begins anew"
            ) from None
        other = [key for key in head if begun.get(key) != head[key]]
        if other:
            raise BadInputError(
                f"{self._path} was begun with another {', '.join(other)}; captures are never mixed. "
                "Try: the same command with --fresh, which begins anew"
            )
        self.finished |= found
        write_text(self._path, "\n".join([first, *lines]) + "\n")

    def add(self, name: str, record: Record) -> None:
        """Keep one finished case."""
        entry = {"name": name, **record.to_dict()}
        if record.status == "ran":
            entry["rows"] = base64.b64encode(record.rows.tobytes()).decode()
            entry["samples"] = base64.b64encode(record.samples.tobytes()).decode()
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
        except OSError as error:
            raise BadInputError(f"cannot write {self._path}: {error.strerror}; what is before it is kept") from None
        self.finished[name] = record

    def remove(self) -> None:
        """Forget the file, once the capture is written."""
        self._path.unlink(missing_ok=True)


def _entry(line: str) -> tuple[str, Record]:
    """Read one finished case."""
    entry = json.loads(line)
    name = entry.pop("name")
    rows, samples = (base64.b64decode(entry.pop(key, "")) for key in ("rows", "samples"))
    return name, Record(
        **{**entry, "shape": tuple(entry.get("shape", ()))},
        rows=np.frombuffer(rows, np.uint32), samples=np.frombuffer(samples, np.uint8),
    )  # fmt: skip
