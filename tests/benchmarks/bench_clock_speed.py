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
from simtc.gemm.shipped import shipped
from simtc.run.launch import launch
from simtc.run.solve import operands

PEER = 0.0155, 0.0198  # million warp-instructions a second: Accel-Sim 1.x, measured on this kind of machine
ONE_BLOCK = [
    ("wmma_tiled", "t4"),
    ("wmma_tiled", "h200"),
    ("wmma_ragged", "h200"),
    ("mma_m16n8k16_f32", "h200"),
    ("mma_async_f32", "h200"),
    ("wmma_naive", "h200"),
    ("wmma_s8", "h200"),
    ("mma_m8n8k4_f32", "v100_sxm2"),
]
_RUNS = 3  # of which the quickest counts: others may be at work on the machine
LARGE = [
    ("wmma_tiled", "v100_sxm2"),
    ("wmma_tiled", "t4"),
    ("mma_async_f32", "a100_sxm"),
    ("mma_async_f32", "h200"),
    ("wmma_naive", "h200"),
]


def timed(name: str, board: str, m: int, n: int, k: int, fidelity: str) -> tuple[float, int, int]:
    """Return this thread's seconds of a launch, which nothing else counts in, its instructions and cycles."""
    kernel = shipped(name)
    arrays = operands(kernel, m, n, k, seed=None)
    start = time.thread_time()
    run = launch(
        kernel.kernel(device(board)), kernel.grid(m, n), kernel.threads, kernel.arguments(arrays, m, n, k, 1.0, 0.0),
        shared_bytes=kernel.dynamic_shared_bytes, device=board, timing=True, fidelity=fidelity,
    )  # fmt: skip
    return time.thread_time() - start, run.instructions, run.cycles


def large() -> None:
    """Run the largest launch that is to be executed in full, and print what it needed."""
    seconds, executed, _ = timed("wmma_tiled", "t4", 4096, 4096, 1024, "full")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"full, 4096 x 4096 x 1024: {seconds:.0f} s, {executed / seconds / 1e6:.2f} million a second, {most:.2f} GiB")


def main() -> None:
    """Print speed, times and memory."""
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for name, board in ONE_BLOCK:
        (m, n, least), k = shipped(name).block, 8192
        timed(name, board, m, n, 2 * least, "full")  # what only the first launch takes
        seconds, executed, _ = min(timed(name, board, m, n, k, "full") for _ in range(_RUNS))
        rate = executed / seconds / 1e6
        ratio = f"{rate / PEER[1]:.0f} to {rate / PEER[0]:.0f} times Accel-Sim"
        size = f"{m} x {n} x {k}"
        print(f"full, one SM, one thread: {name} {size} on {board}: {rate:.2f} million a second, {ratio}")
    timed("wmma_tiled", "t4", 256, 256, 256, "sampled")
    for name, board in LARGE:
        seconds, _, cycles = timed(name, board, 8192, 8192, 8192, "sampled")
        print(f"sampled, {name} 8192 cubed on {board}: {seconds:.2f} s of one core for {cycles:,} cycles")
    sys.stdout.flush()
    subprocess.run([sys.executable, __file__, "--large"], check=True)  # apart, for its memory alone


if __name__ == "__main__":
    large() if "--large" in sys.argv else main()
