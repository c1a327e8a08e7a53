"""How far sampled launches are from full ones, and how much sooner they are there.

python tests/benchmarks/bench_sampled.py [SEED]

Draws five launches for each of six boards, of kernels and sizes that take the clock seconds to execute in full.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from simtc.arch import device
from simtc.errors import SimtcError
from simtc.gemm.shipped import shipped, shipped_names
from simtc.results import LaunchResult
from simtc.run.solve import operands, solve

BOARDS = ["v100_sxm2", "t4", "rtx2070", "rtx2080ti", "a100_sxm", "h200"]
EACH = 5
SEED = 11
TILED = 128  # rows of a block of kernels that keep tiles in shared memory
BLOCKS = (6, 24)  # of such rows
DEPTHS = (64, 128, 256, 512, 768, 1024, 2048)
PRODUCTS = {True: (6e8, 3e9), False: (7e7, 3.5e8)}  # tiled or not: seconds of the clock, but not minutes
NEAR = 0.03


@dataclass(frozen=True)
class Case:
    """One launch."""

    kernel: str
    board: str
    size: tuple[int, int, int]
    caches: str

    def __str__(self) -> str:
        """Return it in words."""
        return f"{self.kernel} {self.board} {' x '.join(map(str, self.size))} {self.caches}"

    def run(self, fidelity: str) -> tuple[LaunchResult, float]:
        """Return what became of it, and this thread's seconds."""
        kernel, (m, n, k) = shipped(self.kernel), self.size
        arrays = operands(kernel, m, n, k, seed=None)
        start = time.thread_time()
        solved = solve(
            kernel, device(self.board), arrays, m=m, n=n, k=k, timing=True, fidelity=fidelity, caches=self.caches
        )
        return solved.launch, time.thread_time() - start


def runs_on(name: str, board: str) -> bool:
    """Whether a board can execute a kernel."""
    try:
        shipped(name).kernel(device(board))
    except SimtcError:
        return False
    return True


def drawn(seed: int) -> list[Case]:
    """Draw the launches."""
    rng, cases = np.random.default_rng(seed), []
    for board in BOARDS:
        names = [name for name in shipped_names() if runs_on(name, board)]
        until = len(cases) + EACH
        while len(cases) < until:
            name, caches = str(rng.choice(names)), str(rng.choice(("cold", "warm")))
            rows = shipped(name).block[0]
            step = max(rows, 64)
            m, n = (step * int(many) for many in rng.integers(*BLOCKS, 2))
            k = int(rng.choice(DEPTHS))
            least, most = PRODUCTS[rows == TILED]
            if least <= m * n * k <= most:
                cases.append(Case(name, board, (m, n, k), caches))
    return cases


def main(seed: int) -> None:
    """Print each launch, then all of them."""
    errors, spent = [], {"full": 0.0, "sampled": 0.0}
    for case in drawn(seed):
        runs = {}
        for fidelity in spent:
            runs[fidelity], seconds = case.run(fidelity)
            spent[fidelity] += seconds
        error = runs["sampled"].cycles / runs["full"].cycles - 1
        errors.append(error)
        doubt = runs["sampled"].timing.error_estimate
        cycles = runs["full"].cycles
        print(f"{case!s:60} {cycles:9,} cycles, sampled {error:+6.1%}, by its estimate {doubt:.1%}", flush=True)
    near = sum(abs(error) <= NEAR for error in errors)
    mean = fmean(map(abs, errors))
    print(f"{len(errors)} launches: mean {mean:.1%}, {near} within 3 %, worst {max(errors, key=abs):+.1%}")
    times = spent["full"] / spent["sampled"]
    print(f"sampled takes {spent['sampled'] / len(errors):.1f} s, full {times:.1f} times that")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SEED)
