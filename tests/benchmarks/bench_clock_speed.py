"""How fast the clock runs, and what it needs.

python tests/benchmarks/bench_clock_speed.py
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time

from simtc.arch import device
from simtc.gemm import operands, shipped, solve

PEER = 0.0155, 0.0198  # million warp-instructions a second: Accel-Sim 1.x, measured on this kind of machine
LARGE = [
    ("wmma_tiled", "v100_sxm2"),
    ("wmma_tiled", "t4"),
    ("mma_async_f32", "a100_sxm"),
    ("mma_async_f32", "h200"),
    ("wmma_naive", "h200"),
]


def timed(name: str, board: str, m: int, n: int, k: int, fidelity: str) -> tuple[float, int, int]:
    """Return the processor's seconds of a launch, which other programs do not count in, its instructions and cycles."""
    kernel = shipped(name)
    arrays = operands(kernel, m, n, k, seed=None)
    start = time.process_time()
    run = solve(kernel, device(board), arrays, m=m, n=n, k=k, timing=True, fidelity=fidelity).launch
    return time.process_time() - start, run.instructions, run.cycles


def large() -> None:
    """Run the largest launch that is to be executed in full, and print what it needed."""
    seconds, executed, _ = timed("wmma_tiled", "t4", 4096, 4096, 1024, "full")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"full, 4096 x 4096 x 1024: {seconds:.0f} s, {executed / seconds / 1e6:.2f} million a second, {most:.2f} GiB")


def main() -> None:
    """Print speed, times and memory."""
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    timed("wmma_tiled", "t4", 128, 128, 64, "full")
    seconds, executed, _ = timed("wmma_tiled", "t4", 128, 128, 8192, "full")
    rate = executed / seconds / 1e6
    ratio = f"{rate / PEER[1]:.0f} to {rate / PEER[0]:.0f} times Accel-Sim"
    print(f"full, one SM, one thread: {rate:.2f} million warp-instructions a second, {ratio}")
    timed("wmma_tiled", "t4", 256, 256, 256, "sampled")
    for name, board in LARGE:
        seconds, _, cycles = timed(name, board, 8192, 8192, 8192, "sampled")
        print(f"sampled, {name} 8192 cubed on {board}: {seconds:.2f} s of one core for {cycles:,} cycles")
    sys.stdout.flush()
    subprocess.run([sys.executable, __file__, "--large"], check=True)  # apart, for its memory alone


if __name__ == "__main__":
    large() if "--large" in sys.argv else main()
