"""The evaluation set: the launches of shipped kernels on which the clock's accuracy is reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from simtc.arch import Device
from simtc.gemm.shipped import Shipped, shipped
from simtc.gpu import Code, Gpu, compile_shipped
from simtc.gpu.gpu import Prepared
from simtc.isa import Kernel
from simtc.results import LaunchResult
from simtc.run.launch import launch
from simtc.run.solve import operands
from simtc.validate.case import Skip
from simtc.validate.chip import Chip

__all__ = ["GemmLaunch", "evaluation_launches", "profiled_conflicts"]


@dataclass(frozen=True, kw_only=True)
class GemmLaunch:
    """One launch of a shipped kernel."""

    shipped: Shipped
    size: tuple[int, int, int]
    caches: str
    seed: int = 0
    alpha: float = 1.25
    beta: float = -0.5

    @property
    def name(self) -> str:
        """KERNEL/MxNxK/cold or warm."""
        return f"{self.shipped.name}/{'x'.join(map(str, self.size))}/{self.caches}"

    @property
    def blocks(self) -> int:
        """The blocks of the grid."""
        x, y, z = self.shipped.grid(*self.size[:2])
        return x * y * z

    @property
    def types(self) -> str:
        """The types of A and of D, such as f16.f32."""
        d, a, *_ = self.shipped.mma.split(".")[-4:]
        return f"{a}.{d}"

    def arguments(self) -> list[Any]:
        """Return the launch's arguments, drawn anew."""
        arrays = operands(self.shipped, *self.size, seed=self.seed)
        return self.shipped.arguments(arrays, *self.size, self.alpha, self.beta)

    def code(self, gpu: Gpu) -> Code:
        """Compile the kernel for the GPU at hand."""
        return compile_shipped(self.shipped.source, gpu)[self.shipped.name]

    def prepared(self, gpu: Gpu) -> AbstractContextManager[Prepared]:
        """Upload the launch."""
        one = self.shipped
        return gpu.prepared(
            self.code(gpu), one.grid(*self.size[:2]), one.threads, self.arguments(),
            shared_bytes=one.dynamic_shared_bytes,
        )  # fmt: skip

    def simulate(self, board: Device, kernel: Kernel | None = None, fidelity: str = "full") -> LaunchResult:
        """Launch with the clock."""
        one = self.shipped
        return launch(
            kernel or one.kernel(board), one.grid(*self.size[:2]), one.threads, self.arguments(),
            shared_bytes=one.dynamic_shared_bytes, device=board, timing=True, caches=self.caches,
            fidelity=fidelity,
        )  # fmt: skip


def evaluation_launches(settings: Mapping[str, Any], chip: Chip) -> Iterator[GemmLaunch | Skip]:
    """Yield the launches of evaluation.toml that the chip can run, cold and warm."""
    for group in settings["launches"]:
        for name in group["kernels"]:
            kernel = shipped(name)
            if not any(built // 10 == chip.sm // 10 and built <= chip.sm for built in kernel.sms):
                yield Skip(name=name, reason=f"it is not compiled for sm_{chip.sm}")
                continue
            for size in group["sizes"]:
                for caches in ("cold", "warm"):
                    yield GemmLaunch(shipped=kernel, size=tuple(size), caches=caches)


def profiled_conflicts(kernel: Kernel, counted: float, wavefronts: float, ideal_wavefronts: float) -> float:
    """Return a launch's bank conflicts of shared memory from the profiler's counters.

    The counter of conflicts also counts what the arbiter of L1 turns away, which happens where blocks share an SM; the
    wavefronts of each instruction beyond the ideal ones do not. Wavefronts of LDGSTS, in turn, count what it asks of L2
    as well, so where there are some the counter serves.

    Args:
        kernel: the machine code.
        counted: l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum.
        wavefronts: memory_l1_wavefronts_shared, which is smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum.
        ideal_wavefronts: memory_l1_wavefronts_shared_ideal.

    Example:
        >>> from simtc.arch import device
        >>> from simtc.gemm.shipped import shipped
        >>> profiled_conflicts(shipped("wmma_ragged").kernel(device("h200")), 1571, 2400, 832)
        1568

    """
    copies = any(instruction.opcode == "LDGSTS" for instruction in kernel.instructions)
    return counted if copies else wavefronts - ideal_wavefronts
