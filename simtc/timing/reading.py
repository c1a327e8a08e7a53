"""Read a clock off that has run: cycles, their causes, and what each resource had to do."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from simtc.arch import Device
from simtc.errors import SimtcError
from simtc.isa import Kernel
from simtc.results import InstructionTime, Stall, Timing
from simtc.results.timeline import Timeline
from simtc.timing.clock import Clock
from simtc.timing.constants import SECTOR, Counter, Pipe
from simtc.timing.occupancy import Occupancy
from simtc.timing.rates import estimates
from simtc.timing.tables import name_of_row

__all__ = ["active_cycles", "busy_cycles", "ended_at", "read_timing", "require_all", "require_room", "safety"]

_PIPE_NAMES = {
    Pipe.ALU: "ALU pipe",
    Pipe.FMA: "FMA pipe",
    Pipe.FMA_HEAVY: "FMA heavy pipe",
    Pipe.FP16: "FP16 pipe",
    Pipe.FP64: "FP64 pipe",
    Pipe.XU: "XU pipe",
    Pipe.UNIFORM: "uniform pipe",
    Pipe.TENSOR: "tensor pipe",
    Pipe.MIO: "LSU port",  # of a sub-core, which reads the operands of its memory instructions
}
_REPORTED = (
    Counter.WAVEFRONTS,
    Counter.IDEAL_WAVEFRONTS,
    Counter.L1_SECTORS,
    Counter.L1_HITS,
    Counter.L2_SECTORS,
    Counter.L2_HITS,
    Counter.DRAM_SECTORS,
    Counter.STORE_SECTORS,
)


def require_room(kernel: Kernel, clock: Clock) -> None:
    """Refuse a run in which more happened at a time than the clock keeps count of."""
    if clock.sms["overflow"].any():
        raise SimtcError(f"{kernel.name}: more events are pending in one SM than the clock has room for")


def require_all(kernel: Kernel, clock: Clock) -> None:
    """Refuse a run that ended before all blocks had: its cycles would be those of a part of the grid."""
    done, blocks = int(clock.grid["done"][0]), int(clock.grid["blocks"][0])
    if done < blocks:
        raise SimtcError(
            f"{kernel.name}: the clock stopped after {done:,} of {blocks:,} blocks. This is an error of simtc; please "
            "report it with this launch. Without timing=True the launch runs and its results are right"
        )


def safety(kernel: Kernel, clock: Clock, *, is_strict: bool) -> tuple[str, ...]:
    """Return a note where a fixed-latency result was read before it was ready.

    The hardware checks nothing of it and the compiler counts the cycles, so what it kept is right and one of simtc's
    constants is wrong. Values and cycles do not depend on it.

    Raises:
        SimtcError: the same, where the request is strict.

    """
    counters = clock.counters
    if not counters[Counter.HAZARDS]:
        return ()
    instruction = kernel.instructions[int(counters[Counter.HAZARD_INSTRUCTION])]
    count, early = int(counters[Counter.HAZARDS]), int(counters[Counter.HAZARD_MISSING])
    note = (
        f"safety check: {kernel.name} reads a fixed-latency result before simtc takes it to be ready, {count:,} times, "
        f"the worst {early} {'cycle' if early == 1 else 'cycles'} early: "
        f"{name_of_row(int(counters[Counter.HAZARD_ROW]))} at {instruction.address:#06x} {instruction.text}. "
        f"In compiled code that means a wrong latency of sm_{kernel.sm} in simtc; values and cycles stand"
    )
    if is_strict:
        raise SimtcError(note)
    return (note,)


def ended_at(clock: Clock) -> np.ndarray:
    """Return when each SM had done its last block, and sent its last store: (sms,) int64, cycles."""
    ended: np.ndarray = np.maximum(clock.sms["last_cycle"], clock.sms["drained"])
    return ended


def active_cycles(clock: Clock) -> int:
    """Return how long the SM is active that is so longest, from its first block on, as sm__cycles_active.max counts."""
    return int((ended_at(clock) - clock.sms["begun"]).max())


def read_timing(
    kernel: Kernel,
    clock: Clock,
    room: Occupancy,
    device: Device,
    rested: Device | None = None,
    *,
    cycles: int | None = None,
) -> Timing:
    """Collect the cycles, their causes, and the time that each resource alone would take.

    Args:
        kernel: what was executed.
        clock: the chip after it.
        room: its occupancy.
        device: the board as it was while tensor instructions executed.
        rested: the board as it was else, where its clock is another one.
        cycles: of the launch, where the clock has executed a part of it.

    """
    counted = int(max(ended_at(clock).max(), clock.sms["last_of_all"].max(), clock.grid["counted"][0]))
    cycles = active_cycles(clock) if cycles is None else cycles
    mhz = _mean_mhz(clock, counted, cycles, device, rested or device)
    totals = clock.stalls.sum(axis=0)
    return Timing(
        cycles=cycles,
        trailing_cycles=max(int(clock.sms["last_of_all"].max() - ended_at(clock).max()), 0),
        clock_mhz=mhz,
        warp_cycles=int((clock.warps["lived"]).sum()),
        stalls={cause.name: int(totals[cause]) for cause in Stall},
        resources={name: min(busy, float(cycles)) for name, busy in busy_cycles(clock, device).items()},
        counters={c.name.lower(): int(clock.counters[c]) for c in _REPORTED},
        blocks_per_sm=room.blocks,
        occupancy_limit=room.limit,
        timeline=_timeline(kernel, clock, device) if len(clock.timeline) else None,
        by_instruction=_by_instruction(kernel, clock),
        notes=estimates(kernel, device),
    )


def _mean_mhz(clock: Clock, counted: int, cycles: int, device: Device, rested: Device) -> int:
    """Return the clock at which all the cycles would take the time that they took, falls of the clock included."""
    if not cycles or not counted or not clock.chip_rises.size:
        return device.clock_mhz
    pace, hold = clock.pace[0], device.tensor_hold_cycles
    after = max(counted - int(pace["last_tensor"]) - hold, 0) if pace["last_tensor"] >= 0 else 0
    slow = 1 - (int(pace["fast_cycles"]) + after) / counted
    microseconds = cycles * (slow / device.clock_mhz + (1 - slow) / rested.clock_mhz)
    return round(cycles / (microseconds + 1e-3 * float(pace["falls"]) * device.tensor_fall_ns))


def _timeline(kernel: Kernel, clock: Clock, device: Device) -> Timeline:
    seen, kept = int(clock.timeline_count[0]), len(clock.timeline)
    return Timeline(
        kernel=kernel.name,
        texts=tuple(i.text or i.mnemonic for i in kernel.instructions),
        warps_per_sm=len(clock.warps) // len(clock.sms),
        sub_cores=device.sm.limits.sub_cores,
        raw=clock.timeline[: min(seen, kept)].copy(),
        dropped=max(seen - kept, 0),
    )


def busy_cycles(clock: Clock, device: Device) -> dict[str, float]:
    """Return the cycles that the busiest unit of each kind was busy; of L2 and DRAM, at the bandwidth measured."""
    subs, sms, counters = clock.subs, clock.sms, clock.counters
    l2_sectors = int(counters[Counter.L2_SECTORS] + counters[Counter.STORE_SECTORS])
    return {
        "issue": float(subs["issued"].max()),
        **{f"the {name}": float(subs["busy"][:, pipe].max()) for pipe, name in _PIPE_NAMES.items()},
        "shared memory and L1": float(sms["stage_busy"].max()),
        "the path from L2": float(sms["link_bytes"].max()) / device.sm.l1.l2_bytes_per_cycle,
        "L2": SECTOR * l2_sectors / device.l2_measured_bytes_per_cycle,
        "DRAM": SECTOR * int(counters[Counter.DRAM_SECTORS]) / device.dram_measured_bytes_per_cycle,
    }


def _by_instruction(kernel: Kernel, clock: Clock) -> tuple[InstructionTime, ...]:
    names = [cause.name for cause in Stall]
    waits = clock.stalls.copy()
    waits[:, Stall.selected] = 0
    # of causes with as many cycles the last one; where it never waited, `selected`
    top = len(names) - 1 - waits[:, ::-1].argmax(axis=1)
    top[waits.max(axis=1) == 0] = Stall.selected
    columns = (
        _words(kernel), clock.issued.tolist(), clock.conflicts.tolist(), clock.stalls.sum(axis=1).tolist(),
        top.tolist(), clock.sectors.tolist(),
    )  # fmt: skip
    return tuple(
        InstructionTime(
            address=address,
            text=text,
            source=source,
            issued=issued,
            cycles=cycles,
            top_stall=names[cause],
            conflicts=conflicts,
            sectors=sectors,
        )
        # arrays have a row to spare
        for (address, text, source), issued, conflicts, cycles, cause, sectors in zip(*columns, strict=False)
    )


@lru_cache(maxsize=64)
def _words(kernel: Kernel) -> tuple[tuple[int, str, Any], ...]:
    """Return address, text and source line of each instruction."""
    return tuple((one.address, one.text or one.mnemonic, one.source) for one in kernel.instructions)
