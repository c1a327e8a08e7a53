"""A campaign's outcome, fresh from a GPU or replayed without one: for a terminal, as Markdown, as one HTML file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from simtc.layout.views import align
from simtc.report.errors import cublas_rows, error_rows, top_causes, worst_rows
from simtc.report.knobs import knob_plot, knob_rows
from simtc.report.plots import error_plot, scatter_plot
from simtc.report.template import rendered
from simtc.validate.capture import Capture
from simtc.validate.compare import Replay
from simtc.validate.measured import Point
from simtc.validate.validate import Validated

__all__ = ["Outcome", "machine_text", "outcome_html", "outcome_markdown", "outcome_of", "outcome_text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a report says, whoever computed it."""

    capture: Capture
    path: Path | None  # of the capture that was written
    differing: tuple[tuple[str, int, str, tuple[str, ...]], ...]  # case, how many, of what, the first of them
    problems: tuple[tuple[str, str], ...]  # case, why it could not be compared
    points: tuple[Point, ...]
    elements: int  # that were compared
    compared: bool  # False where a campaign was only measured

    @property
    def same(self) -> bool:
        """True where everything that was compared agrees."""
        return not (self.differing or self.problems)


def outcome_of(found: Validated | Replay) -> Outcome:
    """Return what there is to report."""
    if isinstance(found, Replay):
        differing = tuple(
            (case.name, case.differing_rows, "rows", tuple(map(str, case.first))) for case in found.differing
        )
        problems = tuple((case.name, case.problem) for case in found.problems)
        return Outcome(
            capture=found.capture, path=None, differing=differing, problems=problems, points=found.points,
            elements=found.elements, compared=True,
        )  # fmt: skip
    replayed = found.replay
    differing = tuple(
        (name, count, "elements", tuple(map(str, first))) for name, (count, first) in found.differing.items()
    )
    problems = tuple(found.not_compared.items())
    if replayed is not None:
        problems += tuple((case.name, case.problem) for case in replayed.problems)
    measured = any(record.measured for record in found.capture.cases.values())
    return Outcome(
        capture=found.capture, path=found.path, differing=differing, problems=problems,
        points=replayed.points if replayed else (), elements=found.capture.elements,
        compared=replayed is not None or not measured,
    )  # fmt: skip


def machine_text(capture: Capture) -> str:
    """Say on one line which machine gave a capture, and when.

    Example:
        >>> machine = {"device": "NVIDIA H200", "compute_capability": [9, 0], "driver": "580.1", "clock_mhz": 1980,
        ...            "toolkit": "nvcc 13.0.88", "backend": "pycuda 2026.1"}
        >>> machine_text(Capture(campaign="", settings={}, machine=machine, date="2026-11-21", simtc="", cases={}))
        'NVIDIA H200 (sm_90, up to 1980 MHz), driver 580.1, nvcc 13.0.88, pycuda 2026.1, 2026-11-21'

    """
    m = capture.machine
    chip = f"{m['device']} (sm_{capture.sm}, up to {m['clock_mhz']} MHz)"
    return f"{chip}, driver {m['driver'] or 'unknown'}, {m['toolkit']}, {m['backend']}, {capture.date}"


def counts_text(capture: Capture) -> str:
    """Say how many cases ran, were skipped and failed."""
    elements = f" ({capture.elements:,} elements)" if capture.elements else ""
    parts = [f"{capture.count('ran')} cases ran{elements}"]
    parts += [f"{capture.count(status)} {status}" for status in ("skipped", "failed") if capture.count(status)]
    return ", ".join(parts)


def _reasons(capture: Capture, status: str) -> list[str]:
    """Return one line for each reason, with the cases that it holds for."""
    by: dict[str, list[str]] = {}
    for name, record in capture.cases.items():
        if record.status == status:
            by.setdefault(record.reason, []).append(name)
    return [
        f"{status}: {names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''}: {reason}"
        for reason, names in by.items()
    ]


def verdict(outcome: Outcome) -> str:
    """Say the outcome in one line."""
    failed = outcome.capture.count("failed")
    if not outcome.same or failed:
        parts = [f"{len(outcome.differing)} cases differ"] if outcome.differing or outcome.elements else []
        parts += [f"{len(outcome.problems)} could not be compared"] if outcome.problems else []
        return ", ".join([*parts, f"{failed} failed"] if failed else parts)
    if not outcome.compared:
        return "measured; nothing was compared. Try: simtc compare on the capture"
    if outcome.points:
        return f"{len({point.case for point in outcome.points})} cases compared"
    return "every bit agrees" if outcome.path else f"0 of {outcome.elements:,} elements differ"


