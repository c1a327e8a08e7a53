"""Time launches on a GPU: in cycles by the SMs' own clock, and in seconds by events.

A shipped kernel reads no clock itself. So a stamp, a launch that writes every SM's clock, goes before it and behind it
in the stream, and what lies between two stamps around an empty kernel is taken off. A spinning kernel ahead of the
first stamp keeps the GPU busy until all of them are queued: otherwise the host's own time would be measured.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simtc.gpu import Gpu
from simtc.gpu.compile import assemble
from simtc.gpu.gpu import Prepared
from simtc.validate.campaigns.numerics import probe_code
from simtc.validate.ptx import header

__all__ = ["Stopwatch", "Taken", "flush", "stopwatch", "watch_ptx"]

_FLUSH_BYTES = 1 << 28  # several times any L2
_SPIN_CYCLES = 400_000  # longer than a host takes to enqueue three launches

_BODIES = {
    # every SM's clock; a block an SM, as the block scheduler deals them out
    "stamp": "mov.u32 %a, %smid; mov.u64 %t, %clock64; mad.wide.u32 %p, %a, 8, %p; st.global.u64 [%p], %t;",
    "empty": "",
    "spin": (
        "mov.u64 %t, %clock64;\nagain: mov.u64 %u, %clock64; sub.u64 %u, %u, %t;\n"
        f"setp.lt.u64 %more, %u, {_SPIN_CYCLES}; @%more bra again;"
    ),
    # reads leave nothing in L2 to be written back later; the store is for the compiler's eyes, as zeros were read
    "flush": (
        "mov.u32 %a, %ctaid.x; mov.u32 %b, %tid.x; mad.lo.u32 %a, %a, 128, %b; mad.wide.u32 %p, %a, 16, %p;\n"
        "ld.global.cg.v4.u32 {%a, %b, %c, %d}, [%p]; setp.ne.u32 %more, %a, 0; @%more st.global.u32 [%p], %b;"
    ),
}


def watch_ptx(what: str, sm: int) -> str:
    """Return kernel probe(buffer): stamp, empty, spin or flush."""
    return (
        f"{header(f'sm_{sm}')}.visible .entry probe(.param .u64 q0)\n{{\n"
        ".reg .b64 %p, %t, %u; .reg .b32 %a, %b, %c, %d; .reg .pred %more;\n"
        f"ld.param.u64 %p, [q0]; cvta.to.global.u64 %p, %p;\n{_BODIES[what]}\nret;\n}}\n"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """Times of single launches: cycles by the SMs' clock beyond an empty kernel's, seconds between events."""

    cycles: list[float]
    seconds: list[float]

    def to_dict(self) -> dict[str, float]:
        """Return medians and extremes."""
        return {
            "cycles": statistics.median(self.cycles),
            "least_cycles": min(self.cycles),
            "most_cycles": max(self.cycles),
            "seconds": statistics.median(self.seconds),
            "least_seconds": min(self.seconds),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopwatch:
    """What is needed to time launches, on the device already."""

    gpu: Gpu
    spin: Callable[[], None]
    flush: Callable[[], None]
    stamp: tuple[Prepared, Prepared]
    clocks: tuple[NDArray[np.uint64], NDArray[np.uint64]]
    empty: Callable[[], None]

    def _between(self, before: Sequence[Callable[[], None]], work: Callable[[], None]) -> float:
        """Return the cycles between two stamps around `work`, the median over SMs."""
        first, second = self.stamp
        for what in (*before, self.spin, first.enqueue, work, second.enqueue):
            what()
        self.gpu.driver.synchronize()
        for one in self.stamp:
            one.buffers.write_back()
        start, end = self.clocks
        seen = (start > 0) & (end > start)
        return float(np.median((end - start)[seen]))

    def times(self, work: Callable[[], None], launches: int, *, cold: bool) -> Taken:
        """Time single launches: cold, L2 was filled with other, clean lines before; warm, the same had just run."""
        before = [self.flush] if cold else [work]
        nothing = statistics.median(self._between(before, self.empty) for _ in range(launches))
        cycles = [self._between(before, work) - nothing for _ in range(launches)]
        seconds = []
        for _ in range(launches):
            for what in (*before, self.spin):
                what()
            seconds.append(self.gpu.driver.seconds(work))
        return Taken(cycles=cycles, seconds=seconds)


@contextmanager
def flush(gpu: Gpu) -> Iterator[Callable[[], None]]:
    """Yield what fills L2 with lines that nobody will ask for."""
    sm = gpu.description.sm
    code = probe_code(*assemble(watch_ptx("flush", sm), f"sm_{sm}"), sm, 1)
    with gpu.prepared(code, _FLUSH_BYTES // 2048, 128, [_frozen(_FLUSH_BYTES)]) as ready:
        yield ready.enqueue


def _frozen(size: int) -> NDArray[np.uint8]:
    """Return zeros that are not copied back."""
    zeros = np.zeros(size, np.uint8)
    zeros.flags.writeable = False
    return zeros


@contextmanager
def stopwatch(gpu: Gpu) -> Iterator[Stopwatch]:
    """Make a stopwatch for a GPU."""
    sm, sms = gpu.description.sm, gpu.description.sms
    codes = {what: probe_code(*assemble(watch_ptx(what, sm), f"sm_{sm}"), sm, 1) for what in ("stamp", "spin", "empty")}
    clocks = tuple(np.zeros(4 * sms, np.uint64) for _ in range(2))  # numbers of SMs may have gaps
    with (
        flush(gpu) as sweep,
        gpu.prepared(codes["spin"], 1, 1, [_frozen(8)]) as spin,
        gpu.prepared(codes["empty"], 1, 32, [_frozen(8)]) as empty,
        gpu.prepared(codes["stamp"], sms, 1, [clocks[0]]) as first,
        gpu.prepared(codes["stamp"], sms, 1, [clocks[1]]) as second,
    ):
        yield Stopwatch(
            gpu=gpu, spin=spin.enqueue, flush=sweep, empty=empty.enqueue, stamp=(first, second),
            clocks=(clocks[0], clocks[1]),
        )  # fmt: skip
