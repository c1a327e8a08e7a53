"""How many blocks an SM holds, and what limits it."""

from __future__ import annotations

from dataclasses import dataclass

from simtc.arch import Device
from simtc.arch.sections import Limits

__all__ = ["Occupancy", "block_registers", "occupancy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Occupancy:
    """Resident blocks of one SM."""

    blocks: int
    warps: int  # of one block
    limit: str  # registers, shared memory, warps, or blocks
    shared_bytes: int  # the carve-out that the resident blocks need


def block_registers(limits: Limits, *, warps: int, registers: int) -> int:
    """Compute the registers that a block of `warps` warps takes of the SM, with `registers` a thread.

    Example:
        >>> from simtc import arch
        >>> block_registers(arch.device("gtx280").limits, warps=4, registers=17)  # 2,176 of a whole block
        2560
        >>> block_registers(arch.device("t4").limits, warps=4, registers=17)      # 544 of each warp
        3072

    """
    together = limits.register_unit_warps or warps
    units = -(-together * 32 * max(registers, 1) // limits.register_unit)
    return units * limits.register_unit * -(-warps // together)


def occupancy(device: Device, *, threads: int, registers: int, shared_bytes: int = 0) -> Occupancy:
    """Compute how many blocks of `threads` threads with `registers` each and `shared_bytes` fit an SM.

    Source: the rules of NVIDIA's occupancy calculator, with the allocation units of `simtc arch`.

    Example:
        >>> from simtc import arch
        >>> occupancy(arch.device("t4"), threads=256, registers=128).blocks
        2
        >>> occupancy(arch.device("t4"), threads=256, registers=64, shared_bytes=36 * 1024).limit
        'shared memory'
        >>> occupancy(arch.device("gtx280"), threads=128, registers=17).blocks
        6

    """
    limits = device.limits
    warps = -(-threads // 32)
    of_a_block = block_registers(limits, warps=-(-warps // limits.warp_unit) * limits.warp_unit, registers=registers)
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
