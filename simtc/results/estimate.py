"""Numbers that were estimated, as text: rounded to what is known, and marked."""

from __future__ import annotations

import math

__all__ = ["EXTRAPOLATED", "interval", "shown", "shown_interval"]

# Of a launch of which a part was executed, the keys of its result that stand for the whole of it.
EXTRAPOLATED = (
    "cycles", "seconds", "instructions", "stalls", "warp_cycles", "bank_conflicts", "resources", "counters",
    "by_instruction", "by_line",
)  # fmt: skip


def shown(value: float, doubt: float = 0.0) -> str:
    """Return a number with the digits that a relative doubt leaves known; all of them where there is none.

    Example:
        >>> shown(30837649), shown(30837649, 0.03), shown(30837649, 0.1), shown(0, 0.1)
        ('30,837,649', 'about 30,800,000', 'about 31,000,000', 'about 0')

    """
    if not doubt:
        return f"{value:,.0f}"
    place = max(10 ** math.floor(math.log10(abs(value) * doubt)), 1) if value else 1
    return f"about {round(value / place) * place:,.0f}"


def interval(value: float, doubt: float) -> tuple[int, int]:
    """Return the least and the most that a number with a relative doubt may be, in whole units.

    Example:
        >>> interval(1000, 0.05), interval(1000, 0.0)
        ((950, 1050), (1000, 1000))

    """
    return math.floor(value * (1 - min(doubt, 1.0))), math.ceil(value * (1 + doubt))


def shown_interval(least: int, most: int) -> str:
    """Return an interval with two digits of its half width, rounded outwards.

    Example:
        >>> shown_interval(25603790, 32188050), shown_interval(995, 1005), shown_interval(7, 7)
        ('25,600,000 to 32,200,000', '995 to 1,005', '7 to 7')

    """
    half = (most - least) / 2
    place = max(10 ** (math.floor(math.log10(half)) - 1), 1) if half else 1
    return f"{least // place * place:,} to {-(-most // place) * place:,}"
