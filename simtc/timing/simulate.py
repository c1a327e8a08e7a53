"""Set the clock up for a launch, run it, and read the result off."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from simtc.arch import Device
from simtc.bundle import bundle
from simtc.errors import BadInputError, SimtcError
from simtc.isa import Kernel
from simtc.machine.arena import Arena
from simtc.machine.faults import fault_error
from simtc.machine.functional import WORK_WORDS
from simtc.machine.lowering import Lowered
from simtc.machine.state import CODE, MEMORY, STATE, Event, Geometry, Memory, Outcome, new_state
from simtc.machine.step import step
from simtc.results import InstructionTime, Stall, Timing
from simtc.results.timeline import Timeline
from simtc.timing.caches import NEVER, warm_l2
from simtc.timing.chip import run_chip
from simtc.timing.occupancy import Occupancy, occupancy
from simtc.timing.state import (
    ASLEEP,
    BANKS,
    CACHES,
    CLOCK,
    CODE_LINE,
    MERGED,
    PENDING,
    SM,
    SPAN,
    STALLS,
    SUB,
    TABLE,
    WARP_CLOCK,
    WAYS,
    Caches,
    Chip,
    Clock,
    Counter,
    Pipe,
    Server,
)
from simtc.timing.tables import clock_table

__all__ = ["new_clock", "read_timing", "require_safety", "room_of", "time_launch"]

_PIPE_NAMES = {
    Pipe.ALU: "ALU pipe",
    Pipe.FMA: "FMA pipe",
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
_WINDOWS = 4000  # between two reports of progress


def time_launch(
    lowered: Lowered,
    *,
    device: Device,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    geometry: np.ndarray,
    literals: np.ndarray,
    memory: Memory,
    arena: Arena,
    warm: bool,
    instruction_limit: int,
    slices: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Timing:
    """Execute a launch in the order and cycle in which the chip would.

    Raises:
        KernelFaultError: the kernel faulted.
        SimtcError: an instruction read a fixed-latency result before it was ready: a latency table is wrong.

    """
    kernel = lowered.kernel
    blocks = grid[0] * grid[1] * grid[2]
    room = room_of(kernel, device, block, geometry)
    sms = min(device.sm_count, blocks)
    slots = min(room.blocks, -(-blocks // sms))
    geometry = geometry.copy()
    geometry[Geometry.TRACE] = 1
    state = new_state(literals, geometry, slots=sms * slots, work_words=WORK_WORDS)
    table = clock_table(kernel, device)
    clock, caches = new_clock(
        kernel, device, sms=sms, slots=slots, room=room, order=np.arange(blocks, dtype=np.int64), slices=slices
    )
    cached = bundle(CACHES, caches)
    if not warm:
        clock.chip[Chip.CODE_FIRST] = device.sm.fetch.first_cycles
    if warm:
        for start, end in zip(memory.starts, memory.ends, strict=True):
            warm_l2(cached, int(start) >> 5, (int(end) + 31) >> 5)
    parts = (bundle(STATE, state), bundle(MEMORY, memory), bundle(CODE, lowered.code))
    clocked = (bundle(CLOCK, clock), bundle(TABLE, table), cached)
    span = np.zeros(SPAN, np.int64)
    while True:
        outcome = run_chip(step, *parts, *clocked, span, _WINDOWS)
        if outcome < 0:
            raise fault_error(outcome, kernel, state, arena, grid)
        longest = int(np.argmax(state.warps["executed"]))
        if state.warps[longest]["executed"] > instruction_limit:
            state.event[Event.PC], state.event[Event.WARP] = state.warps[longest]["pc"], state.warps[longest]["index"]
            x, y, z = (int(state.blocks[state.warps[longest]["block"]][axis]) for axis in "xyz")
            state.event[Event.BLOCK] = x + grid[0] * (y + grid[1] * z)
            raise fault_error(Outcome.INSTRUCTION_LIMIT, kernel, state, arena, grid)
        if progress:
            progress(int(clock.grid[2]), blocks)
        if outcome:
            break
    if clock.sms["overflow"].any():
        raise SimtcError(f"{kernel.name}: more events are pending in one SM than the clock has room for")
    require_safety(kernel, clock)
    return read_timing(kernel, clock, room, device)


def room_of(kernel: Kernel, device: Device, block: tuple[int, int, int], geometry: np.ndarray) -> Occupancy:
    """Return the occupancy of a launch.

    Raises:
        BadInputError: not one block fits an SM.

    """
    room = occupancy(kernel, device, threads=block[0] * block[1] * block[2],
                     dynamic_shared_bytes=int(geometry[Geometry.DYNAMIC_SHARED]))  # fmt: skip
    if room.blocks == 0:
        raise BadInputError(f"no block of {kernel.name} fits an SM of {device.name}: {room.limit}")
    return room


def new_clock(
    kernel: Kernel,
    device: Device,
    *,
    sms: int,
    slots: int,
    room: Occupancy,
    order: np.ndarray,
    slices: int = 0,
    laps: int = 0,
    l2_bytes: int | None = None,
    shares: int = 0,
) -> tuple[Clock, Caches]:
    """Return SMs that stand still, with empty caches.

    Args:
        kernel: what they will execute.
        device: the board.
        sms: how many of its SMs.
        slots: resident blocks of each.
        room: the kernel's occupancy.
        order: the numbers of the blocks to execute, (blocks,) int64.
        slices: room for the timeline.
        laps: room for backward branches.
        l2_bytes: the size of L2; the board's by default.
        shares: buffers whose sectors count otherwise than as one.

    """
    sm = device.sm
    cores, warps, shared = sm.limits.sub_cores, room.warps, room.shared_bytes
    carveout = min(c for c in sm.limits.shared_carveouts_bytes if c >= min(shared, sm.limits.shared_bytes))
    l1_sets = max((sm.limits.l1_shared_bytes - carveout) // (sm.l1.line_bytes * WAYS), 1)
    l2_sets = max((l2_bytes or device.l2_bytes) // (sm.l1.line_bytes * WAYS), 1)
    l1, l2 = l1_sets * WAYS, l2_sets * WAYS
    instructions = len(kernel.instructions) + 1
    chip = _constants(device, slots, warps, l1_sets, l2_sets)
    subs, machines = np.zeros(sms * cores, SUB), np.zeros(sms, SM)
    subs["last"] = -1
    machines["number"] = np.arange(sms)
    machines["pending_free"] = np.arange(PENDING)
    counters = np.zeros(Counter.COUNT, np.int64)
    clock = Clock(
        chip=chip,
        sms=machines,
        subs=subs,
        warps=np.zeros(sms * slots * warps, WARP_CLOCK),
        wake=np.zeros(sms * cores, np.int64),
        until=np.full(sms * slots * warps, ASLEEP, np.int64),
        stalls=np.zeros((instructions, STALLS), np.int64),
        issued=np.zeros(instructions, np.int64),
        conflicts=np.zeros(instructions, np.int64),
        counters=counters,
        code=np.full((sms, instructions // CODE_LINE + 1), -1, np.int64),
        running=np.full(sms * slots, -1, np.int64),
        grid=np.array([0, len(order), 0], np.int64),
        order=order,
        laps=np.zeros((laps, 3), np.int64),
        lap_count=np.zeros(1, np.int64),
        slices=np.zeros((slices, 5), np.int64),
        slice_count=np.zeros(1, np.int64),
    )
    caches = Caches(
        chip=chip,
        l1_tags=np.full((sms, l1), -1, np.int64),
        l1_ready=np.full((sms, 4 * l1), NEVER),
        l1_used=np.zeros((sms, l1), np.int64),
        l2_tags=np.full(l2, -1, np.int64),
        l2_ready=np.full(4 * l2, NEVER),
        l2_used=np.zeros(l2, np.int64),
        l2_dirty=np.zeros(l2, np.int64),
        slices=np.zeros(2 * max(device.l2_slices, 1)),
        ports=np.zeros(2 * max(device.gpcs, 1)),
        open_rows=np.full(BANKS, -1, np.int64),
        open_until=np.zeros(BANKS),
        asked=np.full(max(device.gpcs, 1) * MERGED, -1, np.int64),
        answered=np.zeros(max(device.gpcs, 1) * MERGED),
        servers=np.zeros(Server.COUNT),
        shares=np.zeros((shares, 3)),
        counters=counters,
    )
    return clock, caches


def _constants(device: Device, slots: int, warps: int, l1_sets: int, l2_sets: int) -> np.ndarray:
    sm = device.sm
    hit = sm.memory["LDG.32"].latency_cycles
    values = {
        Chip.SLOTS: slots,
        Chip.WARPS: warps,
        Chip.SUB_CORES: sm.limits.sub_cores,
        Chip.QUEUE: sm.shared.queue_entries,
        Chip.SM_QUEUE: sm.shared.sm_queue_entries,
        Chip.STAGE_BYTES: sm.shared.data_stage_bytes_per_cycle,
        Chip.RETURN_BYTES: sm.shared.return_bytes_per_cycle,
        Chip.WIDE_UPPER: sm.pipes.wide_upper_cycles,
        Chip.LINK_BYTES: sm.l1.l2_bytes_per_cycle,
        Chip.SLICES: device.l2_slices,
        Chip.SLICE_BYTES: device.l2_measured_bytes_per_cycle / device.l2_slices,
        Chip.STORE_COST: device.l2_store_cost,
        Chip.GPCS: device.gpcs,
        Chip.GPC_BYTES: device.gpc_bytes_per_cycle,
        Chip.LAUNCH_BLOCK: sm.launch.block_cycles,
        Chip.CONSTANT_FIRST: sm.l1.constant_first_cycles,
        Chip.OPERAND_FIRST: sm.l1.constant_operand_first_cycles,
        Chip.DRAM_TAIL: device.dram_tail_cycles,
        Chip.DRAM_TAIL_ROW: device.dram_row_tail_cycles,
        Chip.REFRESH_PERIOD: device.dram_refresh_period_cycles,
        Chip.REFRESH: device.dram_refresh_cycles,
        Chip.CODE_LINE: CODE_LINE * sm.fetch.flushed_cycles,
        Chip.PENDING_LINE: sm.l1.pending_line_cycles,
        Chip.TAG_AHEAD: sm.l1.tag_ahead_lines,
        Chip.COPY_AHEAD: sm.l1.copy_tag_ahead_lines,
        Chip.UP_REQUEST: sm.l1.request_cycles,
        Chip.UP_STORE: sm.l1.store_request_cycles,
        Chip.STORE_TURN: sm.l1.store_turn_cycles,
        Chip.STORE_TURN_LINE: sm.l1.store_turn_line_cycles,
        Chip.STORE_LINE: sm.l1.store_full_line_cycles,
        Chip.STORE_QUEUE: sm.l1.store_queue_sectors,
        Chip.L2_QUEUE: device.l2_store_queue_cycles,
        Chip.BARRIER_ARRIVAL: sm.issue.barrier_warp_cycles,
        Chip.DRAM_BYTES: device.dram_measured_bytes_per_cycle,
        Chip.L2_EXTRA: device.l2_hit_cycles - hit,
        Chip.L2_SPREAD: device.l2_spread_cycles,
        Chip.L2_FETCH: device.l2_fetch_bytes,
        Chip.DRAM_SPREAD: device.dram_spread_cycles,
        Chip.DRAM_EXTRA: device.dram_cycles - hit,
        Chip.BRANCH_TAKEN: sm.issue.branch_taken_cycles,
        Chip.BARRIER_RELEASE: sm.issue.barrier_release_cycles,
        Chip.STALL1_YIELD: sm.issue.stall1_yield_cycles,
        Chip.LAUNCH_BASE: sm.launch.base_cycles,
        Chip.LAUNCH_WARP: sm.launch.warp_cycles,
        Chip.L1_SETS: l1_sets,
        Chip.L2_SETS: l2_sets,
        Chip.WAYS: WAYS,
        Chip.STORE_PARTIAL: sm.l1.store_partial_sector_cycles,
        Chip.STORE_FULL: sm.l1.store_full_sector_cycles,
    }
    out = np.zeros(Chip.COUNT)
    for place, value in values.items():
        out[place] = value
    return out


def require_safety(kernel: Kernel, clock: Clock) -> None:
    """Refuse a run in which a fixed-latency result was read too early."""
    counters = clock.counters
    if not counters[Counter.HAZARDS]:
        return
    instruction = kernel.instructions[int(counters[Counter.HAZARD_PLACE])]
    raise SimtcError(
        f"{kernel.name}: {counters[Counter.HAZARDS]} reads of a fixed-latency result before it is ready, the worst "
        f"{counters[Counter.HAZARD_MISSING]} cycles early (row {counters[Counter.HAZARD_ROW]}) "
        f"at {instruction.address:#06x} {instruction.text}: the latency table of sm_{kernel.sm} is wrong"
    )


def read_timing(kernel: Kernel, clock: Clock, room: Occupancy, device: Device) -> Timing:
    """Collect the cycles, their causes, and the time that each resource alone would take."""
    sms = clock.sms
    totals = clock.stalls.sum(axis=0)
    return Timing(
        cycles=int(max(sms["last_cycle"].max(), sms["drained"].max())),
        clock_mhz=device.clock_mhz,
        warp_cycles=int((clock.warps["lived"]).sum()),
        stalls={cause.name: int(totals[cause]) for cause in Stall},
        resources=_resources(clock, device),
        counters={c.name.lower(): int(clock.counters[c]) for c in _REPORTED},
        blocks_per_sm=room.blocks,
        occupancy_limit=room.limit,
        timeline=_timeline(kernel, clock, device) if clock.slices.shape[0] else None,
        by_instruction=_by_instruction(kernel, clock),
    )


def _timeline(kernel: Kernel, clock: Clock, device: Device) -> Timeline:
    seen, kept = int(clock.slice_count[0]), clock.slices.shape[0]
    return Timeline(
        kernel=kernel.name,
        texts=tuple(i.text or i.mnemonic for i in kernel.instructions),
        warps_per_sm=len(clock.warps) // len(clock.sms),
        sub_cores=device.sm.limits.sub_cores,
        raw=clock.slices[: min(seen, kept)].copy(),
        dropped=max(seen - kept, 0),
    )


def _resources(clock: Clock, device: Device) -> dict[str, float]:
    """Return the cycles that the busiest unit of each kind was busy."""
    subs, sms, counters = clock.subs, clock.sms, clock.counters
    l2_sectors = int(counters[Counter.L2_SECTORS] + counters[Counter.STORE_SECTORS])
    return {
        "issue": float(subs["issued"].max()),
        **{f"the {name}": float(subs["busy"][:, pipe].max()) for pipe, name in _PIPE_NAMES.items()},
        "shared memory and L1": float(sms["stage_busy"].max()),
        "the path from L2": float(sms["link_bytes"].max()) / device.sm.l1.l2_bytes_per_cycle,
        "L2": 32.0 * l2_sectors / device.l2_measured_bytes_per_cycle,
        "DRAM": 32.0 * int(counters[Counter.DRAM_SECTORS]) / device.dram_measured_bytes_per_cycle,
    }


def _by_instruction(kernel: Kernel, clock: Clock) -> tuple[InstructionTime, ...]:
    names = [cause.name for cause in Stall]
    columns = (
        kernel.instructions, clock.issued.tolist(), clock.conflicts.tolist(), clock.stalls.tolist(),
        clock.stalls.argsort(axis=1)[:, ::-1].tolist(),
    )  # fmt: skip
    return tuple(
        InstructionTime(
            address=instruction.address,
            text=instruction.text or instruction.mnemonic,
            source=instruction.source,
            issued=issued,
            cycles=sum(causes),
            top_stall=names[next((i for i in order if causes[i] and i != Stall.selected), Stall.selected)],
            conflicts=conflicts,
        )
        for instruction, issued, conflicts, causes, order in zip(*columns, strict=False)  # arrays have a row to spare
    )
