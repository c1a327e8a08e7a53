"""A batched GEMM in closed form: what each resource would take alone, and what one block waits for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import gcd
from typing import TYPE_CHECKING

from simtc.analytic.occupancy import occupancy
from simtc.arch import Device
from simtc.gemm.closed_form import analytic
from simtc.gemm.problem import Problem
from simtc.results.prediction import Prediction

if TYPE_CHECKING:
    from simtc.gemm.hgemm_batched.configuration import BatchedGemm
    from simtc.gemm.hgemm_batched.tiling import Tiling

__all__ = ["fragments_of", "predict", "register_demand"]

_LEFT_OUT = (
    "the order of instructions within a block, and how the blocks of an SM stand to each other",
    "DRAM's queues, refresh and turnarounds, and L2 misses beyond the first touch",
    "clocks that fall under load, on boards where it was not measured",
)
# Warp instructions, as the compiler makes them of kernels/hgemm_batched.cu: counted in its listings.
_READ = 6  # of an element to registers: two for the address, two for the bounds, the zero, the load
_WRITE = 6  # of an element of C: likewise, the product from shared memory, alpha; with beta
_COMBINE = 3  # more: beta C
_STEP = 6  # of a sub-block and step beside its matrix instructions: two or three loads, and their addresses
_BLOCK = 120  # of a warp beside all that
_REGISTERS = 44  # beside sums and tiles
_SPILLS = 215  # registers of sums and tiles beyond which the compiler keeps some in local memory


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One kernel over one problem."""

    made: BatchedGemm
    problem: Problem
    device: Device

    @property
    def iterations(self) -> int:
        return -(-self.problem.k // self.made.tile[2])

    @property
    def blocks(self) -> int:
        x, y, z = self.made.grid_dim(self.problem)
        return x * y * z

    @property
    def loaded(self) -> int:
        """Elements of the tiles of A and B."""
        m, n, k = self.made.tile
        return m * k + k * n

    @property
    def steps(self) -> int:
        """Products of the matrix instruction's shape in an iteration, of one plane pair."""
        tiling = self.made.tiling
        return tiling.sub_blocks * (tiling.block[2] // tiling.shape[2])

    @property
    def products(self) -> int:
        """Real products in a complex one."""
        return self.made.planes**2


def register_demand(made: BatchedGemm) -> int:
    """Return the registers of a thread for its sums and for the tiles under way.

    Example:
        >>> from simtc.gemm.hgemm_batched.configuration import BatchedGemm
        >>> from simtc.gemm.hgemm_batched.space import tiling_of
        >>> register_demand(BatchedGemm(tiling=tiling_of(4019), sm=70))
        40

    """
    tiling, (m, n, k) = made.tiling, made.tile
    sums = tiling.fragments * tiling.shape[0] * tiling.shape[1] * made.planes
    return sums // (32 if made.accumulator == "f32" else 64) + (m * k + k * n) // tiling.threads


def predict(made: BatchedGemm, problem: Problem, device: Device) -> Prediction:
    """Predict C = alpha op(A) op(B) + beta C over a batch.

    The time is the longest of: each pipe of an SM over all of its blocks, and what of one block's own time that pipe
    does not take, which nothing hides at the end; L2; DRAM; and the rounds of blocks that an SM goes through, each of
    which takes as long as one block alone.
    """
    case = _Case(made=made, problem=problem, device=device)
    registers = min(255, -(-(_REGISTERS + register_demand(made)) // 8) * 8)
    room = occupancy(device, threads=made.tiling.threads, registers=registers, shared_bytes=made.dynamic_shared_bytes)
    m, n, k = made.tile
    grid = made.grid_dim(problem)
    turns = -(-case.blocks // device.sm_count)  # blocks of the busiest SM
    iteration, once = _iteration(case), _once(case)
    resources = {name: turns * (case.iterations * iteration[name] + once.get(name, 0.0)) for name in iteration}
    moved, l2 = _traffic(case)
    resources["L2"] = l2 / device.l2_measured_bytes_per_cycle
    resources["DRAM"] = moved / device.dram_measured_bytes_per_cycle
    busy = max(case.iterations * iteration[name] + once.get(name, 0.0) for name in iteration)
    rounds, alone = -(-turns // max(room.blocks, 1)), _alone(case)
    resources["latency"] = rounds * alone
    resources["block scheduler"] = case.blocks * device.sm.launch.block_cycles
    inside = problem.m * problem.n / (grid[0] * m * grid[1] * n)
    return analytic(
        made.family,
        device,
        (problem.m, problem.n, problem.k),
        room=room,
        cycles=max(*resources.values(), turns * busy + max(alone - busy, 0.0)),
        config=made.to_dict(),
        peak_tflops=device.tensor_peak_tflops("f16", made.accumulator),
        resources=resources,
        iteration=iteration,
        traffic={"L2": l2, "DRAM": moved},
        blocks=case.blocks,
        waves=-(-case.blocks // (device.sm_count * max(room.blocks, 1))),
        registers=registers,
        shared_bytes=made.dynamic_shared_bytes,
        tile_waste=1 - inside,
        depth_waste=1 - problem.k / (case.iterations * k),
        wave_waste=1 - case.blocks / (rounds * max(room.blocks, 1) * device.sm_count),
        notes=_notes(made),
        left_out=_LEFT_OUT,
        flops=problem.flops,
    )


def _iteration(case: _Case) -> dict[str, float]:
    """Return the cycles of an SM's pipes for one block's iteration."""
    made, device = case.made, case.device
    tiling, (m, n, k) = made.tiling, made.tile
    pitch_a, pitch_b = _pitches(made)
    warps_of_loads = case.loaded / 32
    lines = max(1, 32 // tiling.dim[0])
    loaded = [fragments_of(tiling, warp) for warp in range(tiling.warps)]
    rows = tiling.shape[0] * sum(of_a for of_a, _ in loaded) * _row_conflicts(pitch_a)
    columns = tiling.shape[1] * sum(of_b for _, of_b in loaded) * _row_conflicts(pitch_b)
    stores = (
        m * k * _element_conflicts(tiling.dim[0], pitch_a) + k * n * _element_conflicts(tiling.dim[0], pitch_b)
    ) / 32
    read = made.planes * (stores + (rows + columns) * k / 64)
    issue = (_READ + made.planes) * warps_of_loads + case.steps * (_STEP * made.planes + _matrix(case))
    spilled = max(0, register_demand(made) - _SPILLS) * 2 * tiling.warps
    return {
        "tensor pipe": case.products * m * n * k / device.tensor_rate("f16", made.accumulator),
        "issue": (issue + spilled) / device.limits.sub_cores,
        "memory I/O": warps_of_loads * lines + read + spilled,
        "path from L2": case.loaded * 2 * made.planes / device.sm.l1.l2_bytes_per_cycle,
    }


def fragments_of(tiling: Tiling, warp: int) -> tuple[int, int]:
    """Return how many fragments of A, and of B, a warp loads for each step along k.

    Its sub-blocks are as many apart as the block has warps, down the columns of C. Where a column has a power of two of
    them, the compiler sees which share their rows of A, and loads those once; of B it loads every one.

    Example:
        >>> from simtc.gemm.hgemm_batched.space import tiling_of
        >>> fragments_of(tiling_of(4143), 0), fragments_of(tiling_of(1092), 0)
        ((1, 4), (5, 5))

    """
    own = len(range(warp, tiling.sub_blocks, tiling.warps))
    down = tiling.block[0] // tiling.shape[0]
    return (min(own, down // gcd(down, tiling.warps)) if down.bit_count() == 1 else own), own


def _once(case: _Case) -> dict[str, float]:
    """Return what one block adds to them, whatever k is."""
    made, device = case.made, case.device
    tiling, (m, n, _) = made.tiling, made.tile
    written = m * n / 32
    reads = bool(case.problem.beta)
    pitch = m + (8 if made.layout == "pad" else 0)
    lines = max(1, 32 // tiling.dim[0])
    each = made.planes * (_WRITE + reads * _COMBINE)
    sums = made.planes * m * n * 2 / 128 * _row_conflicts(pitch)
    through = made.planes * written * _element_conflicts(tiling.dim[0], pitch)
    return {
        "issue": (_BLOCK * tiling.warps + written * each) / device.limits.sub_cores,
        "memory I/O": sums + through + written * lines * (1 + reads),
    }


def _matrix(case: _Case) -> int:
    """Return the matrix instructions of one sub-block and step."""
    m, n, k = case.made.tiling.shape
    one = {70: 8 * 8 * 4 * 4 // 2, 75: 16 * 8 * 8}.get(case.made.sm, 16 * 8 * 16)
    return case.products * m * n * k // one


def _alone(case: _Case) -> float:
    """Return the cycles from a block's start to its end where nothing stands in its way."""
    made, device = case.made, case.device
    tiling = made.tiling
    deep = -(-tiling.warps // device.limits.sub_cores)  # warps of the block on one sub-core
    each = case.loaded / tiling.threads
    fragment = device.sm.memory["LDS.128" if made.sm < 75 else "LDSM.4"].latency_cycles
    product = _matrix(case) * 8 + 2 * fragment
    multiply = tiling.fragments * (tiling.block[2] // tiling.shape[2]) * product
    load = device.l2_hit_cycles + deep * each * _READ
    barrier = device.sm.issue.barrier_base_cycles + device.sm.issue.barrier_warp_cycles * tiling.warps
    store = deep * each * made.planes + barrier
    written = tiling.block[0] * tiling.block[1] / tiling.threads
    end = deep * written * (_WRITE + (_COMBINE if case.problem.beta else 0)) * made.planes + 2 * fragment + barrier
    if case.problem.beta:
        end += device.l2_hit_cycles
    start = device.l2_hit_cycles + device.dram_cycles + deep * (each * _READ + _BLOCK)
    # A tile that outgrows the registers goes to local memory, element by element, each as late as its load.
    memory = device.dram_cycles if case.problem.bytes > device.l2_bytes else device.l2_hit_cycles
    spilled = max(0, register_demand(made) - _SPILLS) * (memory + device.sm.memory["LDG.32"].latency_cycles)
    waits = case.iterations * (store + spilled) + (case.iterations - 1) * max(multiply, load)
    return start + waits + multiply + end


def _traffic(case: _Case) -> tuple[float, float]:
    """Return the bytes from DRAM, each matrix once, and those from L2, each block its own strips."""
    made, problem = case.made, case.problem
    size = problem.element_bytes("A")
    rows, columns, products = made.grid_dim(problem)
    strips = problem.k * (columns * problem.m + rows * problem.n)
    results = problem.m * problem.n * (2 if problem.beta else 1)
    return float(problem.bytes), float(products * size * (strips + results))


def _pitches(made: BatchedGemm) -> tuple[int, int]:
    """Return the elements from one column of a tile in shared memory to the next: of A, and of B."""
    m, n, k = made.tile
    pad = 8 if made.layout == "pad" else 0
    return (k if made.transpose[0] == "t" else m) + pad, (n if made.transpose[1] == "t" else k) + pad


def _row_conflicts(pitch: int) -> int:
    """Return the wavefronts for eight rows of 16 bytes, `pitch` halves apart: one where they meet in no bank.

    Example:
        >>> [_row_conflicts(pitch) for pitch in (16, 32, 64, 72)]
        [2, 4, 8, 1]

    """
    return gcd(pitch // 8, 8)


@lru_cache(maxsize=1024)
def _element_conflicts(across: int, pitch: int) -> int:
    """Return the wavefronts of a warp that stores halves, `across` threads along a column of a tile.

    Example:
        >>> _element_conflicts(16, 32), _element_conflicts(16, 64), _element_conflicts(8, 64)
        (1, 2, 4)

    """
    words = {(lane // across * pitch + lane % across) // 2 for lane in range(32)}
    banks = [word % 32 for word in words]
    return max(banks.count(bank) for bank in set(banks))


def _notes(made: BatchedGemm) -> tuple[str, ...]:
    found = []
    if made.tiling.idle_warps:
        found.append(f"{made.tiling.idle_warps} of {made.tiling.warps} warps multiply nothing")
    if register_demand(made) > _SPILLS:
        found.append("sums and tiles outgrow the registers: the compiler keeps some in local memory")
    return tuple(found)
