"""The clock: how fast it runs, and how far it is from an H200 on every launch of validate/evaluation.toml.

python tests/benchmarks/bench_clock.py [most blocks]
"""

from __future__ import annotations

import json
import sys
import time
from statistics import mean

from simtc.arch import device
from simtc.gemm import operands, shipped
from simtc.launch import launch
from simtc.resources import folder

CAPTURE = json.loads((folder("validate") / "captures" / "h200" / "evaluation.json").read_text())
PEER = 0.0155, 0.0198  # million warp-instructions a second: Accel-Sim 1.x, measured on this kind of machine


def main(most: int) -> None:
    """Time every launch and compare it with the capture."""
    chip = device("h200")
    errors: dict[str, list[float]] = {"one block": [], "more": []}
    executed, took = 0, 0.0
    for one in CAPTURE["launches"]:
        kernel, size = shipped(one["kernel"]), {x: one[x] for x in "mnk"}
        grid = kernel.grid(size["m"], size["n"])
        if grid[0] * grid[1] > most:
            continue
        arrays = operands(kernel, **size)
        start = time.thread_time()
        run = launch(
            kernel.kernel(chip), grid, kernel.threads, kernel.arguments(arrays, **size, alpha=1.25, beta=-0.5),
            shared_bytes=kernel.dynamic_shared_bytes, device=chip, timing=True, caches=one["caches"],
        )  # fmt: skip
        took += time.thread_time() - start
        executed += run.instructions
        alone = grid[0] * grid[1] == 1
        measured = one["sm__cycles_active.max"] if alone else one["gpc__cycles_elapsed.max"]
        cycles = run.cycles + (0 if alone else round(chip.sm.launch.chip_cycles))
        errors["one block" if alone else "more"].append(cycles / measured - 1)
        name = f"{one['kernel']:<28}{'x'.join(str(x) for x in size.values()):<16}{one['caches']:<6}"
        print(f"{name}{cycles:>9,} {measured:>9,} {cycles / measured - 1:+7.1%}")
    for name, found in errors.items():
        if found:
            worst = max(map(abs, found))
            print(f"{name}: {len(found)} launches, mean absolute error {mean(map(abs, found)):.1%}, worst {worst:.1%}")
    rate = executed / took / 1e6
    ratio = f"{rate / PEER[1]:.0f} to {rate / PEER[0]:.0f} times Accel-Sim"
    print(f"{rate:.2f} million warp-instructions a second, one thread: {ratio}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 30)
