"""The chip that a campaign runs on, or ran on, as simtc simulates it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from simtc import arch as chips
from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.numerics.rules import architecture_named

__all__ = ["Chip"]


@dataclass(frozen=True, slots=True)
class Chip:
    """A GPU by its generation, and by CUDA's name of it where that is known.

    Example:
        >>> Chip(90, "NVIDIA H200").board, Chip(75, "NVIDIA GeForce RTX 2070").board
        (device('h200'), device('rtx2070'))
        >>> Chip(75).arch
        'turing'

    """

    sm: int
    name: str = ""

    @property
    def arch(self) -> str:
        """The architecture that simtc simulates it as.

        Raises:
            BadInputError: simtc has no arithmetic for it.

        """
        return architecture_named(f"sm_{self.sm}")

    @property
    def known(self) -> bool:
        """True where simtc has a board of that name: its cycles mean this chip's."""
        return self._named is not None

    @property
    def _named(self) -> str | None:
        words = self.name.lower()
        boards = (chips.device(name) for name in chips.device_names())
        return next((board.name for board in boards if re.search(board.cuda, words) or self.name == board.name), None)

    @property
    def board(self) -> Device:
        """The board of that name, else the newest of its generation: enough for bits, not for cycles.

        Raises:
            BadInputError: simtc has no board of the generation.

        """
        if self._named:
            return chips.device(self._named)
        boards = [chips.device(name) for name in chips.device_names()]
        able = [board for board in boards if board.sm_name.startswith("sm_") and int(board.sm_name[3:]) <= self.sm]
        same = [board for board in able if int(board.sm_name[3:]) // 10 == self.sm // 10]
        if not same:
            raise BadInputError(f"simtc has no board of sm_{self.sm}'s generation. Try: simtc arch")
        return max(same, key=lambda board: int(board.sm_name[3:]))
