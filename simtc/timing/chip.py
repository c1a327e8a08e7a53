"""The chip: its SMs side by side, cycle after cycle, until the grid is done."""

from __future__ import annotations

from typing import Any, TypeAlias

from simtc.jit import Arrays, Int, Record, jit
from simtc.machine.control import came_to
from simtc.machine.state import CODE, MEMORY, STATE, Code, Event, Memory, Outcome, State, Waiting
from simtc.machine.types import int64, void
from simtc.timing.accounting import charge_all
from simtc.timing.constants import ASLEEP
from simtc.timing.cycle import cycle
from simtc.timing.issue import START, STEP
from simtc.timing.issue import start as start_block
from simtc.timing.pipeline import CLOCK, SM
from simtc.timing.units.blocks import first_start
from simtc.timing.units.dvfs import set_pace
from simtc.timing.units.events import next_event

__all__ = ["run_chip"]

Step: TypeAlias = Any  # simtc.machine.step.step, and start_block
_WINDOW = 4  # cycles that one SM may be ahead of another: they meet in L2, which serves in the order of asking


@jit(int64(CLOCK, SM, int64))
def _next_cycle(ck: Arrays, sm: Record, now: Int) -> Int:
    """Return the next cycle in which anything can change."""
    best, sub = min(sm.moves_at, next_event(sm, ASLEEP)), sm.first_sub
    while best > now + 1 and sub < sm.end_sub:
        best = min(best, ck.wake[sub])
        sub += 1
    return max(best, now + 1)


@jit(int64(CLOCK, SM))
def _is_active(ck: Arrays, sm: Record) -> Int:
    """Tell whether an SM has blocks, or more of their memory instructions than wait outside it."""
    outside = sm.waiting_flits + sm.behind_flits <= ck.chip.waiting.outside_flits
    return int64(sm.blocks + sm.entries + sm.stage_count > 0 or not outside)


@jit(int64(STATE, CLOCK, int64))
def _stuck(s: State, ck: Arrays, number: Int) -> Int:
    """Say which warp of an SM in which nothing will ever happen waits for what."""
    warps = int64(ck.chip.blocks.slots * ck.chip.blocks.warps)
    outcome = int64(Outcome.HANGS)
    for w in range(number * warps, (number + 1) * warps):
        machine = s.warps[w]
        waits = machine.waiting == Waiting.BARRIER
        if ck.warps[w].resident and outcome == Outcome.HANGS:
            s.event[Event.WARP], s.event[Event.BLOCK] = machine.index, ck.running[machine.block]
            s.event[Event.PC], s.event[Event.MASK] = machine.pc, int64(machine.blocked)
            if waits and not machine.blocked:  # it has issued arithmetic behind the barrier
                s.event[Event.PC], s.event[Event.MASK] = came_to(s, w), int64(machine.alive)
            outcome = int64(Outcome.DEADLOCK) if waits else outcome
    return outcome


@jit(int64(STEP, START, STATE, MEMORY, CODE, CLOCK, SM, int64))
def _run_sm(step: Step, start: Step, s: State, mem: Memory, code: Code, ck: Arrays, sm: Record, until: Int) -> Int:
    """Run one SM up to a cycle, from one cycle in which anything happens to the next; a negative result is a fault."""
    while sm.next < until:
        now, was_active = sm.next, _is_active(ck, sm)
        outcome = cycle(step, start, s, mem, code, ck, sm, now)
        if outcome < 0:
            return outcome
        sm.last_of_all = now + 1
        if was_active:
            sm.last_cycle = sm.last_of_all
        if sm.waiting == 0 and not _is_active(ck, sm):
            sm.next = ASLEEP
            return 0
        sm.next = _next_cycle(ck, sm, now)
        if sm.next >= ASLEEP:  # nothing will ever happen
            return _stuck(s, ck, sm.number)
    return 0


@jit(void(START, STATE, CLOCK))
def _hand_out(start: Step, s: State, ck: Arrays) -> None:
    """Hand out the first blocks."""
    slots = int64(ck.chip.blocks.slots)
    for number in ck.first:
        if number >= 0:
            i = ck.sms[number].blocks
            start_block(start, s, ck, ck.sms[number], (number + 1) * slots - 1 - i, first_start(ck, number, i))
    for number in range(ck.sms.size):
        ck.sms[number].next = 0 if ck.sms[number].blocks else ASLEEP


@jit(int64(CLOCK))
def _earliest(ck: Arrays) -> Int:
    """Return the next cycle in which any SM has something to do."""
    first = int64(ASLEEP)
    for number in range(ck.sms.size):
        first = min(first, ck.sms[number].next)
    return first


@jit(int64(STEP, START, STATE, MEMORY, CODE, CLOCK, int64), from_python=True)
def run_chip(step: Step, start: Step, s: State, mem: Memory, code: Code, ck: Arrays, budget: Int) -> Int:
    """Run until the grid is done or a stretch of `budget` windows ends; return 1 when done, 0 to go on, or a fault.

    Windows and stretches begin at multiples of their length, so they do not depend on when an SM has something to do.
    """
    if ck.grid.admitted == 0:
        _hand_out(start, s, ck)
    end = int64(-1)
    while True:
        first = _earliest(ck)
        if first == ASLEEP:
            return 1
        if ck.chip_rises.size:
            set_pace(ck, first)
        window = first // _WINDOW
        if end < 0:
            end = window // budget * budget + budget
        if window >= end:
            charge_all(ck)
            return 0
        until = _WINDOW * (end if ck.sms.size == 1 else window + 1)  # one SM alone meets no other
        for number in range(ck.sms.size):
            if ck.sms[number].next < until:
                outcome = _run_sm(step, start, s, mem, code, ck, ck.sms[number], until)
                if outcome < 0:
                    return outcome
