"""A sweep as text: what was pruned and why, the ranking, and which configuration wins at each size."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simtc.results.sweep import Ranked, Ranking, SweepResult, flat

if TYPE_CHECKING:
    from simtc.gemm.family import Configured

__all__ = ["count_text", "sweep_csv", "sweep_text"]

_ANALYTIC_ROWS = 16  # that text shows where nothing was timed
_VALUES = 8  # of a choice, beyond which a count does not list them
_REASONS = 3  # kinds of what was not timed, that text shows


def sweep_text(result: SweepResult) -> str:
    """Return a sweep as text."""
    parts = ["\n".join(_ranking_lines(result, ranking)) for ranking in result.rankings]
    if len(result.rankings) > 1:
        parts.append("\n".join(_selection_lines(result)))
    best = result.best if result.losses() else result.selection[0]
    m, n, k = result.rankings[0].size
    problem = f"-m {m} -n {n} -k {k}{_problem_text(result, best.options)}"
    given = f"simtc simulate {result.family} {problem} --device {result.device}"
    what = "fastest" if len(result.rankings) == 1 else "the least lost over all sizes"
    parts.append(f"{what}: {best.options}\nto look at it: {given} {best.options}")
    return "\n\n".join(parts)


def _problem_text(result: SweepResult, options: str) -> str:
    """Return what the problem was given beside its sizes, such as a batch, as the command line writes it."""
    words = options.split()
    asked = {f"--{name}": value for name, value in result.choices.items() if value is not None}
    said = {option: ",".join(map(str, value)) if isinstance(value, tuple) else value for option, value in asked.items()}
    return "".join(f" {option} {value}" for option, value in said.items() if option not in words)


def count_text(family: str, device: str, made: Sequence[Configured], refused: Mapping[str, int]) -> str:
    """Return the counts of a space: by rule what cannot be made, and by value of each choice what can."""
    lines = _space_lines(len(made), refused)
    by: dict[str, Counter[Any]] = {}
    for one in made:
        for name, value in one.to_dict().items():
            by.setdefault(name, Counter())[flat(value)] += 1
    for name, values in by.items():
        if 1 < len(values) <= _VALUES:
            shown = ", ".join(f"{value}: {count:,}" for value, count in values.items())
            lines.append(f"{name:<16} {shown}")
    return "\n".join([f"{family} on {device}", *lines])


def sweep_csv(result: SweepResult) -> str:
    """Return every configuration at every size as CSV."""
    records = list(result.records())
    names = list(dict.fromkeys(name for record in records for name in record))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()


def _space_lines(made: int, refused: Mapping[str, int]) -> list[str]:
    lines = [f"space            {made + sum(refused.values()):,} configurations, {made:,} can be made"]
    return lines + [f"{count:>16,} pruned: {rule}" for rule, count in refused.items()]


def _ranking_lines(result: SweepResult, ranking: Ranking) -> list[str]:
    head = f"{result.family} {_size(ranking)} on {result.device}, fidelity {result.fidelity}"
    lines = [head, *_space_lines(len(ranking.rows), ranking.refused)]
    rows = ranking.timed
    if result.fidelity != "analytic":
        lines.append(f"{len(rows):>16,} timed in the clock")
    reasons = Counter(row.why.split(". Try:")[0] for row in ranking.rows if row.why)
    lines += [f"{count:>16,} not timed: {why}" for why, count in reasons.most_common(_REASONS)]
    shown = rows or ranking.rows[:_ANALYTIC_ROWS]
    lines += ["", *_table(shown, timed=bool(rows))]
    if len(shown) < len(ranking.rows):
        lines.append(f"... and {len(ranking.rows) - len(shown):,} that closed forms rank behind (--csv FILE has all)")
    return lines


def _table(rows: Sequence[Ranked], *, timed: bool) -> list[str]:
    """Return rows as text: what they share stands above them, once."""
    configs = [{name: str(flat(value)) for name, value in row.best.config.items()} for row in rows]
    names = [name for name in configs[0] if len({config.get(name) for config in configs}) > 1]
    same = ", ".join(f"{name} {value}" for name, value in configs[0].items() if name not in names)
    head = ["rank", "us", "TFLOPS", *(["closed forms, us"] if timed else []), "limited by", *names]
    cells = [head]
    for place, (row, config) in enumerate(zip(rows, configs, strict=True)):
        doubt = f" +-{100 * row.best.error_estimate:.1f} %" if row.best.error_estimate else ""
        closed = [f"{1e6 * row.closed.seconds:,.1f}"] if timed else []
        cells.append(
            [str(1 + place), f"{1e6 * row.seconds:,.1f}{doubt}", f"{row.tflops:.2f}", *closed, row.best.bound]
            + [config.get(name, "") for name in names]
        )
    lines = _columns(cells)
    return [f"all have {same}", *lines] if len(rows) > 1 and same else lines


def _selection_lines(result: SweepResult) -> list[str]:
    """Return which configuration wins at each size, and what it costs to take one for all."""
    configs = [row.best.config for row in result.selection]
    names = [name for name in configs[0] if len({str(config.get(name)) for config in configs}) > 1]
    losses = result.losses()
    single = result.best if losses else None
    head = ["m x n x k", "us", "TFLOPS", *names, *(["the one for all, us"] if single else [])]
    cells = [head]
    for ranking in result.rankings:
        best = ranking.best
        alone = [next(row for row in ranking.rows if row.name == single.name)] if single else []
        others = [f"{1e6 * one.seconds:,.1f} ({100 * (one.seconds / best.seconds - 1):+.1f} %)" for one in alone]
        config = [str(flat(best.best.config.get(name, ""))) for name in names]
        cells.append([_size(ranking), f"{1e6 * best.seconds:,.1f}", f"{best.tflops:.2f}", *config, *others])
    kinds = len({row.name for row in result.selection})
    wins = "one configuration wins at every size" if kinds == 1 else f"{kinds} configurations win"
    return [f"selection: of {len(result.rankings)} sizes, {wins}", *_columns(cells)]


def _columns(cells: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(_padded(row, widths)).rstrip() for row in cells]


def _padded(row: Iterable[str], widths: Iterable[int]) -> list[str]:
    return [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)]


def _size(ranking: Ranking) -> str:
    return " x ".join(map(str, ranking.size))
