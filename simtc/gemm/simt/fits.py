"""What a board has room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simtc.arch import Device
from simtc.gemm.family import Refused

if TYPE_CHECKING:
    from simtc.gemm.simt.configuration import SimtGemm

__all__ = ["refusal"]


def refusal(made: SimtGemm, device: Device) -> Refused | None:
    """Return why a board cannot run a kernel; None where it can."""
    blocking, limits = made.blocking, device.limits
    registers = blocking.registers(made.how, made.numbers.real_bytes)
    shared = blocking.shared_bytes(made.how, made.numbers.real_bytes)
    rules = (
        (blocking.count > limits.block_threads, f"{blocking.count} threads, at most {limits.block_threads}"),
        (blocking.count % 32 != 0, f"{blocking.count} threads are no whole warps"),
        (shared > limits.block_shared_bytes, f"{shared} bytes of shared memory, at most {limits.block_shared_bytes}"),
        (registers > limits.thread_registers, f"{registers} registers a thread, at most {limits.thread_registers}"),
        (registers * blocking.count > limits.registers, f"{registers * blocking.count} registers, {limits.registers}"),
    )
    label = f"{blocking.kind} {'x'.join(map(str, blocking.block))}, threads {'x'.join(map(str, blocking.threads))}"
    return next((Refused(name=label, rule=rule) for broken, rule in rules if broken), None)
