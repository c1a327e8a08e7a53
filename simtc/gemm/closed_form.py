"""What every family's closed form says alike, made into a prediction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simtc.analytic.occupancy import Occupancy
from simtc.arch import Device
from simtc.gemm.problem import Shape
from simtc.results.prediction import Prediction

__all__ = ["analytic"]


def analytic(
    family: str,
    device: Device,
    size: Shape,
    *,
    config: Mapping[str, Any],
    room: Occupancy,
    resources: Mapping[str, float],
    iteration: Mapping[str, float],
    traffic: Mapping[str, float],
    peak_tflops: float,
    blocks: int,
    waves: int,
    registers: int,
    shared_bytes: int,
    tile_waste: float,
    depth_waste: float,
    wave_waste: float,
    left_out: tuple[str, ...],
    cycles: float | None = None,
    notes: tuple[str, ...] = (),
    flops: int | None = None,
) -> Prediction:
    """Return a closed form's prediction: what binds is the resource that alone would take longest.

    `size` is m, n and k; `room` how many blocks an SM holds; `cycles` of the whole are those of the longest resource
    unless given; the rest are fields of Prediction. A board without a clock has no launch cost that is known.

    Example:
        >>> from simtc import arch
        >>> from simtc.analytic.occupancy import occupancy
        >>> board = arch.device("t4")
        >>> one = analytic(
        ...     "sgemm", board, (64, 64, 64), room=occupancy(board, threads=64, registers=32), config={},
        ...     resources={"issue": 100.0, "DRAM": 40.0}, iteration={}, traffic={}, peak_tflops=8.1, blocks=1, waves=1,
        ...     registers=32, shared_bytes=0, tile_waste=0.0, depth_waste=0.0, wave_waste=0.0, left_out=(),
        ... )
        >>> one.bound, one.cycles, one.blocks_per_sm
        ('issue', 100.0, 16)

    """
    bound = max(resources, key=lambda name: resources[name])
    launch = device.cycle_level.launch if device.cycle_level else None
    m, n, k = size
    return Prediction(
        family=family,
        device=device.name,
        m=m,
        n=n,
        k=k,
        config=config,
        fidelity="analytic",
        cycles=resources[bound] if cycles is None else cycles,
        clock_mhz=device.clock_mhz,
        peak_tflops=peak_tflops,
        bound=bound,
        limit=f"limited by {bound}",
        launch_cycles=launch.base_cycles + launch.warp_cycles * room.warps + device.outside_cycles if launch else 0.0,
        resources=resources,
        iteration=iteration,
        traffic=traffic,
        blocks=blocks,
        waves=waves,
        blocks_per_sm=room.blocks,
        warps_per_sm=room.blocks * room.warps,
        occupancy_limit=room.limit,
        registers=registers,
        shared_bytes=shared_bytes,
        tile_waste=tile_waste,
        depth_waste=depth_waste,
        wave_waste=wave_waste,
        notes=notes,
        left_out=left_out,
        flops=flops,
    )
