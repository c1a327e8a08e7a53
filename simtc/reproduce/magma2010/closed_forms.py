"""Peaks, blocking, occupancy and ceilings: no kernel of GTX 280 or C2050 is executed."""

from __future__ import annotations

from typing import Any

from simtc import arch
from simtc.analytic.chart import Chart, Mark, Series
from simtc.analytic.occupancy import occupancy
from simtc.gemm.registry import family
from simtc.gemm.simt.blocking import Blocking
from simtc.gemm.simt.closed_form import ceiling
from simtc.gemm.simt.configuration import SimtGemm
from simtc.reproduce.magma2010.counted import counted
from simtc.reproduce.printed import printed
from simtc.results.comparison import Item
from simtc.run.simulate import simulate

__all__ = ["blocking", "figure3", "kernel_of", "multiply_add_gflops", "peaks"]

_Made = tuple[list[Item], str | None]
_FERMI, _GT200 = "c2050", "gtx280"
_BESIDE = (("sgemm", "t4"), ("dgemm", "a100_sxm"))  # the same kernels where the clock knows the board
_SIZE = 2304  # whole tiles of 64 and of 96


def _print(key: str) -> Any:
    return printed("magma2010")[key]


def kernel_of(name: str, board: str) -> SimtGemm:
    """Return the paper's kernel of a family, for a board: the register-blocked one, of GTX 280 the one before it."""
    choices: dict[str, Any] = {"block": (96, 96, 16) if name == "sgemm" else (64, 64, 16)}
    if board == _GT200:
        choices = {"blocking": "shared", "block": (64, 16, 16), "threads": "16x4"}
    made = family(name).configured(arch.device(board).sm_name, choices)
    if not isinstance(made, SimtGemm):
        raise TypeError(name)
    return made


def multiply_add_gflops(board: str, real: str) -> float:
    """Return a board's peak of multiply-adds alone, in GFLOP/s."""
    device = arch.device(board)
    if device.simt is None:
        return 1e3 * device.scalar_peak_tflops(real)
    cycles = device.simt.f32_fma_cycles if real == "f32" else device.simt.f64_fma_cycles
    return 64e-3 * device.sm_count * device.clock_mhz / cycles


def peaks() -> _Made:
    """The five peaks, and what of GTX 280's a GEMM can use."""
    table, cpu = _print("peaks"), _print("istanbul")
    found = {
        "gtx280_single": 1e3 * arch.device(_GT200).scalar_peak_tflops("f32"),
        "c2050_double": 1e3 * arch.device(_FERMI).scalar_peak_tflops("f64"),
        "c2050_single": 1e3 * arch.device(_FERMI).scalar_peak_tflops("f32"),
        "istanbul_double": cpu["cores"] * cpu["ghz"] * cpu["double_flops"],
        "istanbul_single": cpu["cores"] * cpu["ghz"] * cpu["single_flops"],
    }
    items = [
        Item(name=f"{name}, GFLOP/s", paper=table[name], simtc=round(value),
             kind="rederived" if name.startswith("istanbul") else "exact",
             note=f"{round(value, 6):g} before rounding")
        for name, value in found.items()
    ]  # fmt: skip
    mads, share = multiply_add_gflops(_GT200, "f32"), _print("measured")["gtx280_sgemm_share"]
    reached = share / 100 * found["gtx280_single"]
    note = (
        f"{share} % of a peak with the extra multiply, {reached:.0f} GFLOP/s, is {100 * reached / mads:.0f} % of this"
    )
    return [
        *items,
        Item(name="GTX 280, multiply-adds alone", paper=None, simtc=mads, kind="closed form", note=note),
    ], None


