"""When a loop has settled: the same number of cycles for one stretch of laps as for the next."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from statistics import NormalDist, median, stdev

__all__ = ["Laps", "Steady", "slowest"]

_STRETCHES = ((8, 0.01), (16, 0.015), (32, 1.0))  # laps of a stretch, and how far two of them may differ
_FIRST = 1  # laps that count for nothing: the loop fills its pipeline
_FEW = 4  # laps that say nothing of how they differ


def slowest(spread: float, many: int) -> float:
    """Return by how much the largest of so many normal numbers is above their mean, by Blom's approximation.

    Example:
        >>> slowest(10.0, 1), round(slowest(10.0, 16), 1), round(slowest(10.0, 132), 1)
        (0.0, 17.7, 26.0)

    """
    return spread * NormalDist().inv_cdf((many - 0.375) / (many + 0.25)) if many > 1 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Steady:
    """A settled loop."""

    period: float  # cycles of a lap
    doubt: float  # how far the period may be off, relative
    stretch: int  # laps of each
    over: int  # laps at the end of which it is the mean
    jitter: float  # cycles by which laps differ from their mean


@dataclass(slots=True)
class Laps:
    """The backward branches that the warps of an SM take at one place, and the rounds that they make up.

    A round is one lap of all warps, wherever each of them is: what a warp is ahead in one round it is in the next.

    Example:
        >>> laps = Laps(warps=2)
        >>> for cycle in range(0, 2000, 100):
        ...     laps.note(0, cycle)
        ...     laps.note(1, cycle + 7)
        >>> laps.settled()
        Steady(period=100.0, doubt=0.0, stretch=8, over=16, jitter=0.0)
        >>> laps.rates([[0], [1]], 16)
        {0: 0.01, 1: 0.01}

    """

    warps: int
    rounds: list[int] = field(default_factory=list)  # the cycle in which each ended
    cycles: dict[int, list[int]] = field(default_factory=dict)  # of each warp, when it ended its laps
    seen: int = 0

    def note(self, warp: int, cycle: int) -> None:
        """Note a backward branch."""
        self.cycles.setdefault(warp, []).append(cycle)
        self.seen += 1
        if self.seen % self.warps == 0:
            self.rounds.append(cycle)

    def rates(self, together: list[list[int]], over: int) -> dict[int, float]:
        """Return the laps in a cycle of each warp, at the last so many of each; those kept in step have one rate."""
        out: dict[int, float] = {}
        for group in together:
            ends = [self.cycles[w][_FIRST:][-1 - over :] for w in group if len(self.cycles.get(w, ())) > _FIRST + 1]
            if ends:
                rate = sum(len(one) - 1 for one in ends) / sum(one[-1] - one[0] for one in ends)
                out |= {w: rate for w in group if w in self.cycles}
        return out

    @property
    def jitter(self) -> float:
        """Return the deviation of a warp's laps, from the median of theirs: DRAM's refresh holds up all SMs alike."""
        off: list[float] = []
        for ends in self.cycles.values():
            durations = [after - before for before, after in pairwise(ends[_FIRST:])]
            if len(durations) >= _FEW:
                middle = median(durations)
                off += [abs(one - middle) for one in durations]
        return median(off) / NormalDist().inv_cdf(0.75) if off else 0.0

    def settled(self) -> Steady | None:
        """Return the period once two stretches of laps, after a first lap, took the same time.

        Where they differ by more than chance would have it, the later one tells. Laps differ where each waits for
        lines of memory of its own; the doubt is no less than that of their mean.
        """
        ends = self.rounds
        for stretch, allowed in _STRETCHES:
            if len(ends) < 2 * stretch + 2:
                return None
            second, first = ends[-1] - ends[-1 - stretch], ends[-1 - stretch] - ends[-1 - 2 * stretch]
            durations = [after - before for before, after in pairwise(ends[-1 - 2 * stretch :])]
            trend, chance = abs(second - first) / 2, stdev(durations) * (2 * stretch) ** 0.5
            doubt = max(trend, chance) / (second + first)
            if doubt <= allowed:
                over = stretch if trend > chance else 2 * stretch
                period = (ends[-1] - ends[-1 - over]) / over
                return Steady(period=period, doubt=doubt, stretch=stretch, over=over, jitter=stdev(durations))
        return None
