"""Which waves of blocks are executed, and which of them stand for those that are passed over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Group", "Waves", "flowing", "spread_out"]

_MANY = 30  # waves, of which the last one is like the others
_SETTLING = 3  # waves until memory has a queue as long as it stays
_EARLY = 6  # waves before L2 is full, where that takes long


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Executed waves that stand for others as well."""

    places: tuple[int, ...]  # in the list of executed waves
    passed: int  # waves that they stand for besides themselves


@dataclass(frozen=True, slots=True, kw_only=True)
class Waves:
    """The waves of a launch that are executed."""

    chosen: tuple[int, ...]
    groups: tuple[Group, ...] = ()

    @property
    def times(self) -> list[float]:
        """Return how many waves each executed one stands for.

        Example:
            >>> Waves(chosen=(0, 1, 20, 39), groups=(Group(places=(1, 2), passed=36),)).times
            [1.0, 19.0, 19.0, 1.0]

        """
        out = [1.0] * len(self.chosen)
        for group in self.groups:
            for place in group.places:
                out[place] += group.passed / len(group.places)
        return out

    def trend(self, spans: Sequence[float]) -> float:
        """Return the cycles by which the launch would be longer if the later half of each group were the rule.

        Example:
            >>> Waves(chosen=(0, 1, 20, 39), groups=(Group(places=(1, 2), passed=36),)).trend([9, 10, 11, 9])
            18.0

        """
        cycles = 0.0
        for group in self.groups:
            half = len(group.places) // 2
            if half:
                early = sum(spans[place] for place in group.places[:half]) / half
                late = sum(spans[place] for place in group.places[-half:]) / half
                cycles += group.passed * abs(late - early) / 2
        return cycles


def spread_out(waves: int, *, drifts: bool) -> Waves:
    """Choose few waves of a launch: the first two, another one, and the last or one that is like it.

    Blocks that drift apart end whenever they do. How long a wave of them lasts is seen where a whole one follows it.

    Example:
        >>> [spread_out(waves, drifts=True).chosen for waves in (1, 2, 3, 9, 40)]
        [(0,), (0, 1), (0, 1, 2), (0, 1, 2, 8), (0, 1, 2)]
        >>> spread_out(40, drifts=False).chosen, spread_out(9, drifts=True).times
        ((0, 1, 20, 39), [1.0, 3.5, 3.5, 1.0])

    """
    wanted = {0, 1, 2 if drifts else waves // 2, 2 if drifts and waves >= _MANY else waves - 1}
    chosen = tuple(sorted(wanted & set(range(waves))))
    middle = tuple(range(1, len(chosen) - 1))
    return Waves(chosen=chosen, groups=(Group(places=middle, passed=waves - len(chosen)),) if middle else ())


def flowing(waves: int, *, most: int, filling: float) -> Waves:
    """Choose many waves of a launch of short blocks, whose rate follows from what memory does.

    Until L2 is full nothing that is stored leaves it. Then DRAM has more to do, and a queue that grows for some waves.
    So waves are executed one behind another past that, and the later ones tell. Where L2 takes long to fill, some are
    executed at the beginning, and others from where it has been full for a while.

    Args:
        waves: of the launch.
        most: how many to execute, 8 or more.
        filling: how many of them fill L2.

    Example:
        >>> all(round(sum(flowing(90, most=most, filling=f).times)) == 90 for most in range(8, 17) for f in range(90))
        True
        >>> flowing(6, most=8, filling=2).chosen
        (0, 1, 2, 3, 4, 5)
        >>> one = flowing(40, most=8, filling=1.5)
        >>> one.chosen, one.groups
        ((0, 1, 2, 3, 4, 5, 6, 39), (Group(places=(5, 6), passed=32),))
        >>> two = flowing(40, most=12, filling=20)
        >>> two.chosen, two.groups[0]
        ((0, 1, 2, 3, 4, 26, 27, 28, 29, 30, 31, 39), Group(places=(2, 3, 4), passed=15))
        >>> two.groups[1], sum(two.times)
        (Group(places=(7, 8, 9, 10), passed=13), 40.0)

    """
    if waves <= most:
        return Waves(chosen=tuple(range(waves)))
    last, body = waves - 1, most - 1
    if filling + _SETTLING < body or filling + _SETTLING + body >= last:
        first = min(int(filling) + 1 + _SETTLING, body - 2) if filling + _SETTLING < body else body // 2
        return Waves(
            chosen=(*range(body), last), groups=(Group(places=tuple(range(first, body)), passed=waves - most),)
        )
    early, full = min(_EARLY, body // 2), int(filling)
    late, before = body - early, full - early
    begin = full + (last - full - late) // 2
    return Waves(
        chosen=(*range(early), *range(begin, begin + late), last),
        groups=(
            Group(places=tuple(range(2, early)), passed=before),
            Group(places=tuple(range(early + _SETTLING - 1, body)), passed=waves - most - before),
        ),
    )
