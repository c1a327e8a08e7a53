"""What a part of L2 forgets, beside a cache of lines that keeps what was used last."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest

from simtc.jit import callable_part
from simtc.timing.units import aging
from simtc.timing.units.aging import FULL, Age, brought, new_age

is_gone, stamp, used_again = map(callable_part, (aging.is_gone, aging.stamp, aging.used_again))
LINE = 128.0
LINES = 4096
STORES = 0.3


class Exact:
    """Lines in the order of their last use."""

    def __init__(self, lines):
        self.lines, self.written = OrderedDict.fromkeys(lines, False), 0

    def use(self, line, store):
        """Return whether it was there."""
        hit = line in self.lines
        self.lines[line] = store or (hit and self.lines[line])
        self.lines.move_to_end(line)
        if len(self.lines) > LINES:
            self.written += self.lines.popitem(last=False)[1]
        return hit


class Aged:
    """The same by their age."""

    def __init__(self, lines):
        self.age = new_age(LINES * LINE, held=len(lines) * LINE)
        self.stamps = {line: int(i * LINE * LINES / len(lines)) for i, line in enumerate(lines)}
        self.dirty, self.written = set(), 0.0

    def use(self, line, store):
        """Return whether it was there."""
        hit = line in self.stamps and not is_gone(self.age, self.stamps[line])
        if hit:
            used_again(self.age, self.stamps[line], LINE)
        else:
            self.dirty.discard(line)
        results = LINE if store and line not in self.dirty else 0.0
        self.written += brought(self.age, 0.0 if hit else LINE, results) / LINE
        if store:
            self.dirty.add(line)
        self.stamps[line] = stamp(self.age, 0.0)
        return hit


def uses(kind, rng):
    """Lines used one after another, and whether each is stored."""
    if kind == "stream":  # each wave of blocks reads its own, and stores results that are not read again
        return np.arange(40_000), np.arange(40_000) % 10_000 > 7_000
    if kind == "again":  # some are used again and again
        lines = np.where(rng.random(40_000) < 0.5, rng.integers(0, LINES // 2, 40_000), 10_000 + np.arange(40_000))
        return lines, (lines >= 10_000) & (rng.random(40_000) < STORES)
    lines = rng.integers(0, 2 * LINES, 40_000)  # twice as many as there is room for
    return lines, np.zeros(len(lines), bool)


@pytest.mark.parametrize("before", [0, LINES // 2, LINES])
@pytest.mark.parametrize("kind", ["stream", "again", "chance"])
def test_it_forgets_as_a_cache_does(kind, before):
    rng = np.random.default_rng(1)
    others = kind == "stream"  # than those that will be used
    held = (np.arange(before) + 1_000_000 if others else rng.permutation(2 * LINES)[:before]).tolist()
    exact, aged = Exact(held), Aged(held)
    lines, stores = uses(kind, rng)
    hits = np.array([(exact.use(a, s), aged.use(a, s)) for a, s in zip(lines.tolist(), stores.tolist(), strict=True)])
    assert (hits[:, 0] == hits[:, 1]).mean() > 0.98
    assert aged.written == pytest.approx(exact.written, rel=0.02, abs=2 * LINES / FULL)


def test_a_part_that_has_room_forgets_nothing():
    age = new_age(LINES * LINE)
    for line in range(LINES):
        assert brought(age, LINE, LINE) == 0
        used_again(age, stamp(age, 0.0) - int(LINE * line / 2), LINE)
    assert age[Age.HELD] == pytest.approx(LINES * LINE)
    assert not is_gone(age, 1 + int(LINES * LINE))
