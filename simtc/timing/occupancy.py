"""How many blocks of a compiled kernel an SM holds, and what limits it."""

from __future__ import annotations

from simtc.analytic.occupancy import Occupancy
from simtc.analytic.occupancy import occupancy as occupancy_of
from simtc.arch import Device
from simtc.isa import Kernel

__all__ = ["Occupancy", "occupancy"]


def occupancy(kernel: Kernel, device: Device, *, threads: int, dynamic_shared_bytes: int = 0) -> Occupancy:
    """Compute the occupancy of a launch.

    Source: the rules of NVIDIA's occupancy calculator, with the allocation units of `simtc arch`.

    Example:
        >>> from simtc import arch
        >>> kernel = Kernel(name="k", sm=75, instructions=(), registers=128)
        >>> occupancy(kernel, arch.device("t4"), threads=256).blocks
        2

    """
    shared = kernel.shared_bytes - kernel.shared_reserved_bytes + dynamic_shared_bytes
    return occupancy_of(device, threads=threads, registers=kernel.registers, shared_bytes=shared)
