"""Arguments written as text, for the command line."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from simtc.errors import BadInputError, unknown
from simtc.files import read_array
from simtc.resources import require_memory
from simtc.run.arguments import Uninitialized, uninitialized

__all__ = ["Parsed", "arguments_from_specs"]

_TYPES: dict[str, Any] = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "bf16": ml_dtypes.bfloat16,
    **{f"{sign}{bits}": np.dtype(f"{sign}{bits // 8}").type for sign in "iu" for bits in (8, 16, 32, 64)},
}
_SPEC = re.compile(r"^(?P<type>\w+)(?:\[(?P<shape>\d+(?:[,x]\d+)*)\])?(?:=(?P<value>[^>]+))?(?:>(?P<save>.+))?$")
_FILE = re.compile(r"^@(?P<path>[^>]+)(?:>(?P<save>.+))?$")
_DIMENSIONS = 32  # that numpy has room for, in every version
_FILLS = ("zeros", "ones", "random", "iota", "uninitialized")


@dataclass(slots=True)
class Parsed:
    """Arguments, and which of them to save where."""

    values: list[Any] = field(default_factory=list)
    saves: list[tuple[Path, np.ndarray]] = field(default_factory=list)

    def digests(self) -> dict[int, str]:
        """Return the first 16 digits of the SHA-256 of each buffer, by its place among the arguments."""
        arrays = [value.array if isinstance(value, Uninitialized) else value for value in self.values]
        return {
            place: hashlib.sha256(array.tobytes()).hexdigest()[:16]
            for place, array in enumerate(arrays)
            if isinstance(array, np.ndarray)
        }


def arguments_from_specs(specs: Sequence[str]) -> Parsed:
    """Read arguments: TYPE=NUMBER, TYPE[SHAPE], TYPE[SHAPE]=FILL, @FILE.npy, each buffer with an optional >FILE.npy.

    Raises:
        BadInputError: a spec that cannot be read, with its place.

    Example:
        >>> arguments_from_specs(["i32=5", "f16[2,3]=ones"]).values[1].shape
        (2, 3)

    """
    parsed = Parsed()
    for place, spec in enumerate(specs):
        file, match = _FILE.match(spec), _SPEC.match(spec)
        if file:
            value: Any = read_array(Path(file["path"]), what=f"argument {place}")
            save = file["save"]
        elif match:
            value, save = _make(place, match), match["save"]
        else:
            raise BadInputError(
                f"argument {place}: {spec!r} is none of TYPE=NUMBER, TYPE[SHAPE], TYPE[SHAPE]=FILL, @FILE.npy"
            )
        if save:
            array = value.array if isinstance(value, Uninitialized) else value
            if not isinstance(array, np.ndarray):
                raise BadInputError(f"argument {place}: {spec!r} is a value; only a buffer can be saved")
            if any(Path(save) == target for target, _ in parsed.saves):
                raise BadInputError(f"argument {place}: {save} is saved to by an argument before it")
            parsed.saves.append((Path(save), array))
        parsed.values.append(value)
    return parsed


def _make(place: int, match: re.Match[str]) -> Any:
    if match["type"] not in _TYPES:
        raise unknown(f"type of argument {place}", match["type"], _TYPES)
    kind = _TYPES[match["type"]]
    value = match["value"]
    if match["shape"] is None:
        if value is None:
            raise BadInputError(f"argument {place}: {match[0]!r} lacks its value, such as {match['type']}=1")
        return _number(place, kind, value)
    return _filled(place, match, _shape(place, match), np.dtype(kind))


def _shape(place: int, match: re.Match[str]) -> tuple[int, ...]:
    """Read a shape, which this machine's memory can hold and numpy has room for."""
    try:
        shape = tuple(int(part) for part in re.split("[,x]", match["shape"]))
    except ValueError:  # more digits than Python reads
        raise BadInputError(f"argument {place}: {match[0]!r} is larger than any memory") from None
    if len(shape) > _DIMENSIONS:
        raise BadInputError(f"argument {place}: {match[0]!r} has {len(shape)} dimensions, at most {_DIMENSIONS} can be")
    # it is drawn in 8 bytes an element at most, and copied once for the simulated chip
    require_memory((8 + np.dtype(_TYPES[match["type"]]).itemsize) * math.prod(shape), f"argument {place}: {match[0]}")
    return shape


def _filled(place: int, match: re.Match[str], shape: tuple[int, ...], kind: np.dtype[Any]) -> Any:
    """Make a buffer."""
    fill = match["value"] or "zeros"
    if fill == "random":
        drawn = np.random.default_rng(place).standard_normal(shape)
        return (drawn.astype(np.int64) if kind.kind in "iu" else drawn).astype(kind)
    if fill == "iota":
        return np.arange(math.prod(shape)).astype(kind).reshape(shape)
    if fill == "zeros":
        return np.zeros(shape, kind)
    if fill == "ones":
        return np.ones(shape, kind)
    if fill == "uninitialized":
        return uninitialized(np.zeros(shape, kind))
    raise unknown(f"fill of argument {place}", fill, _FILLS)


def _number(place: int, kind: Any, text: str) -> Any:
    integral = np.dtype(kind).kind in "iu"
    try:
        with np.errstate(over="raise"):
            return kind(int(text, 0) if integral else float(text))
    except (ValueError, ArithmeticError):
        raise BadInputError(f"argument {place}: {text!r} is no {np.dtype(kind).name}") from None
