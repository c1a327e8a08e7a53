"""Set the clock up for a launch: SMs that stand still, with empty caches."""

from __future__ import annotations

import numpy as np

from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.isa import Kernel
from simtc.machine.state import Geometry
from simtc.timing.aging import NO_AGE
from simtc.timing.constants import (
    ASLEEP,
    BANKS,
    CODE_LINE,
    MERGED,
    PENDING,
    STALLS,
    UNUSED,
    WAYS,
    Chip,
    Counter,
    Queue,
    Server,
)
from simtc.timing.l2 import NEVER
from simtc.timing.occupancy import Occupancy, occupancy
from simtc.timing.request import Request
from simtc.timing.state import SM, SUB, WARP_CLOCK, Caches, Clock

__all__ = ["chip_constants", "neighbours", "new_clock", "room_of"]


def room_of(request: Request) -> Occupancy:
    """Return the occupancy of a launch.

    Raises:
        BadInputError: not one block fits an SM.

    """
    kernel, device, block = request.lowered.kernel, request.device, request.block
    room = occupancy(kernel, device, threads=block[0] * block[1] * block[2],
                     dynamic_shared_bytes=int(request.geometry[Geometry.DYNAMIC_SHARED]))  # fmt: skip
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
    rested: Device | None = None,
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
        rested: the board while no tensor instruction executes, where its clock is another one then.

    """
    sm = device.sm
    cores, warps, shared = sm.limits.sub_cores, room.warps, room.shared_bytes
    carveout = min(c for c in sm.limits.shared_carveouts_bytes if c >= min(shared, sm.limits.shared_bytes))
    l1_sets = max((sm.limits.l1_shared_bytes - carveout) // (sm.l1.line_bytes * WAYS), 1)
    l2_sets = max((l2_bytes or device.l2_kept_bytes) // (sm.l1.line_bytes * WAYS), 1)
    l1, l2 = l1_sets * WAYS, l2_sets * WAYS
    instructions = len(kernel.instructions) + 1
    chip = chip_constants(device, slots, warps, l1_sets, l2_sets)
    subs, machines = np.zeros(sms * cores, SUB), np.zeros(sms, SM)
    subs["last"] = -1
    machines["number"] = np.arange(sms)
    machines["gpc"], machines["cluster"] = neighbours(device, sms)
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
        grid=_queue(len(order)),
        order=order,
        counted=np.zeros(1),
        asked=np.zeros(2 * max(device.gpcs, 1)),
        laps=np.zeros((laps, 3), np.int64),
        lap_count=np.zeros(1, np.int64),
        slices=np.zeros((slices, 5), np.int64),
        slice_count=np.zeros(1, np.int64),
        pace=np.array([UNUSED, 1, 0, 0], np.int64),
        faster=np.zeros(0),
    )
    if rested is not None and rested.clock_mhz != device.clock_mhz:
        faster = chip_constants(rested, slots, warps, l1_sets, l2_sets) / np.where(chip == 0, 1.0, chip)
        faster[[Chip.REFRESH_PERIOD, Chip.REFRESH]] = 1.0  # a refresh that has begun does not begin again
        clock = clock._replace(faster=np.where(chip == 0, 1.0, faster))
    caches = Caches(
        chip=chip,
        l1_tags=np.full((sms, l1), -1, np.int64),
        l1_ready=np.full((sms, 4 * l1), NEVER),
        l1_used=np.zeros((sms, l1), np.int64),
        l2_tags=np.full(l2, -1, np.int64),
        l2_ready=np.full(4 * l2, NEVER),
        l2_used=np.full(l2, UNUSED, np.int64),
        l2_dirty=np.zeros(l2, np.int64),
        slices=np.zeros(3 * max(device.l2_slices, 1)),
        clusters=np.zeros(2 * (int(machines["cluster"].max()) + 1)),
        ports=np.zeros(4 * max(device.gpcs, 1)),
        open_rows=np.full(BANKS, -1, np.int64),
        open_until=np.zeros(BANKS),
        asked=np.full(max(device.gpcs, 1) * MERGED, -1, np.int64),
        answered=np.zeros(max(device.gpcs, 1) * MERGED),
        servers=np.zeros(Server.COUNT),
        shares=np.zeros((shares, 2)),
        age=NO_AGE,
        counters=counters,
    )
    return clock, caches


def _queue(blocks: int) -> np.ndarray:
    """Return what has become of a grid's blocks before the first one is admitted."""
    queue = np.zeros(Queue.COUNT, np.int64)
    queue[Queue.BLOCKS] = queue[Queue.LAST_WAVE] = blocks
    queue[Queue.FOR] = -1
    return queue


