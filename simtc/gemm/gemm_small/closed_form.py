"""Tiny products in closed form: what each resource would take alone, and what one block waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simtc.analytic.occupancy import occupancy
from simtc.analytic.roofline import fp16_unit_peak_tflops
from simtc.arch import Device
from simtc.gemm.closed_form import analytic
from simtc.gemm.problem import Problem
from simtc.results.prediction import Prediction

if TYPE_CHECKING:
    from simtc.gemm.gemm_small.configuration import GemmSmall

__all__ = ["predict"]

_LEFT_OUT = (
    "the order of instructions, and bank conflicts",
    "sectors that a matrix shares with its neighbours, and L2 misses beyond the first touch",
)
_BLOCK = 60  # warp instructions beside the products, as the compiler makes them
_PACKED = 420  # likewise of a warp that packs


def predict(made: GemmSmall, problem: Problem, device: Device) -> Prediction:
    """Predict C = alpha A B + beta C over a batch."""
    kernel = made.program()
    x, y, z = made.block_dim
    warps = -(-x * y * z // 32)
    room = occupancy(device, threads=x * y * z, registers=kernel.registers, shared_bytes=kernel.shared_bytes)
    blocks = made.grid_dim(problem)[0]
    turns, products = -(-blocks // device.sm_count), made.planes**2
    issue = warps * (_PACKED if made.packed else _BLOCK + (products + 2) * made.size) / device.limits.sub_cores
    shared = 0.0 if made.packed else 2.0 * made.size * warps
    wait = 2 * device.l2_hit_cycles + device.dram_cycles + (_PACKED * 2 if made.packed else made.size * 30)
    resources = {
        "issue": turns * issue,
        "memory I/O": turns * (shared + 4 * warps),
        "DRAM": problem.bytes / device.dram_measured_bytes_per_cycle,
        "latency": -(-turns // max(room.blocks, 1)) * wait,
        "block scheduler": blocks * device.sm.launch.block_cycles,
    }
    if made.packed:
        resources["tensor pipe"] = turns * 16**3 / device.tensor_rate("f16", "f16")
    return analytic(
        "gemm_small",
        device,
        (problem.m, problem.n, problem.k),
        room=room,
        config=made.to_dict(),
        peak_tflops=device.tensor_peak_tflops("f16", "f16") if made.packed else fp16_unit_peak_tflops(device),
        resources=resources,
        iteration={"issue": issue, "memory I/O": shared},
        traffic={"DRAM": float(problem.bytes)},
        blocks=blocks,
        waves=-(-blocks // (device.sm_count * max(room.blocks, 1))),
        registers=kernel.registers,
        shared_bytes=kernel.shared_bytes,
        tile_waste=1 - problem.products / (blocks * made.together),
        depth_waste=0.0,
        wave_waste=1
        - turns * device.sm_count / (-(-turns // max(room.blocks, 1)) * max(room.blocks, 1) * device.sm_count),
        left_out=_LEFT_OUT,
        flops=problem.flops,
    )
