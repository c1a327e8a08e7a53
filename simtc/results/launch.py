"""What a launch gave."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, cast

from simtc.results.display import Columns, Display, above, by_column
from simtc.results.estimate import interval, shown
from simtc.results.lines import by_line
from simtc.results.stall import Stall

if TYPE_CHECKING:  # it needs numpy, and verbs that show other results start faster without
    from simtc.results.timeline import Timeline

__all__ = ["InstructionTime", "LaunchResult", "Timing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InstructionTime:
    """One instruction's share of a timed launch."""

    address: int
    text: str
    source: tuple[str, int] | None
    issued: int  # warp-instructions
    cycles: int  # warp-cycles spent before and at it
    top_stall: str  # the cause of most of them, "selected" aside
    conflicts: int  # shared-memory wavefronts beyond the ideal
    sectors: int = 0  # of 32 bytes, of global and local memory, that its lanes touched


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Timing(Display):
    """Cycles, and where they went.

    `stalls` sums to `warp_cycles`: every cycle of every resident warp has exactly one cause.
    """

    cycles: int  # of the SM that is active longest, up to its last store's departure; launch overhead apart
    clock_mhz: int
    warp_cycles: int  # the sum over warps of the cycles each was resident
    stalls: Mapping[str, int]  # warp-cycles by cause
    resources: Mapping[str, float]  # cycles that the launch would take if only that resource limited it
    counters: Mapping[str, int]
    blocks_per_sm: int
    occupancy_limit: str
    by_instruction: tuple[InstructionTime, ...] = field(repr=False)
    fidelity: str = "full"  # or "sampled": some SMs stand for all, and a few iterations and waves for the rest
    error_estimate: float = 0.0  # half of the width of `cycles_interval`, relative: the sampling's own estimate
    doubts: Mapping[str, float] = field(default_factory=dict)  # what it comes from, by reason, as shares of `cycles`
    notes: tuple[str, ...] = ()  # what was sampled, what was left out, and which instructions' rates are estimates
    trailing_cycles: int = 0  # of the launch, when all SMs are done, for RED that are still on their way
    extrapolated: tuple[str, ...] = ()  # keys of the result that a part of the launch stands for
    timeline: Timeline | None = field(default=None, repr=False)

    @property
    def seconds(self) -> float:
        """Time at `clock_mhz`, until all that SMs have sent is done."""
        return (self.cycles + self.trailing_cycles) / (self.clock_mhz * 1e6)

    @property
    def cycles_interval(self) -> tuple[int, int]:
        """Least and most cycles: what fidelity full gives lies between them for 90 % of sampled launches."""
        return interval(self.cycles, self.error_estimate)

    @property
    def doubt(self) -> float:
        """What is unknown of an extrapolated number, relative; 0 where all blocks were executed."""
        return max(self.error_estimate, _LEAST_DOUBT) if self.extrapolated else 0.0

    @property
    def bank_conflicts(self) -> int:
        """Shared-memory wavefronts beyond what the same accesses need without conflicts."""
        return self.counters["wavefronts"] - self.counters["ideal_wavefronts"]

    @property
    def limit(self) -> str:
        """One sentence: which resource limits the launch, or what its warps wait for."""
        name, alone = max(self.resources.items(), key=lambda item: item[1])
        share = alone / self.cycles
        causes = {cause: n for cause, n in self.stalls.items() if cause != Stall.selected.name and n}
        cause = max(causes, key=lambda c: causes[c]) if causes else Stall.selected.name
        waits = (
            f"warps wait most for {cause} ({100 * self.stalls[cause] / max(self.warp_cycles, 1):.0f} % of warp-cycles)"
        )
        of, whole = (shown(one, self.doubt) for one in (alone, self.cycles))
        alone_text = f"if {name} were the only limit: {of} of {whole} cycles ({100 * share:.0f} %)"
        if share >= _SATURATED:
            return f"limited by {name}; {alone_text}; {waits}"
        return f"latency-bound: no resource is saturated; {alone_text}; {waits}"

    def headline(self) -> str:
        """Return cycles, time and fidelity in one line."""
        cycles = shown(self.cycles, self.doubt)
        return f"{cycles} cycles, {1e6 * self.seconds:,.1f} us at {self.clock_mhz} MHz, fidelity {self.fidelity}"

    def columns(self) -> Columns:
        """Return one row an instruction."""
        return by_column([asdict(one) for one in self.by_instruction])

    def tables(self) -> Sequence[tuple[str, Columns]]:
        """Return where the warps' cycles went, and what each resource alone would take."""
        stalls = sorted(((n, cause) for cause, n in self.stalls.items() if n), reverse=True)
        alone = sorted(((n, name) for name, n in self.resources.items() if n), reverse=True)
        return (
            (
                "where the warps' cycles went",
                {
                    "cause": [cause for _, cause in stalls],
                    "warp-cycles": [n for n, _ in stalls],
                    "share": [f"{100 * n / max(self.warp_cycles, 1):.1f} %" for n, _ in stalls],
                },
            ),
            (
                "if only one resource limited it",
                {
                    "resource": [name for _, name in alone],
                    "cycles": [float(n) for n, _ in alone],
                    "share": [f"{100 * n / max(self.cycles, 1):.1f} %" for n, _ in alone],
                },
            ),
        )


