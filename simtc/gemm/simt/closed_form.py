"""The families in closed form: what issue, the FMA pipe, shared memory and DRAM would take, each alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simtc.analytic.before_volta import bank_cycles, transactions
from simtc.analytic.occupancy import occupancy
from simtc.analytic.quantization import Quantization
from simtc.arch import Device
from simtc.gemm.closed_form import analytic
from simtc.gemm.problem import Problem
from simtc.gemm.simt.accesses import requests
from simtc.gemm.simt.blocking import Step
from simtc.layout.banks import Access
from simtc.results.prediction import Prediction

if TYPE_CHECKING:
    from simtc.gemm.simt.configuration import SimtGemm

__all__ = ["Ceiling", "ceiling", "predict"]

_SECTOR = 32
_LEFT_OUT = (
    "the order of instructions, addressing and branches",
    "textures, through which the paper reads A and B",
    "L2 misses and hits: each block brings its own strips",
)
_NOT_SIMULATED = "closed forms alone: the machine code and the clock of this board are not known"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """The most of a board's multiply-adds that a blocking lets it reach, by what it issues beside them."""

    multiply_add_cycles: float  # of a warp's step
    issue_cycles: float

    @property
    def share(self) -> float:
        """Cycles of multiply-adds over all."""
        return self.multiply_add_cycles / self.issue_cycles


def ceiling(made: SimtGemm, device: Device, *, wide_load_slots: int = 1, inner_loop: bool = True) -> Ceiling:
    """Return the ceiling by issue, of a board without a clock.

    Args:
        made: the kernel.
        device: gtx280, c2050.
        wide_load_slots: issue slots of a load of f64 from shared memory; one or two, papers disagree.
        inner_loop: leave out what brings the next strips.

    Raises:
        BadInputError: the board has a clock.

    Example:
        >>> from simtc import arch
        >>> from simtc.gemm.registry import family
        >>> sgemm = family("sgemm").configured("sm_20", {"block": (96, 96, 16)})
        >>> ceiling(sgemm, arch.device("c2050")).share
        0.75

    """
    from simtc.analytic.before_volta import simt_of  # noqa: PLC0415 - beside its use

    simt, single = simt_of(device), made.numbers.real == "f32"
    in_place = made.blocking.kind == "shared" and single and simt.shared_operand_cycles > 0
    step = made.blocking.step(made.how, operand_in_place=in_place)
    plain, slow = simt.f32_fma_cycles if single else simt.f64_fma_cycles, simt.shared_operand_cycles
    multiply_adds, spent = step.multiply_adds * plain, step.multiply_adds * (slow if in_place else plain)
    slots = step.shared_loads * (1 if single else wide_load_slots)
    beside = slots + (0 if inner_loop else step.shared_stores + step.global_loads + step.barriers)
    # An addition in f64 takes the pipe of a multiply-add; in f32 an issue slot is all.
    spent += beside * simt.issue_cycles + step.additions * plain
    return Ceiling(multiply_add_cycles=multiply_adds, issue_cycles=spent)


