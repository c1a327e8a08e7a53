"""Two runs side by side: what `simtc run --json` printed for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simtc.errors import BadInputError
from simtc.files import read_json
from simtc.results.display import Columns, Display, by_column
from simtc.run.align import aligned

__all__ = ["RUN_SCHEMA", "LinePair", "Pair", "Runs", "compare_runs", "read_run"]

RUN_SCHEMA = "simtc.run/1"
_TOTALS = ("cycles", "seconds", "tflops", "instructions", "warp_cycles", "bank_conflicts")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_shape(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, int) for one in value)


def _are_numbers(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_number, value.values()))


def _are_instructions(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, dict)
        and isinstance(one.get("text"), str)
        and isinstance(one.get("address"), int)
        and _is_number(one.get("cycles"))
        for one in value
    )


def _are_lines(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, dict)
        and isinstance(one.get("code"), str)
        and isinstance(one.get("top_stall"), str)
        and all(_is_number(one.get(name)) for name in ("cycles", "conflicts", "sectors"))
        and isinstance(place := one.get("source"), list)
        and [type(part) for part in place] == [str, int]
        for one in value
    )


# What is read of a run: whether it must be there, and what it must be.
_FIELDS: dict[str, tuple[bool, Callable[[Any], bool]]] = {
    "kernel": (True, lambda value: isinstance(value, str)),
    "device": (True, lambda value: isinstance(value, str)),
    "grid": (True, _is_shape),
    "block": (True, _is_shape),
    **dict.fromkeys((*_TOTALS, *"mnk"), (False, _is_number)),
    "resources": (False, _are_numbers),
    "stalls": (False, _are_numbers),
    "by_instruction": (False, _are_instructions),
    "by_line": (False, _are_lines),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One quantity of two runs.

    Example:
        >>> Pair(name="cycles", first=200, second=150).ratio
        0.75

    """

    name: str
    first: float
    second: float

    @property
    def ratio(self) -> float | None:
        """The second over the first; None where the first is 0."""
        return self.second / self.first if self.first else None

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as JSON types."""
        return {"name": self.name, "first": self.first, "second": self.second, "ratio": self.ratio}


@dataclass(frozen=True, slots=True, kw_only=True)
class LinePair:
    """One line of the source in two runs, as `by_line` of each has it; None where only the other has the line."""

    first: Mapping[str, Any] | None
    second: Mapping[str, Any] | None

    @property
    def code(self) -> str:
        """The line's text, the second's where it was changed."""
        line = self.second or self.first or {}
        return str(line["code"]).strip()

    @property
    def difference(self) -> float:
        """Warp-cycles of the second less those of the first."""
        return float((self.second or {}).get("cycles", 0) - (self.first or {}).get("cycles", 0))

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as JSON types."""
        return {"code": self.code, "difference": self.difference, "first": self.first, "second": self.second}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Runs(Display):
    """Two runs: heads, totals, cycles by resource; warp-cycles by cause, by line, by instruction of the same code."""

    first: Mapping[str, Any]
    second: Mapping[str, Any]
    totals: tuple[Pair, ...]
    resources: tuple[Pair, ...]
    stalls: tuple[Pair, ...]
    instructions: tuple[Pair, ...]  # warp-cycles at each instruction; empty where the kernels are not the same code
    lines: tuple[LinePair, ...] = ()  # what changed most first; empty where a kernel names no source

    @property
    def same(self) -> bool:
        """True where both computed the same bits, as far as both say what they computed."""
        one, other = self.first.get("digest"), self.second.get("digest")
        return one is None or other is None or one == other

    def headline(self) -> str:
        """Return what is compared in one line."""
        names = [f"{run['kernel']} on {run['device']}" for run in (self.first, self.second)]
        ratio = next((pair.ratio for pair in self.totals if pair.name == "cycles"), None)
        return f"{names[1]} beside {names[0]}" + (f": {ratio:.3f} times the cycles" if ratio else "")

    def columns(self) -> Columns:
        """Return one row a quantity: its kind, name, both values and their ratio."""
        parts = ("totals", "resources", "stalls", "instructions")
        return by_column([{"kind": part} | pair.to_dict() for part in parts for pair in getattr(self, part)])

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON types, schema simtc.compare/1."""
        parts = ("totals", "resources", "stalls", "instructions")
        return {
            "schema": "simtc.compare/1",
            "runs": [_head(run) for run in (self.first, self.second)],
            "same_results": self.same,
            **{part: [pair.to_dict() for pair in getattr(self, part)] for part in (*parts, "lines")},
        }


def _head(run: Mapping[str, Any]) -> dict[str, Any]:
    return {key: run[key] for key in ("kernel", "device", "grid", "block", "digest") if key in run}


def read_run(path: Path) -> Mapping[str, Any]:
    """Read what `simtc run --json` printed.

    Raises:
        BadInputError: no such file, no JSON, or of another schema.

    """
    run = read_json(path, what=f"a run is what simtc run --json prints. Try: simtc run ... --json > {path}")
    schema = run.get("schema") if isinstance(run, dict) else None
    if schema != RUN_SCHEMA:
        hint = "a capture stands alone: simtc compare CAPTURE" if schema else "Try: simtc run ... --json"
        raise BadInputError(f"{path} has schema {schema!r}, two runs have {RUN_SCHEMA!r}; {hint}")
    for key, (needed, fits) in _FIELDS.items():
        value = run.get(key)
        if (needed or value is not None) and not fits(value):
            raise BadInputError(f"{path} is a damaged run: {key} is {value!r}. Try: simtc run ... --json > {path}")
    return dict(run)


def compare_runs(first: Mapping[str, Any], second: Mapping[str, Any]) -> Runs:
    """Set two runs side by side.

    Raises:
        BadInputError: a run says too little, such as one without --timing beside one with it.

    """
    untimed = [run["kernel"] for run in (first, second) if run.get("cycles") is None]
    if len(untimed) == 1:
        raise BadInputError(f"the run of {untimed[0]} was not timed and the other was. Try: simtc run ... --timing")
    return Runs(
        first=first,
        second=second,
        totals=tuple(
            Pair(name=key, first=first[key], second=second[key])
            for key in _TOTALS
            if first.get(key) is not None and second.get(key) is not None
        ),
        resources=_pairs(first.get("resources"), second.get("resources")),
        stalls=_pairs(first.get("stalls"), second.get("stalls")),
        instructions=_instructions(first.get("by_instruction") or [], second.get("by_instruction") or []),
        lines=_lines(first, second),
    )


def _pairs(first: Mapping[str, float] | None, second: Mapping[str, float] | None) -> tuple[Pair, ...]:
    """Return the quantities that either has, those that differ most first."""
    one, other = first or {}, second or {}
    names = dict.fromkeys([*one, *other])
    pairs = [Pair(name=name, first=one.get(name, 0), second=other.get(name, 0)) for name in names]
    kept = [pair for pair in pairs if pair.first or pair.second]
    return tuple(sorted(kept, key=lambda pair: -abs(pair.second - pair.first)))


def _lines(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[LinePair, ...]:
    """Pair the lines of both sources, those whose warp-cycles changed most first."""
    one, other = _shares(first), _shares(second)
    if not (one and other):
        return ()
    pairs = [LinePair(first=mine, second=theirs) for mine, theirs in aligned(one, other)]
    return tuple(sorted(pairs, key=lambda pair: -abs(pair.difference)))


def _shares(run: Mapping[str, Any]) -> list[dict[str, Any]]:
    whole = run.get("warp_cycles") or 0
    return [line | {"share": line["cycles"] / whole if whole else 0.0} for line in run.get("by_line") or []]


def _instructions(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> tuple[Pair, ...]:
    if [one["text"] for one in first] != [one["text"] for one in second]:
        return ()
    return tuple(
        Pair(name=f"{one['address']:#06x} {one['text']}", first=one["cycles"], second=other["cycles"])
        for one, other in zip(first, second, strict=True)
    )