_LEAST_DOUBT = 0.001  # of a number that a part stands for
_SATURATED = 0.8  # of the cycles: beyond it a resource, not latency, sets the time


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LaunchResult(Display):
    """The outcome of one launch; the arrays that were passed hold the values."""

    kernel: str
    device: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    instructions: int  # executed warp-instructions, as smsp__inst_executed.sum
    timing: Timing | None = None

    def _timed(self) -> Timing:
        if self.timing is None:
            raise AttributeError("this launch was not timed: pass timing=True")
        return self.timing

    @property
    def cycles(self) -> int:
        """Cycles of the launch; needs timing=True."""
        return self._timed().cycles

    @property
    def seconds(self) -> float:
        """Seconds of the launch at its clock; needs timing=True."""
        return self._timed().seconds

    @property
    def stalls(self) -> Mapping[str, int]:
        """Warp-cycles by cause; needs timing=True."""
        return self._timed().stalls

    @property
    def timeline(self) -> Timeline:
        """What each warp did in every cycle; needs timing=True and timeline=True."""
        if self._timed().timeline is None:
            raise AttributeError("this launch kept no timeline: pass timeline=True")
        return cast("Timeline", self._timed().timeline)

    @property
    def bank_conflicts(self) -> int:
        """Shared-memory wavefronts beyond the ideal; needs timing=True."""
        return self._timed().bank_conflicts

    def headline(self) -> str:
        """Return kernel, board, shape and cycles in one line."""
        grid, block = (" x ".join(map(str, shape)) for shape in (self.grid, self.block))
        timed = f"; {self.timing.headline()}" if self.timing else ""
        doubt = self.timing.doubt if self.timing else 0.0
        count = shown(self.instructions, doubt)
        return f"{self.kernel} on {self.device}: grid {grid}, block {block}, {count} warp-instructions{timed}"

    def columns(self) -> Columns:
        """Return one row: what was launched, and, where it was timed, the totals and the warp-cycles by cause."""
        row: dict[str, Any] = {
            "kernel": self.kernel,
            "device": self.device,
            "grid": self.grid,
            "block": self.block,
            "instructions": self.instructions,
        }
        if self.timing:
            row |= {name: getattr(self.timing, name) for name in ("cycles", "seconds", "bank_conflicts", "limit")}
            row |= dict(zip(("least_cycles", "most_cycles"), self.timing.cycles_interval, strict=True))
            row |= self.timing.stalls
        return by_column([row])

    def tables(self) -> Sequence[tuple[str, Columns]]:
        """Return where the cycles went, where the launch was timed."""
        return (("", {"limit": [self.timing.limit]}), *self.timing.tables()) if self.timing else ()

    def roofline(self) -> Display:
        """Return the timed launch under its board's ceilings, as a chart with `to_svg()`.

        Raises:
            BadInputError: the launch was not timed, or executed no floating-point instruction.

        """
        chart: Display = above("report.roofline", "roofline_chart")(self)
        return chart

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON types, with the keys of schema simtc.run/1."""
        timing = self.timing
        return {
            "schema": "simtc.run/1",
            "kernel": self.kernel,
            "device": self.device,
            "grid": list(self.grid),
            "block": list(self.block),
            "fidelity": timing.fidelity if timing else None,
            "error_estimate": timing.error_estimate if timing else None,
            "doubts": dict(timing.doubts) if timing else {},
            "notes": list(timing.notes) if timing else [],
            "extrapolated": list(timing.extrapolated) if timing else [],
            "cycles": timing.cycles if timing else None,
            "cycles_interval": list(timing.cycles_interval) if timing else None,
            "trailing_cycles": timing.trailing_cycles if timing else None,
            "clock_mhz": timing.clock_mhz if timing else None,
            "seconds": timing.seconds if timing else None,
            "instructions": self.instructions,
            "stalls": dict(timing.stalls) if timing else None,
            "warp_cycles": timing.warp_cycles if timing else None,
            "bank_conflicts": timing.bank_conflicts if timing else None,
            "resources": dict(timing.resources) if timing else None,
            "counters": dict(timing.counters) if timing else None,
            "by_instruction": [asdict(one) for one in timing.by_instruction] if timing else None,
            "by_line": [asdict(one) for one in by_line(timing.by_instruction)] if timing else None,
            "limit": timing.limit if timing else None,
        }

    def to_json(self) -> str:
        """Return the result as JSON text."""
        return json.dumps(self.to_dict(), indent=2)
