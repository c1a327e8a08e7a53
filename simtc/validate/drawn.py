"""Launches drawn by chance over families, configurations, problems and boards, small enough to be executed whole."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import ceil, exp, log, sqrt
from typing import Any, TypeAlias

import numpy as np

from simtc.arch import Device, device, device_names
from simtc.errors import SimtcError
from simtc.gemm.family import Configured
from simtc.gemm.operands import zeros
from simtc.gemm.problem import Problem
from simtc.gemm.registry import family
from simtc.resources import folder
from simtc.results import LaunchResult
from simtc.run.launch import launch
from simtc.timing.sampling.doubt import LARGEST
from simtc.validate.streams import DrawnStream, drawn_stream

__all__ = ["Drawn", "DrawnLaunch", "boards", "drawn"]

_DEPTHS = (32, 4096)  # of k
_WORK = (3.1e6, LARGEST)  # warp-instructions: more than what is executed whole anyway, and seconds of the clock
_FEWEST = 4  # blocks
_ASPECT = 4.0  # of the grid, at most
_EDGE = 0.25  # of the launches, those of batches, whose tiles reach beyond the matrices
_TENSOR_SM = 70


@dataclass(frozen=True, kw_only=True)
class DrawnLaunch:
    """One launch."""

    family: str
    configuration: Configured
    problem: Problem
    board: Device
    caches: str

    @property
    def name(self) -> str:
        """KERNEL/BATCHxMxNxK/BOARD/cold or warm."""
        one = self.problem
        sizes = "x".join(map(str, (one.products, one.m, one.n, one.k)))
        return f"{self.configuration.name}/{sizes}/{self.board.name}/{self.caches}"

    def run(self, fidelity: str) -> LaunchResult:
        """Launch with the clock, without values."""
        return _launched(self.configuration, self.problem, self.board, fidelity=fidelity, caches=self.caches)


Drawn: TypeAlias = DrawnLaunch | DrawnStream


def boards() -> tuple[str, ...]:
    """Return the boards that have tensor cores.

    Example:
        >>> "t4" in boards(), "c2050" in boards()
        (True, False)

    """
    return tuple(name for name in device_names() if int(device(name).sm_name.removeprefix("sm_")) >= _TENSOR_SM)


def drawn(seed: int) -> Iterator[Drawn]:
    """Yield launches without end; a seed gives the same ones each time.

    Example:
        >>> from itertools import islice
        >>> [one.name for one in islice(drawn(1), 2)] == [one.name for one in islice(drawn(1), 2)]
        True

    """
    rng = np.random.Generator(np.random.PCG64(seed))
    while True:
        try:
            found = _one(rng)
        except SimtcError:  # of what was drawn, this board or this family cannot have all
            continue
        if found is not None:
            yield found


@cache
def _settings() -> dict[str, Any]:
    """Return what launches are drawn from, and the choices of families whose kernels are made of choices."""
    return tomllib.loads((folder("validate") / "interval" / "drawn.toml").read_text(encoding="utf-8"))


def _one(rng: np.random.Generator) -> Drawn | None:
    board = device(_any(rng, boards()))
    name = _any(rng, _settings()["families"])
    caches = _any(rng, ("cold", "warm"))
    if name == "streams":
        return drawn_stream(rng, board, caches, _between(rng, *_WORK))
    k = round(_between(rng, *_DEPTHS))
    work = _between(rng, *_WORK)
    aspect = _between(rng, 1 / _ASPECT, _ASPECT)
    made = _configured(rng, name, board, k)
    tile = made.tile
    k = tile[2] if name in _settings()["whole"] else ceil(k / tile[2]) * tile[2]
    of_batches = name in _settings()["of_batches"]
    alone = made.problem({"m": tile[0], "n": tile[1], "k": k} | ({"batch": (1,)} if of_batches else {}))
    blocks = work / _launched(made, alone, board).instructions
    if blocks < _FEWEST or made.not_executed():
        return None
    problem = made.problem(_batch(rng, made, k, blocks) if of_batches else _sizes(made, k, blocks, aspect))
    return DrawnLaunch(family=name, configuration=made, problem=problem, board=board, caches=caches)


def _configured(rng: np.random.Generator, name: str, board: Device, k: int) -> Configured:
    """Return a kernel of a family that ships for the board, or can be made for it."""
    found = family(name)
    made = _settings()["made"]
    if name in made:
        choices = {option: _any(rng, _values(axes)) for option, axes in made[name].items()}
        return found.configure(found.problem({"m": 2048, "n": 2048, "k": max(k, 64)}, choices), board, choices)
    shipped = found.programs(board)
    if shipped:
        return shipped[int(rng.integers(len(shipped)))]
    m = int(rng.integers(*_settings()["whole"].get(name, (16, 200))))
    k = m if name in _settings()["whole"] else int(rng.choice((16, 200)))
    return found.configure(found.problem({"m": m, "n": m, "k": k, "batch": (1,)}, {}), board, {})


def _values(axes: list[Any]) -> list[Any]:
    """Return what may be chosen: the words of a list, or tuples with a number of each list in it."""
    return list(product(*axes)) if isinstance(axes[0], list) else axes


def _batch(rng: np.random.Generator, made: Configured, k: int, blocks: float) -> dict[str, Any]:
    """Return m, n and k of a few tiles each, and as many products as so many blocks take."""
    m, n, _ = made.tile
    if made.multiple != (1, 1, 1):  # of one size
        return {"m": m, "n": n, "k": k, "batch": (max(round(blocks), 1),)}
    rows, columns = (int(rng.integers(1, 4)) for _ in range(2))
    less = int(rng.integers(1, min(m, n))) if rng.random() < _EDGE else 0
    batch = max(round(blocks / (rows * columns)), 1)
    return {"m": rows * m - less, "n": columns * n - less, "k": k, "batch": (batch,)}


def _sizes(made: Configured, k: int, blocks: float, aspect: float) -> dict[str, Any]:
    """Return m, n and k of so many blocks."""
    m, n, _ = made.tile
    rows = max(round(sqrt(blocks * aspect)), 1)
    return {"m": rows * m, "n": max(round(blocks / rows), 1) * n, "k": k}


def _launched(
    made: Configured, problem: Problem, board: Device, *, fidelity: str = "", caches: str = "cold"
) -> LaunchResult:
    """Launch over zeros; without a fidelity only to count instructions."""
    how: dict[str, Any] = {"timing": True, "fidelity": fidelity, "caches": caches, "values": False} if fidelity else {}
    whole = problem.padded(made.multiple)
    return launch(
        made.program(), made.grid_dim(whole), made.block_dim, made.arguments(whole, zeros(whole)),
        shared_bytes=made.dynamic_shared_bytes, device=board, **how,
    )  # fmt: skip


def _between(rng: np.random.Generator, least: float, most: float) -> float:
    """Return a number whose logarithm is uniform."""
    return float(exp(rng.uniform(log(least), log(most))))


def _any(rng: np.random.Generator, values: Any) -> Any:
    return values[int(rng.integers(len(values)))]