def predict(made: SimtGemm, problem: Problem, device: Device) -> Prediction:
    """Predict D = alpha op(A) op(B) + beta C."""
    blocking, numbers, limits = made.blocking, made.numbers, device.limits
    registers, shared = _room_needed(made)
    room = occupancy(device, threads=blocking.count, registers=registers, shared_bytes=shared)
    tile_m, tile_n, depth = made.tile
    resident = max(room.blocks, 1)
    grid = Quantization(m=problem.m, n=problem.n, tile_m=tile_m, tile_n=tile_n, wave=device.sm_count * resident)
    steps, an_sm = -(-problem.k // depth), -(-grid.tiles // device.sm_count)
    iteration, moved = _iteration(made, problem, device)
    resources = {name: an_sm * steps * cycles for name, cycles in iteration.items()}
    drawn = grid.tiles * steps * moved + problem.m * problem.n * problem.element_bytes("D") * (2 if problem.beta else 1)
    resources["DRAM"] = _dram_bytes(made, problem, device, drawn) / device.dram_measured_bytes_per_cycle
    # A block alone: with strips on their way meanwhile the longer of the two, else one after the other.
    wait, work = device.dram_cycles, max(iteration.values())
    resources["latency"] = (
        -(-an_sm // resident) * steps * (max(wait, work) if blocking.kind == "register" else wait + work)
    )
    return analytic(
        numbers.family,
        device,
        (problem.m, problem.n, problem.k),
        room=room,
        config=made.to_dict(),
        cycles=max(resources.values()) + device.dram_cycles,
        peak_tflops=device.scalar_peak_tflops(numbers.real),
        resources=resources,
        iteration=iteration,
        traffic={"L2 read" if limits.warps and device.l2_bytes else "DRAM read": float(drawn)},
        blocks=grid.tiles,
        waves=grid.waves,
        registers=registers,
        shared_bytes=shared,
        tile_waste=grid.tile_waste,
        depth_waste=1 - problem.k / (steps * depth),
        wave_waste=grid.wave_waste,
        notes=_notes(made, device),
        left_out=_LEFT_OUT,
        flops=problem.flops,
    )


def _room_needed(made: SimtGemm) -> tuple[int, int]:
    """Return the registers of a thread and the shared memory of a block: the listing's, or by count."""
    if made.not_executed() is None:
        kernel = made.program()
        return kernel.registers, kernel.shared_bytes
    width = made.numbers.real_bytes
    return made.blocking.registers(made.how, width), made.blocking.shared_bytes(made.how, width)


def _iteration(made: SimtGemm, problem: Problem, device: Device) -> tuple[dict[str, float], int]:
    """Return the cycles of an SM for a block's step, by resource, and the bytes that the step brings from memory."""
    warps, single = made.blocking.count // 32, made.numbers.real == "f32"
    moved, banks = 0, 0.0
    for one in requests(made, problem):
        if one.space == "global":
            moved += warps * one.times * _bytes(device, one.addresses, one.width_bytes)
        elif device.simt:
            banks += warps * one.times * bank_cycles(device, one.addresses, one.width_bytes)
        else:
            access = Access(addresses=one.addresses, width=8 * one.width_bytes, store=one.store)
            banks += warps * one.times * access.wavefronts
    if device.simt:
        in_place = made.blocking.kind == "shared" and single and device.simt.shared_operand_cycles > 0
        banks -= 0 if not in_place else warps * _operand_cycles(made, problem, device)
        issue = ceiling(made, device, inner_loop=False).issue_cycles
        return {"issue": warps * issue, "shared memory": banks}, moved
    step: Step = made.blocking.step(made.how)
    pipes, sub_cores = device.sm.pipes, device.limits.sub_cores
    pipe, sharing = (pipes.fma, 1) if single else (pipes.fp64, pipes.fp64_sub_cores)
    arithmetic = (step.multiply_adds + step.additions) * pipe.issue_interval_cycles * sharing / sub_cores
    return {
        "issue": warps * step.instructions / sub_cores,
        "FMA pipe" if single else "FP64 pipe": warps * arithmetic,
        "shared memory": banks,
        "path from L2": moved / device.sm.l1.l2_bytes_per_cycle,
    }, moved


def _operand_cycles(made: SimtGemm, problem: Problem, device: Device) -> float:
    """Return what the banks would take for operands that multiply-adds read themselves: it is in their own cycles."""
    one = list(requests(made, problem))[-1]
    return one.times * bank_cycles(device, one.addresses, one.width_bytes)


def _bytes(device: Device, addresses: tuple[int, ...], width: int) -> int:
    """Return what a warp's access moves."""
    if device.simt:
        return sum(transactions(device, addresses, width))
    return _SECTOR * len({(one + byte) // _SECTOR for one in addresses for byte in range(0, width, 4)})


def _dram_bytes(made: SimtGemm, problem: Problem, device: Device, drawn: int) -> float:
    """Return what comes from DRAM: all that blocks ask for without an L2, else each matrix once at least."""
    if not device.l2_bytes:
        return drawn
    tile_m, tile_n, _ = made.tile
    rows, columns = -(-problem.m // tile_m), -(-problem.n // tile_n)
    together = min(rows * columns, device.sm_count)  # blocks of a wave share strips: those of the rows side by side
    strips = min(together, rows) + -(-together // rows)
    return max(problem.bytes, drawn * strips / (2 * together))


def _notes(made: SimtGemm, device: Device) -> tuple[str, ...]:
    three = ("8 m n k operations are credited, 6 m n k are executed",) if made.method == "m3" else ()
    if device.simt is None:
        return three
    found = [*three, _NOT_SIMULATED]
    single = made.numbers.real == "f32"
    cycles = device.simt.f32_fma_cycles if single else device.simt.f64_fma_cycles
    alone = 64e-6 * device.sm_count * device.clock_mhz / cycles
    peak = device.scalar_peak_tflops(made.numbers.real)
    if peak > alone:
        found.append(f"of multiply-adds alone the peak is {1e3 * alone:.0f} GFLOP/s of {1e3 * peak:.0f}")
    return tuple(found)