def neighbours(device: Device, sms: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the GPC and the cluster of each SM in use, as evenly spread over the chip as the chip does.

    GPCs are of pairs of SMs, and as large as one another but for a pair; clusters of them are full but for the last.
    """
    gpcs, pairs, each = max(device.gpcs, 1), device.sm_count // 2, device.cluster_sms or device.sm_count
    sizes = [2 * (pairs // gpcs + (g >= gpcs - pairs % gpcs)) for g in range(gpcs)]
    places = [(g, i // each) for g, size in enumerate(sizes) for i in range(size)] or [(0, 0)]
    numbers = {place: number for number, place in enumerate(dict.fromkeys(places))}
    chosen = [places[min(i * device.sm_count // sms, len(places) - 1)] for i in range(sms)]
    return np.array([g for g, _ in chosen]), np.array([numbers[place] for place in chosen])


def chip_constants(device: Device, slots: int, warps: int, l1_sets: int, l2_sets: int) -> np.ndarray:
    """Return a board's constants by their places (see Chip), with what a launch makes of an SM."""
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
        Chip.LINK_BYTES: sm.l1.l2_bytes_per_cycle,
        Chip.SLICES: device.l2_slices,
        Chip.SLICE_BYTES: device.l2_measured_bytes_per_cycle / device.l2_slices,
        Chip.PACKET: 1 / device.cluster_packets_per_cycle if device.cluster_packets_per_cycle else 0.0,
        Chip.REQUEST_BYTES: device.l2_request_bytes,
        Chip.STORE_BYTES: device.l2_store_request_bytes,
        Chip.SLICE_TURN: device.l2_turn_bytes,
        Chip.HALVES: device.l2_halves,
        Chip.GPC_L2_BYTES: device.gpc_l2_bytes_per_cycle,
        Chip.TENSOR_HOLD: device.tensor_hold_cycles,
        Chip.ROW_OPEN: device.dram_row_open_cycles,
        Chip.GPCS: device.gpcs,
        Chip.GPC_BYTES: device.gpc_bytes_per_cycle,
        Chip.LAUNCH_BLOCK: sm.launch.block_cycles,
        Chip.SM_START: sm.launch.sm_start_cycles,
        Chip.SM_BLOCK: sm.launch.sm_block_cycles,
        Chip.SM_BLOCK_WARP: sm.launch.sm_block_warp_cycles,
        Chip.STORE_ANSWER: sm.launch.store_answer_cycles,
        Chip.CONSTANT_FIRST: sm.l1.constant_first_cycles,
        Chip.CONSTANT_TURN: device.gpc_constant_cycles,
        Chip.OPERAND_FIRST: sm.l1.constant_operand_first_cycles,
        Chip.DRAM_TAIL: device.dram_tail_cycles,
        Chip.DRAM_TAIL_ROW: device.dram_row_tail_cycles,
        Chip.REFRESH_PERIOD: device.dram_refresh_period_cycles,
        Chip.REFRESH: device.dram_refresh_cycles,
        Chip.CODE_LINE: CODE_LINE * sm.fetch.flushed_cycles,
        Chip.PENDING_LINE: sm.l1.pending_line_cycles,
        Chip.TAG_AHEAD: sm.l1.tag_ahead_lines,
        Chip.UP_REQUEST: sm.l1.request_cycles,
        Chip.UP_SWITCH: sm.l1.switch_cycles,
        Chip.STORE_TURN: sm.l1.store_turn_cycles,
        Chip.STORE_TURN_LINE: sm.l1.store_turn_line_cycles,
        Chip.MERGE: sm.l1.merge_cycles,
        Chip.MERGE_STORE: sm.l1.store_merge_cycles,
        Chip.STORE_LINE: sm.l1.store_full_line_cycles,
        Chip.STORE_QUEUE: sm.l1.store_queue_sectors,
        Chip.STORE_GATHER: sm.l1.store_gather_lines,
        Chip.L2_QUEUE: device.l2_store_queue_cycles,
        Chip.BARRIER_WARP: sm.issue.barrier_warp_cycles,
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
