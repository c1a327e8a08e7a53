"""Where the arrays of a launch lie, and which half of L2 they hang on, as atomics of one thread tell it on the chip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

import numpy as np

from simtc.gpu import Code, Gpu
from simtc.gpu.code import load
from simtc.machine.arena import REGION
from simtc.resources import folder
from simtc.validate.corpus.allocated import regions

__all__ = ["asked", "placed", "told"]

_BETWEEN: Final = 400  # cycles, which no atomic on near memory takes of these chips and each on far memory does
_MOST: Final = 52  # regions of an array that are asked for, as many bits as a float holds


@cache
def _code() -> Code:
    return load(folder("validate") / "corpus" / "halves.cubin")["halves"]


def asked(gpu: Gpu, spans: Sequence[tuple[int, int]]) -> dict[str, float]:
    """Return for each array, by address and bytes, where in its 2 MiB it begins, and which of these are far.

    A bit for each 2 MiB says whether it is far from the first SM.
    """
    some = [regions(at, size)[:_MOST] for at, size in spans]
    every = np.array([at for one in some for at in one], np.uint64)
    cycles = np.zeros(every.size, np.uint32)
    gpu.launch(_code(), 1, 1, [every, np.int32(every.size), np.uint32(0), cycles])
    far, out = iter(cycles > _BETWEEN), {}
    for number, one in enumerate(some):
        out[f"at_{number}"] = float(one[0] % REGION)
        out[f"far_{number}"] = float(sum(1 << i for i, _ in enumerate(one) if next(far)))
    return out


def told(measured: Mapping[str, float], arrays: int) -> tuple[int, ...]:
    """Return what `asked` has found of so many arrays, () where nobody asked.

    Example:
        >>> told({"far_0": 5.0, "far_1": 0.0, "bits": 7.0}, 2), told({"bits": 7.0}, 2)
        ((5, 0), ())

    """
    return _numbers(measured, "far", arrays)


def placed(measured: Mapping[str, float], arrays: int) -> tuple[int, ...]:
    """Return where so many arrays began, in bytes from a multiple of 2 MiB, () where that was not kept.

    Example:
        >>> placed({"at_0": 512.0, "far_0": 5.0}, 1), placed({"far_0": 5.0}, 1)
        ((512,), ())

    """
    return _numbers(measured, "at", arrays)


def _numbers(measured: Mapping[str, float], kind: str, arrays: int) -> tuple[int, ...]:
    names = [f"{kind}_{number}" for number in range(arrays)]
    return tuple(int(measured[name]) for name in names) if names[0] in measured else ()
