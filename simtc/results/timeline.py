"""The timeline of a launch: what each warp did in every cycle."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simtc.files import replacing, write_text
from simtc.results.display import Columns, Display, above
from simtc.results.stall import Stall

__all__ = ["GLYPHS", "Slice", "Timeline"]

GLYPHS = {
    Stall.selected: "#",
    Stall.wait: ".",
    Stall.short_scoreboard: "s",
    Stall.long_scoreboard: "L",
    Stall.mio_throttle: "q",
    Stall.lg_throttle: "g",
    Stall.math_pipe_throttle: "m",
    Stall.barrier: "B",
    Stall.not_selected: "-",
    Stall.branch_resolving: "b",
    Stall.no_instruction: " ",
    Stall.dispatch_stall: "d",
    Stall.membar: "f",
    Stall.sleeping: "z",
    Stall.drain: "w",
    Stall.imc_miss: "i",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """One cause of one warp at one instruction; `selected` is the cycle in which it issued."""

    warp: int  # warp slot of the chip: its SM is warp // warps_per_sm
    instruction: int  # its place in the kernel
    cause: Stall
    start: int  # cycle
    end: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Timeline(Display):
    """Slices of all warps, in the order in which they ended."""

    kernel: str
    texts: tuple[str, ...] = field(repr=False)  # of the instructions
    warps_per_sm: int
    sub_cores: int
    raw: NDArray[Any] = field(repr=False)  # (slices, 5) int64: warp, instruction, cause, start, end
    dropped: int  # slices beyond the room that was made for them

    def __len__(self) -> int:
        return len(self.raw)

    def __iter__(self) -> Iterator[Slice]:
        for warp, instruction, cause, start, end in self.raw.tolist():
            yield Slice(warp=warp, instruction=instruction, cause=Stall(cause), start=start, end=end)

    def place(self, warp: int) -> tuple[int, int, int]:
        """Return SM, sub-core, and the warp's number within the SM."""
        sm, within = divmod(warp, self.warps_per_sm)
        return sm, within % self.sub_cores, within

    def to_perfetto(self, path: str | Path) -> None:
        """Write a trace that ui.perfetto.dev and chrome://tracing open; gzipped where the name ends in .gz.

        A process is an SM, a thread a warp under its sub-core; one cycle is shown as one microsecond.

        Source: Trace Event Format, "X" complete events and "M" metadata.
        """
        events: list[dict[str, Any]] = []
        for warp in sorted(set(self.raw[:, 0].tolist())):
            sm, sub, within = self.place(warp)
            thread = {"ph": "M", "pid": sm, "tid": 100 * sub + within}
            events += [
                {"ph": "M", "pid": sm, "name": "process_name", "args": {"name": f"SM {sm}"}},
                {**thread, "name": "thread_name", "args": {"name": f"sub-core {sub} warp {within}"}},
                {**thread, "name": "thread_sort_index", "args": {"sort_index": 100 * sub + within}},
            ]
        for one in self:
            sm, sub, within = self.place(one.warp)
            text = self.texts[one.instruction]
            name = text if one.cause is Stall.selected else one.cause.name
            events.append(
                {
                    "ph": "X",
                    "pid": sm,
                    "tid": 100 * sub + within,
                    "ts": one.start,
                    "dur": one.end - one.start,
                    "name": name,
                    "cat": "issue" if one.cause is Stall.selected else "stall",
                    "args": {"address": f"{16 * one.instruction:#06x}", "instruction": text},
                }
            )
        data = json.dumps({"traceEvents": events, "displayTimeUnit": "ns", "otherData": {"kernel": self.kernel}})
        with replacing(Path(path)) as file:
            file.write(gzip.compress(data.encode(), mtime=0) if str(path).endswith(".gz") else data.encode())

    def to_kanata(self, path: str | Path) -> None:
        """Write a log for the pipeline viewer Konata: one line an executed instruction, its stalls as stages.

        Source: the Kanata log format, version 0004.
        """
        log: list[tuple[int, int, list[str]]] = []
        open_of: dict[int, int] = {}
        number = 0
        for one in sorted(self, key=lambda s: (s.start, s.warp)):
            lane = []
            if one.warp not in open_of:
                open_of[one.warp] = number
                sm, sub, within = self.place(one.warp)
                lane = [f"I\t{number}\t{number}\t{one.warp}", f"L\t{number}\t0\t{self.texts[one.instruction]}"]
                lane.append(f"L\t{number}\t1\tSM {sm} sub-core {sub} warp {within} at {16 * one.instruction:#06x}")
                number += 1
            identity = open_of[one.warp]
            stage = "Is" if one.cause is Stall.selected else one.cause.name
            log.append((one.start, 0, [*lane, f"S\t{identity}\t0\t{stage}"]))
            closing = [f"E\t{identity}\t0\t{stage}"]
            if one.cause is Stall.selected:
                closing.append(f"R\t{identity}\t{identity}\t0")
                del open_of[one.warp]
            log.append((one.end, -1, closing))
        log.sort(key=lambda entry: (entry[0], entry[1]))
        lines, now = ["Kanata\t0004", f"C=\t{log[0][0] if log else 0}"], log[0][0] if log else 0
        for cycle, _, entries in log:
            if cycle > now:
                lines.append(f"C\t{cycle - now}")
                now = cycle
            lines += entries
        write_text(Path(path), "\n".join(lines) + "\n")

    @property
    def end(self) -> int:
        """The cycle in which the last slice ends."""
        return int(self.raw[:, 4].max(initial=0))

    def headline(self) -> str:
        """Return the kernel, its warps and its cycles in one line."""
        warps = len(np.unique(self.raw[:, 0]))
        lost = f", {self.dropped:,} more were dropped" if self.dropped else ""
        first = int(self.raw[:, 3].min(initial=self.end))
        return f"{self.kernel}: {warps} warps, cycles {first:,} to {self.end:,}, {len(self):,} slices{lost}"

    def columns(self) -> Columns:
        """Return one row a slice."""
        warp, instruction, cause, start, end = self.raw.T.tolist() if len(self) else ([], [], [], [], [])
        places = list(map(self.place, warp))
        return {
            "sm": [sm for sm, _, _ in places],
            "sub_core": [sub for _, sub, _ in places],
            "warp": [within for _, _, within in places],
            "address": [16 * number for number in instruction],
            "instruction": [self.texts[number] for number in instruction],
            "cause": [Stall(number).name for number in cause],
            "start": start,
            "end": end,
        }

    def pictures(self) -> Sequence[str]:
        """Return the first warps' picture."""
        return (self.to_svg(first=int(self.raw[:, 3].min())),) if len(self) else ()

    def tables(self) -> Sequence[tuple[str, Columns]]:
        """Return nothing: the picture says it, and slices are too many to read."""
        return ()

    def between(self, first: int, last: int) -> Timeline:
        """Return what happened from one cycle to another; slices that reach beyond are cut."""
        inside = self.raw[(self.raw[:, 4] > first) & (self.raw[:, 3] < last)].copy()
        inside[:, 3:5] = inside[:, 3:5].clip(first, last)
        return replace(self, raw=inside)

    def to_svg(self, *, first: int = 0, last: int | None = None, warps: int = 8) -> str:
        """Draw what the first warps did, from one cycle to another, as SVG.

        Raises:
            BadInputError: the timeline holds nothing in that range.

        """
        drawn: str = above("report.timeline", "timeline_svg")(self, first=first, last=last, warps=warps)
        return drawn

    def majority(
        self, *, first: int, last: int | None, columns: int, warps: int
    ) -> tuple[list[int], NDArray[np.int64]]:
        """Divide cycles into columns and return, for each of the first warps, what most cycles of each column were.

        Returns:
            The warps, and (warps, columns) causes as numbers of Stall, -1 where the warp was not there.

        """
        end = max(self.end, first + 1) if last is None else last
        edges = first + (end - first) * np.arange(columns + 1) / columns
        shown = sorted(set(self.raw[:, 0].tolist()))[:warps]
        out = np.full((len(shown), columns), -1, np.int64)
        for row, warp in enumerate(shown):
            mine = self.raw[(self.raw[:, 0] == warp) & (self.raw[:, 4] > first) & (self.raw[:, 3] < end)]
            weight = np.zeros((columns, len(Stall)))
            for _, _, cause, start, stop in mine.tolist():
                low = max(int(np.searchsorted(edges, start, side="right")) - 1, 0)
                high = min(int(np.searchsorted(edges, stop, side="left")), columns)
                inside = edges[low : high + 1].clip(start, stop)
                weight[low:high, cause] += np.diff(inside)
            found = weight.any(axis=1)
            out[row, found] = weight[found].argmax(axis=1)
        return shown, out

    def to_text(self, *, first: int = 0, last: int | None = None, width: int = 100, warps: int = 16) -> str:
        """Draw warps as rows and cycles as columns, one glyph a cause; a column shows what most of its cycles were.

        Args:
            first: first cycle.
            last: cycle to stop before; the end by default.
            width: columns.
            warps: rows, of the first warps.

        """
        end = max(self.end, first + 1) if last is None else last
        step = max(-(-(end - first) // width), 1)
        shown, causes = self.majority(first=first, last=first + step * -(-(end - first) // step),
                                      columns=-(-(end - first) // step), warps=warps)  # fmt: skip
        lines = [f"{self.kernel}: cycles {first} to {end}, {step} a column"]
        for warp, columns in zip(shown, causes.tolist(), strict=True):
            sm, sub, within = self.place(warp)
            row = "".join(GLYPHS[Stall(cause)] if cause >= 0 else " " for cause in columns)
            lines.append(f"{sm:>3}.{sub} w{within:<3}{row}")
        used = sorted(set(self.raw[:, 2].tolist()))
        lines.append("   ".join(f"{GLYPHS[Stall(cause)]!r} {Stall(cause).name}" for cause in used))
        return "\n".join(lines)
