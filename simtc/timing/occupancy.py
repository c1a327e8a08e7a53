"""How many blocks of a kernel an SM holds, and what limits it."""

from __future__ import annotations

from dataclasses import dataclass

from simtc.arch import Device
from simtc.isa import Kernel

__all__ = ["Occupancy", "occupancy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Occupancy:
    """Resident blocks of one SM."""

    blocks: int
    warps: int  # of one block
    limit: str  # registers, shared memory, warps, or blocks
    shared_bytes: int  # the carve-out that the resident blocks need


def occupancy(kernel: Kernel, device: Device, *, threads: int, dynamic_shared_bytes: int = 0) -> Occupancy:
    """Compute the occupancy of a launch.

    Source: the rules of NVIDIA's occupancy calculator, with the allocation units of `simtc arch`.

    Example:
        >>> from simtc import arch
        >>> kernel = Kernel(name="k", sm=75, instructions=(), registers=128)
        >>> occupancy(kernel, arch.device("t4"), threads=256).blocks
        2

    """
    limits = device.limits
    warps = -(-threads // 32)
    unit = limits.register_unit
    registers = -(-kernel.registers * 32 // unit) * unit * (-(-warps // limits.warp_unit) * limits.warp_unit)
    shared = kernel.shared_bytes - kernel.shared_reserved_bytes + dynamic_shared_bytes
    shared = shared + limits.block_shared_reserved_bytes
    shared = -(-shared // limits.shared_unit_bytes) * limits.shared_unit_bytes
    room = {
        "registers": limits.registers // registers,
        "warps": limits.warps // warps,
        "blocks": limits.blocks,
    }
    if shared:
        room["shared memory"] = limits.shared_bytes // shared
    limit = min(room, key=lambda name: room[name])
    return Occupancy(blocks=room[limit], warps=warps, limit=limit, shared_bytes=shared * room[limit])
