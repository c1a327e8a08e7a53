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
        >>> occupancy(arch.device("v100_pcie"), threads=64, registers=56).blocks  # 9 warps in each quarter of the file
        18

    """
    limits = device.limits
    warps = -(-threads // 32)
    shared = shared_bytes + limits.block_shared_reserved_bytes
    shared = -(-shared // limits.shared_unit_bytes) * limits.shared_unit_bytes
    room = {
        "registers": _by_registers(limits, warps, registers),
        "warps": limits.warps // warps,
        "blocks": limits.blocks,
    }
    if shared:
        room["shared memory"] = limits.shared_bytes // shared
    limit = min(room, key=lambda name: room[name])
    return Occupancy(blocks=room[limit], warps=warps, limit=limit, shared_bytes=shared * room[limit])


def _by_registers(limits: Limits, warps: int, registers: int) -> int:
    """Return the blocks whose registers fit.

    Since Fermi each sub-core has its part of the registers, and warps go to the sub-cores in turn: a part holds whole
    warps, and the SM as many as all its parts. A launch is nevertheless refused as if every block began at the first
    part and filled all of them alike.
    """
    assumed = block_registers(limits, warps=-(-warps // limits.warp_unit) * limits.warp_unit, registers=registers)
    if not limits.register_unit_warps or assumed > limits.registers:
        return limits.registers // assumed
    of_a_warp = block_registers(limits, warps=1, registers=registers)
    return limits.registers // limits.warp_unit // of_a_warp * limits.warp_unit // warps
