"""DRAM: its channels serve one request after another, at their bandwidth; rows that are open answer sooner.

A channel gathers what is to be written and writes it in batches, between reads: it turns to writing and back for each,
and a batch lasts no shorter than its busiest bank takes to open its rows, one after another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from simtc.jit import Arrays, Float, Int
from simtc.machine.types import float64, int64, void
from simtc.timing.constants import LINE, SECTOR, Counter
from simtc.timing.unit import CLOCK, FLOAT, INT, Cells, Parameters, Unit, compiled, constant, derived
from simtc.timing.units.addresses import chance, hashed, parity, spread
from simtc.timing.units.server import SERVER, serve

__all__ = ["UNIT", "Dram", "answer", "beyond_near", "deliver", "distance", "idle_at", "write"]

_BANKS: Final = 1024  # that the clock has room for
_CHANNELS: Final = 128  # likewise
_NOTED: Final = 8192  # rows that batches hold
_EVEN: Final = 0.6180339887498949  # of which all multiples lie evenly between 0 and 1, but for whole numbers
_NEARER: Final = 0.5  # of the spread: what a near SM has less than the mean of all
# what was read of sectors, written of bytes, opened of rows
_STATE = np.dtype([("channels", SERVER), *((name, np.float64) for name in ("delivered", "written", "opened"))])
_ROW = np.dtype([("row", np.int64), ("until", np.float64), ("ready", np.float64)])
# what a channel gathers: bytes; the most rows of a bank; the batch's number, and sectors read before it began
_BATCH = np.dtype([("size", FLOAT), ("rows", FLOAT), ("number", INT), ("delivered", FLOAT)])
_BANK = np.dtype([("number", INT), ("rows", FLOAT)])  # of which batch; how many rows of it
_NOTE = np.dtype([("row", INT), ("number", INT)])  # which row; of which batch


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
    dram_channels: float = constant(  # each with its own queue of what is to be written
        "clock.dram.channels", room=_CHANNELS, scales=lambda own, scale: scale.share * own.dram_channels
    )
    channel_banks: float = derived(
        lambda device, _: device.dram_banks // max(device.clocked("clock.dram.channels"), 1),
        "dram_banks",
        "clock.dram.channels",
    )
    write_row_lines: float = derived(  # a row that some SMs of the chip fill as all of them fill one
        lambda device, _: device.dram_row_bytes // LINE,
        "dram_row_bytes",
        scales=lambda own, scale: own.write_row_lines / scale.share,
    )
    dram_batch_bytes: float = constant("clock.dram.batch_bytes")  # that a channel writes at a time, between reads
    dram_turn_cycles: float = constant("clock.dram.turn_ns")  # that it loses in turning to such a batch and back
    dram_write_row_cycles: float = constant("clock.dram.write_row_ns")  # between rows that a bank opens for writing
    row_lines: float = derived(lambda device, _: device.dram_row_bytes // LINE, "dram_row_bytes")
    half_bits: float = derived(  # of a line's number, whose parity says on which half it hangs
        lambda device, _: sum(1 << bit for bit in device.memory_half_bits) // LINE, "memory_half_bits"
    )
    read_channels: float = constant(  # among which reads are spread by address; 0 where nothing is known
        "clock.dram.read_channels", room=_CHANNELS, scales=lambda own, scale: scale.share * own.read_channels
    )
    read_piece_bytes: float = constant("clock.dram.read_piece_bytes")  # that lie in one of them
    read_open_bytes: float = constant("clock.dram.read_open_bytes")  # that it could read while it opens a row
    dram_refresh_period_cycles: float = constant("dram_refresh_period_cycles")
    dram_refresh_cycles: float = constant("dram_refresh_cycles")


UNIT = Unit(
    name="dram",
    parameters=Dram,
    chip={
        "dram": Cells(of=_STATE),
        "dram_rows": Cells(of=_ROW, shape=lambda _: (_BANKS,)),  # of which each bank read last
        "dram_reads": Cells(of=SERVER, shape=lambda _: (_CHANNELS,)),  # what each channel reads
        "dram_batches": Cells(of=_BATCH, shape=lambda _: (_CHANNELS,)),
        "dram_banks": Cells(of=_BANK, shape=lambda _: (_BANKS,)),
        "dram_noted": Cells(of=_NOTE, shape=lambda _: (_NOTED,)),
    },
    counters=(Counter.DRAM_SECTORS,),
)


@compiled(float64, CLOCK, float64)
def _refreshed(ck: Arrays, t: Float) -> Float:
    """Return when a bank has been refreshed that is to open a row at t; 0 if it does not meet its refresh.

    When a bank is refreshed no one publishes. So the openings are spread evenly over a period, one after another.
    """
    own = ck.chip.dram
    if own.dram_refresh_cycles == 0:
        return 0.0
    ck.dram.opened += 1.0
    left = own.dram_refresh_cycles - ck.dram.opened * _EVEN % 1.0 * own.dram_refresh_period_cycles
    return t + left if left > 0 else 0.0


@compiled(int64, CLOCK, int64)
def _bank_of(ck: Arrays, line: Int) -> Int:
    """Return which bank has a line's row."""
    return hashed(line // int64(ck.chip.dram.row_lines), 12) % int64(ck.chip.dram.dram_banks)


@compiled(int64, CLOCK, int64, int64, float64)
def _open_row(ck: Arrays, line: Int, number: Int, t: Float) -> Int:
    """Have a bank open a line's row for a read at t; return 1 where it is open."""
    row, bank = line // int64(ck.chip.dram.row_lines), ck.dram_rows[number]
    is_open = int64(bank.row == row and t < bank.until)
    if not is_open:
        bank.row, bank.ready = row, _refreshed(ck, t)
    bank.until = max(t, bank.ready) + ck.chip.dram.dram_row_open_cycles
    return is_open


@compiled(float64, CLOCK, int64, int64)
def distance(ck: Arrays, line: Int, half: Int) -> Float:
    """Return how far the memory behind a line is from the SMs of a half of the chip."""
    return 0.5 if parity(line, int64(ck.chip.dram.half_bits)) != half else -0.5


@compiled(float64, CLOCK, int64, int64)
def beyond_near(ck: Arrays, line: Int, half: Int) -> Float:
    """Return how much later an SM sees what comes for a line than one that is near the memory behind it."""
    return ck.chip.dram.dram_spread_cycles * (distance(ck, line, half) + _NEARER)


@compiled(float64, CLOCK, int64, float64, float64)
def _read(ck: Arrays, sector: Int, share: Float, t: Float) -> Float:
    """Have a sector's channel read it, which counts for `share` of them; return when it begins to.

    Together the channels are as quick as DRAM: what is read in a burst waits for the one that has most to do.
    """
    own = ck.chip.dram
    if own.read_channels == 0:
        return t
    channels = max(int64(round(own.read_channels)), 1)
    one = ck.dram_reads[spread(sector * SECTOR // int64(own.read_piece_bytes)) % channels]
    return serve(one, t, share * SECTOR * own.read_channels / own.dram_measured_bytes_per_cycle)


@compiled(float64, CLOCK, int64, float64)
def answer(ck: Arrays, sector: Int, t: Float) -> Float:
    """Return when a near SM sees what DRAM answers to a request for a sector, which comes at t."""
    line, own = sector >> 2, ck.chip.dram
    bank = _bank_of(ck, line)
    asked = max(serve(ck.dram.channels, t, 0.0), _read(ck, sector, 0.0, t))
    is_open = _open_row(ck, line, bank, asked)
    _read(ck, sector, (1 - is_open) * own.read_open_bytes / SECTOR, t)
    tail = own.dram_tail_cycles if is_open else own.dram_row_tail_cycles
    arrival = max(asked, ck.dram_rows[bank].ready) + own.dram_extra_cycles
    return arrival - _NEARER * own.dram_spread_cycles - tail * math.log(chance(sector >> 1))


@compiled(void, CLOCK, int64, float64, float64, float64)
def deliver(ck: Arrays, sector: Int, share: Float, gone: Float, t: Float) -> None:
    """Read a sector, which counts for `share` of them, at the cost of so many bytes of results that leave L2 for it."""
    ck.counters[Counter.DRAM_SECTORS] += 1
    serve(ck.dram.channels, t, (share * SECTOR + gone) / ck.chip.dram.dram_measured_bytes_per_cycle)
    _read(ck, sector, share, t)
    ck.dram.delivered += share


@compiled(float64, CLOCK, float64, int64, int64)
def _gather(ck: Arrays, size: Float, line: Int, opens: Int) -> Float:
    """Gather bytes of a line to be written; return what DRAM loses if that ends a batch, beyond the bytes' time.

    The channel waits for its busiest bank, and turns where there was something to read since its last batch. Which bank
    a row is in, no one publishes: any, as if by chance.
    """
    own = ck.chip.dram
    row, banks = line // int64(own.write_row_lines), int64(own.channel_banks)
    place = spread(row) % (max(int64(own.dram_channels + 0.5), 1) * banks)
    bank, one, noted = ck.dram_banks[place], ck.dram_batches[place // banks], ck.dram_noted[spread(row) % _NOTED]
    if bank.number != one.number:
        bank.number, bank.rows = one.number, 0.0
    if opens and (noted.row != row or noted.number != one.number):
        noted.row, noted.number = row, one.number
        bank.rows += 1.0
        one.rows = max(one.rows, bank.rows)
    one.size += size
    if one.size < own.dram_batch_bytes:
        return 0.0
    each = own.dram_channels / own.dram_measured_bytes_per_cycle
    lost = max(one.rows * own.dram_write_row_cycles - one.size * each, 0.0)
    if ck.dram.delivered > one.delivered:
        lost += own.dram_turn_cycles
    one.number += 1
    one.size, one.rows, one.delivered = 0.0, 0.0, ck.dram.delivered
    return lost / own.dram_channels


@compiled(void, CLOCK, float64, int64, int64, float64)
def write(ck: Arrays, size: Float, line: Int, opens: Int, t: Float) -> None:
    """Write bytes of a line that leave L2; `opens` is 0 where they go with others of the line."""
    ck.dram.written += size
    cycles = size / ck.chip.dram.dram_measured_bytes_per_cycle
    if ck.chip.dram.dram_batch_bytes > 0:
        cycles += _gather(ck, size, line, opens)
    serve(ck.dram.channels, t, cycles)


@compiled(float64, CLOCK, float64)
def idle_at(ck: Arrays, t: Float) -> Float:
    """Return when all is written that waits at t."""
    return serve(ck.dram.channels, t, 0.0)
