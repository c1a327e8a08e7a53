"""Hot lines: the few places of the source, and their instructions, where a launch's warps spent their cycles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from simtc.results import InstructionTime, Timing
from simtc.results.lines import main_cause, source_text

__all__ = ["hot_text", "hottest"]

_LINES, _EACH = 4, 2  # lines of the source that are shown, and instructions of each
_LEAST = 0.01  # of the cycles: what costs less is not shown
_WIDTH = 70  # characters of a line of the source
_HEAD = (
    "the hottest lines (share of the warps' cycles, most of it for, wavefronts in conflict, sectors of global memory)"
)


def hottest(timing: Timing, count: int) -> list[InstructionTime]:
    """Return the instructions that cost the most warp-cycles, the dearest first."""
    return sorted(timing.by_instruction, key=lambda one: (-one.cycles, one.address))[:count]


def hot_text(timing: Timing, sources: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    """Return the places where most warp-cycles were spent as text: instructions, where the source is not known.

    Args:
        timing: of a launch.
        sources: texts of sources that are no files, by the name that the code has for them.

    """
    places: dict[tuple[str, int] | None, list[InstructionTime]] = {}
    for one in timing.by_instruction:
        places.setdefault(one.source, []).append(one)
    order = sorted(places.items(), key=lambda item: -_cycles(item[1]))
    lines = ["", _HEAD]
    for source, instructions in order[:_LINES]:
        if _cycles(instructions) < _LEAST * timing.warp_cycles:
            break
        inside = sorted(instructions, key=lambda one: -one.cycles)[: _EACH if source else _LINES]
        if source:
            lines.append(f"{_cells(instructions, timing)}  {_place(source, sources)}")
        lines += [f"{_cells([one], timing)}  {'  ' if source else ''}{one.address:04x}  {one.text}" for one in inside]
    return lines


def _cells(instructions: list[InstructionTime], timing: Timing) -> str:
    """Return share, cause, conflicts and sectors of some instructions together."""
    conflicts, sectors = (sum(getattr(one, name) for one in instructions) for name in ("conflicts", "sectors"))
    share = 100 * _cycles(instructions) / max(timing.warp_cycles, 1)
    counts = "".join(f"{f'{count:,}' if count else '':>10}" for count in (conflicts, sectors))
    return f"  {share:5.1f} %  {main_cause(instructions):<20}{counts}"


def _cycles(instructions: Iterable[InstructionTime]) -> int:
    return sum(one.cycles for one in instructions)


def _place(source: tuple[str, int], sources: Mapping[str, str]) -> str:
    file, line = source
    lines = source_text(file, sources)
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    return f"{Path(file).name}:{line}  {text[:_WIDTH]}".rstrip()