def outcome_text(outcome: Outcome) -> str:
    """Return the outcome for a terminal."""
    capture = outcome.capture
    lines = [f"{capture.campaign} on {machine_text(capture)}", counts_text(capture)]
    lines += _reasons(capture, "skipped") + _reasons(capture, "failed")
    for title, rows in _tables(outcome):
        lines += ["", title, *(f"  {line}" for line in align(rows))]
    lines += [""] if outcome.points else []
    lines += [f"not compared: {name}: {why}" for name, why in outcome.problems]
    for name, count, what, first in outcome.differing:
        lines += [f"differs: {name}: {count} {what}", *(f"    {difference}" for difference in first)]
    if outcome.path:
        lines.append(f"capture: {outcome.path}")
    return "\n".join([*lines, verdict(outcome)])


def _tables(outcome: Outcome) -> list[tuple[str, list[tuple[str, ...]]]]:
    """Return the tables of a campaign that measures, each with its head as the first row."""
    points, capture = outcome.points, outcome.capture
    tables = [
        ("predicted against measured", error_rows(points)),
        ("by kernel, cycles", error_rows(_clocked(points), by_group=True)),
        ("why warps waited", top_causes(points)),
        ("worst cases", worst_rows(_clocked(points))),
        ("knobs that predict the error, others being equal", knob_rows(points) if _drawn(outcome) else []),
        ("beside cuBLAS, TFLOPS", cublas_rows(capture)),
    ]
    return [(title, rows) for title, rows in tables if len(rows) > 1]


def _drawn(outcome: Outcome) -> bool:
    """Tell whether the cases are kernels whose knobs were drawn."""
    return outcome.capture.campaign == "corpus"


def _clocked(points: Iterable[Point]) -> list[Point]:
    """Return the cycles that the clock counted: closed forms have a row of their own in the first table."""
    return [point for point in points if point.unit == "cycles" and "analytic" not in point.quantity]


def outcome_markdown(outcome: Outcome) -> str:
    """Return the outcome as a Markdown page."""
    capture = outcome.capture
    lines = [
        f"# {capture.campaign} on {capture.machine['device']}", "", machine_text(capture) + ".", "",
        f"{counts_text(capture)}; {verdict(outcome)}.",
    ]  # fmt: skip
    if not any(record.measured for record in capture.cases.values()):
        lines += ["", *_markdown_table(_groups(outcome))]
    for title, rows in _tables(outcome):
        lines += ["", f"## {title[:1].upper()}{title[1:]}", "", *_markdown_table(rows)]
    lines += _section("Differences", _differences(outcome))
    lines += _section("Not run", [*_reasons(capture, "skipped"), *_reasons(capture, "failed")])
    lines += _section("Not compared", [f"{name}: {why}" for name, why in outcome.problems])
    return "\n".join(lines) + "\n"


def _groups(outcome: Outcome) -> list[tuple[str, ...]]:
    cases = outcome.capture.cases
    groups = Counter(name.rpartition("/")[0] or name for name, r in cases.items() if r.status == "ran")
    wrong = [*(entry[0] for entry in outcome.differing), *(name for name, _ in outcome.problems)]
    bad = Counter(name.rpartition("/")[0] or name for name in wrong)
    head = ("what", "cases", "that differ")
    return [head, *((name, str(count), str(bad[name])) for name, count in groups.items())]


def _is_text(column: Iterable[str]) -> bool:
    return any(cell[:1].isalpha() for cell in column)


def _differences(outcome: Outcome) -> list[str]:
    ordered = sorted(outcome.differing, key=lambda entry: -entry[1])
    return [f"{name}: {count} {what}; first {first[0]}" for name, count, what, first in ordered]


def _markdown_table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    head, *body = [f"| {' | '.join(row)} |" for row in rows]
    return [head, f"|{' --- |' * len(rows[0])}", *body]


def _section(title: str, lines: Iterable[str]) -> list[str]:
    items = [f"- {line}" for line in lines]
    return ["", f"## {title}", "", *items] if items else []


def outcome_html(outcome: Outcome) -> str:
    """Return the outcome as one HTML file that needs nothing else: tables, and plots as SVG."""
    cycles = _clocked(outcome.points)
    plots = []
    if cycles:
        plots = [
            ("Predicted against measured", scatter_plot(cycles)),
            ("Error by kernel", error_plot(cycles)),
        ]
        plots += [("Knobs that predict the error, others being equal", knob_plot(cycles))] if _drawn(outcome) else []
    capture = outcome.capture
    tables = _tables(outcome)
    if not any(record.measured for record in capture.cases.values()):
        tables = [("By instruction or kernel", _groups(outcome)), *tables]
    return rendered(
        title=f"{capture.campaign} on {capture.machine['device']}",
        machine=machine_text(capture),
        summary=f"{counts_text(capture)}; {verdict(outcome)}.",
        plots=plots,
        tables=[(title, rows, [_is_text(column) for column in zip(*rows[1:], strict=True)]) for title, rows in tables],
        lists=[
            ("Differences", _differences(outcome)),
            ("Not run", [*_reasons(capture, "skipped"), *_reasons(capture, "failed")]),
            ("Not compared", [f"{name}: {why}" for name, why in outcome.problems]),
        ],
    )
