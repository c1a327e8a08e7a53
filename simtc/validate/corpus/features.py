"""Which knobs predict how far the clock is off: a ridge regression of the logarithm of predicted over measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simtc.validate.corpus.drawing import draw
from simtc.validate.corpus.knobs import Knobs, Tile
from simtc.validate.measured import Point

__all__ = ["Effect", "effects", "features"]

_RIDGE = 2.0  # as many launches of no effect stand behind each knob
_FEWEST = 5  # launches that have a knob, and that do not
_MANY_BLOCKS = 66


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """How a knob changes predicted over measured cycles, other knobs being equal."""

    knob: str
    launches: int  # that have it; all of them where it is a size
    change: float  # as a share; of a size, for each doubling
    uncertainty: float  # one standard error


def features(knobs: Knobs, caches: str) -> dict[str, float]:
    """Return a launch's knobs as numbers: 1 for what it has, logarithms of sizes.

    Example:
        >>> found = features(draw("loop_000"), "cold")
        >>> found["caches cold"], found["log2 blocks"] >= 0
        (1.0, True)

    """
    out = knobs.epilogue
    found = {
        "caches cold": float(caches == "cold"),
        f"kind {knobs.kind}": 1.0, f"guard {knobs.guard}": 1.0, f"called {knobs.called}": 1.0,
        f"atomics {knobs.atomics}": 1.0,
        f"epilogue rows of {out.piece} bytes": 1.0, f"stores of {out.width} bytes": 1.0,
        f"mma {knobs.mma.split('.')[2] if knobs.mma else 'none'}": 1.0, "log2 blocks": math.log2(knobs.blocks),
        "log2 warps": math.log2(knobs.warps), "log2 iterations": math.log2(knobs.iterations),
        "log2 stages": math.log2(knobs.stages),
    }  # fmt: skip
    found |= {
        "one warp a block": float(knobs.warps == 1), "many blocks": float(knobs.blocks >= _MANY_BLOCKS),
        "epilogue loads": float(out.reads), "epilogue rows apart": float(out.gap > out.piece),
        "m16n8k8 or narrower": float("k8." in knobs.mma or "k4." in knobs.mma),
    }  # fmt: skip
    for kind in set(knobs.mix):
        found[f"mix {kind}"] = math.log2(1 + knobs.mix.count(kind))
    for tile in knobs.tiles:
        found |= dict.fromkeys(_of_tile(tile), 1.0)
    if knobs.tiles:
        found["log2 row bytes"] = math.log2(knobs.tiles[0].row)
    return found


def _of_tile(tile: Tile) -> list[str]:
    names = [f"copy {tile.copy}", f"L2 hint {tile.hint}", "along rows" if tile.along else "down rows"]
    if tile.fragments:
        names.append(f"read {tile.read.rstrip('0123456789')}{'' if 'm' in tile.read else ' ' + tile.pattern}")
        names.append(f"read {tile.read}")
    if tile.copy == "direct":
        return names
    layout = "xor" if tile.xor else "padded" if tile.pitch > tile.row else "plain"
    narrow = " narrow rows" if tile.row < 128 else ""
    return [*names, f"{tile.copy} {tile.width} {tile.cache}", f"{tile.copy} {layout}{narrow}"]


def effects(points: Sequence[Point]) -> list[Effect]:
    """Return the knobs' effects on one quantity's points, the surest first; without those of fewer than five launches.

    Example:
        >>> names = [f"loop_{n:03d}/{caches}" for n in range(60) for caches in ("cold", "warm")]
        >>> def point(name):
        ...     return Point(case=name, group="", quantity="active_cycles", unit="cycles", measured=100.0,
        ...                  predicted=150.0 if "cold" in name else 100.0)
        >>> first = effects([point(name) for name in names])[0]
        >>> first.knob, 0.4 < first.change < 0.5
        ('caches cold', True)

    """
    if not points:
        return []
    rows = [features(draw(name), caches) for name, _, caches in (point.case.partition("/") for point in points)]
    names = sorted({name for row in rows for name in row})
    X = np.array([[row.get(name, 0.0) for name in names] for row in rows])
    usual = np.median(X, axis=0)
    having, other = np.count_nonzero(X, axis=0), np.count_nonzero(X - usual, axis=0)
    some = np.flatnonzero(np.minimum(having, other) >= _FEWEST)
    if len(points) <= len(some) + 1:
        return []
    X, names = X[:, some], [names[k] for k in some]
    y = np.log([point.predicted / point.measured for point in points])
    centered = X - X.mean(axis=0)
    inverse = np.linalg.inv(centered.T @ centered + _RIDGE * np.eye(len(names)))
    coefficients = inverse @ centered.T @ (y - y.mean())
    left = y - y.mean() - centered @ coefficients
    variance = float(left @ left) / max(1, len(points) - len(names) - 1)
    errors = np.sqrt(variance * np.diag(inverse)) + 1e-12
    order = np.argsort(-np.abs(coefficients / errors))
    return [
        Effect(knob=names[k], launches=int(np.count_nonzero(X[:, k])), change=math.expm1(coefficients[k]),
               uncertainty=float(errors[k]))
        for k in order
    ]  # fmt: skip
