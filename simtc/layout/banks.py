"""Shared-memory banks: in how many wavefronts a warp's access is served, and which lanes collide.

Shared memory has 32 banks, four bytes wide; one wavefront takes one word of every bank. A request is served in phases,
groups of lanes whose words could fill a wavefront, and a phase takes as many wavefronts as some bank has different
words to give. Lanes that want the same word share it; lanes that store to the same word too: one of them wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from simtc.errors import BadInputError
from simtc.results.display import Columns, Display, by_column

__all__ = ["BANKS", "Access", "Phase"]

BANKS = 32
_LANES = 32
_PHASE_LANES = {32: 32, 64: 16, 128: 8}  # of a whole warp's words, as many as fill a wavefront


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """Lanes served together. `wavefronts` holds, for each, the (bank, word, lanes) that it serves.

    The hardware does not show in which order it serves the words of one bank; they are listed by address.
    """

    lanes: tuple[int, ...]
    wavefronts: tuple[tuple[tuple[int, int, tuple[int, ...]], ...], ...]

    @property
    def collisions(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """The banks that more than one word is wanted of, each with the lanes that want them."""
        wanted: dict[int, list[tuple[int, ...]]] = {}
        for wavefront in self.wavefronts:
            for bank, _, lanes in wavefront:
                wanted.setdefault(bank, []).append(lanes)
        return tuple(
            (bank, tuple(sorted({lane for lanes in groups for lane in lanes})))
            for bank, groups in sorted(wanted.items())
            if len(groups) > 1
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Access(Display):
    """One shared-memory instruction of a warp: LDS, STS, LDSM or STSM.

    `addresses` are the byte addresses of lanes 0 to 31, None where a lane is inactive. `width` is what a lane moves, in
    bits. An access to 8x8 matrices (`matrix`) has an address for each 16-byte row: 8, 16 or 32 of them.

    Raises:
        BadInputError: a width other than 32, 64, 128; an address negative or not a multiple of the width; too many
            addresses, or a number of matrix rows other than 8, 16, 32.

    Source: wavefronts and excess as Nsight Compute counted them on an H200 for 1,141 patterns
    (l1tex__data_pipe_lsu_wavefronts_mem_shared, l1tex__data_bank_conflicts_pipe_lsu_mem_shared); CUDA C++ Programming
    Guide for the sharing of words.

    Example:
        >>> column = Access(addresses=tuple(128 * lane for lane in range(32)))
        >>> column.wavefronts, column.ideal, column.excess
        (32, 1, 31)

    """

    addresses: tuple[int | None, ...]
    width: int = 32
    store: bool = False
    matrix: bool = False
    phases: tuple[Phase, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.width not in _PHASE_LANES:
            raise BadInputError(f"an access is 32, 64 or 128 bits wide, not {self.width}")
        if self.matrix and (len(self.addresses) not in (8, 16, 32) or None in self.addresses or self.width != 128):
            raise BadInputError(
                f"ldmatrix takes the addresses of 8, 16 or 32 rows of 128 bits, not {len(self.addresses)}"
            )
        if len(self.addresses) > _LANES:
            raise BadInputError(f"a warp has 32 lanes, not {len(self.addresses)} addresses")
        for lane, address in enumerate(self.addresses):
            if address is not None and (address < 0 or address % (self.width // 8)):
                raise BadInputError(
                    f"lane {lane}: address {address} is not a multiple of {self.width // 8} bytes, or below 0"
                )
        object.__setattr__(self, "phases", tuple(self._serve(lanes) for lanes in self._groups() if lanes))

    @property
    def ideal(self) -> int:
        """Wavefronts if no two words collided: one for each phase."""
        return len(self.phases)

    @property
    def wavefronts(self) -> int:
        """Wavefronts that the access takes."""
        return sum(len(phase.wavefronts) for phase in self.phases)

    @property
    def excess(self) -> int:
        """Wavefronts that bank conflicts add."""
        return self.wavefronts - self.ideal

    @property
    def name(self) -> str:
        """The access as SASS names it, such as LDS.64, STS.128 or LDSM.x4."""
        if self.matrix:
            return f"{'STSM' if self.store else 'LDSM'}.x{len(self.addresses) // 8}"
        return f"{'STS' if self.store else 'LDS'}.{self.width}"

    def headline(self) -> str:
        """Return the access, its wavefronts, the ideal and the excess in one line."""
        from simtc.layout.banks_view import summary  # noqa: PLC0415 - which draws what this module defines

        return summary(self)

    def columns(self) -> Columns:
        """Return one row for every word served: phase, wavefront, bank, word and lanes."""
        return by_column(
            [
                {"phase": number, "wavefront": turn, "bank": bank, "word": word, "lanes": lanes}
                for number, phase in enumerate(self.phases)
                for turn, wavefront in enumerate(phase.wavefronts)
                for bank, word, lanes in wavefront
            ]
        )

    def pictures(self) -> Sequence[str]:
        """Return the bank map."""
        return (self.to_svg(),)

    def tables(self) -> Sequence[tuple[str, Columns]]:
        """Return nothing: the picture says it."""
        return ()

    def to_svg(self) -> str:
        """Draw the bank map as SVG: a row a wavefront, a column a bank, the lane served in the cell."""
        from simtc.layout.banks_view import to_svg  # noqa: PLC0415 - as above

        return to_svg(self)

    def to_json(self) -> dict[str, Any]:
        """Return the access and how it is served as JSON values."""
        return {
            "name": self.name,
            "width": self.width,
            "store": self.store,
            "matrix": self.matrix,
            "addresses": list(self.addresses),
            "ideal": self.ideal,
            "wavefronts": self.wavefronts,
            "excess": self.excess,
            "phases": [
                {
                    "lanes": list(phase.lanes),
                    "wavefronts": [
                        [{"bank": bank, "word": word, "lanes": list(lanes)} for bank, word, lanes in wavefront]
                        for wavefront in phase.wavefronts
                    ],
                    "collisions": [{"bank": bank, "lanes": list(lanes)} for bank, lanes in phase.collisions],
                }
                for phase in self.phases
            ],
        }

    def _groups(self) -> list[tuple[int, ...]]:
        """Return the active lanes of each phase."""
        size = _PHASE_LANES[self.width]
        if not self.matrix and not self.store and self.width > 32 and (self._in_pairs(1) or self._in_pairs(2)):
            size *= 2  # when neighbours read the same place, two phases' words fit one wavefront
        active = [lane for lane, address in enumerate(self.addresses) if address is not None]
        return [tuple(lane for lane in active if lane // size == group) for group in range(_LANES // size)]

    def _in_pairs(self, distance: int) -> bool:
        """Tell whether every lane reads where lane ^ distance does, or one of the two is inactive."""
        padded = (*self.addresses, *(None,) * (_LANES - len(self.addresses)))
        pairs = ((padded[lane], padded[lane ^ distance]) for lane in range(_LANES))
        return all(mine == other or mine is None or other is None for mine, other in pairs)

    def _serve(self, lanes: Iterable[int]) -> Phase:
        wanted: dict[int, dict[int, list[int]]] = {}  # bank -> word -> lanes
        for lane in lanes:
            first = (self.addresses[lane] or 0) // 4
            for word in range(first, first + self.width // 32):
                wanted.setdefault(word % BANKS, {}).setdefault(word, []).append(lane)
        served = {
            bank: [(bank, word, tuple(words[word])) for word in sorted(words)] for bank, words in sorted(wanted.items())
        }
        turns = max(len(words) for words in served.values())
        wavefronts = (tuple(words[turn] for words in served.values() if turn < len(words)) for turn in range(turns))
        return Phase(lanes=tuple(lanes), wavefronts=tuple(wavefronts))
