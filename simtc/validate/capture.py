"""A capture: what one GPU gave for every case of a campaign, small enough to commit and enough to replay.

Inputs are drawn again from the campaign's settings, so a capture holds digests: of each case's inputs, of its whole
result, of every row of it (CRC-32), and a few elements in full. JSON says what ran where; an .npz beside it holds the
rows' digests and the samples, one case after another.
"""

from __future__ import annotations

import json
import math
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simtc.errors import BadInputError, unknown
from simtc.files import read_json, replacing
from simtc.results.display import Columns, Display, by_column

__all__ = ["SCHEMA", "Capture", "Record", "read_capture", "record_of", "sampled", "write_capture"]

SCHEMA = "simtc.capture/1"
_STATUSES = ("ran", "skipped", "failed")
SAMPLES = 24  # elements of each result that are kept in full


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What a capture says of one case; `status` is ran, skipped or failed (then `reason` says why)."""

    status: str
    reason: str = ""
    note: str = ""
    shape: tuple[int, ...] = ()
    dtype: str = ""
    inputs: str = ""  # digest
    result: str = ""  # digest
    measured: Mapping[str, float] = field(default_factory=dict)  # of a campaign that measures
    rows: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32), repr=False)
    samples: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON says: everything but the arrays and what is empty."""
        plain = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("rows", "samples")}
        return {key: list(value) if key == "shape" else value for key, value in plain.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Capture(Display):
    """One campaign on one machine."""

    campaign: str
    settings: Mapping[str, Any]
    machine: Mapping[str, Any]  # as simtc.gpu.Description.to_dict
    date: str
    simtc: str  # the version that made it
    cases: Mapping[str, Record]

    @property
    def sm(self) -> int:
        """The chip's generation, such as 90."""
        major, minor = self.machine["compute_capability"]
        return int(10 * major + minor)

    def count(self, status: str) -> int:
        """Return how many cases have a status.

        Example:
            >>> empty = Capture(campaign="kernels", settings={}, machine={}, date="", simtc="", cases={})
            >>> empty.count("ran")
            0

        """
        return sum(record.status == status for record in self.cases.values())

    def headline(self) -> str:
        """Return campaign, chip, date and size in one line."""
        chip = self.machine.get("device", "no chip")
        return f"{self.campaign} on {chip}, {self.date}: {self.count('ran')} cases ran"

    def columns(self) -> Columns:
        """Return one row a case; what was measured of it has columns of its own."""
        names = dict.fromkeys(name for record in self.cases.values() for name in record.measured)
        return by_column(
            [
                {"case": case, "status": record.status, "elements": math.prod(record.shape) if record.shape else 0}
                | {name: record.measured.get(name) for name in names}
                for case, record in self.cases.items()
            ]
        )

    @property
    def elements(self) -> int:
        """The elements of all results."""
        return sum(math.prod(record.shape) for record in self.cases.values() if record.shape)


def sampled(shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the flat places of a result that a capture keeps in full.

    Example:
        >>> sampled((2, 2))
        array([0, 1, 2, 3])

    """
    size = math.prod(shape)
    return np.unique(np.linspace(0, size - 1, min(size, SAMPLES)).astype(np.int64)) if size else np.zeros(0, np.int64)


def row_digests(result: NDArray[Any]) -> NDArray[np.uint32]:
    """Return the CRC-32 of each row's bytes, (rows,)."""
    return np.array([zlib.crc32(np.ascontiguousarray(row).tobytes()) for row in result], np.uint32)


def result_digest(result: NDArray[Any]) -> str:
    """Return the digest of a whole result."""
    from simtc.validate.case import digest  # noqa: PLC0415 - which knows the GPU's room; readers do not

    return digest({"result": result})


def record_of(result: NDArray[Any], inputs: str, note: str = "") -> Record:
    """Return the record of a case that ran."""
    samples = np.ascontiguousarray(result.reshape(-1)[sampled(result.shape)])
    return Record(
        status="ran", note=note, shape=result.shape, dtype=result.dtype.str, inputs=inputs,
        result=result_digest(result), rows=row_digests(result), samples=samples.view(np.uint8),
    )  # fmt: skip


def write_capture(capture: Capture, path: Path) -> None:
    """Write PATH (.json) and its .npz.

    Raises:
        BadInputError: the folder cannot be written to.

    """
    head = {
        "schema": SCHEMA, "campaign": capture.campaign, "date": capture.date, "simtc": capture.simtc,
        "machine": dict(capture.machine), "settings": dict(capture.settings),
    }  # fmt: skip
    lines = ",\n".join(f"    {json.dumps(n)}: {json.dumps(r.to_dict())}" for n, r in capture.cases.items())
    text = json.dumps(head, indent=2).removesuffix("\n}") + ',\n  "cases": {\n' + lines + "\n  }\n}\n"
    ran = [record for record in capture.cases.values() if record.status == "ran"]
    empty = [Record(status="skipped")]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInputError(f"cannot write {path}: {error.strerror}") from None
    with replacing(path.with_suffix(".npz")) as arrays, replacing(path) as words:  # both, or neither
        np.savez_compressed(
            arrays,
            rows=np.concatenate([record.rows for record in ran or empty]),
            samples=np.concatenate([record.samples for record in ran or empty]),
        )
        arrays.flush()
        words.write(text.encode())


def read_capture(path: Path) -> Capture:
    """Read a capture.

    Raises:
        BadInputError: no such file, another schema version, or damaged; says which.

    """
    raw = read_json(path, what="a capture is the .json that simtc validate wrote")
    schema = raw.get("schema") if isinstance(raw, dict) else None
    if schema != SCHEMA:
        raise BadInputError(
            f"{path} has schema {schema!r}; this simtc reads {SCHEMA!r}. Try: simtc validate, which writes a new one"
        )
    try:
        with path.with_suffix(".npz").open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            rows, samples = arrays["rows"], arrays["samples"]
        return _capture(raw, _records(raw["cases"], rows, samples, path))
    except BadInputError:
        raise
    except OSError as error:
        raise BadInputError(f"cannot read {path.with_suffix('.npz')}, which belongs to it: {error.strerror}") from None
    except (
        AttributeError, EOFError, KeyError, MemoryError, OverflowError, TypeError, ValueError, zipfile.BadZipFile,
        zlib.error,
    ) as error:  # fmt: skip
        raise BadInputError(f"{path} or its .npz is damaged ({type(error).__name__}: {error})") from None


def _capture(raw: Mapping[str, Any], records: dict[str, Record]) -> Capture:
    """Check what a capture says of itself."""
    for key, kind in (("campaign", str), ("settings", dict), ("machine", dict), ("date", str), ("simtc", str)):
        if not isinstance(raw[key], kind):
            raise TypeError(f"{key} is {raw[key]!r}")
    machine = raw["machine"]
    for key in ("backend", "device", "driver", "toolkit"):
        if not isinstance(machine[key], str):
            raise TypeError(f"{key} of its machine is {machine[key]!r}")
    numbers = (machine["clock_mhz"], *machine["compute_capability"])
    if len(numbers) != 3 or not all(isinstance(number, int) for number in numbers):
        raise TypeError(f"clock and compute capability of its machine are {numbers}")
    keys = ("campaign", "settings", "machine", "date", "simtc")
    return Capture(cases=records, **{key: raw[key] for key in keys})


def _records(cases: Mapping[str, Any], rows: NDArray[Any], samples: NDArray[Any], path: Path) -> dict[str, Record]:
    out, at, byte = {}, 0, 0
    for name, entry in cases.items():
        shape = tuple(entry.get("shape", ()))
        height = shape[0] if shape else 0
        size = len(sampled(shape)) * np.dtype(entry["dtype"]).itemsize if shape else 0
        fields_of = {**entry, "shape": shape}
        out[name] = Record(**fields_of, rows=rows[at : at + height], samples=samples[byte : byte + size])
        if entry["status"] not in _STATUSES:
            raise unknown(f"status of case {name}", entry["status"], _STATUSES)
        for quantity, value in out[name].measured.items():
            if not isinstance(value, int | float):
                raise TypeError(f"{quantity} of case {name} is {value!r}")
        at, byte = at + height, byte + size
    if (at, byte) != (len(rows), len(samples)):
        raise BadInputError(
            f"{path} and its .npz do not belong together: due are {at} rows and {byte} bytes of samples, "
            f"there are {len(rows)} and {len(samples)}"
        )
    return out
