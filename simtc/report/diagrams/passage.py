"""The way of an instruction: what it waited for, the cycle in which it issued, and when its result was there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simtc.arch import Device
from simtc.isa import Kernel
from simtc.layout.draw import FAINT, box, text
from simtc.report.diagrams.paper import page
from simtc.report.timeline import COLORS
from simtc.reproduce.microbenchmark import SHARED_BYTES, kernel, line
from simtc.results.stall import Stall
from simtc.results.timeline import Slice, Timeline
from simtc.run.launch import launch
from simtc.timing.pipeline import UNITS

__all__ = ["passage_svg", "shared_to_tensor"]

_LEFT, _TOP, _ROW, _CYCLE, _LEGEND = 230, 66, 30, 8, 22
_UNDER_WAY = "#2fa3a055"


def shared_to_tensor(device: Device) -> tuple[Kernel, Timeline]:
    """Execute two loads from shared memory and what needs them, on one warp of a Turing board.

    All lanes of the second load begin at the same bank: it takes as many wavefronts as it has lanes.

    Returns:
        What was executed, and what the warp did in every cycle.

    """
    body = [
        line("SHF.L.U32 R6, R4, 0x9, RZ", stall=12),
        line("LDS.128 R8, [R5]", stall=1, write=0),
        line("LDS.128 R12, [R6]", stall=1, write=1),
        line("IADD3 R7, R8, R5, RZ", stall=4, wait=(0,)),
        line("HMMA.1688.F32 R16, R8, R12, RZ", stall=4, wait=(1,)),
    ]
    one = kernel("shared_to_tensor", int(device.sm_name.removeprefix("sm_")), body, shared_bytes=SHARED_BYTES)
    done = launch(one, 1, 32, [np.zeros(1 << 10, np.uint8)], device=device, timing=True, timeline=True, caches="warm")
    return one, done.timeline


def passage_svg(one: Kernel, timeline: Timeline, *, first: int = 0, last: int | None = None, warp: int = 0) -> str:
    """Draw a warp's way through some instructions as SVG: a row each, a column a cycle.

    Args:
        one: what was executed.
        timeline: of its launch.
        first: the first instruction to show, by its number in the kernel.
        last: the one behind the last; the kernel's end by default.
        warp: whose way it is.

    """
    slices = [s for s in timeline if s.warp == warp and first <= s.instruction < (last or len(one.instructions))]
    issued = {s.instruction: s.start for s in slices if s.cause is Stall.selected}
    start = min(s.start for s in slices if s.cause is Stall.selected and s.instruction == first)
    shown = [s for s in slices if s.end > start]
    end = max(s.end for s in shown)
    rows = {number: row for row, number in enumerate(sorted(issued))}
    causes = sorted({s.cause for s in shown})
    foot = _TOP + _ROW * len(rows)
    title = f"{timeline.kernel}: the way of each instruction, cycles {start:,} to {end:,}"
    parts = [
        text(16, 28, title, size=16, bold=True),
        text(
            16,
            48,
            "A row is an instruction of one warp, in the order of issue; every narrow column is a cycle.",
            size=12,
        ),
        *(part for number, row in rows.items() for part in _label(one, number, row)),
        *(_span(s, start, rows[s.instruction]) for s in shown),
        *(part for number in rows for part in _result(one, number, issued, start, rows[number])),
        *_cycles(start, end, foot),
        *_legend(causes, foot + 30),
    ]
    return page(_LEFT + _CYCLE * (end - start) + 32, foot + 44 + _LEGEND * (len(causes) + 1), title, parts)


def _label(one: Kernel, number: int, row: int) -> Iterator[str]:
    yield text(16, _TOP + _ROW * row + 15, one.instructions[number].text, size=12)


def _span(s: Slice, start: int, row: int) -> str:
    begin = max(s.start, start)
    x, y = _LEFT + _CYCLE * (begin - start), _TOP + _ROW * row
    return box(x, y, _CYCLE * (s.end - begin), 18, fill=COLORS[s.cause.name], stroke=FAINT, line=0.5)


def _result(one: Kernel, number: int, issued: dict[int, int], start: int, row: int) -> Iterator[str]:
    """Draw how long a scoreboard was up: from the issue that raised it to the first one that waited for it."""
    board = one.instructions[number].control.write_barrier
    waits = [
        n for n in issued if n > number and board is not None and one.instructions[n].control.wait_mask >> board & 1
    ]
    if waits:
        begin, end = issued[number] + 1, issued[min(waits)]
        x, y = _LEFT + _CYCLE * (begin - start), _TOP + _ROW * row
        yield box(x, y + 5, _CYCLE * (end - begin), 8, fill=_UNDER_WAY, stroke="none")
        yield text(x + _CYCLE * (end - begin) / 2, y + 27, f"scoreboard {board}: {end - begin} cycles", size=10,
                   anchor="middle")  # fmt: skip


def _cycles(start: int, end: int, foot: int) -> Iterator[str]:
    for cycle in range(start, end + 1, 10):
        yield text(_LEFT + _CYCLE * (cycle - start), foot + 14, f"{cycle:,}", size=10, anchor="middle")


def _legend(causes: list[Stall], top: int) -> Iterator[str]:
    units = {stall: unit.name for unit in UNITS for stall in unit.stalls}
    for place, cause in enumerate(causes):
        said = "issues" if cause is Stall.selected else f"{cause.name}: {units.get(cause, 'accounting')} holds it up"
        yield box(16, top + _LEGEND * place, 14, 14, fill=COLORS[cause.name], stroke=FAINT, line=0.5)
        yield text(38, top + _LEGEND * place + 12, said, size=12)
    below = top + _LEGEND * len(causes)
    yield box(16, below + 3, 14, 8, fill=_UNDER_WAY, stroke="none")
    yield text(38, below + 12, "its scoreboard is up: the result is on its way", size=12)
