"""Sampled cycles beside those of all blocks, over many launches: what an interval covers, and how wide it must be."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from simtc.timing.sampling.doubt import COVERAGE, half_width

__all__ = ["CALIBRATION", "CHECK", "Beside", "covered", "factor", "read_spread", "spread_text"]

CALIBRATION = (191,)  # seeds of validate/interval whose launches decide how wide the interval is at least
CHECK = (192,)  # and those that decide nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """One launch.

    Example:
        >>> one = Beside(launch="k/1x2x3x4/t4/cold", family="f", sampled=100, full=103, doubts={"last wave": 0.02})
        >>> round(one.off, 3), round(one.score, 1), one.board
        (0.03, 1.5, 't4')

    """

    launch: str  # KERNEL/SIZES/BOARD/CACHES
    family: str
    sampled: int  # cycles
    full: int
    doubts: Mapping[str, float]
    note: str = ""

    @property
    def off(self) -> float:
        """By how much all blocks take longer than was estimated, relative."""
        return self.full / self.sampled - 1

    @property
    def score(self) -> float:
        """How many times the sum of its doubts that is."""
        return abs(self.off) / sum(self.doubts.values())

    @property
    def board(self) -> str:
        """Where it was launched."""
        return self.launch.split("/")[-2]


def read_spread(folder: Path, seeds: Sequence[int]) -> list[Beside]:
    """Read the launches of some seeds; the first line of a file says what made it."""
    texts = [(folder / f"{seed}.jsonl").read_text(encoding="utf-8") for seed in seeds]
    return [Beside(**json.loads(line)) for text in texts for line in text.splitlines()[1:]]


def factor(found: Sequence[Beside]) -> float:
    """Return by how many doubts an interval must reach on both sides to cover a new launch as often as it says.

    Split conformal prediction: the score of a new launch is as likely to be in one place among theirs as in another.

    Source: Lei, G'Sell, Rinaldo, Tibshirani and Wasserman, "Distribution-free predictive inference for regression",
    JASA 113 (2018), section 2.2.

    Example:
        >>> ones = [Beside(launch="", family="", sampled=100, full=100 + i, doubts={"": 0.01}) for i in range(19)]
        >>> round(factor(ones), 6)
        17.0

    """
    scores = sorted(one.score for one in found)
    return scores[min(ceil(COVERAGE * (len(scores) + 1)), len(scores)) - 1]


def covered(found: Sequence[Beside]) -> list[Beside]:
    """Return the launches that the interval covers."""
    return [one for one in found if abs(one.off) <= half_width(one.doubts)]


def spread_text(name: str, found: Sequence[Beside]) -> str:
    """Return how many are covered, by board, by family and by what is most in doubt; and those that are not."""
    inside = {one.launch for one in covered(found)}
    mean_off = sum(abs(one.off) for one in found) / len(found)
    width = sum(half_width(one.doubts) for one in found) / len(found)
    share = f"{len(inside)} of {len(found)} launches covered ({100 * len(inside) / len(found):.0f} %)"
    lines = [f"{name}: {share}, off by {100 * mean_off:.1f} % in the mean, half of the width {100 * width:.1f} %"]
    kinds: dict[str, list[bool]] = {}
    for one in found:
        worst = max(one.doubts, key=lambda doubt: one.doubts[doubt])
        for kind in (one.board, one.family, f"most in doubt: {worst}"):
            kinds.setdefault(kind, []).append(one.launch in inside)
    lines += [f"  {kind:<36}{sum(said):>4} of {len(said)}" for kind, said in sorted(kinds.items())]
    return "\n".join(lines + [f"  outside: {one.launch}, {one.off:+.1%}" for one in found if one.launch not in inside])
