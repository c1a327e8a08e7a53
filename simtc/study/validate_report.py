"""A campaign's outcome as text and as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from simtc.study.capture import Capture
from simtc.study.compare import Replay
from simtc.study.validate import Validated

__all__ = ["machine_text", "replay_text", "validated_markdown", "validated_text"]


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


def _counts(capture: Capture) -> str:
    parts = [f"{capture.count('ran')} cases ran ({capture.elements:,} elements)"]
    parts += [f"{capture.count(status)} {status}" for status in ("skipped", "failed") if capture.count(status)]
    return ", ".join(parts)


def _reasons(capture: Capture, status: str) -> list[str]:
    return [f"{status}: {name}: {record.reason}" for name, record in capture.cases.items() if record.status == status]


def validated_text(outcome: Validated) -> str:
    """Return the outcome for a terminal."""
    capture = outcome.capture
    lines = [f"{capture.campaign} on {machine_text(capture)}", _counts(capture)]
    lines += _reasons(capture, "skipped") + _reasons(capture, "failed")
    lines += _times(capture)
    lines += [f"not compared: {name}: {why}" for name, why in outcome.not_compared.items()]
    for name, (count, first) in outcome.differing.items():
        lines += [f"differs: {name}: {count} elements", *(f"    {difference}" for difference in first)]
    lines.append(f"capture: {outcome.path}")
    if not any(record.measured for record in capture.cases.values()):
        lines.append(
            "every bit agrees" if outcome.same else _verdict(len(outcome.differing), len(outcome.not_compared))
        )
    return "\n".join(lines)


def _times(capture: Capture) -> list[str]:
    """Return one line for each case that was measured: median microseconds."""
    return [
        f"{name:<36}"
        + "".join(f"  {kind} {1e6 * record.measured[f'{kind}_median_seconds']:9.1f} us" for kind in ("cold", "warm"))
        for name, record in capture.cases.items()
        if record.measured
    ]


def _verdict(differing: int, problems: int) -> str:
    return f"{differing} cases differ" + (f", {problems} could not be compared" if problems else "")


def replay_text(outcome: Replay) -> str:
    """Return a replay's outcome for a terminal."""
    capture = outcome.capture
    lines = [f"{capture.campaign} on {machine_text(capture)}", _counts(capture)]
    lines += [f"not compared: {case.name}: {case.problem}" for case in outcome.problems]
    for case in outcome.differing:
        lines += [f"differs: {case.name}: {case.differing_rows} rows", *(f"    {first}" for first in case.first)]
    same = f"0 of {outcome.elements:,} elements differ"
    lines.append(same if outcome.same else _verdict(len(outcome.differing), len(outcome.problems)))
    return "\n".join(lines)


def validated_markdown(outcome: Validated) -> str:
    """Return the outcome as a Markdown page."""
    capture = outcome.capture
    groups = Counter(name.rpartition("/")[0] or name for name, r in capture.cases.items() if r.status == "ran")
    bad = Counter(name.rpartition("/")[0] or name for name in (*outcome.differing, *outcome.not_compared))
    lines = [
        f"# {capture.campaign} on {capture.machine['device']}", "", machine_text(capture) + ".", "",
        f"{_counts(capture)}; {len(outcome.differing)} cases differ.", "",
        "| what | cases | that differ |", "| --- | --- | --- |",
        *(f"| {name} | {count} | {bad[name]} |" for name, count in groups.items()),
    ]  # fmt: skip
    lines += _section("Median times by events, clocks not controlled", _times(capture))
    lines += _section("Differences", _worst(outcome))
    lines += _section("Not run", [*_reasons(capture, "skipped"), *_reasons(capture, "failed")])
    lines += _section("Not compared", [f"{name}: {why}" for name, why in outcome.not_compared.items()])
    return "\n".join(lines) + "\n"


def _worst(outcome: Validated) -> list[str]:
    ordered = sorted(outcome.differing.items(), key=lambda item: -item[1][0])
    return [f"{name}: {count} elements; first {first[0]}" for name, (count, first) in ordered]


def _section(title: str, lines: Iterable[str]) -> list[str]:
    items = [f"- {line}" for line in lines]
    return ["", f"## {title}", "", *items] if items else []
