"""How many blocks an SM holds, and what limits it."""

from __future__ import annotations

from dataclasses import dataclass

from simtc.arch import Device

__all__ = ["Occupancy", "occupancy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Occupancy:
    """Resident blocks of one SM."""

    blocks: int
    warps: int  # of one block
    limit: str  # registers, shared memory, warps, or blocks
    shared_bytes: int  # the carve-out that the resident blocks need


def occupancy(device: Device, *, threads: int, registers: int, shared_bytes: int = 0) -> Occupancy:
    """Compute how many blocks of `threads` threads with `registers` each and `shared_bytes` fit an SM.

    Source: the rules of NVIDIA's occupancy calculator, with the allocation units of `simtc arch`.

    Example:
        >>> from simtc import arch
        >>> occupancy(arch.device("t4"), threads=256, registers=128).blocks
        2
        >>> occupancy(arch.device("t4"), threads=256, registers=64, shared_bytes=36 * 1024).limit
        'shared memory'

    """
    limits = device.limits
    warps = -(-threads // 32)
    unit = limits.register_unit
    of_a_warp = -(-max(registers, 1) * 32 // unit) * unit
    of_a_block = of_a_warp * -(-warps // limits.warp_unit) * limits.warp_unit
    shared = shared_bytes + limits.block_shared_reserved_bytes
    shared = -(-shared // limits.shared_unit_bytes) * limits.shared_unit_bytes
    room = {
        "registers": limits.registers // of_a_block,
        "warps": limits.warps // warps,
        "blocks": limits.blocks,
    }
    if shared:
        room["shared memory"] = limits.shared_bytes // shared
    limit = min(room, key=lambda name: room[name])
    return Occupancy(blocks=room[limit], warps=warps, limit=limit, shared_bytes=shared * room[limit])
