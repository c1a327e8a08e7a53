"""Atomics in L2: its units execute them one after another, and take those of each CPC by turns.

A unit's arbiters choose between the halves of L2, then among the CPCs of a half. So an SM alone on its half gets half
of a unit, and others less. On the chip, of four SMs at one word, one ends in half of the time, another in three
quarters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.timing.unit import CLOCK, SM, Cells, Parameters, Unit, compiled, constant
from simtc.timing.units import dram, l2
from simtc.timing.units.addresses import hashed
from simtc.timing.units.l2_tags import dirty, l2_way
from simtc.timing.units.slices import are_known, slice_of

__all__ = ["UNIT", "UNITS", "Atomics", "atomic_unit", "join"]

UNITS: Final = 128  # that an SM can tell apart
_OF_PAGE: Final = 8  # that execute the atomics on 4 KiB
_PORTS: Final = 56  # of a unit: even ones for the CPCs of one half of L2, odd ones for those of the other
_NOTHING: Final = 1e-6  # cycles of work
_UNIT = np.dtype(
    [
        ("at", np.float64),  # until when it has executed
        ("left", np.float64, (_PORTS,)),  # cycles of what came through each, and is not executed
        ("apart", np.int64),  # 1 where halves do not hold each other up
        ("alone", np.float64),  # times as long, where one half alone has some left
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Atomics(Parameters):
    """What a board says of the units that execute atomics."""

    # where some SMs stand for more of them, their atomics take the time of all in one unit of as many as the chip has
    atomic_word_cycles: float = constant(
        "l1.atomic_word_cycles", scales=lambda own, scale: own.atomic_word_cycles / scale.share
    )
    atomic_sector_cycles: float = constant(
        "l1.atomic_sector_cycles", scales=lambda own, scale: own.atomic_sector_cycles / scale.share
    )
    atomic_pass_cycles: float = constant(
        "l1.atomic_pass_cycles", scales=lambda own, scale: own.atomic_pass_cycles / scale.share
    )
    alone_cycles: float = constant(  # of a whole sector, where SMs near one half of L2 alone add
        "clock.atomics.alone_cycles", scales=lambda own, scale: own.alone_cycles / scale.share
    )
    atomic_cycles: float = constant("l1.atomic_cycles")
    atomic_spread_cycles: float = constant("l1.atomic_spread_cycles")


UNIT = Unit(
    name="atomics",
    parameters=Atomics,
    chip={"atomic_units": Cells(of=_UNIT, shape=lambda sizes: (sizes.l2_slices,))},
)


@compiled(int64, CLOCK, int64)
def atomic_unit(ck: Arrays, sector: Int) -> Int:
    """Return which unit executes the atomics on a sector: its slice's, one of eight that the 4 KiB around it have.

    256 bytes share one with those 512 bytes further or before.
    """
    line, part = sector >> 2, sector >> 3
    if are_known(ck):
        return slice_of(ck, line, int64(dram.distance(ck, line, 0) > 0), ck.atomic_units.size)
    own = ((part & 1) + 2 * (part >> 2 & 3)) ^ hashed(line >> 5, 3)
    return (_OF_PAGE * ((line >> 5) + hashed(line >> 9, 8)) + own) % ck.atomic_units.size


@compiled(int64, CLOCK, int64, int64)
def _busy(ck: Arrays, number: Int, half: Int) -> Int:
    """Return through how many ports of a half a unit has atomics left."""
    busy = 0
    for port in range(half, _PORTS, 2):
        busy += ck.atomic_units[number].left[port] > 0
    return busy


@compiled(void, CLOCK, int64, float64)
def _drain(ck: Arrays, number: Int, t: Float) -> None:
    """Have a unit execute until a time: each half of L2 gets as much of it as the other, and so do the ports of a half.

    What one of them does not need, the others get.
    """
    unit = ck.atomic_units[number]
    while unit.at < t:
        busy = _busy(ck, number, 0), _busy(ck, number, 1)
        together = 1.0 if unit.apart else 2.0 if busy[0] > 0 and busy[1] > 0 else max(unit.alone, 1.0)
        step = t - unit.at
        for port in range(_PORTS):
            if unit.left[port] > 0:
                step = min(step, unit.left[port] * together * busy[port & 1])
        for port in range(_PORTS):
            if unit.left[port] > 0:
                left = unit.left[port] - step / (together * busy[port & 1])
                unit.left[port] = left if left > _NOTHING else 0.0
        unit.at = t if busy[0] + busy[1] == 0 else unit.at + max(step, _NOTHING)


@compiled(float64, CLOCK, int64, int64)
def _begins(ck: Arrays, number: Int, port: Int) -> Float:
    """Return when a unit has executed what came through a port, if nothing else comes."""
    unit, ours, others = ck.atomic_units[number], 0.0, 0.0
    for other in range(_PORTS):
        if (other ^ port) & 1:
            others += unit.left[other]
        else:
            ours += min(unit.left[other], unit.left[port])
    if unit.apart:
        return unit.at + ours
    both = min(ours, others)
    return unit.at + 2.0 * both + (ours - both) * max(unit.alone, 1.0)


@compiled(float64, CLOCK, SM, int64, int64, int64, float64)
def _execute(ck: Arrays, sm: Record, sector: Int, passes: Int, is_part: Int, t: Float) -> Float:
    """Have a unit execute passes over a sector that come at a time; return when it begins with them.

    Passes over a whole sector at whose words lanes meet take so long for each half that the halves do not hold each
    other up.
    """
    own, number = ck.chip.atomics, atomic_unit(ck, sector)
    each = own.atomic_word_cycles if is_part or passes > 1 else own.atomic_sector_cycles
    unit, port = ck.atomic_units[number], int64(0)
    _drain(ck, number, t)
    if own.atomic_pass_cycles > 0:
        port = (2 * sm.cpc + sm.half) % _PORTS
        unit.apart = passes > 1 and not is_part
        each = own.atomic_pass_cycles if unit.apart else each
        unit.alone = own.alone_cycles / each if not is_part and passes == 1 else 1.0
    begun = max(_begins(ck, number, port), t)
    unit.left[port] += passes * each
    sm.executed[number % UNITS] = begun
    return begun


@compiled(float64, CLOCK, SM, int64, int64, int64, int64, float64)
def join(ck: Arrays, sm: Record, sector: Int, passes: Int, is_part: Int, merged: Int, t: Float) -> Float:
    """Have L2 execute an atomic on a sector: as often as lanes meet at one of its words.

    Args:
        ck: the clock.
        sm: whose atomic it is.
        sector: its number.
        passes: over the sector, one after another.
        is_part: 1 where a pass is not for all words of the sector.
        merged: 1 where it goes with a request before it.
        t: when it comes.

    Returns:
        When the SM has the answer, beyond what an L1 hit takes: of what DRAM has, no later than a load's.

    """
    own, line = ck.chip.atomics, sector >> 2
    sm.of_line = 1 + merged
    there = l2.read(ck, sm, sector, 0, merged, 0.0, t)
    done = _execute(ck, sm, sector, passes, is_part, t)
    dirty(ck, l2_way(ck, line, done), sector & 3, 0, done)
    beyond = own.atomic_cycles + own.atomic_spread_cycles * dram.distance(ck, line, sm.half)
    return max(there, done + ck.chip.l2.l2_extra_cycles + beyond)
