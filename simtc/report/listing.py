"""A timed launch instruction by instruction: the listing, with what each line cost."""

from __future__ import annotations

from simtc.report.hot import hottest
from simtc.results import InstructionTime, Timing

__all__ = ["listing_rows", "listing_text"]

_HEAD = ("address", "issued", "cycles", "share", "top cause", "conflicts", "sectors", "source", "instruction")
_LEFT = {"top cause", "source", "instruction"}


def listing_rows(timing: Timing, top: int | None = None) -> list[tuple[str, ...]]:
    """Return the listing as rows of text, the head first; with `top`, so many of its rows, the dearest first.

    `issued` counts warp-instructions, `cycles` what all warps spent at the instruction, waiting included; `top cause`
    is the most of that waiting; `conflicts` are shared-memory wavefronts beyond the ideal, `sectors` those of 32 bytes
    of global and local memory.
    """
    chosen = timing.by_instruction if top is None else hottest(timing, top)
    return [_HEAD, *(_row(one, timing.warp_cycles) for one in chosen)]


def _row(one: InstructionTime, warp_cycles: int) -> tuple[str, ...]:
    return (
        f"{one.address:04x}",
        f"{one.issued:,}",
        f"{one.cycles:,}",
        f"{100 * one.cycles / max(warp_cycles, 1):.1f} %",
        one.top_stall if one.cycles > one.issued else "",
        f"{one.conflicts:,}" if one.conflicts else "",
        f"{one.sectors:,}" if one.sectors else "",
        f"{one.source[0]}:{one.source[1]}" if one.source else "",
        one.text,
    )


def listing_text(timing: Timing, top: int | None = None) -> str:
    """Return the listing as text."""
    rows = listing_rows(timing, top)
    widths = [max(len(row[i]) for row in rows) for i in range(len(_HEAD))]
    lines = []
    for row in rows:
        cells = (
            f"{cell:<{width}}" if name in _LEFT else f"{cell:>{width}}"
            for name, cell, width in zip(_HEAD, row, widths, strict=True)
        )
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
