"""A configured HGEMM in closed form: what each resource would take, composed over waves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from simtc.analytic.quantization import Quantization
from simtc.analytic.split_k import reduction_bytes, slice_depth
from simtc.analytic.traffic import WaveTraffic, is_resident, wave_traffic
from simtc.arch import Device
from simtc.gemm.closed_form import analytic
from simtc.gemm.hgemm.configuration import Configuration
from simtc.gemm.hgemm.pipes import memory_io_cycles, path_from_l2_cycles, tensor_cycles
from simtc.results.prediction import Prediction

__all__ = ["LEFT_OUT", "predict"]

LEFT_OUT = (
    "the order of instructions: no stall between an HMMA and the loads that feed it",
    "barriers, address arithmetic and instruction fetch",
    "L2 misses beyond a wave's first touch, and DRAM's queues, refresh and turnarounds",
    "C, and the partial sums of split-K, staying in L2",
    "clocks that fall under load, on boards where it was not measured",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One GEMM over one configuration."""

    tiles: Configuration
    device: Device
    grid: Quantization
    depth: int  # of k that a block works through, padding included
    k: int
    beta: bool
    products: int
    load_bytes: tuple[int, int]

    @property
    def iterations(self) -> int:
        return self.depth // self.tiles.block[2]


def predict(
    tiles: Configuration,
    device: Device,
    *,
    m: int,
    n: int,
    k: int,
    beta: bool = False,
    products: int = 1,
    leading: tuple[int, int] | None = None,
) -> Prediction:
    """Predict C (m, n) = A (m, k) B (k, n), or a batch of them, over a configuration.

    Args:
        tiles: block, warp, layout, stages.
        device: the board.
        m: rows of C; padded to whole blocks, as n.
        n: columns of C.
        k: depth; padded to whole iterations of the block's k.
        beta: whether C is read too.
        products: the batch's.
        leading: elements from one line of A, and of B, to the next; None is as many as a line has.

    Raises:
        BadInputError: a size out of range.

    Example:
        >>> from simtc import arch
        >>> yan = Configuration(block=(256, 256, 32), warp=(128, 64, 8))
        >>> one = predict(yan, arch.device("rtx2070"), m=8192, n=8192, k=8192)
        >>> round(one.tflops, 1), one.bound
        (57.4, 'tensor pipe')

    """
    wave = device.sm_count * tiles.occupancy(device).blocks
    grid = Quantization(
        m=m, n=n, tile_m=tiles.block[0], tile_n=tiles.block[1], wave=wave, slices=tiles.split_k * products
    )
    apart = leading or tuple(size if turned else k for size, turned in zip((m, n), tiles.turned, strict=True))
    case = _Case(
        tiles=tiles,
        device=device,
        grid=grid,
        depth=slice_depth(k, tiles.block[2], tiles.split_k),
        k=k,
        beta=beta,
        products=products,
        load_bytes=(_widest(apart[0]), _widest(apart[1])),
    )
    return _compose(case)


def _widest(extent: int) -> int:
    """Return the widest load, in bytes, that starts every row of `extent` halves aligned."""
    return min(16, 2 * (extent & -extent))


def _result_bytes(case: _Case) -> float:
    """Return what is moved of D, of C where it counts, and of partial sums."""
    m, n = case.grid.m, case.grid.n
    return case.products * (2 * m * n * (2 if case.beta else 1) + reduction_bytes(m, n, case.tiles.split_k))


def _compose(case: _Case) -> Prediction:
    tiles, grid, device = case.tiles, case.grid, case.device
    room = tiles.occupancy(device)
    waves = wave_traffic(grid, depth=case.depth, l2_bytes=device.l2_bytes)
    iteration = {
        "tensor pipe": tensor_cycles(tiles, device),
        "memory I/O": memory_io_cycles(tiles, device, load_bytes=case.load_bytes),
        "path from L2": path_from_l2_cycles(tiles, device),
    }
    of_waves = [(wave.times, _wave_cycles(case, iteration, wave)) for wave in waves]
    main = sum(times * max(cycles.values()) for times, cycles in of_waves)
    resources = {name: sum(times * cycles[name] for times, cycles in of_waves) for name in of_waves[0][1]}
    results = _result_bytes(case)
    epilogue = results / device.dram_measured_bytes_per_cycle
    resources["DRAM"] += epilogue
    resources["latency"] = grid.waves * _fill_cycles(case, iteration)
    return analytic(
        "hgemm",
        device,
        (grid.m, grid.n, case.k),
        room=room,
        config=tiles.to_dict(),
        cycles=main + resources["latency"] + epilogue,
        peak_tflops=device.tensor_peak_tflops(tiles.types, tiles.accumulator),
        resources=resources,
        iteration=iteration,
        traffic={
            "L2 read": sum(wave.times * wave.l2_bytes for wave in waves),
            "DRAM read": sum(wave.times * wave.dram_bytes for wave in waves),
            "DRAM epilogue": results,
        },
        blocks=grid.tiles,
        waves=grid.waves,
        registers=tiles.registers,
        shared_bytes=tiles.shared_bytes,
        tile_waste=grid.tile_waste,
        depth_waste=1 - case.k / (case.depth * tiles.split_k),
        wave_waste=grid.wave_waste,
        notes=_notes(case),
        left_out=LEFT_OUT,
        flops=None if case.products == 1 else 2 * grid.m * grid.n * case.k * case.products,
    )


def _wave_cycles(case: _Case, iteration: Mapping[str, float], wave: WaveTraffic) -> dict[str, float]:
    """Return the cycles of one wave's main loops if only one resource limited them.

    Pipes belong to an SM, and the busiest one sets the time; L2 and DRAM belong to the chip.
    """
    device = case.device
    turns = -(-wave.blocks // device.sm_count) * case.iterations
    return {
        **{name: turns * cycles for name, cycles in iteration.items()},
        "L2": wave.l2_bytes / (device.l2_measured_gb_per_s * 1e3 / device.clock_mhz),
        "DRAM": wave.dram_bytes / device.dram_measured_bytes_per_cycle,
    }


def _fill_cycles(case: _Case, iteration: Mapping[str, float]) -> float:
    """Return what a wave takes before its first HMMA: the first tiles come from DRAM and pass through shared memory."""
    device = case.device
    fragment = device.sm.memory[case.tiles.shared_load].latency_cycles
    return device.dram_cycles + iteration["path from L2"] + fragment


def _notes(case: _Case) -> tuple[str, ...]:
    found = []
    for name, bytes_ in zip("AB", case.load_bytes, strict=True):
        if bytes_ < 16:
            found.append(f"rows of {name} are aligned to {bytes_} bytes: loads of {bytes_} bytes instead of 16")
    if is_resident(case.grid, depth=case.depth, l2_bytes=case.device.l2_bytes):
        found.append("A and B fit L2 together: each byte comes from DRAM once")
    if case.tiles.split_k > 1:
        found.append(f"{case.tiles.split_k} slices of k: f32 partial sums are written, read back and added")
    return tuple(found)
