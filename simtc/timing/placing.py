"""Where the block scheduler puts the first blocks of a grid: into which GPC, and on which of its SMs.

The two SMs of a TPC are a pair. A few pairs get their blocks before all others (`first_pairs`: no cluster of blocks
goes there). The rest of a wave is spread evenly: a pair of each GPC after the other gets one block, and second SMs come
after all first ones. But the blocks of a GPC have neighbouring numbers.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import chain, repeat
from typing import Final, NamedTuple

import numpy as np

from simtc.arch import Device

__all__ = ["Place", "first_sms", "halves", "neighbours", "places"]

PAIR: Final = 2  # SMs of a TPC, on every chip from Volta on
_AGAIN: Final = 6  # GPCs that get their blocks until the first pairs get some again
_SOONER: Final = 5  # likewise the first time


class Place(NamedTuple):
    """An SM: its GPC, its pair there, and which of the two it is; `is_first` tells first pairs."""

    is_first: bool
    gpc: int
    pair: int
    second: int


def _pairs(device: Device) -> tuple[list[int], tuple[int, ...]]:
    """Return how many pairs each GPC has beside first pairs, and whose these are.

    Where that is not known of so many GPCs, each has as many as the others, and none is first.
    """
    if device.gpc_pairs and len(device.gpc_pairs) == device.gpcs:
        return list(device.gpc_pairs), device.first_pairs
    gpcs, pairs = max(device.gpcs, 1), device.sm_count // PAIR
    return [pairs // gpcs + (g >= gpcs - pairs % gpcs) for g in range(gpcs)], ()


@lru_cache(maxsize=64)
def places(device: Device, sms: int) -> tuple[Place, ...]:
    """Return the SMs of a wave of as many blocks, in the order of these.

    Args:
        device: the board.
        sms: blocks, at most one for each of its SMs.

    Example:
        >>> from simtc.arch import device
        >>> [sum(place.gpc == gpc and not place.is_first for place in places(device("h200"), 48)) for gpc in range(8)]
        [4, 6, 5, 5, 5, 5, 5, 5]
        >>> [place.gpc for place in places(device("h200"), 4)]
        [0, 0, 0, 0]

    """
    sizes, lone = _pairs(device)
    after = Counter[int]()
    early = []
    for gpc in lone:
        early += [Place(True, gpc, sizes[gpc] + after[gpc], second) for second in range(PAIR)]
        after[gpc] += 1
    rounds = [
        Place(False, gpc, pair, second)
        for second in range(PAIR)
        for pair in range(max(sizes))
        for gpc, size in enumerate(sizes)
        if pair < size
    ]
    firsts = sorted(early, key=lambda place: place.second)[:sms]
    rest = rounds[: max(sms - len(early), 0)]
    return tuple(sorted(firsts, key=early.index) + sorted(rest, key=lambda place: place[1:]))


def _chosen(device: Device, sms: int) -> tuple[Place, ...]:
    """Return the SMs in use, in the order of their first blocks; the last one as often as the chip lacks some."""
    chosen = places(device, min(sms, device.sm_count))
    return chosen + chosen[-1:] * (sms - len(chosen))


def halves(device: Device, sms: int) -> np.ndarray:
    """Return which half of L2 each SM in use is near, in the order of their first blocks: GPCs by turns, or as known.

    On boards whose GPCs are not known three of the first four SMs are near one half: atomics say so.
    """
    if not device.gpcs:
        number = np.arange(sms)
        return (number - np.isin(number, (3, 5))) & 1
    gpcs, _ = neighbours(device, sms)
    near: np.ndarray = ~np.isin(gpcs, device.near_gpcs) & 1 if device.near_gpcs else gpcs & 1
    return near


@lru_cache(maxsize=64)
def neighbours(device: Device, sms: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the GPC and the CPC of each SM in use, in the order of their first blocks.

    The pairs of a GPC are in its CPCs by turns; each first pair is one of its own.
    """
    chosen = _chosen(device, sms)
    every = places(device, device.sm_count)
    most = max((place.pair for place in every if not place.is_first), default=0) + 1
    cpcs = -(-most * PAIR // device.cluster_sms) if device.cluster_sms else 1
    own = {place[:3]: device.gpcs * cpcs + i // PAIR for i, place in enumerate(every) if place.is_first}
    return (
        np.array([place.gpc for place in chosen]),
        np.array([own.get(place[:3], cpcs * place.gpc + place.pair % cpcs) for place in chosen]),
    )


def first_sms(device: Device, sms: int, slots: int, blocks: int) -> np.ndarray:
    """Return the number of the SM that gets each of the first blocks, (blocks or as many as there is room for,).

    Wave after wave, but first pairs do not wait for the others. A wave with fewer blocks than SMs is spread over all.

    Example:
        >>> from simtc.arch import device
        >>> [int(number) for number in first_sms(device("h200"), 132, 2, 132 + 10)[-10:]]
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 16]

    """
    waves, more = divmod(min(blocks, sms * slots), sms)
    if sms < device.sm_count or not places(device, sms)[0].is_first:
        return np.arange(waves * sms + more) % sms
    every = places(device, sms)
    number = {place: i for i, place in enumerate(every)}
    early = [i for i, place in enumerate(every) if place.is_first]
    by_gpc = [
        [i for i, place in enumerate(every) if place.gpc == gpc and not place.is_first] for gpc in range(device.gpcs)
    ]
    order, left, due = list(early), waves - 1, _SOONER
    for batch, gpc in enumerate(chain.from_iterable(repeat(by_gpc, waves))):
        if batch == due and left > 0:
            order += early
            left, due = left - 1, due + _AGAIN
        order += gpc
    order += early * left
    return np.array((order if waves else []) + [number[place] for place in places(device, more)] if more else order)
