"""What is unknown of the cycles of a launch of which a part was executed, by reason; and the interval that follows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from simtc.isa import Kernel, opcodes
from simtc.results import Stall, Timing
from simtc.timing.sampling.portion import Grid

__all__ = [
    "COVERAGE", "LARGEST", "UNSETTLED", "WIDER", "half_width", "of_counts", "of_leaving", "of_others", "unchecked",
]  # fmt: skip

COVERAGE: Final = 0.9  # of the launches, whose cycles at fidelity full lie in the interval
LARGEST: Final = 4_200_000  # warp-instructions of a launch that was executed whole to see whether it does
WIDER: Final = 1.15  # than the sum of the doubts, no less than what validate/interval/measure.py prints
UNSETTLED: Final = 0.02  # of a cycle that was extrapolated from shortened loops
_BESIDE = 0.5  # of what blocks take that leave at once: it may pass while others wait for memory
_UNEVEN = 0.25  # of a last wave of blocks that do not end together: some SM gets one more than its share
_PART = 0.01  # SMs are left out at all: each goes its own way
_CROWDED = 0.1  # L2 or DRAM is always busy; for a launch in which one is half of the time, none
_DRAWN = 2.0  # deviations of a mean over blocks that were drawn, where they differ
_SHARED = 0.06  # of a cycle in which warps wait for memory that other SMs use too
_WAITS = (Stall.long_scoreboard, Stall.lg_throttle, Stall.barrier)  # at barriers, for warps that wait for memory


def of_counts(*, busy: float, uneven: float, blocks: int, last_wave: float) -> dict[str, float]:
    """Return the doubts about what was counted, as shares of the cycles.

    Args:
        busy: what the busiest resource had to do, over the cycles: both are extrapolated, and where they contradict
            each other, neither is known better.
        uneven: by how much blocks differ in what they execute, relative.
        blocks: that were executed.
        last_wave: the share of the cycles in a last wave that has not one block for each place; else 0.

    """
    return {
        "blocks that differ": _DRAWN * uneven / math.sqrt(blocks),
        "last wave": _UNEVEN * last_wave,
        "contradiction": max(busy - 1, 0.0),
    }


def of_leaving(share: float) -> dict[str, float]:
    """Return the doubt about blocks that leave at once, which take a share of the cycles."""
    return {"blocks that leave at once": _BESIDE * share}


def of_others(timing: Timing, grid: Grid) -> dict[str, float]:
    """Return the doubts that come from standing in for SMs that were not executed."""
    if grid.sms == 1:
        return {}
    waiting = sum(timing.stalls[cause.name] for cause in _WAITS)
    busy = max(timing.resources[name] for name in ("L2", "DRAM")) / timing.cycles
    return {
        "SMs left out": _PART,
        "crowded memory": _CROWDED * max(2 * busy - 1, 0.0),
        "waiting for memory": _SHARED * waiting / max(timing.warp_cycles, 1),
    }


def half_width(doubts: Mapping[str, float]) -> float:
    """Return half of the interval's width, as a share of the cycles.

    Example:
        >>> half_width({})
        0.0

    """
    return WIDER * sum(doubts.values())


def unchecked(kernel: Kernel, instructions: int, *, decides: bool) -> list[str]:
    """Return a note where no launch like this one was executed whole to see whether its interval holds.

    Args:
        kernel: what is launched.
        instructions: warp-instructions of the launch.
        decides: whether blocks decide by what they compute where they go.

    """
    table = opcodes()
    kinds = {
        "with atomics": any(table[one.opcode].access == "atomic" for one in kernel.instructions),
        "whose blocks go where values send them": decides,
        f"of more than {LARGEST / 1e6:g} million warp-instructions": instructions > LARGEST,
    }
    found = [kind for kind, applies in kinds.items() if applies]
    return [f"the interval was not checked on launches {', '.join(found)}"] if found else []
