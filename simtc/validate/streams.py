"""Launches of kernels whose time is memory's, drawn by chance: copies, sums, transposes of any size."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.isa import Kernel
from simtc.resources import folder
from simtc.results import LaunchResult
from simtc.run.launch import launch
from simtc.sass import load

__all__ = ["BUILT", "DrawnStream", "drawn_stream", "streams"]

BUILT = (70, 75, 80, 90)  # generations that there is a listing for


@dataclass(frozen=True, kw_only=True)
class DrawnStream:
    """One launch.

    Example:
        >>> from simtc.arch import device
        >>> one = DrawnStream(kernel="transpose", threads=256, blocks=32, board=device("t4"), caches="cold")
        >>> one.name, one.run("").instructions
        ('transpose/32x256/t4/cold', 11776)

    """

    kernel: str
    threads: int  # of a block
    blocks: int
    board: Device
    caches: str

    @property
    def family(self) -> str:
        """What it is counted with."""
        return "streams"

    @property
    def name(self) -> str:
        """KERNEL/BLOCKSxTHREADS/BOARD/cold or warm."""
        return f"{self.kernel}/{self.blocks}x{self.threads}/{self.board.name}/{self.caches}"

    def run(self, fidelity: str) -> LaunchResult:
        """Launch with the clock, without values; without a fidelity only to count instructions."""
        row = streams()[self.kernel]
        n = self.blocks * self.threads * row.get("each", 1)
        how: dict[str, Any] = {"timing": True, "fidelity": fidelity, "caches": self.caches, "values": False}
        return launch(
            _listed(self.board)[self.kernel], (self.blocks, 1, 1), row.get("block", (self.threads, 1, 1)),
            [_argument(text, n) for text in row["args"]], device=self.board, **(how if fidelity else {}),
        )  # fmt: skip


def streams() -> dict[str, dict[str, Any]]:
    """Return the kernels and how they are launched.

    Example:
        >>> streams()["several"]["each"]
        8

    """
    return {name: row for name, row in _settings().items() if isinstance(row, dict)}


def drawn_stream(rng: np.random.Generator, board: Device, caches: str, work: float) -> DrawnStream:
    """Draw a kernel and its blocks, of so many warp-instructions or some more."""
    names = list(streams())
    name = names[int(rng.integers(len(names)))]
    row, allowed = streams()[name], _settings()["threads"]
    threads = allowed[int(rng.integers(len(allowed)))]
    if "block" in row:
        threads = int(np.prod(row["block"]))
    step = row.get("whole", 1) // (threads * row.get("each", 1)) or 1
    one = DrawnStream(kernel=name, threads=threads, blocks=step, board=board, caches=caches)
    blocks = step * max(round(work / one.run("").instructions), 1)
    return DrawnStream(kernel=name, threads=threads, blocks=blocks, board=board, caches=caches)


@cache
def _settings() -> dict[str, Any]:
    return tomllib.loads((folder("validate") / "interval" / "streams.toml").read_text(encoding="utf-8"))


def _listed(board: Device) -> dict[str, Kernel]:
    """Return the kernels for a board's generation."""
    sm = max(sm for sm in BUILT if sm <= int(board.sm_name.removeprefix("sm_")))
    return _read(sm)


@cache
def _read(sm: int) -> dict[str, Kernel]:
    program = load(folder("validate") / "interval" / f"streams_sm_{sm}.sass")
    return {name: program[name] for name in program}


def _argument(text: str, n: int) -> Any:
    match text.split():
        case ["n"]:
            return np.int32(n)
        case ["value"]:
            return np.float32(1)
        case [times, "n"] if times.isdecimal():
            return np.zeros(int(times) * n, np.float32)
    raise BadInputError(f"argument {text!r}: allowed are n, value, and a buffer such as 4 n")
