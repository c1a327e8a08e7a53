"""A case: one thing that a campaign runs on the GPU and computes with no GPU; and how the two differ."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from simtc.gpu import Gpu

__all__ = ["Case", "Difference", "Skip", "differences", "digest"]


class Case(Protocol):
    """One comparison, the same whenever and wherever it is made from the campaign's settings."""

    @property
    def name(self) -> str:
        """What the case is called, unique in its campaign."""

    def inputs(self) -> Mapping[str, NDArray[Any]]:
        """Return what the kernel is given."""

    def run(self, gpu: Gpu) -> NDArray[Any]:
        """Return what the GPU gives: (rows, ...), unsigned integers, whose first index is a natural part."""

    def expect(self) -> NDArray[Any]:
        """Return what simtc gives, in the same form, without a GPU."""

    def show(self, place: tuple[int, ...]) -> str:
        """Say what an element of the result is, and what it was computed from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """A case that this chip cannot run, by name, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One element that differs; `gpu` is None where the capture kept no more than its row's checksum."""

    place: tuple[int, ...]
    gpu: int | None
    simtc: int | None
    what: str

    def __str__(self) -> str:
        said = "the GPU's bits were not kept" if self.gpu is None else f"GPU {self.gpu:#x}"
        own = "" if self.simtc is None else f", simtc {self.simtc:#x}"
        return f"{list(self.place)}: {said}{own} ({self.what})"


def differences(case: Case, gpu: NDArray[Any], own: NDArray[Any], limit: int = 4) -> tuple[int, list[Difference]]:
    """Return how many elements differ, and the first of them."""
    places = np.argwhere(gpu != own)
    first = [tuple(int(x) for x in place) for place in places[:limit]]
    found = [Difference(place=p, gpu=int(gpu[p]), simtc=int(own[p]), what=case.show(p)) for p in first]
    return len(places), found


def digest(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return the SHA-256 over named arrays: names, types, shapes and bytes."""
    total = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        total.update(f"{name} {array.dtype.str} {array.shape};".encode())
        total.update(np.ascontiguousarray(array).view(np.uint8).tobytes())
    return total.hexdigest()
