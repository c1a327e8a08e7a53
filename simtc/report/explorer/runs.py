"""Recorded runs: one block of a GEMM in the clock, with what each warp did and how busy the units of its SM were."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from simtc import arch
from simtc.gemm.operands import zeros
from simtc.gemm.registry import families
from simtc.gemm.shipped import shipped
from simtc.isa import Instruction, Kernel
from simtc.resources import folder
from simtc.results import LaunchResult, Stall
from simtc.results.timeline import Timeline
from simtc.run.launch import launch
from simtc.run.solve import operands
from simtc.timing.constants import Kind, Pipe
from simtc.timing.tables import clock_table

__all__ = ["BIN", "Meters", "Recorded", "record", "to_json"]

BIN = 4  # cycles: how often the clock lets itself be looked at
_TILES = 5  # of k, so that the loop goes round five times
_BOARD = "t4"


@dataclass(slots=True, kw_only=True)
class Meters:
    """What an SM's units had to do, looked at every four cycles while the clock runs."""

    held: list[tuple[int, int]] = field(default_factory=list)  # cycle, places taken in the sub-cores' LSU queues
    tensor: list[tuple[int, int]] = field(default_factory=list)  # each HMMA's first cycle in the pipe, and its end
    conflicts: list[tuple[int, int]] = field(default_factory=list)  # cycle, wavefronts beyond the ideal
    _busy: Any = 0
    _conflicts: int = 0

    def look(self, clock: Any) -> None:
        """Note the state of a clock; it has just passed the cycle before the next one in which anything happens."""
        now = int(clock.sms["next"].min())
        if now < 1 << 59:  # beyond that nothing happens any more
            self.held.append((now, int(clock.subs["held"].sum())))
        busy = clock.subs["busy"][:, Pipe.TENSOR].copy()
        for free, more in zip(clock.subs["free"][:, Pipe.TENSOR].tolist(), (busy - self._busy).tolist(), strict=True):
            if more:
                self.tensor.append((free - more, free))
        conflicts = int(clock.conflicts.sum())
        if conflicts != self._conflicts:
            self.conflicts.append((now, conflicts - self._conflicts))
        self._busy, self._conflicts = busy, conflicts

    def binned(self, end: int) -> dict[str, list[int]]:
        """Return of each BIN cycles the cycles of tensor pipes in use, the places taken, and the excess wavefronts."""
        count = -(-end // BIN)
        tensor, held, conflicts = (np.zeros(count + 1, np.int64) for _ in range(3))
        for first, last in self.tensor:
            for cycle in range(first, last):
                tensor[min(cycle // BIN, count)] += 1
        for (start, places), (stop, _) in pairwise([*self.held, (end, 0)]):
            held[start // BIN : -(-stop // BIN)] = places
        for cycle, more in self.conflicts:
            conflicts[min((cycle - 1) // BIN, count)] += more
        return {
            name: values[:count].tolist()
            for name, values in (("tensor", tensor), ("queue", held), ("conflicts", conflicts))
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One run and what it says of itself."""

    name: str
    title: str
    kernel: Kernel
    result: LaunchResult
    meters: Meters


@cache
def record() -> tuple[Recorded, ...]:
    """Execute the explorer's runs: Yan's HGEMM with and without room between its STS and with and without padding,
    and a compiled WMMA kernel with and without padding; one block each on a T4.
    """  # noqa: D205 - one sentence
    yan = "HGEMM 256x256x32 (Yan et al.)"
    return (
        _configured("sts5", f"{yan}: five HMMA between two STS", layout="pad", sts_interleave=5),
        _configured("sts0", f"{yan}: no HMMA between two STS", layout="pad", sts_interleave=0),
        _configured("unpadded", f"{yan}: five HMMA between two STS, no padding", layout="none", sts_interleave=5),
        _compiled("wmma_tiled", "compiled WMMA 128x128x32, padded"),
        _compiled("wmma_tiled_unpadded", "compiled WMMA 128x128x32, no padding"),
    )


def _configured(name: str, title: str, **choices: Any) -> Recorded:
    board, meters = arch.device(_BOARD), Meters()
    family = next(one for one in families() if one.twins(board.sm_name))  # the one whose programs simtc writes
    block, warp = (256, 256, 32), (128, 64, 8)
    problem = family.problem({"m": block[0], "n": block[1], "k": _TILES * block[2]}, choices)
    made = family.configure(problem, board, {"block": block, "warp": warp, **choices})
    kernel = made.program()
    result = launch(
        kernel, made.grid_dim(problem), made.block_dim, made.arguments(problem, zeros(problem)),
        shared_bytes=made.dynamic_shared_bytes, device=board, timing=True, timeline=True, caches="warm",
        observe=meters.look,
    )  # fmt: skip
    return Recorded(name=name, title=title, kernel=kernel, result=result, meters=meters)


def _compiled(name: str, title: str) -> Recorded:
    board, one = arch.device(_BOARD), shipped(name)
    m, n, k = one.block[0], one.block[1], _TILES * one.block[2]
    arrays = operands(one, m, n, k, seed=None)
    kernel, meters = one.kernel(board), Meters()
    result = launch(
        kernel, one.grid(m, n), one.threads, one.arguments(arrays, m, n, k, 1.0, 0.0),
        shared_bytes=one.dynamic_shared_bytes, device=board, timing=True, timeline=True, caches="warm",
        observe=meters.look,
    )  # fmt: skip
    return Recorded(name=name, title=title, kernel=kernel, result=result, meters=meters)


def to_json(run: Recorded) -> dict[str, Any]:
    """Return a run as JSON values.

    `code` has a row for each instruction: text, stall count, mask of scoreboards waited for, scoreboard of the result
    and of the sources (-1: none), place in `files` and line (-1: none), the pipe's number, and 1 for one that takes a
    place in the LSU queue. `warps` has one entry a warp:
    number, sub-core, first cycle, and then for each slice the step to its instruction's place from the one before, its
    cause, and its cycles.
    """
    timeline, timing = run.result.timeline, run.result.timing
    if timing is None or timeline.dropped:
        raise ValueError(f"{run.name} was not recorded whole")
    files = sorted({one.source[0] for one in run.kernel.instructions if one.source})
    return {
        "name": run.name,
        "title": run.title,
        "kernel": run.kernel.name,
        "device": run.result.device,
        "cycles": timing.cycles,
        "block": run.result.block[0],
        "stalls": {cause: cycles for cause, cycles in timing.stalls.items() if cycles},
        "bank_conflicts": timing.bank_conflicts,
        "loop": loop_of(run.kernel, timing.by_instruction[: len(run.kernel.instructions)]),
        "places": 4 * arch.device(_BOARD).sm.shared.queue_entries,
        "pipes": arch.device(_BOARD).sm.limits.sub_cores * BIN,
        "files": [{"name": name, "lines": _lines(name)} for name in files],
        "code": _code(run.kernel, files),
        "warps": [_warp(timeline, warp) for warp in sorted(set(timeline.raw[:, 0].tolist()))],
        "meters": {name: _lengths(values) for name, values in run.meters.binned(timing.cycles).items()},
    }


def loop_of(kernel: Kernel, issued: Any) -> int:
    """Return the place of the first instruction of the loop that went round most often, -1 where there is none.

    A loop ends in a branch to an instruction before it.
    """
    loops = []
    for place, one in enumerate(kernel.instructions):
        target = re.search(r"\bBRA\b.*\b0x([0-9a-f]+)", one.text)
        if target and int(target[1], 16) <= one.address and issued[place].issued:
            loops.append((issued[place].issued * (place - int(target[1], 16) // 16), int(target[1], 16) // 16))
    return max(loops)[1] if loops else -1


def _lines(name: str) -> list[str]:
    path = folder("kernels") / name
    return path.read_text(encoding="utf-8").splitlines() if path.is_file() else []


def _code(kernel: Kernel, files: list[str]) -> list[list[Any]]:
    ops = clock_table(kernel, arch.device(_BOARD)).ops
    return [
        [*_instruction(one, files), int(op["pipe"]), int(op["kind"] == Kind.MEMORY)]
        for one, op in zip(kernel.instructions, ops, strict=False)  # there is a row to spare
    ]


def _instruction(one: Instruction, files: list[str]) -> list[Any]:
    control = one.control
    boards = (-1 if board is None else board for board in (control.write_barrier, control.read_barrier))
    place, line = (files.index(one.source[0]), one.source[1]) if one.source else (-1, -1)
    return [one.text or one.mnemonic, control.stall, control.wait_mask, *boards, place, line]


def _warp(timeline: Timeline, warp: int) -> dict[str, Any]:
    """Return a warp's slices; they follow one another without a gap."""
    mine = timeline.raw[timeline.raw[:, 0] == warp]
    mine = mine[np.argsort(mine[:, 3], kind="stable")]
    if (mine[1:, 3] != mine[:-1, 4]).any():
        raise ValueError(f"warp {warp} has a gap between two slices")
    steps = np.diff(mine[:, 1], prepend=0)
    flat = np.stack([steps, mine[:, 2], mine[:, 4] - mine[:, 3]], axis=1)
    _, sub, within = timeline.place(warp)
    return {"warp": within, "sub": sub, "start": int(mine[0, 3]), "slices": _packed(flat)}


def _packed(flat: np.ndarray) -> str:
    """Return slices as text, one word each: a letter for the cause, the step unless it is 0, the cycles unless 1.

    Most slices are of one cycle, and stay at their instruction or go on to the next one.
    """
    letters = [chr(ord("a") + cause) for cause in range(len(Stall))]
    words = []
    for step, cause, cycles in flat.tolist():
        words.append(letters[cause] + (f"{step}" if step else "") + (f":{cycles}" if cycles != 1 else ""))
    return " ".join(words)


def _lengths(values: list[int]) -> list[int]:
    """Return run lengths: value, count, value, count, ..."""
    out: list[int] = []
    for value in values:
        if out and out[-2] == value:
            out[-1] += 1
        else:
            out += [value, 1]
    return out
