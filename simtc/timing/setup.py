"""Set the clock up for a launch: SMs that stand still, with empty caches."""

from __future__ import annotations

from dataclasses import fields
from functools import lru_cache

import numpy as np

from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.isa import Kernel
from simtc.machine.state import Geometry
from simtc.timing.clock import Clock, new_clock_of
from simtc.timing.constants import UNUSED, WAYS
from simtc.timing.declared import prove_declared
from simtc.timing.occupancy import Occupancy, occupancy
from simtc.timing.pipeline import PARAMETERS, UNITS
from simtc.timing.placing import first_sms, halves, neighbours
from simtc.timing.request import Request
from simtc.timing.tables import clock_table
from simtc.timing.unit import Launched, Sizes
from simtc.timing.units.fills import MSHRS

__all__ = ["lines_of_l2", "new_clock", "once_bytes", "parameters", "room_of"]


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
    is_cold: bool = False,
    timeline: int = 0,
    laps: int = 0,
    l2_bytes: int | None = None,
    buffers: int = 0,
    rested: Device | None = None,
) -> Clock:
    """Return SMs that stand still, with empty caches.

    Args:
        kernel: what they will execute.
        device: the board.
        sms: how many of its SMs.
        slots: resident blocks of each.
        room: the kernel's occupancy.
        order: the numbers of the blocks to execute, (blocks,) int64.
        is_cold: the kernel's code is still to be fetched.
        timeline: room for its slices.
        laps: room for backward branches.
        l2_bytes: the size of L2; the board's by default.
        buffers: whose sectors count otherwise than as one.
        rested: the board while no tensor instruction executes, where its clock is another one then.

    Raises:
        BadInputError: an opcode whose timing is unknown.

    """
    cores, l1_sets = device.sm.limits.sub_cores, _sets_of_l1(device, room)
    l2_lines = lines_of_l2(device, l2_bytes)
    launch = Launched(
        slots=slots, warps=room.warps, l1_sets=l1_sets, l2_sets=l2_lines // WAYS,
        block_shared_bytes=room.shared_bytes // room.blocks, is_cold=is_cold,
    )  # fmt: skip
    gpc, cpc = neighbours(device, sms)
    clock = new_clock_of(
        Sizes(
            sms=sms, slots=slots, warps=room.warps, sub_cores=cores, instructions=len(kernel.instructions) + 1,
            blocks=len(order), l1_lines=l1_sets * WAYS, l2_lines=l2_lines, gpcs=max(device.gpcs, 1),
            cpcs=int(cpc.max()) + 1, l2_slices=max(device.l2_slices, 1), buffers=buffers, laps=laps, timeline=timeline,
        )
    )  # fmt: skip
    clock.order[:] = order
    first = first_sms(device, sms, slots, len(order))
    clock.first[: len(first)] = first
    number = np.arange(sms)
    for name, values in (("number", number), ("gpc", gpc), ("cpc", cpc), ("free_mshrs", np.arange(MSHRS))):
        clock.sms[name] = values
    clock.sms["half"] = halves(device, sms)
    _number_sub_cores(clock, cores, slots * room.warps)
    clock.grid["blocks"] = clock.grid["last_wave"] = len(order)
    clock.grid["kept_for"] = -1
    clock.pace["last_tensor"], clock.pace["slow"] = UNUSED, 1
    chip = parameters(device, launch)
    rises = np.zeros(0) if rested is None else _rises(device, rested, launch)
    table = clock_table(kernel, device)
    return clock.replaced(chip=chip, chip_rises=rises, longest=table.safe.max(axis=1), **table._asdict())


def _sets_of_l1(device: Device, room: Occupancy) -> int:
    """Return the sets of L1 beside the shared memory that the driver chooses, and what keeps no lines."""
    limits, shared = device.sm.limits, min(room.shared_bytes, device.sm.limits.shared_bytes)
    carveout = min(c for c in limits.shared_carveouts_bytes if c >= shared)
    size = limits.l1_shared_bytes - carveout - int(device.sm.l1.unused_bytes)
    return max(size // (device.sm.l1.line_bytes * WAYS), 1)


def lines_of_l2(device: Device, size: int | None = None) -> int:
    """Return the lines that L2 holds, in full sets."""
    return max((size or device.l2_kept_bytes) // (device.sm.l1.line_bytes * WAYS), 1) * WAYS


def once_bytes(device: Device) -> float:
    """Return what L2 keeps of lines that one SM uses: of those that lie in the other half's memory both keep one."""
    return 2 * device.l2_kept_bytes / (1 + device.l2_halves)


def _number_sub_cores(clock: Clock, cores: int, warps: int) -> None:
    """Tell SMs which sub-cores are theirs, and sub-cores which warps."""
    sms, subs, sm = clock.sms, clock.subs, np.arange(len(clock.sms))
    sms["first_sub"], sms["end_sub"] = sm * cores, (sm + 1) * cores
    subs["index"], subs["sm"] = np.arange(len(subs)), np.repeat(sm, cores)
    subs["first_warp"] = subs["sm"] * warps + subs["index"] % cores
    subs["end_warp"] = (subs["sm"] + 1) * warps
    subs["last"] = subs["turn"] = -1


def parameters(device: Device, launch: Launched) -> np.ndarray:
    """Return what all units need to know of a board and a launch, (1,) records of `PARAMETERS`.

    Raises:
        BadInputError: the board says something that no unit declares, or more than the clock has room for.

    """
    return _parameters(device, launch).copy()  # DVFS changes them


@lru_cache(maxsize=64)
def _parameters(device: Device, launch: Launched) -> np.ndarray:
    prove_declared(device)
    out = np.zeros(1, PARAMETERS)
    for unit in UNITS:
        if unit.parameters is not None:
            own = unit.parameters.of(device, launch)
            for one in fields(own):
                out[unit.name][one.name] = getattr(own, one.name)
    return out


def _rises(device: Device, rested: Device, launch: Launched) -> np.ndarray:
    """Return by what each parameter is multiplied where the clock rises; nothing where it never does."""
    if rested.clock_mhz == device.clock_mhz:
        return np.zeros(0)
    before = parameters(device, launch).view(np.float64)
    rises = parameters(rested, launch).view(np.float64) / np.where(before == 0, 1.0, before)
    rises[before == 0] = 1.0
    for name in ("dram_refresh_period_cycles", "dram_refresh_cycles"):  # one that has begun does not begin again
        rises.view(PARAMETERS)["dram"][name] = 1.0
    return rises
