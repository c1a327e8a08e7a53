"""Boards from before Volta, in closed forms: how the lanes of a warp share an access to memory and to the banks."""

from __future__ import annotations

from collections.abc import Sequence

from simtc.arch import Device
from simtc.arch.simt import Simt
from simtc.errors import BadInputError

__all__ = ["bank_cycles", "simt_of", "transactions"]

_BANK_BYTES = 4


def simt_of(device: Device) -> Simt:
    """Return what closed forms know of a board without a clock.

    Raises:
        BadInputError: it has a clock.

    """
    if device.simt is None:
        raise BadInputError(f"{device.name} has a clock: closed forms of older boards do not describe it")
    return device.simt


def transactions(device: Device, addresses: Sequence[int], width_bytes: int) -> list[int]:
    """Return the bytes of each transaction of a warp's load or store, `addresses` those of its lanes.

    Lanes of one segment share a transaction, which shrinks to half while half is enough.

    Source: CUDA C Programming Guide 4.0, compute capabilities 1.2 and 2.0.

    Example:
        >>> from simtc import arch
        >>> row, column = [4 * lane for lane in range(32)], [512 * lane for lane in range(32)]
        >>> [transactions(arch.device(board), row, 4) for board in ("gtx280", "c2050")]
        [[64, 64], [128]]
        >>> [sum(transactions(arch.device(board), column, 4)) for board in ("gtx280", "c2050")]
        [1024, 4096]

    """
    simt, found = simt_of(device), []
    for first in range(0, len(addresses), simt.coalesced_lanes):
        together = addresses[first : first + simt.coalesced_lanes]
        for line in sorted({address // simt.line_bytes for address in together}):
            wanted = [address for address in together if address // simt.line_bytes == line]
            start, size = line * simt.line_bytes, simt.line_bytes
            while size > simt.least_line_bytes:
                half = size // 2
                if max(wanted) + width_bytes <= start + half:
                    size = half
                elif min(wanted) >= start + half:
                    start, size = start + half, half
                else:
                    break
            found.append(size)
    return found


def bank_cycles(device: Device, addresses: Sequence[int], width_bytes: int) -> float:
    """Return the cycles that the banks take for a warp's access; lanes that want the same word share it.

    Source: CUDA C Programming Guide 4.0, compute capabilities 1.x (16 banks, half-warps) and 2.0 (32 banks).

    Example:
        >>> from simtc import arch
        >>> across, down = [4 * lane for lane in range(32)], [64 * lane for lane in range(32)]
        >>> [bank_cycles(arch.device(board), across, 4) for board in ("gtx280", "c2050")]
        [4.0, 2.0]
        >>> [bank_cycles(arch.device(board), down, 4) for board in ("gtx280", "c2050")]
        [64.0, 32.0]

    """
    simt = simt_of(device)
    lanes = min(simt.shared_lanes, simt.shared_banks * _BANK_BYTES // width_bytes)
    passes = 0
    for first in range(0, len(addresses), lanes):
        words = {
            (address + offset) // _BANK_BYTES
            for address in addresses[first : first + lanes]
            for offset in range(0, width_bytes, _BANK_BYTES)
        }
        banks = [word % simt.shared_banks for word in words]
        passes += max(banks.count(bank) for bank in set(banks))
    return passes * simt.shared_pass_cycles
