"""Diagrams of the simulated machine, made of the clock itself: what units it has, and what they do to an instruction.

`sm_svg()` draws the units that simtc.timing.pipeline lists, `passage_svg(kernel, timeline)` some instructions of a
recorded timeline. `diagrams()` are those in the notes: sass_notes/build.py writes them, and CI compares them.
"""

from simtc.arch import device
from simtc.report.diagrams.passage import passage_svg, shared_to_tensor
from simtc.report.diagrams.sm import sm_svg

__all__ = ["diagrams", "passage_svg", "sm_svg"]

_SHOWN = 5, 9  # from the first load to the matrix instruction


def diagrams() -> dict[str, str]:
    """Return the diagrams of the notes, SVG by file name."""
    first, last = _SHOWN
    return {"sm.svg": sm_svg(), "passage.svg": passage_svg(*shared_to_tensor(device("t4")), first=first, last=last)}
