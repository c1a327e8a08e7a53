"""Campaign `timing`: how long shipped GEMMs take on the chip. A measurement: nothing is compared."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from simtc.gemm import Shipped, operands, shipped
from simtc.gpu import Gpu, compile_shipped
from simtc.gpu.compile import assemble
from simtc.study.validate_case import Skip
from simtc.study.validate_numerics import probe_code
from simtc.study.validate_ptx import header

__all__ = ["TimingCase", "cases", "flush_ptx"]

_FLUSH_BYTES = 1 << 28  # several times any L2


def flush_ptx(sm: int) -> str:
    """Return kernel probe(buffer): every thread of 128-thread blocks writes 16 bytes."""
    return (
        f"{header(f'sm_{sm}')}.visible .entry probe(.param .u64 q0)\n{{\n"
        ".reg .b64 %p, %t; .reg .b32 %block, %lane, %place;\n"
        "ld.param.u64 %p, [q0]; cvta.to.global.u64 %p, %p; mov.u32 %block, %ctaid.x; mov.u32 %lane, %tid.x;\n"
        "mad.lo.u32 %place, %block, 128, %lane; mad.wide.u32 %t, %place, 16, %p;\n"
        "st.global.v4.b32 [%t], {%lane, %lane, %lane, %lane};\nret;\n}\n"
    )


@dataclass(frozen=True)
class TimingCase:
    """One shipped GEMM at one size."""

    shipped: Shipped
    size: tuple[int, int, int]
    seed: int
    launches: int

    @property
    def name(self) -> str:
        """KERNEL/MxNxK."""
        return f"{self.shipped.name}/{'x'.join(map(str, self.size))}"

    def measure(self, gpu: Gpu) -> dict[str, float]:
        """Return the median, least and greatest seconds of single launches, cold and warm."""
        kernel, (m, n, k) = self.shipped, self.size
        code = compile_shipped(kernel.source, gpu)[kernel.name]
        args = kernel.arguments(operands(kernel, m, n, k, seed=self.seed), m, n, k, 1, 0)
        sm = gpu.description.sm
        flush = probe_code(*assemble(flush_ptx(sm), f"sm_{sm}"), sm, 1)
        with (
            gpu.prepared(flush, _FLUSH_BYTES // 2048, 128, [np.zeros(_FLUSH_BYTES, np.uint8)]) as sweep,
            gpu.prepared(
                code, kernel.grid(m, n), kernel.threads, args, shared_bytes=kernel.dynamic_shared_bytes
            ) as gemm,
        ):
            gemm.seconds()
            cold = []
            for _ in range(self.launches):
                sweep.seconds()
                cold.append(gemm.seconds())
            gemm.seconds()
            warm = [gemm.seconds() for _ in range(self.launches)]
        return _summary("cold", cold) | _summary("warm", warm)


def _summary(name: str, seconds: list[float]) -> dict[str, float]:
    return {
        f"{name}_median_seconds": statistics.median(seconds),
        f"{name}_min_seconds": min(seconds),
        f"{name}_max_seconds": max(seconds),
    }


def cases(settings: Mapping[str, Any], arch: str, sm: int) -> Iterator[TimingCase | Skip]:  # noqa: ARG001 - every campaign's
    """Yield the campaign's kernels at every size."""
    for name in settings["kernels"]:
        kernel = shipped(name)
        if not any(built // 10 == sm // 10 and built <= sm for built in kernel.sms):
            yield Skip(name=name, reason=f"it is not compiled for sm_{sm}")
            continue
        for size in settings["sizes"]:
            yield TimingCase(kernel, tuple(size), settings["seed"], settings["launches"])
