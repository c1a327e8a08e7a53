"""The family in closed form: what the tensor cores, L1, the path from L2 and DRAM would take, each alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simtc.analytic.occupancy import occupancy
from simtc.analytic.quantization import Quantization
from simtc.arch import Device
from simtc.gemm.closed_form import analytic
from simtc.gemm.problem import Problem
from simtc.results.prediction import Prediction

if TYPE_CHECKING:
    from simtc.gemm.wmma_gemm.configuration import WmmaGemm

__all__ = ["predict"]

_LEFT_OUT = (
    "the order of instructions: every load's latency stands between two products of a warp",
    "sectors that a load touches beyond its bytes, and the products by alpha",
    "L2 misses beyond the first touch of A, B and C",
    "clocks that fall under load, on boards where it was not measured",
)


def predict(made: WmmaGemm, problem: Problem, device: Device) -> Prediction:
    """Predict C = alpha op(A) op(B) + beta C.

    Every warp reads its own rows of A and columns of B for every product. Of a block, L1 serves what its four warps
    along m and n share.
    """
    kernel, whole = made.program(), problem.padded(made.multiple)
    room = occupancy(device, threads=512, registers=kernel.registers, shared_bytes=kernel.shared_bytes)
    tile_m, tile_n, depth = made.tile
    grid = Quantization(m=whole.m, n=whole.n, tile_m=tile_m, tile_n=tile_n, wave=device.sm_count * max(room.blocks, 1))
    iteration = _iteration(made, whole, device)
    turns = grid.waves * max(room.blocks, 1) * whole.k // depth
    moved = whole.bytes + (0 if whole.beta else whole.m * whole.n * whole.element_bytes("C"))  # C is read in any case
    l2 = grid.tiles * whole.k * (tile_m * whole.element_bytes("A") + tile_n * whole.element_bytes("B"))
    resources = {name: turns * cycles for name, cycles in iteration.items()}
    resources["L2"] = l2 / (device.l2_measured_gb_per_s * 1e3 / device.clock_mhz)
    resources["DRAM"] = moved / device.dram_measured_bytes_per_cycle
    return analytic(
        "wmma_gemm",
        device,
        (problem.m, problem.n, problem.k),
        room=room,
        config=made.to_dict(),
        cycles=max(resources.values()) + device.dram_cycles,
        peak_tflops=device.tensor_peak_tflops(_rated(made), made.pair.sum),
        resources=resources,
        iteration=iteration,
        traffic={"L2 read": float(l2), "DRAM": float(moved)},
        blocks=grid.tiles,
        waves=grid.waves,
        registers=kernel.registers,
        shared_bytes=kernel.shared_bytes,
        tile_waste=1 - problem.m * problem.n / (whole.m * whole.n),
        depth_waste=1 - problem.k / whole.k,
        wave_waste=grid.wave_waste,
        left_out=_LEFT_OUT,
    )


def _iteration(made: WmmaGemm, problem: Problem, device: Device) -> dict[str, float]:
    """Return the cycles of one block's step along k of each pipe of its SM."""
    m, n, k = made.shape
    tile_m, tile_n, _ = made.tile
    fragment = k * (m * problem.element_bytes("A") + n * problem.element_bytes("B"))
    shared = k * (tile_m * problem.element_bytes("A") + tile_n * problem.element_bytes("B"))
    return {
        "tensor pipe": tile_m * tile_n * k / device.tensor_rate(_rated(made), made.pair.sum),
        "L1": 16 * fragment / device.sm.shared.wavefront_bytes,
        "path from L2": shared / device.sm.l1.l2_bytes_per_cycle,
    }


def _rated(made: WmmaGemm) -> str:
    return "s8" if made.pair.operand == "u8" else made.pair.operand  # unsigned ones run at the same rate