def blocking() -> _Made:
    """What a thread has, how many instructions that takes, executed, and what fits an SM."""
    table = _print("blocking")
    sgemm, dgemm, older = kernel_of("sgemm", _FERMI), kernel_of("dgemm", _FERMI), kernel_of("sgemm", _GT200)
    step = dgemm.blocking.step(dgemm.how)
    items = [
        Item(name="SGEMM, elements a thread", paper=table["sgemm_each"], simtc=_product(sgemm.blocking), kind="exact"),
        Item(name="DGEMM, elements a thread", paper=table["dgemm_each"], simtc=_product(dgemm.blocking), kind="exact"),
        Item(name="DGEMM, loads for each k", paper=table["loads"], simtc=step.shared_loads // dgemm.tile[2],
             kind="exact", note=f"for {step.multiply_adds // dgemm.tile[2]} multiply-adds"),
    ]  # fmt: skip
    for made, board in ((sgemm, _FERMI), (dgemm, _FERMI), (older, _GT200)):
        width = made.numbers.real_bytes
        registers, shared = made.blocking.registers(made.how, width), made.blocking.shared_bytes(made.how, width)
        room = occupancy(arch.device(board), threads=made.blocking.count, registers=registers, shared_bytes=shared)
        note = f"{registers} registers by count, addressing assumed, {shared} bytes; limited by {room.limit}"
        items.append(
            Item(name=f"{made.numbers.family} on {board}, blocks x warps", paper=None,
                 simtc=[room.blocks, room.warps], kind="closed form", note=note)
        )  # fmt: skip
    for name, board, size, opcode in (("sgemm", "t4", 200, "FFMA"), ("dgemm", "a100_sxm", 100, "DFMA")):
        loop = counted(kernel_of(name, board), board, size)
        for one in (opcode, "LDS"):
            expected = _expected(kernel_of(name, board), size, is_load=one == "LDS")
            note = f"by the blocking {expected:,}; in the main loop, as executed on {board}"
            items.append(
                Item(name=f"{name} {size} cubed, {one}", paper=None, simtc=loop[one], kind="simulation", note=note)
            )
    return items, None


def figure3() -> _Made:
    """Measured shares under the ceilings by issue; and the same kernels on boards that simtc does simulate."""
    measured, items = _print("measured"), []
    for name in ("sgemm", "dgemm"):
        made, device = kernel_of(name, _FERMI), arch.device(_FERMI)
        slots = (1,) if name == "sgemm" else (1, 2)
        for wide in slots:
            share = ceiling(made, device, wide_load_slots=wide).share
            note = f"measured {measured[f'{name}_share']} %: {measured[f'{name}_share'] / share:.0f} % of the ceiling"
            label = f"{name} on c2050, ceiling in %" + (f", LDS.64 in {wide} slot{'s' * (wide > 1)}" * (len(slots) > 1))
            items.append(Item(name=label, paper=None, simtc=round(100 * share, 1), kind="closed form", note=note))
    older, device = kernel_of("sgemm", _GT200), arch.device(_GT200)
    share, mads = ceiling(older, device).share, multiply_add_gflops(_GT200, "f32")
    reached = measured["gtx280_sgemm_share"] / 100 * 1e3 * device.scalar_peak_tflops("f32")
    items.append(
        Item(name="sgemm on gtx280, ceiling in % of multiply-adds", paper=None, simtc=round(100 * share, 1),
             kind="closed form", note=f"measured {100 * reached / mads:.0f} %; the shared operand's rate is assumed")
    )  # fmt: skip
    for name, board in _BESIDE:
        one = simulate(name, m=_SIZE, n=_SIZE, k=_SIZE, device=board, block=kernel_of(name, board).tile)
        items.append(
            Item(name=f"{name} on {board}, not Fermi: % of the peak", paper=None,
                 simtc=round(100 * one.peak_share, 1), kind="simulation", note=f"{_SIZE} cubed; {one.limit}")
        )  # fmt: skip
    return items, _by_size()


def _by_size() -> str:
    """Draw the closed forms' share of C2050's peak against the size, and the ceilings by issue."""
    series = []
    for name in ("sgemm", "dgemm"):
        made, device = kernel_of(name, _FERMI), arch.device(_FERMI)
        shares = [
            (float(n), 100 * simulate(
                name, m=n, n=n, k=n, device=_FERMI, fidelity="analytic", block=made.tile, blocking="register"
            ).peak_share)
            for n in range(192, 6145, 192)
        ]  # fmt: skip
        most = 100 * ceiling(made, device).share
        series.append(Series(name=f"{name}, closed form", points=tuple(shares)))
        series.append(Series(name=f"{name}, ceiling by issue", points=((192.0, most), (6144.0, most))))
    title = f"Register-blocked GEMM on {_FERMI}"
    marks = tuple(
        Mark(name=f"{name}, the paper's best", y=float(_print("measured")[f"{name}_share"]))
        for name in ("sgemm", "dgemm")
    )
    return Chart(title=title, across="m = n = k", up="% of the peak", series=tuple(series), marks=marks).to_svg()


def _product(one: Blocking) -> int:
    return one.each[0] * one.each[1]


def _expected(made: SimtGemm, size: int, *, is_load: bool) -> int:
    """Return the warp-instructions of the main loop, by the blocking alone."""
    m, n, depth = made.tile
    step = made.blocking.step(made.how)
    warps = -(-size // m) * -(-size // n) * made.blocking.count // 32
    return warps * -(-size // depth) * (step.shared_loads if is_load else step.multiply_adds)
