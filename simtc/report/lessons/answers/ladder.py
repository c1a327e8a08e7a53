"""Questions of the lesson on the ladder of GEMMs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simtc.analytic.intensity import blocking_intensity
from simtc.report.lessons.answers.runs import one_block
from simtc.report.lessons.question import Question
from simtc.results.prediction import Prediction
from simtc.run.simulate import simulate

__all__ = ["QUESTIONS"]

_RUNGS = ("wmma_naive", "wmma_tiled_unpadded", "wmma_tiled", "mma_m16n8k8_f32")
_DEPTH, _SIZE, _BOARD = 64, 8192, "rtx2070"
_ENOUGH = 0.85  # of the peak


def _counter(name: str, counter: str) -> int:
    timing = one_block(name, _DEPTH).timing
    if timing is None:
        raise TypeError(f"{name} was not timed")
    return timing.counters[counter]


def _conflicted() -> str:
    return max(_RUNGS, key=lambda name: one_block(name, _DEPTH).bank_conflicts)


def _tiles(block: Sequence[int], warp: Sequence[int]) -> Prediction:
    sizes: dict[str, Any] = {"m": _SIZE, "n": _SIZE, "k": _SIZE, "block": tuple(block), "warp": tuple(warp)}
    return simulate("hgemm", device=_BOARD, fidelity="analytic", **sizes)


def _judge(given: tuple[Sequence[int], Sequence[int]]) -> str | None:
    """Predict a learner's tiles."""
    block, warp = given
    found = _tiles(block, warp)
    if found.peak_share < _ENOUGH:
        return f"{found.tflops:.1f} TFLOPS, {100 * found.peak_share:.0f} % of the peak, limited by {found.bound}"
    return None


QUESTIONS = (
    Question(
        name="sectors",
        answer=lambda: _counter("wmma_naive", "l1_sectors") / _counter("wmma_tiled", "l1_sectors"),
        within=0.01,
        hint="Divide two numbers of the column of L1 sectors.",
    ),
    Question(
        name="conflicts",
        answer=_conflicted,
        hint="Compare the columns of wavefronts and of ideal wavefronts.",
    ),
    Question(
        name="intensity",
        answer=lambda: blocking_intensity(256, 256),
        within=0.01,
        hint="2 bm bn operations for each step of k, and 2 bytes for each of bm + bn elements.",
    ),
    Question(
        name="bound_64",
        answer=lambda: _tiles((64, 64, 32), (32, 32, 8)).bound,
        hint="The last column of the table of tiles.",
    ),
    Question(
        name="tiles",
        answer=lambda: ((256, 256, 32), (128, 64, 8)),
        hint="Both levels count: the block's tile for L2 and DRAM, the warp's tile for shared memory.",
        judge=_judge,
        wants="a pair: the block's tile and the warp's tile, three numbers each",
    ),
)
