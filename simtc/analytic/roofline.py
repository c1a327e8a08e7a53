"""Roofline of a board: what its arithmetic and each level of its memory let a kernel reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simtc.analytic.chart import Chart, Mark, Series
from simtc.arch import Device
from simtc.errors import unknown
from simtc.results.display import Columns, Display, by_column

__all__ = ["Roofline", "fp16_unit_peak_tflops", "roofline"]

_FROM, _TO = 1.0, 1024.0  # FLOP/byte that the plot shows


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Roofline(Display):
    """Peaks in TFLOPS and bandwidths in GB/s of one board.

    Source: Williams, Waterman, Patterson: Roofline, 2009.

    Example:
        >>> from simtc import arch
        >>> one = roofline(arch.device("rtx2070"))
        >>> round(one.attainable_tflops(64, "DRAM"), 1), one.bound(64, "DRAM"), one.bound(64, "DRAM", roof="FP16 units")
        (24.3, 'DRAM', 'FP16 units')

    """

    device: str
    peaks_tflops: Mapping[str, float]
    levels_gb_per_s: Mapping[str, float]

    def ridge_flops_per_byte(self, level: str, *, roof: str = "tensor cores") -> float:
        """Return the intensity at which a level's slope meets the roof."""
        return self._peak(roof) * 1e3 / self._level(level)

    def attainable_tflops(self, flops_per_byte: float, level: str, *, roof: str = "tensor cores") -> float:
        """Return the lower of the roof and intensity x bandwidth.

        Raises:
            BadInputError: no such level or roof.

        """
        return min(self._peak(roof), flops_per_byte * self._level(level) * 1e-3)

    def bound(self, flops_per_byte: float, level: str, *, roof: str = "tensor cores") -> str:
        """Return which of the two it is that limits a kernel: the level or the roof."""
        return level if flops_per_byte < self.ridge_flops_per_byte(level, roof=roof) else roof

    def chart(self, marks: Sequence[Mark] = (), *, title: str | None = None) -> Chart:
        """Return the plot: intensity across, TFLOPS up, both logarithmic; `marks` are what kernels reach."""
        top = max(self.peaks_tflops.values())
        reached = [one.x for one in marks if one.x is not None]
        first, last = min([_FROM, *(x / 2 for x in reached)]), max([_TO, *(2 * x for x in reached)])
        series = []
        for level, bandwidth in self.levels_gb_per_s.items():
            ridge = top * 1e3 / bandwidth
            points = tuple((x, min(top, x * bandwidth * 1e-3)) for x in sorted({first, ridge, last}))
            series.append(Series(name=f"{level}, {bandwidth:,.0f} GB/s", points=points))
        for roof, peak in self.peaks_tflops.items():
            series.append(Series(name=f"{roof}, {peak:.1f} TFLOPS", points=((first, peak), (last, peak))))
        return Chart(
            title=title or f"Roofline of {self.device}", across="FLOP/byte", up="TFLOPS", series=tuple(series),
            log=(True, True), marks=tuple(marks),
        )  # fmt: skip

    def headline(self) -> str:
        """Return the board and its peak in one line."""
        return f"of {self.device}: {max(self.peaks_tflops.values()):.1f} TFLOPS"

    def columns(self) -> Columns:
        """Return one row for each roof and level: the roof, the slope, and where they meet."""
        return by_column(
            [
                {"roof": roof, "tflops": peak, "level": level, "gb_per_s": speed}
                | {"ridge_flops_per_byte": self.ridge_flops_per_byte(level, roof=roof)}
                for roof, peak in self.peaks_tflops.items()
                for level, speed in self.levels_gb_per_s.items()
            ]
        )

    def pictures(self) -> Sequence[str]:
        """Return the plot."""
        return (self.to_svg(),)

    def to_svg(self) -> str:
        """Draw the plot."""
        return self.chart().to_svg()

    def _peak(self, roof: str) -> float:
        if roof not in self.peaks_tflops:
            raise unknown("roof", roof, self.peaks_tflops)
        return self.peaks_tflops[roof]

    def _level(self, level: str) -> float:
        if level not in self.levels_gb_per_s:
            raise unknown("memory level", level, self.levels_gb_per_s)
        return self.levels_gb_per_s[level]


def fp16_unit_peak_tflops(device: Device) -> float:
    """Return the peak of HFMA2, two multiply-adds a lane: what f16 reaches without tensor cores.

    Example:
        >>> from simtc import arch
        >>> t4 = arch.device("t4")
        >>> round(t4.tensor_peak_tflops("f16", "f16") / fp16_unit_peak_tflops(t4), 3)
        4.0

    """
    lanes = 32 * device.limits.sub_cores / device.sm.pipes.fp16.issue_interval_cycles
    return 2 * 2 * lanes * device.sm_count * device.clock_mhz * 1e-6


def roofline(device: Device, *, accumulator: str = "f16") -> Roofline:
    """Return a board's roofline, with its bandwidths as measured.

    Levels: DRAM and L2 of the chip, and the shared memory of all SMs (its data stages).

    Raises:
        BadInputError: only closed forms without tensor cores are known of this board.

    Source: Yan et al. 2020, Table II and figure 3, for what is drawn; `simtc arch` for each number.
    """
    shared = device.sm.shared.data_stage_bytes_per_cycle * device.sm_count * device.clock_mhz * 1e-3
    return Roofline(
        device=device.name,
        peaks_tflops={
            "tensor cores": device.tensor_peak_tflops("f16", accumulator),
            "FP16 units": fp16_unit_peak_tflops(device),
        },
        levels_gb_per_s={
            "DRAM": device.dram_measured_gb_per_s,
            "L2": device.l2_measured_gb_per_s,
            "shared memory": shared,
        },
    )
