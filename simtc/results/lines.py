"""A timed launch by line of the source: the sums over each line's instructions, and the text of the line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from simtc.resources import folder

if TYPE_CHECKING:
    from simtc.results.launch import InstructionTime

__all__ = ["LineTime", "by_line", "main_cause", "source_text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineTime:
    """One source line's share of a timed launch."""

    source: tuple[str, int]
    code: str  # the line as it stands in the source; "" where the source is not at hand
    issued: int  # warp-instructions
    cycles: int  # warp-cycles
    top_stall: str  # the cause of most of them, "selected" where its warps hardly waited
    conflicts: int  # shared-memory wavefronts beyond the ideal
    sectors: int  # of 32 bytes, of global and local memory


def by_line(
    instructions: Iterable[InstructionTime], sources: Mapping[str, str] = MappingProxyType({})
) -> tuple[LineTime, ...]:
    r"""Return the lines that instructions stand for, by file and number; none where the code names no source.

    Args:
        instructions: of a timed launch.
        sources: texts of sources that are no files, by the name that the code has for them.

    Example:
        >>> from simtc.results import InstructionTime
        >>> row = {"source": ("k.cu", 2), "top_stall": "wait", "conflicts": 0}
        >>> parts = (InstructionTime(address=16 * n, text="NOP", issued=1, cycles=5, **row) for n in (0, 1))
        >>> [(line.code, line.cycles) for line in by_line(parts, {"k.cu": "first\nsecond"})]
        [('second', 10)]

    """
    places: dict[tuple[str, int], list[InstructionTime]] = {}
    for one in instructions:
        if one.source:
            places.setdefault(one.source, []).append(one)
    return tuple(_line(place, found, sources) for place, found in sorted(places.items()))


def _line(place: tuple[str, int], found: list[InstructionTime], sources: Mapping[str, str]) -> LineTime:
    lines = source_text(place[0], sources)
    return LineTime(
        source=place,
        code=lines[place[1] - 1].rstrip() if 0 < place[1] <= len(lines) else "",
        issued=sum(one.issued for one in found),
        cycles=sum(one.cycles for one in found),
        top_stall=main_cause(found),
        conflicts=sum(one.conflicts for one in found),
        sectors=sum(one.sectors for one in found),
    )


def main_cause(instructions: Iterable[InstructionTime]) -> str:
    """Return the cause for which most cycles of some instructions went."""
    waits: Counter[str] = Counter()
    for one in instructions:
        waits[one.top_stall if one.cycles > one.issued else "selected"] += one.cycles
    return waits.most_common(1)[0][0]


def source_text(file: str, sources: Mapping[str, str] = MappingProxyType({})) -> tuple[str, ...]:
    """Return the lines of a source; none where it is not at hand."""
    return tuple(sources[file].splitlines()) if file in sources else _read(file)


@cache
def _read(file: str) -> tuple[str, ...]:
    """Read a source that is a file: a listing names one of simtc's own relative to kernels/."""
    for path in (Path(file), folder("kernels") / file):
        if path.is_file():
            return tuple(path.read_text(encoding="utf-8", errors="replace").splitlines())
    return ()
