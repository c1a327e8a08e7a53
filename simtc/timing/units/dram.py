"""DRAM: its channels serve one request after another, at their bandwidth; rows that are open answer sooner."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from simtc.jit import Arrays, Float, Int
from simtc.machine.types import float64, int64, void
from simtc.timing.constants import LINE, SECTOR, Counter
from simtc.timing.unit import CLOCK, Cells, Parameters, Unit, compiled, constant, derived
from simtc.timing.units.addresses import chance, distance_of_page, hashed
from simtc.timing.units.server import SERVER, serve

__all__ = ["UNIT", "Dram", "answer", "deliver", "distance", "idle_at", "write"]

_BANKS: Final = 1024  # that the clock has room for
_PHASE: Final = 0.5  # of a period since the last refresh, when a launch begins: on the chip by chance
_STATE = np.dtype([("channels", SERVER), ("delivered", np.float64), ("written", np.float64)])  # sectors, and bytes
_ROW = np.dtype([("row", np.int64), ("until", np.float64)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Dram(Parameters):
    """What a board says of DRAM."""

    dram_measured_bytes_per_cycle: float = constant(
        "dram_measured_bytes_per_cycle",
        scales=lambda own, scale: scale.share * own.dram_measured_bytes_per_cycle,
    )
    dram_extra_cycles: float = derived(  # beyond an L1 hit
        lambda device, _: device.dram_cycles - device.sm.memory["LDG.32"].latency_cycles,
        "dram_cycles",
        "memory.LDG.32.latency_cycles",
    )
    dram_spread_cycles: float = constant("dram_spread_cycles")
    dram_tail_cycles: float = constant("dram_tail_cycles")
    dram_row_tail_cycles: float = constant("dram_row_tail_cycles")
    dram_row_open_cycles: float = constant("dram_row_open_cycles")
    dram_banks: float = constant("dram_banks", room=_BANKS)  # each of which holds a row open
    row_lines: float = derived(lambda device, _: device.dram_row_bytes // LINE, "dram_row_bytes")
    page_lines: float = derived(lambda device, _: device.memory_page_bytes // LINE, "memory_page_bytes")
    dram_refresh_period_cycles: float = constant("dram_refresh_period_cycles")
    dram_refresh_cycles: float = constant("dram_refresh_cycles")


UNIT = Unit(
    name="dram",
    parameters=Dram,
    chip={
        "dram": Cells(of=_STATE),
        "dram_rows": Cells(of=_ROW, shape=lambda _: (_BANKS,)),  # that each bank read last, open until then
    },
    counters=(Counter.DRAM_SECTORS,),
)


@compiled(float64, CLOCK, float64)
def _refreshed(ck: Arrays, t: Float) -> Float:
    """Return when DRAM can answer: not while it is refreshed, which happens to all of it at a time."""
    period, length = ck.chip.dram.dram_refresh_period_cycles, ck.chip.dram.dram_refresh_cycles
    if length == 0:
        return t
    phase = (t + _PHASE * period) % period
    return t + max(length - phase, 0.0)


@compiled(float64, CLOCK, int64, float64)
def _tail(ck: Arrays, line: Int, t: Float) -> Float:
    """Return the mean of what a read takes beyond the quickest: more where it opens a row."""
    row = line // int64(ck.chip.dram.row_lines)
    bank = ck.dram_rows[hashed(row, 12) % int64(ck.chip.dram.dram_banks)]
    is_open = bank.row == row and t < bank.until
    bank.row, bank.until = row, t + ck.chip.dram.dram_row_open_cycles
    return ck.chip.dram.dram_tail_cycles if is_open else ck.chip.dram.dram_row_tail_cycles


@compiled(float64, CLOCK, int64, int64)
def distance(ck: Arrays, line: Int, number: Int) -> Float:
    """Return how far the memory behind a line is from an SM."""
    return distance_of_page(line // int64(ck.chip.dram.page_lines), number)


@compiled(float64, CLOCK, int64, int64, float64)
def answer(ck: Arrays, sector: Int, number: Int, t: Float) -> Float:
    """Return when DRAM answers a request for a sector by an SM, which comes at t."""
    line = sector >> 2
    sent = _refreshed(ck, serve(ck.dram.channels, t, 0.0))
    arrival = sent + ck.chip.dram.dram_extra_cycles
    arrival += ck.chip.dram.dram_spread_cycles * distance(ck, line, number)
    return arrival - _tail(ck, line, sent) * math.log(chance(sector >> 1))


@compiled(void, CLOCK, float64, float64, float64)
def deliver(ck: Arrays, share: Float, gone: Float, t: Float) -> None:
    """Read a sector, which counts for `share` of them, at the cost of so many bytes of results that leave L2 for it."""
    ck.counters[Counter.DRAM_SECTORS] += 1
    serve(ck.dram.channels, t, (share * SECTOR + gone) / ck.chip.dram.dram_measured_bytes_per_cycle)
    ck.dram.delivered += share


@compiled(void, CLOCK, float64, float64)
def write(ck: Arrays, size: Float, t: Float) -> None:
    """Write bytes that leave L2."""
    ck.dram.written += size
    serve(ck.dram.channels, t, size / ck.chip.dram.dram_measured_bytes_per_cycle)


@compiled(float64, CLOCK, float64)
def idle_at(ck: Arrays, t: Float) -> Float:
    """Return when all is written that waits at t."""
    return serve(ck.dram.channels, t, 0.0)
