"""The clock: how far it is from an H200 on every launch of validate/evaluation.toml, and how fast it runs.

python tests/benchmarks/bench_clock.py [most blocks] [--jobs N] [--write]

Launches that were executed with the same sources before are not executed again, so after an interruption the same line
goes on where it was. --write keeps what came out, which the README quotes: validate/captures/h200/development.json.
"""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any

from simtc.arch import device
from simtc.gemm.shipped import shipped
from simtc.jit import cache_root
from simtc.resources import folder
from simtc.run.launch import launch
from simtc.run.solve import operands
from simtc.validate.evaluation import profiled_conflicts
from simtc.validate.idle_clock import by_fastest_clock
from simtc.validate.made import made_with

HOME = folder("validate") / "captures" / "h200"
PEER = 0.0155, 0.0198  # million warp-instructions a second: Accel-Sim 1.x, measured on this kind of machine
APART = 1.05  # launches that the chip separates by less have no order


def executed(one: dict[str, Any]) -> dict[str, Any]:
    """Execute a launch of the capture; return what came out beside what the chip said."""
    chip = device("h200")
    kernel, size = shipped(one["kernel"]), {x: one[x] for x in "mnk"}
    grid = kernel.grid(size["m"], size["n"])
    arrays = operands(kernel, **size)
    start = time.thread_time()
    run = launch(
        kernel.kernel(chip), grid, kernel.threads, kernel.arguments(arrays, **size, alpha=1.25, beta=-0.5),
        shared_bytes=kernel.dynamic_shared_bytes, device=chip, timing=True, caches=one["caches"],
    )  # fmt: skip
    took = time.thread_time() - start
    alone = grid[0] * grid[1] == 1
    conflicts = profiled_conflicts(
        kernel.kernel(chip), one["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"],
        one["memory_l1_wavefronts_shared"], one["memory_l1_wavefronts_shared_ideal"],
    )  # fmt: skip
    return {
        "kernel": one["kernel"], **size, "caches": one["caches"], "blocks": grid[0] * grid[1],
        "cycles": run.cycles if alone else by_fastest_clock(run, chip) + chip.outside_cycles,
        "measured": one["sm__cycles_active.max"] if alone else one["gpc__cycles_elapsed.max"],
        "active_cycles": run.cycles, "measured_active": one["sm__cycles_active.max"],
        "top_stall": one["top_stall"] == max((c for c in run.stalls if c != "selected"), key=run.stalls.get),
        "instructions": run.instructions == one["smsp__inst_executed.sum"],
        "conflicts": run.bank_conflicts == conflicts,
        "executed": run.instructions, "seconds": took,
    }  # fmt: skip


def wanted(most: int) -> list[dict[str, Any]]:
    """Return the launches of the capture with at most so many blocks."""
    capture = json.loads((HOME / "evaluation.json").read_text(encoding="utf-8"))

    def blocks(one: dict[str, Any]) -> int:
        grid = shipped(one["kernel"]).grid(one["m"], one["n"])
        return grid[0] * grid[1]

    return [one for one in capture["launches"] if blocks(one) <= most]


def name_of(one: dict[str, Any]) -> str:
    """Return a launch's name."""
    return f"{one['kernel']:<28}{one['m']}x{one['n']}x{one['k']} {one['caches']}"


def results(launches: list[dict[str, Any]], jobs: int) -> list[dict[str, Any]]:
    """Return what comes out of launches: of earlier runs with these sources, or executed now."""
    path: Path = cache_root() / "development" / f"{made_with()['sources']}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    known = {name_of(one): one for one in map(json.loads, lines)}
    todo = [one for one in launches if name_of(one) not in known]
    with ProcessPoolExecutor(jobs) as pool, path.open("a", encoding="utf-8") as file:
        for found in pool.map(executed, todo) if jobs > 1 else map(executed, todo):
            known[name_of(found)] = found
            file.write(json.dumps(found) + "\n")
            file.flush()
            print(f"executed {name_of(found)}", file=sys.stderr, flush=True)
    return [known[name_of(one)] for one in launches]


def ranking(found: list[dict[str, Any]]) -> tuple[int, int]:
    """Return how many pairs of the same size the clock puts in the chip's order, and how many the chip tells apart."""
    right = pairs = 0
    for one, two in combinations(found, 2):
        alike = all(one[x] == two[x] for x in ("m", "n", "k", "caches"))
        low, high = sorted((one["measured"], two["measured"]))
        if alike and high > APART * low:
            pairs += 1
            right += (one["cycles"] < two["cycles"]) == (one["measured"] < two["measured"])
    return right, pairs


def report(found: list[dict[str, Any]]) -> None:
    """Print each launch, the errors of each set, and the speed."""
    errors: dict[str, list[float]] = {}
    for one in found:
        error = one["cycles"] / one["measured"] - 1
        errors.setdefault(f"{'one block' if one['blocks'] == 1 else 'more'}, {one['caches']}", []).append(error)
        errors.setdefault("all, active cycles", []).append(one["active_cycles"] / one["measured_active"] - 1)
        print(f"{name_of(one):<50}{one['cycles']:>9,.0f} {one['measured']:>9,} {error:+7.1%}")
    for name, off in errors.items():
        mean_off, worst = mean(map(abs, off)), max(off, key=abs)
        print(f"{name}: {len(off)} launches, mean absolute error {mean_off:.1%}, worst {worst:+.1%}")
    right, pairs = ranking(found)
    same, counted, conflicts = (sum(one[what] for one in found) for what in ("top_stall", "instructions", "conflicts"))
    print(f"order: {right} of {pairs} pairs; of {len(found)} launches, top stall of {same}, ", end="")
    print(f"instructions of {counted}, bank conflicts of {conflicts}")
    rate = sum(one["executed"] for one in found) / sum(one["seconds"] for one in found) / 1e6
    ratio = f"{rate / PEER[1]:.0f} to {rate / PEER[0]:.0f} times Accel-Sim"
    print(f"{rate:.2f} million warp-instructions a second, one thread: {ratio}")


def main(words: list[str]) -> None:
    """Compare every launch with the capture."""
    jobs = int(words[words.index("--jobs") + 1]) if "--jobs" in words else 1
    most = int(words[0]) if words and words[0].isdigit() else 1 << 30
    found = results(wanted(most), jobs)
    report(found)
    if "--write" in words:
        kept = ("kernel", *"mnk", "caches", "blocks", "cycles", "measured", "active_cycles", "measured_active")
        launches = [{name: one[name] for name in kept} for one in found]
        text = json.dumps({"made_with": made_with(), "launches": launches}, indent=1)
        (HOME / "development.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
