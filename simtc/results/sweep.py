"""A family's configurations, ranked for one or several problem sizes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from math import exp, log
from typing import TYPE_CHECKING, Any

from simtc.errors import BadInputError, MissingToolError
from simtc.results.prediction import Prediction

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COLUMNS", "Ranked", "Ranking", "Size", "SweepResult", "flat"]

Size = tuple[int, int, int]  # m, n, k

COLUMNS = (
    "rank", "m", "n", "k", "name", "seconds", "cycles", "tflops", "peak_share", "bound", "fidelity", "error_estimate",
    "analytic_seconds", "why", "options",
)  # fmt: skip
_SHOWN = 16  # rows of a page


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """One configuration for one problem: what closed forms say of it, and what the clock does where it was timed."""

    name: str
    options: str  # that make it, as the command line writes them
    flops: int  # of the problem
    closed: Prediction
    timed: Prediction | None = None
    why: str = ""  # it was not timed although its turn had come
    exit_code: int = 0  # of what went wrong as it was timed

    @property
    def best(self) -> Prediction:
        """What is known of it at the highest fidelity."""
        return self.timed or self.closed

    @property
    def seconds(self) -> float:
        """Time at the highest fidelity."""
        return self.best.seconds

    @property
    def tflops(self) -> float:
        """Useful teraflops of all products of the batch."""
        return 1e-12 * self.flops / self.seconds

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON types."""
        best = self.best
        return {
            "name": self.name,
            "seconds": best.seconds,
            "cycles": best.cycles,
            "tflops": self.tflops,
            "peak_share": self.tflops / best.peak_tflops,
            "bound": best.bound,
            "fidelity": best.fidelity,
            "error_estimate": best.error_estimate,
            "analytic_seconds": self.closed.seconds,
            "why": self.why,
            "options": self.options,
            "config": dict(best.config),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The configurations for one problem size: those that were timed, then the rest by closed forms."""

    size: Size
    rows: tuple[Ranked, ...]
    refused: Mapping[str, int]  # configurations that a rule prunes, by rule, most first

    @property
    def space(self) -> int:
        """Configurations that were looked at."""
        return len(self.rows) + sum(self.refused.values())

    @property
    def timed(self) -> tuple[Ranked, ...]:
        """Those that the clock timed, the fastest first."""
        return tuple(row for row in self.rows if row.timed)

    @property
    def best(self) -> Ranked:
        """The fastest."""
        return self.rows[0]

    def to_dict(self) -> dict[str, Any]:
        """Return the ranking as JSON types."""
        m, n, k = self.size
        rows = [{"rank": 1 + place, **row.to_dict()} for place, row in enumerate(self.rows)]
        return {"m": m, "n": n, "k": k, "space": self.space, "refused": dict(self.refused), "rows": rows}


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """A family's space on a board, for each problem size.

    Example:
        >>> import simtc
        >>> one = simtc.sweep("hgemm", m=(256, 4096), n=(256, 4096), k=512, block=(128, 128, 32), fidelity="analytic")
        >>> [ranking.size for ranking in one.rankings]
        [(256, 256, 512), (4096, 4096, 512)]
        >>> one.rankings[0].best.options.startswith("--block 128,128,32 --warp ")
        True

    """

    family: str
    device: str
    fidelity: str
    caches: str
    choices: Mapping[str, Any] = field(default_factory=dict)  # that every configuration has
    top: int = 0  # configurations that the clock was to time at each size
    rankings: tuple[Ranking, ...]

    @property
    def selection(self) -> tuple[Ranked, ...]:
        """The fastest configuration at each size."""
        return tuple(ranking.best for ranking in self.rankings)

    @property
    def best(self) -> Ranked:
        """The fastest configuration; of several sizes, the one that loses least over all of them, at the first.

        Raises:
            BadInputError: no configuration is known at every size.

        """
        losses = self.losses()
        if not losses:
            raise BadInputError("no configuration was timed at every size; `selection` has the best at each")
        name = min(losses, key=lambda one: losses[one])
        return next(row for row in self.rankings[0].rows if row.name == name)

    def losses(self) -> dict[str, float]:
        """Return by name how much longer a configuration takes than the best at each size, as a geometric mean.

        Only those count that are known at every size at the fidelity of its best one.
        """
        totals: dict[str, list[float]] = {}
        for ranking in self.rankings:
            best = ranking.best
            for row in ranking.rows:
                if (row.timed is None) == (best.timed is None):
                    totals.setdefault(row.name, []).append(log(row.seconds / best.seconds))
        whole = len(self.rankings)
        return {name: exp(sum(logs) / whole) for name, logs in totals.items() if len(logs) == whole}

    @property
    def exit_code(self) -> int:
        """0, or that of the first configuration whose timing went wrong."""
        return next((row.exit_code for ranking in self.rankings for row in ranking.rows if row.exit_code), 0)

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield every configuration at every size: the columns of a table, and the configuration's own."""
        for ranking in self.rankings:
            m, n, k = ranking.size
            for place, row in enumerate(ranking.rows):
                found = {"rank": 1 + place, "m": m, "n": n, "k": k, **row.to_dict()}
                config = found.pop("config")
                yield {name: found[name] for name in COLUMNS} | {f"config.{key}": flat(config[key]) for key in config}

    def to_frame(self) -> pd.DataFrame:
        """Return every configuration at every size as a table of pandas.

        Raises:
            MissingToolError: pandas is not installed.

        """
        try:
            import pandas as pd  # noqa: PLC0415 - whoever wants a frame has it
        except ImportError:
            raise MissingToolError("to_frame needs pandas, which is not installed. Try: pip install pandas") from None
        return pd.DataFrame.from_records(list(self.records()))

    def to_dict(self) -> dict[str, Any]:
        """Return the sweep as JSON types, schema simtc.sweep/1."""
        losses = self.losses()
        return {
            "schema": "simtc.sweep/1",
            "family": self.family,
            "device": self.device,
            "fidelity": self.fidelity,
            "caches": self.caches,
            "choices": dict(self.choices),
            "top": self.top,
            "best": self.best.name if losses else None,
            "selection": [
                {**dict(zip("mnk", ranking.size, strict=True)), **ranking.best.to_dict()} for ranking in self.rankings
            ],
            "losses": dict(sorted(losses.items(), key=lambda item: item[1])) if len(self.rankings) > 1 else {},
            "sizes": [ranking.to_dict() for ranking in self.rankings],
        }

    def to_json(self) -> str:
        """Return the sweep as JSON text."""
        return json.dumps(self.to_dict(), indent=1)

    def __repr__(self) -> str:
        sizes = ", ".join("x".join(map(str, ranking.size)) for ranking in self.rankings)
        return f"<sweep of {self.family} on {self.device}: {sizes}, {self.fidelity}>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("rank", "us", "TFLOPS", "fidelity", "limited by", "options"))
        parts = []
        for ranking in self.rankings:
            lines = []
            for place, row in enumerate(ranking.rows[:_SHOWN]):
                cells = (
                    1 + place, f"{1e6 * row.seconds:,.1f}", f"{row.tflops:.2f}", row.best.fidelity, row.best.bound,
                    row.options,
                )  # fmt: skip
                lines.append("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>")
            size = " x ".join(map(str, ranking.size))
            caption = (
                f"{self.family} {size} on {self.device}: {len(ranking.rows):,} of {ranking.space:,} configurations"
            )
            parts.append(f"<table><caption>{escape(caption)}</caption><tr>{head}</tr>{''.join(lines)}</table>")
        return "".join(parts)


def flat(value: Any) -> Any:
    """Return a value of a configuration as a cell of a table.

    Example:
        >>> flat([256, 128, 32]), flat(2)
        ('256x128x32', 2)

    """
    return "x".join(map(str, value)) if isinstance(value, list | tuple) else value
