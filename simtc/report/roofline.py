"""The roofline of a run: what its board lets it reach at each level of the memory, and what it reached."""

from __future__ import annotations

from collections.abc import Mapping

from simtc import arch
from simtc.analytic.chart import Chart, Mark
from simtc.analytic.roofline import Roofline, fp16_unit_peak_tflops
from simtc.errors import BadInputError
from simtc.report.work import executed_flops
from simtc.results import LaunchResult
from simtc.results.prediction import Prediction

__all__ = ["roofline_chart"]

_SECTOR = 32  # bytes


def roofline_chart(result: LaunchResult | Prediction, *, device: arch.Device | None = None) -> Chart:
    """Return the roofline of a run's board with the run in it, once for each level of the memory that it used.

    Of a prediction the useful operations count, of a launch those that were executed, in all lanes. Bytes are those
    that a level delivered, and those that were stored. The ceilings are measured bandwidths and theoretical peaks, at
    the run's clock.

    Args:
        result: a prediction, or a timed launch.
        device: its board, where simtc does not have it by name.

    Raises:
        BadInputError: the launch was not timed or computes nothing, or nothing is known of its memory traffic.

    Source: Williams, Waterman, Patterson: Roofline, 2009, in its hierarchical form.

    Example:
        >>> from simtc import simulate
        >>> chart = roofline_chart(simulate("hgemm", m=4096, n=4096, k=4096, device="t4", fidelity="analytic"))
        >>> [mark.name.partition(":")[0] for mark in chart.marks]
        ['at DRAM', 'at L2']

    """
    board = device or arch.device(result.device)
    if isinstance(result, Prediction):
        flops, seconds, mhz = result.tflops * 1e12 * result.seconds, result.seconds, result.clock_mhz
        roofs = {"peak of these types": result.peak_tflops}
        moved, title = _predicted(result.traffic), f"{result.family} {result.m} x {result.n} x {result.k}"
    else:
        timing = result.timing
        if timing is None:
            raise BadInputError("this launch was not timed, and a roofline needs its time. Try: timing=True")
        work = executed_flops(timing)
        flops, seconds, mhz = float(sum(work.values())), timing.seconds, timing.clock_mhz
        roofs = _roofs(work, board.at(mhz))
        moved, title = _counted(timing.counters, board), result.kernel
    board = board.at(mhz)
    speeds = _levels(board)
    levels = {name: speeds[name] for name in moved if moved[name] > 0 and name in speeds}
    if not levels:
        raise BadInputError(f"{title} moved nothing that was counted: it has no place in a roofline")
    roofs |= {"FP32 units": board.scalar_peak_tflops("f32")}
    one = Roofline(device=board.name, peaks_tflops=roofs, levels_gb_per_s=levels)
    reached = 1e-12 * flops / seconds
    marks = []
    for level, gb_per_s in levels.items():
        x = flops / moved[level]
        share = 100 * reached / min(max(roofs.values()), x * gb_per_s * 1e-3)
        name = f"at {level}: {x:,.1f} FLOP/byte, {reached:.2f} TFLOPS, {share:.0f} % of what it lets through"
        marks.append(Mark(name=name, x=x, y=reached))
    return one.chart(marks, title=f"Roofline: {title} on {board.name} at {mhz:,} MHz")


def _levels(board: arch.Device) -> dict[str, float]:
    """Return the bandwidths in GB/s that are known of a board."""
    found = {"DRAM": board.dram_measured_gb_per_s, "L2": board.l2_measured_gb_per_s}
    if board.cycle_level is not None:
        stage = board.sm.shared.data_stage_bytes_per_cycle
        found["shared memory"] = stage * board.sm_count * board.clock_mhz * 1e-3
    return {name: speed for name, speed in found.items() if speed}


def _roofs(work: Mapping[str, int], board: arch.Device) -> dict[str, float]:
    """Return the peaks of the units that a launch used, in TFLOPS."""
    found = {}
    for unit in work:
        if unit.startswith("tensor cores "):
            found[unit] = board.tensor_peak_tflops(*unit.removeprefix("tensor cores ").split("."))
        elif unit == "FP16 units":
            found[unit] = fp16_unit_peak_tflops(board)
        else:
            found[unit] = board.scalar_peak_tflops({"FP32 units": "f32", "FP64 units": "f64"}[unit])
    return found


def _predicted(traffic: Mapping[str, float]) -> dict[str, float]:
    """Return a prediction's bytes by level; what is written passes L2 and ends in DRAM."""
    found = {}
    for level in ("DRAM", "L2", "shared memory"):
        own = sum(count for name, count in traffic.items() if name.startswith(level))
        found[level] = own + (traffic.get("written", 0.0) if own and level != "shared memory" else 0.0)
    return found


def _counted(counters: Mapping[str, int], board: arch.Device) -> dict[str, float]:
    """Return a launch's bytes by level."""
    stored = counters["store_sectors"]
    return {
        "DRAM": float(_SECTOR * (counters["dram_sectors"] + stored)),
        "L2": float(_SECTOR * (counters["l2_sectors"] + stored)),
        "shared memory": float(board.sm.shared.wavefront_bytes * counters["wavefronts"]),
    }
