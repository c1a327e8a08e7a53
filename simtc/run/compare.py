"""Two runs side by side: what `simtc run --json` printed for each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simtc.errors import BadInputError

__all__ = ["RUN_SCHEMA", "Pair", "Runs", "compare_runs", "read_run"]

RUN_SCHEMA = "simtc.run/1"


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
class Runs:
    """Two runs: heads, totals, cycles by resource, warp-cycles by cause, and by instruction of the same code."""

    first: Mapping[str, Any]
    second: Mapping[str, Any]
    totals: tuple[Pair, ...]
    resources: tuple[Pair, ...]
    stalls: tuple[Pair, ...]
    instructions: tuple[Pair, ...]  # warp-cycles at each instruction; empty where the kernels are not the same code

    @property
    def same(self) -> bool:
        """True where both computed the same bits, as far as both say what they computed."""
        one, other = self.first.get("digest"), self.second.get("digest")
        return one is None or other is None or one == other

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON types, schema simtc.compare/1."""
        parts = ("totals", "resources", "stalls", "instructions")
        return {
            "schema": "simtc.compare/1",
            "runs": [_head(run) for run in (self.first, self.second)],
            "same_results": self.same,
            **{part: [pair.to_dict() for pair in getattr(self, part)] for part in parts},
        }


def _head(run: Mapping[str, Any]) -> dict[str, Any]:
    return {key: run[key] for key in ("kernel", "device", "grid", "block", "digest") if key in run}


def read_run(path: Path) -> Mapping[str, Any]:
    """Read what `simtc run --json` printed.

    Raises:
        BadInputError: no such file, no JSON, or of another schema.

    """
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInputError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise BadInputError(f"{path} is not JSON ({error}). Try: simtc run ... --json > {path}") from None
    schema = run.get("schema") if isinstance(run, dict) else None
    if schema != RUN_SCHEMA:
        hint = "a capture stands alone: simtc compare CAPTURE" if schema else "Try: simtc run ... --json"
        raise BadInputError(f"{path} has schema {schema!r}, two runs have {RUN_SCHEMA!r}; {hint}")
    return dict(run)


def compare_runs(first: Mapping[str, Any], second: Mapping[str, Any]) -> Runs:
    """Set two runs side by side.

    Raises:
        BadInputError: a run says too little, such as one without --timing beside one with it.

    """
    untimed = [run["kernel"] for run in (first, second) if run.get("cycles") is None]
    if len(untimed) == 1:
        raise BadInputError(f"the run of {untimed[0]} was not timed and the other was. Try: simtc run ... --timing")
    totals = ("cycles", "seconds", "tflops", "instructions", "warp_cycles", "bank_conflicts")
    return Runs(
        first=first,
        second=second,
        totals=tuple(
            Pair(name=key, first=first[key], second=second[key])
            for key in totals
            if first.get(key) is not None and second.get(key) is not None
        ),
        resources=_pairs(first.get("resources"), second.get("resources")),
        stalls=_pairs(first.get("stalls"), second.get("stalls")),
        instructions=_instructions(first.get("by_instruction") or [], second.get("by_instruction") or []),
    )


def _pairs(first: Mapping[str, float] | None, second: Mapping[str, float] | None) -> tuple[Pair, ...]:
    """Return the quantities that either has, those that differ most first."""
    one, other = first or {}, second or {}
    names = dict.fromkeys([*one, *other])
    pairs = [Pair(name=name, first=one.get(name, 0), second=other.get(name, 0)) for name in names]
    kept = [pair for pair in pairs if pair.first or pair.second]
    return tuple(sorted(kept, key=lambda pair: -abs(pair.second - pair.first)))


def _instructions(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> tuple[Pair, ...]:
    if [one["text"] for one in first] != [one["text"] for one in second]:
        return ()
    return tuple(
        Pair(name=f"{one['address']:#06x} {one['text']}", first=one["cycles"], second=other["cycles"])
        for one, other in zip(first, second, strict=True)
    )
