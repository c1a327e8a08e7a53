"""The clock: how fast it runs, and how far it is from an H200 on every launch of validate/evaluation.toml.

python tests/benchmarks/bench_clock.py [most blocks]
"""

from __future__ import annotations

import json
import sys
import time
from itertools import combinations
from statistics import mean

from simtc.arch import device
from simtc.gemm.shipped import shipped
from simtc.resources import folder
from simtc.run.launch import launch
from simtc.run.solve import operands
from simtc.validate.evaluation import profiled_conflicts
from simtc.validate.idle_clock import by_fastest_clock

CAPTURE = json.loads((folder("validate") / "captures" / "h200" / "evaluation.json").read_text())
PEER = 0.0155, 0.0198  # million warp-instructions a second: Accel-Sim 1.x, measured on this kind of machine
APART = 1.05  # launches that the chip separates by less have no order


def ranking(found: list[tuple[tuple[object, ...], float, float]]) -> tuple[int, int]:
    """Return how many pairs of the same size the clock puts in the chip's order, and how many the chip tells apart."""
    right = pairs = 0
    for (size, ours, theirs), (other, ours2, theirs2) in combinations(found, 2):
        if size == other and max(theirs, theirs2) > APART * min(theirs, theirs2):
            pairs += 1
            right += (ours < ours2) == (theirs < theirs2)
    return right, pairs


def main(most: int) -> None:
    """Time every launch and compare it with the capture."""
    chip = device("h200")
    errors: dict[str, list[float]] = {}
    found, same, counted, conflicts = [], 0, 0, 0
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
        cycles = run.cycles if alone else by_fastest_clock(run, chip) + chip.outside_cycles
        errors.setdefault(f"{'one block' if alone else 'more'}, {one['caches']}", []).append(cycles / measured - 1)
        found.append(((*size.values(), one["caches"]), cycles, measured))
        same += one["top_stall"] == max((c for c in run.stalls if c != "selected"), key=run.stalls.get)
        counted += run.instructions == one["smsp__inst_executed.sum"]
        conflicts += run.bank_conflicts == profiled_conflicts(
            kernel.kernel(chip), one["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"],
            one["memory_l1_wavefronts_shared"], one["memory_l1_wavefronts_shared_ideal"],
        )  # fmt: skip
        name = f"{one['kernel']:<28}{'x'.join(str(x) for x in size.values()):<16}{one['caches']:<6}"
        print(f"{name}{cycles:>9,.0f} {measured:>9,} {cycles / measured - 1:+7.1%}", flush=True)
    for name, off in errors.items():
        mean_off, worst = mean(map(abs, off)), max(off, key=abs)
        print(f"{name}: {len(off)} launches, mean absolute error {mean_off:.1%}, worst {worst:+.1%}")
    right, pairs = ranking(found)
    print(f"order: {right} of {pairs} pairs; of {len(found)} launches, top stall of {same}, ", end="")
    print(f"instructions of {counted}, bank conflicts of {conflicts}")
    rate = executed / took / 1e6
    ratio = f"{rate / PEER[1]:.0f} to {rate / PEER[0]:.0f} times Accel-Sim"
    print(f"{rate:.2f} million warp-instructions a second, one thread: {ratio}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 30)
