"""Execute a launch in the clock, block after block."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simtc.bundle import bundle
from simtc.jit import entry
from simtc.machine.faults import fault_error
from simtc.machine.functional import WORK_WORDS
from simtc.machine.run import start_block
from simtc.machine.state import CODE, MEMORY, STATE, new_state
from simtc.machine.step import step
from simtc.results import Timing
from simtc.timing.chip import run_chip
from simtc.timing.clock import Clock
from simtc.timing.constants import SECTOR
from simtc.timing.occupancy import Occupancy
from simtc.timing.reading import read_timing, require_all, require_room, safety
from simtc.timing.request import Request, limit_reached
from simtc.timing.setup import new_clock, room_of
from simtc.timing.units.l2_tags import NEVER, carried, warm_l2

__all__ = ["time_launch"]

_WINDOWS = 4000  # of all SMs, between two reports of progress: some ten thousand instructions


def time_launch(request: Request, *, order: np.ndarray | None = None, sms: int | None = None) -> Timing:
    """Execute a launch in the order and cycle in which the chip would.

    A warm launch is executed twice where the one before may leave more in L2 than fits: more than L2, half of it where
    lines have a place in each half, or, where that is known, more results than L2 keeps of a launch that loads.

    Args:
        request: what is launched.
        order: the numbers of the blocks to execute, (blocks,) int64; all by default.
        sms: how many SMs execute them; those of the board by default.

    Raises:
        KernelFaultError: the kernel faulted.
        SimtcError: the request is strict, and an instruction read a fixed-latency result before it was ready.

    """
    order = np.arange(request.blocks, dtype=np.int64) if order is None else order
    room, before = room_of(request), None
    size, device = _operand_bytes(request), request.device
    dirty = device.l2_dirty_bytes if device.clocked("clock.l2_tags.line_bytes") else 0.0
    if request.warm and size > device.l2_kept_bytes / max(device.l2_halves, 1):
        before = _run_before(request, room, order, sms)
    at_first = request.memory.bytes.copy() if request.warm and before is None and size > dirty > 0 else None
    clock = _run(request, room, order, sms, before)
    if at_first is not None and clock.results["stored"][0] * SECTOR > dirty:  # L2 is full of what waits for DRAM
        request.memory.bytes[:] = at_first
        clock = _run(request, room, order, sms, clock)
    notes = safety(request.lowered.kernel, clock, is_strict=request.is_strict)
    timing = read_timing(request.lowered.kernel, clock, room, request.device, request.rested)
    return replace(timing, notes=(*timing.notes, *notes))


def _operand_bytes(request: Request) -> int:
    return int((request.memory.ends - request.memory.starts).sum())


def _run_before(request: Request, room: Occupancy, order: np.ndarray, sms: int | None) -> Clock:
    """Execute the launch once, for what it leaves in L2; memory is then as it was."""
    bytes_before = request.memory.bytes.copy()
    try:
        return _run(replace(request, slices=0, observe=None), room, order, sms, None)
    finally:
        request.memory.bytes[:] = bytes_before


def _run(request: Request, room: Occupancy, order: np.ndarray, sms: int | None, before: Clock | None) -> Clock:
    """Execute a launch; return the clock as it is at the end.

    L2 is empty at first, or holds what it can of the operands, or what a launch before has left there.
    """
    kernel, device, memory, blocks = request.lowered.kernel, request.device, request.memory, len(order)
    sms = min(sms or device.sm_count, blocks)
    slots = min(room.blocks, -(-blocks // sms))
    state = new_state(request.literals, request.traced(), slots=sms * slots, work_words=WORK_WORDS)
    clock = new_clock(
        kernel,
        device,
        sms=sms,
        slots=slots,
        room=room,
        order=order,
        is_cold=not request.warm,
        timeline=request.slices,
        rested=request.rested,
    )
    ticking = clock.bundled
    if before is not None:
        _leave_l2(before, clock)
    elif request.warm:
        for start, end in zip(memory.starts, memory.ends, strict=True):
            warm_l2(ticking, int(start) >> 5, (int(end) + 31) >> 5)
    parts = (bundle(STATE, state), bundle(MEMORY, memory), bundle(CODE, request.lowered.code))
    windows = 1 if request.observe else max(_WINDOWS // sms, 1)
    outcome, run = 0, entry(run_chip)
    while not outcome:
        outcome = int(run(step, start_block, *parts, ticking, windows))
        require_room(kernel, clock)
        outcome = outcome or limit_reached(request, state, clock)
        if outcome < 0:
            raise fault_error(outcome, kernel, state, request.arena, request.grid)
        if request.observe:
            request.observe(clock)
        if request.progress:
            request.progress(int(clock.grid["done"][0]), blocks)
    require_all(kernel, clock)
    return clock


def _leave_l2(before: Clock, clock: Clock) -> None:
    """Make L2 hold what a launch has left there, used before the next one begins."""
    for name in ("l2_tags", "l2_stored", "results"):
        getattr(clock, name)[:] = getattr(before, name)
    clock.l2_dirty[:] = carried(before.l2_dirty)
    clock.l2_used[:] = before.l2_used - before.l2_used.max() - 1
    clock.l2_ready[:] = np.where(before.l2_ready < NEVER, 0.0, NEVER)
