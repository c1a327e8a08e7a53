"""Multiply-adds a second of batched Volta and Turing f16 MMAs, one thread: compiled, mmasim (if installed), reference.

Run `python tests/benchmarks/bench_mma.py`. Every column computes the same operands in the same run, and the bits are
compared before a speed is printed.
"""

from __future__ import annotations

import os
import platform
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from simtc.numerics import Instruction, instructions
from simtc.numerics.compiled import mma_batch, work_words
from simtc.numerics.multiply import mma

CASES = (
    ("volta", "m8n8k4.f32.f16.f16.f32"),
    ("volta", "m8n8k4.f16.f16.f16.f16"),
    ("turing", "m16n8k8.f32.f16.f16.f32"),
    ("turing", "m16n8k8.f16.f16.f16.f16"),
)
BATCH, BATCH_MMASIM, BATCH_REFERENCE = 20_000, 500, 10


def operands(found: Instruction) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return normally distributed A, B and C."""
    rng = np.random.default_rng(0)
    A, B = (rng.standard_normal((BATCH, *found.shapes[what])).astype(np.float16) for what in "AB")
    return A, B, rng.standard_normal((BATCH, *found.shapes["C"])).astype(np.float16 if found.c == "f16" else np.float32)


def rate(found: Instruction, count: int, compute, rounds: int) -> float:
    """Return millions of multiply-adds a second, the best of some rounds."""
    best = min(_seconds(compute) for _ in range(rounds))
    return count * found.m * found.n * found.k / best / 1e6


def _seconds(compute) -> float:
    start = time.perf_counter()
    compute()
    return time.perf_counter() - start


def kernel(found: Instruction, A, B, C):
    """Return the compiled kernel alone, on operands already spread to one element a word."""
    a, b, c = (array.view(f"uint{8 * array.itemsize}").reshape(len(array), -1).astype(np.uint32) for array in (A, B, C))
    d, work = np.empty_like(c), np.empty(work_words(found.m, found.n, found.k), np.int32)
    return lambda: mma_batch(found.rule, (found.m, found.n, found.k), a, b, c, d, work)


def mmasim(found: Instruction, A, B, C):
    """Return mmasim's computation, or None where it is not installed."""
    try:
        import torch  # noqa: PLC0415
        from mmasim.nv_ptx import MMA  # noqa: PLC0415
    except ImportError:
        return None
    torch.set_num_threads(1)
    operation = MMA(found.arch.title(), found.name)
    a, b, c = (torch.from_numpy(array[:BATCH_MMASIM]) for array in (A, B, C))
    rows = a[:, :, None, :].expand(-1, -1, found.n, -1)
    columns = b.transpose(1, 2)[:, None].expand(-1, found.m, -1, -1)
    return lambda: operation.dpa(rows, columns, c).numpy()


def main() -> None:
    """Print the table."""
    print(f"{platform.processor() or platform.machine()}, one thread; millions of multiply-adds a second")
    print(f"{'':32}{'kernel':>10}{'simtc.mma':>11}{'mmasim':>10}{'reference':>11}")
    for arch, name in CASES:
        found = instructions(arch)[name]
        A, B, C = operands(found)
        whole = mma(name, A, B, C, arch=arch)
        few = (A[:BATCH_REFERENCE], B[:BATCH_REFERENCE], C[:BATCH_REFERENCE])
        np.testing.assert_array_equal(mma(name, *few, arch=arch, reference=True), whole[:BATCH_REFERENCE])
        peer = mmasim(found, A, B, C)
        beside = "absent"
        if peer:
            np.testing.assert_array_equal(peer(), whole[:BATCH_MMASIM])
            beside = f"{rate(found, BATCH_MMASIM, peer, 7):.1f}"
        inner = rate(found, BATCH, kernel(found, A, B, C), 7)
        outer = rate(found, BATCH, lambda: mma(name, A, B, C, arch=arch), 7)  # noqa: B023 - called at once
        slow = rate(found, BATCH_REFERENCE, lambda: mma(name, *few, arch=arch, reference=True), 2)  # noqa: B023
        print(f"{arch:7} {name:24}{inner:10.0f}{outer:11.0f}{beside:>10}{slow:11.3f}")


if __name__ == "__main__":
    main()
