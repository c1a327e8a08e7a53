"""Global memory: every numpy array of a launch becomes one allocation of a flat arena."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from simtc.errors import BadInputError
from simtc.machine.state import GLOBAL_BASE, Memory

__all__ = ["ALIGNMENT", "REGION", "Arena"]

REGION: Final = 2 << 20  # bytes of device memory that small arrays share

ALIGNMENT: Final = 256  # bytes, as cudaMalloc
_GAP = 256  # unowned bytes between allocations, so that running past one is never another's data


def _from(top: int, place: int) -> int:
    """Return where an array begins that has a place, behind what ends at `top`."""
    if place < REGION:
        return top + (place - top) % REGION
    if place < top:
        raise BadInputError(
            f"places of {REGION} bytes and more lie behind the arrays before them, got {place}. "
            f"Try: {-(-top // 512) * 512}"
        )
    return place


class Arena:
    """Copies of the caller's arrays, laid out as a device would.

    Example:
        >>> arena = Arena([np.arange(3, dtype=np.int32)])
        >>> hex(arena.addresses[0])
        '0x7f0000000000'

    """

    def __init__(
        self,
        arrays: Sequence[np.ndarray],
        *,
        empty: int = 0,
        page_bytes: int = ALIGNMENT,
        large_bytes: int = 0,
        places: Sequence[int] = (),
    ) -> None:
        """Lay arrays out.

        Args:
            arrays: what to copy.
            empty: so many of the first ones are not copied: their bytes are zeros.
            page_bytes: large arrays begin at a multiple of it.
            large_bytes: from which on an array is large.
            places: where the first ones begin instead, in bytes from a multiple of REGION; from REGION on, in bytes.

        Raises:
            BadInputError: a place lies in the array before it.

        """
        self._arrays = list(arrays)
        starts, top = [], 0
        for number, array in enumerate(self._arrays):
            if number < len(places):
                top = _from(top, places[number])
            elif array.nbytes >= large_bytes:
                top = -(-top // page_bytes) * page_bytes
            starts.append(top)
            top += -(-array.nbytes // ALIGNMENT) * ALIGNMENT + _GAP
        self._starts = np.array(starts, np.int64)
        self._ends = self._starts + np.array([a.nbytes for a in self._arrays], np.int64)
        self._bytes = np.zeros(max(top, 16), np.uint8)
        for array, start, end in list(zip(self._arrays, self._starts, self._ends, strict=True))[empty:]:
            self._bytes[start:end] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        self.addresses = tuple(int(GLOBAL_BASE + start) for start in starts)

    def memory(self, banks: Mapping[int, bytes]) -> Memory:
        """Return what compiled code sees: this arena, and constant banks."""
        places = np.zeros(64, np.int64)
        data, top = [], 0
        for number, bank in sorted(banks.items()):
            places[2 * number : 2 * number + 2] = top, top + len(bank)
            data.append(bank)
            top += len(bank)
        constants = np.frombuffer(b"".join(data) or b"\0", np.uint8).copy()
        return Memory(
            bytes=self._bytes,
            words=self._bytes.view(np.uint32),
            starts=self._starts,
            ends=self._ends,
            constants=constants,
            banks=places,
        )

    def unset(self, spans: Sequence[tuple[int, int, int]]) -> np.ndarray | None:
        """Return a byte for each byte of the arena, 1 in each span: an array's number, its first byte, how many."""
        if not spans:
            return None
        out = np.zeros(self._bytes.size, np.uint8)
        for array, first, count in spans:
            start = int(self._starts[array]) + first
            out[start : start + count] = 1
        return out

    def write_back(self) -> None:
        """Copy the allocations into the caller's arrays (read-only ones are left alone)."""
        for array, start, end in zip(self._arrays, self._starts, self._ends, strict=True):
            if array.flags.writeable:
                array[...] = self._bytes[start:end].view(array.dtype).reshape(array.shape)

    def describe(self, address: int) -> str:
        """Say where an address lies, in words: inside which buffer, or how far past which one."""
        offset = address - GLOBAL_BASE
        if not len(self._starts) or offset < 0:
            return "far from every buffer"
        place = int(np.searchsorted(self._starts, offset, side="right")) - 1
        start, end = int(self._starts[place]), int(self._ends[place])
        if offset < end:
            return f"byte {offset - start} of buffer {place} ({end - start} bytes)"
        return f"{offset - end} bytes past the end of buffer {place} ({end - start} bytes)"
