"""`explorer_html`: the modules of this folder, their style and their data as one file that needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simtc.layout.banks import BANKS
from simtc.layout.tile import LAYOUTS, PATTERNS
from simtc.report.cards import all_cards
from simtc.report.colors import CAUSE_COLORS
from simtc.report.explorer.fragments import fragment_table
from simtc.report.explorer.runs import BIN, Recorded, record, to_json
from simtc.results import Stall
from simtc.results.timeline import GLYPHS

__all__ = ["SCRIPTS", "explorer_data", "explorer_html"]

_FOLDER = Path(__file__).resolve().parent

# In the order in which they need each other: what computes, then what draws, then the views.
SCRIPTS = (
    "random", "expression", "fragment", "provenance", "tile", "banks", "run",
    "colors", "svg", "dom", "save",
    "matrix", "ribbon", "steps", "fragments", "fragments_view", "compare", "banks_view", "timeline", "timeline_view",
    "questions", "quiz", "cards", "main",
)  # fmt: skip


def explorer_data(runs: Sequence[Recorded] | None = None) -> dict[str, Any]:
    """Return all that the explorer knows, as JSON values.

    Args:
        runs: what `record` returned; executed for it unless given, which takes some seconds.

    """
    return {
        "fragments": fragment_table(),
        "banks": {"banks": BANKS, "layouts": LAYOUTS, "patterns": PATTERNS},
        "causes": [cause.name for cause in Stall],
        "cause_colors": {palette: dict(colors) for palette, colors in CAUSE_COLORS.items()},
        "glyphs": {cause.name: glyph for cause, glyph in GLYPHS.items()},
        "bin": BIN,
        "runs": [to_json(run) for run in (runs or record())],
        "cards": [card.to_json() for card in all_cards()],
    }


def explorer_html(data: dict[str, Any] | None = None) -> str:
    """Return the explorer as one HTML file; the same bytes each time.

    Args:
        data: what `explorer_data` returns, where it is at hand already.

    """
    text = json.dumps(data or explorer_data(), separators=(",", ":"), sort_keys=True, ensure_ascii=True)
    parts = {
        "style": (_FOLDER / "style.css").read_text(encoding="utf-8"),
        "data": text.replace("</", "<\\/"),  # nothing in the data may end its element
        "script": "\n".join((_FOLDER / "script" / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS),
    }
    page = (_FOLDER / "page.html").read_text(encoding="utf-8")
    for name, part in parts.items():
        page = page.replace(f"<!-- {name} -->", part)
    return page
