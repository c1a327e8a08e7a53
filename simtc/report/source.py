"""A timed launch by line and by instruction, as tables of a page whose rows name one another."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from simtc.report.template import Cell, Row, Table, share_cell
from simtc.results import InstructionTime, Timing
from simtc.results.lines import LineTime, by_line, source_text

__all__ = ["instruction_table", "line_tables"]

_BEFORE = 3  # lines of the source that are shown above the first one with an instruction, and below the last
_COUNTS = ("share", "top cause", "conflicts", "sectors")


def line_tables(timing: Timing, sources: Mapping[str, str]) -> list[Table]:
    """Return a table of each source file: its lines from the first to the last that has instructions."""
    files: dict[str, list[LineTime]] = {}
    for line in by_line(timing.by_instruction, sources):
        files.setdefault(line.source[0], []).append(line)
    order = sorted(files, key=lambda file: -sum(line.cycles for line in files[file]))
    return [_file_table(file, files[file], timing, sources) for file in order]


def _file_table(file: str, lines: list[LineTime], timing: Timing, sources: Mapping[str, str]) -> Table:
    text, spent = source_text(file, sources), {line.source[1]: line for line in lines}
    first, last = max(1, min(spent) - _BEFORE), max(spent) + _BEFORE
    shown = [number for number in range(first, last + 1) if number in spent or number <= len(text)]
    if not text:
        shown = sorted(spent)
    rows: list[Row] = [("line", *_COUNTS, "source")]
    for number in shown:
        code: Cell = {"text": text[number - 1] if number <= len(text) else "", "code": True}
        line, name = spent.get(number), f"{_anchor(file)}-{number}"
        if line is None:
            rows.append({"id": name, "cells": (f"{number}", "", "", "", "", code)})
            continue
        dearest = max((one for one in timing.by_instruction if one.source == line.source), key=lambda one: one.cycles)
        link = {"text": f"{number}", "href": f"#i{dearest.address:04x}"}
        rows.append({"id": name, "line": name, "cells": (link, *_counts(line, timing), code)})
    return f"lines of {PurePath(file).name}", rows, (False, False, True, False, False, True)


def instruction_table(timing: Timing) -> Table:
    """Return the listing: what each instruction cost, and from which line it is."""
    rows: list[Row] = [("address", "issued", "cycles", *_COUNTS, "line", "instruction")]
    for one in timing.by_instruction:
        place: Cell = ""
        more: dict[str, Any] = {}
        if one.source:
            file, number = one.source
            name = f"{_anchor(file)}-{number}"
            place, more = {"text": f"{PurePath(file).name}:{number}", "href": f"#{name}"}, {"line": name}
        address = {"text": f"{one.address:04x}", "sort": one.address}
        counted = (address, f"{one.issued:,}", f"{one.cycles:,}", *_counts(one, timing))
        cells = (*counted, place, {"text": one.text, "code": True})
        rows.append({"id": f"i{one.address:04x}", "cells": cells, **more})
    return "by instruction", rows, (False, False, False, False, True, False, False, True, True)


def _counts(one: LineTime | InstructionTime, timing: Timing) -> tuple[Cell, ...]:
    """Return share, cause, conflicts and sectors, nothing where there were none."""
    counts = (f"{count:,}" if count else "" for count in (one.conflicts, one.sectors))
    cause = one.top_stall if one.cycles > one.issued else ""
    return share_cell(one.cycles / max(timing.warp_cycles, 1), one.top_stall), cause, *counts


def _anchor(file: str) -> str:
    """Return a name for links that other files of the same page do not have."""
    return "".join(letter if letter.isalnum() else "_" for letter in file)
