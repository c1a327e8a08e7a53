"""Questions of the lesson on interleaving."""

from __future__ import annotations

from functools import cache

from simtc import arch
from simtc.gemm.hgemm.interleave import hmmas_between
from simtc.report.lessons.question import Question
from simtc.results.prediction import Prediction
from simtc.run.simulate import simulate

__all__ = ["QUESTIONS"]

_BOARD = "t4"


def _between(access: str) -> int:
    sm = arch.device(_BOARD).sm
    return hmmas_between(sm.memory[access].cpi_cycles, sm.tensor["HMMA.1688.F16"].issue_interval_cycles)


@cache
def _run(hmmas: int) -> Prediction:
    return simulate(
        "hgemm", m=256, n=256, k=96, device=_BOARD, block=(256, 256, 32), warp=(128, 64, 8), layout="pad",
        sts_interleave=hmmas, fidelity="full", caches="warm",
    )  # fmt: skip


QUESTIONS = (
    Question(
        name="sts",
        answer=lambda: _between("STS.128"),
        hint="Four sub-cores, so one STS.128 of each takes four times its cycles; divide by an HMMA's, and round up.",
    ),
    Question(
        name="lds",
        answer=lambda: _between("LDS.32"),
        hint="The same equation with the cycles of an LDS.32.",
    ),
    Question(
        name="cost",
        answer=lambda: _run(0).cycles / _run(5).cycles,
        within=0.002,
        hint="Divide the cycles of the run with 0 by those of the run with 5.",
    ),
    Question(
        name="queue",
        answer=lambda: _run(0).stalls["mio_throttle"] - _run(5).stalls["mio_throttle"],
        hint="The table of causes has both numbers.",
    ),
)
