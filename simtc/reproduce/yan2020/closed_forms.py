"""Yan, Wang, Chu (IPDPS 2020): what follows from closed forms and layouts."""

from __future__ import annotations

from typing import Any

from simtc import arch
from simtc.analytic.chart import Chart, Mark, Series
from simtc.analytic.intensity import blocking_intensity
from simtc.analytic.menu import MENU
from simtc.analytic.roofline import Roofline, roofline
from simtc.gemm.hgemm.configuration import Configuration
from simtc.gemm.hgemm.interleave import hmmas_between, load_hiding_cycles
from simtc.gemm.hgemm.pipes import SUB_CORES, copy_cycles, hmma_cycles, shared_load_cycles
from simtc.layout import Fragment, fragment
from simtc.reproduce.printed import printed
from simtc.results.comparison import Item
from simtc.run.simulate import simulate

__all__ = ["equation6", "figure1", "figure2", "figure3", "hiding", "square", "table2", "table6", "table7"]

Made = tuple[list[Item], str | None]
_BOARDS = ("rtx2070", "t4")
_INSTR = "m16n8k8.f16.f16.f16.f16"


def _print(key: str) -> Any:
    return printed("yan2020")[key]


def table2() -> Made:
    """Bandwidths, which are inputs, and the peaks, which follow from SMs, rate and clock."""
    items = []
    for board in _BOARDS:
        device, table = arch.device(board), _print("table2")[board]
        for key in ("dram_theoretical_gb_per_s", "dram_measured_gb_per_s", "l2_measured_gb_per_s"):
            value = getattr(device, key.replace("theoretical_", ""))
            items.append(Item(name=f"{board} {key}", paper=table[key], simtc=value, kind="input"))
        peak = device.tensor_peak_tflops("f16", "f16")
        note = f"{device.sm_count} SMs x {device.tensor_rate('f16', 'f16'):g} FMA x 2 x {device.clock_mhz} MHz"
        items.append(
            Item(name=f"{board} tensor TFLOPS", paper=table["tensor_tflops"], simtc=peak, kind="closed form", note=note)
        )
        items += _ridges(board, roofline(device))
    return items, roofline(arch.device("rtx2070")).to_svg()


def _ridges(board: str, one: Roofline) -> list[Item]:
    return [
        Item(
            name=f"{board} FLOP/byte that saturate {level}", paper=None, simtc=one.ridge_flops_per_byte(level),
            kind="closed form", note="intensity where the measured bandwidth meets the tensor cores' peak",
        )
        for level in ("DRAM", "L2")
    ]  # fmt: skip


def figure3() -> Made:
    """The rooflines, and on which side of the ridge each blocking stands."""
    items = []
    for board in _BOARDS:
        one = roofline(arch.device(board))
        for roof, key in (("FP16 units", "fp16_units"), ("tensor cores", "tensor_cores")):
            ridge = one.ridge_flops_per_byte("DRAM", roof=roof)
            items.append(
                Item(
                    name=f"{board} 128x128 on {roof} is bound by", paper=_print("fig3")[key],
                    simtc=one.bound(blocking_intensity(128, 128), "DRAM", roof=roof), kind="closed form",
                    note=f"64 FLOP/byte against a ridge of {ridge:.1f}",
                )
            )  # fmt: skip
        for tile in sorted({(256, 256), *(tile for tile in MENU if tile[0] >= tile[1])}, reverse=True):
            flops_per_byte = blocking_intensity(*tile)
            items.append(
                Item(
                    name=f"{board} {tile[0]}x{tile[1]} TFLOPS under DRAM's slope", paper=None,
                    simtc=one.attainable_tflops(flops_per_byte, "DRAM"), kind="closed form",
                    note=f"{flops_per_byte:.1f} FLOP/byte; no reuse of strips in L2",
                )
            )  # fmt: skip
    one = roofline(arch.device("rtx2070"))
    marks = [
        Mark(name=f"{size}x{size} under DRAM's slope", x=x, y=one.attainable_tflops(x, "DRAM"))
        for size in (128, 256)
        for x in (blocking_intensity(size, size),)
    ]
    return items, one.chart(marks).to_svg()


def table6() -> Made:
    """The cycles of both pipes, by equations 3, 4 and 5 over the CPI of Tables I, III and IV."""
    turing, cpi_hmma = arch.sm("turing"), _print("table1")["cpi_measured"]
    load, store = turing.l1.l2_cpi_128_cycles, turing.memory["STS.128"].cpi_cycles
    items = []
    for row in _print("table6"):
        block, warp = tuple(row["block"]), tuple(row["warp"])
        tensor = hmma_cycles(block, cpi_hmma)
        io = copy_cycles(block, load, store) + shared_load_cycles(block, warp, turing.memory["LDS.32"].cpi_cycles)
        name = f"{'x'.join(map(str, block))} / {'x'.join(map(str, warp))}"
        for pipe, value in (("hmma", tensor), ("memory_io", io)):
            items.append(
                Item(
                    name=f"{name} {pipe}", paper=row[pipe], simtc=int(value), kind="rederived",
                    note=f"{value:.2f}, truncated as printed",
                )
            )  # fmt: skip
        bound = "hmma" if tensor > io else "memory_io"
        items.append(Item(name=f"{name} bound", paper=row.get("bound"), simtc=bound, kind="closed form"))
    return items, None


def table7() -> Made:
    """Shared memory, blocks and warps of an SM, from the configurations alone."""
    items = []
    for row in _print("table7"):
        tiles = Configuration(block=tuple(row["block"]), warp=tuple(row["warp"]), layout=row["layout"], arch="turing")
        room = tiles.occupancy(arch.device("rtx2070"))
        note = f"{tiles.registers} registers a thread; limited by {room.limit}"
        for what, key, value in (
            ("shared memory, KB a block", "shared_kb", tiles.shared_bytes / 1024),
            ("blocks of an SM", "blocks", room.blocks),
            ("warps of an SM", "warps", room.blocks * room.warps),
        ):
            items.append(Item(name=f"{row['name']}: {what}", paper=row[key], simtc=value, kind="exact", note=note))
    return items, None


def equation6() -> Made:
    """HMMAs between two STS.128, and between the paper's other memory instructions."""
    turing, hmma = arch.sm("turing"), _print("table1")["cpi_measured"]
    spaced = {
        "STS.128": (turing.memory["STS.128"].cpi_cycles, _print("eq6")["hmmas"], "rederived"),
        "LDS.32": (turing.memory["LDS.32"].cpi_cycles, None, "closed form"),
        "LDG.128 from L2": (turing.l1.l2_cpi_128_cycles, None, "closed form"),
    }
    items = [
        Item(
            name=f"HMMA.1688 for each {name}", paper=paper, simtc=hmmas_between(cpi, hmma), kind=kind,
            note=f"{SUB_CORES} x {cpi:g} / {hmma:g} = {SUB_CORES * cpi / hmma:.2f}",
        )
        for name, (cpi, paper, kind) in spaced.items()
    ]  # fmt: skip
    return items, None


def hiding() -> Made:
    """Cycles between the last LDG and the first STS of an iteration."""
    value = load_hiding_cycles((128, 64, 8), arch.sm("turing").tensor["HMMA.1688.F16"].issue_interval_cycles)
    note = "the paper prints (64 + 32) x 8 and does not derive it: read as a step and a half of the warp's 64 HMMAs"
    return [Item(name="cycles", paper=_print("hiding")["cycles"], simtc=value, kind="input", note=note)], None


def square() -> Made:
    """What closed forms have of figures 6 and 7: the best that the tiles reach, and where DRAM begins to bind."""
    table, sizes = _print("square"), range(1024, 16385, 256)
    found = {
        board: [simulate("hgemm", m=w, n=w, k=w, device=board, fidelity="analytic") for w in sizes] for board in _BOARDS
    }
    best = {board: max(curve, key=lambda one: one.tflops) for board, curve in found.items()}
    why = {
        "rtx2070": "the board's clock was not set: see sass_notes/errata.md",
        "t4": "no power limit and no misses of shared strips are modelled",
    }
    items = [
        Item(
            name=f"{board} highest TFLOPS", paper=table[f"{board}_highest_tflops"], simtc=one.tflops,
            kind="closed form", note=f"at W = {one.m} and {one.clock_mhz} MHz, limited by {one.bound}; {why[board]}",
        )
        for board, one in best.items()
    ]  # fmt: skip
    bound = next(one.m for one in found["t4"] if one.bound == "DRAM" and one.m > best["t4"].m)
    items += [
        Item(
            name="t4 falls beyond W", paper=table["t4_falls_beyond"], simtc=bound, kind="closed form",
            note="from here on DRAM limits it: fewer blocks share a strip; the paper blames L2 hits and DRAM",
        ),
        Item(
            name="RTX 2070's share of its peak is above T4's", paper=True, kind="closed form",
            simtc=best["rtx2070"].peak_share > best["t4"].peak_share,
        ),
    ]  # fmt: skip
    series = tuple(
        Series(name=board, points=tuple((float(one.m), one.tflops) for one in curve)) for board, curve in found.items()
    )
    marks = (
        *(Mark(name=f"the paper's highest, {board}", y=table[f"{board}_highest_tflops"]) for board in _BOARDS),
        Mark(name="the paper: T4 falls beyond", x=table["t4_falls_beyond"]),
    )
    chart = Chart(title="W x W x W, closed form", across="W", up="TFLOPS", series=series, marks=marks)
    return items, chart.to_svg()


def figure1() -> Made:
    """The lane of each register of an 8x8 matrix, row by row, two halves a cell."""
    c, b = (fragment(_INSTR, operand=operand, arch="turing") for operand in "cb")
    row_major = [[c.holders(row, 2 * pair)[0].lane for pair in range(4)] for row in range(8)]
    column_major = [[b.holders(2 * pair, column)[0].lane for column in range(8)] for pair in range(4)]
    values = {"row_major": row_major, "column_major": column_major}
    items = [
        Item(name=name, paper=_print("fig1")[name], simtc=value, kind="exact", note="lanes, row by row of the picture")
        for name, value in values.items()
    ]
    return items, c.to_svg()


def figure2() -> Made:
    """The registers of HMMA.1688.F16 R0, R2, R6, R4: how many each operand takes, and where its 8x8 matrices lie."""
    first = {"d": 0, "a": 2, "b": 6, "c": 4}
    items = []
    for operand, base in first.items():
        found = _down(fragment(_INSTR, operand=operand, arch="turing"), base)
        items.append(
            Item(
                name=f"registers of {operand.upper()}, down its rows", paper=_print("fig2")[operand], simtc=found,
                kind="exact",
            )
        )  # fmt: skip
    return items, fragment(_INSTR, operand="a", arch="turing").to_svg(color="register")


def _down(one: Fragment, base: int) -> list[str]:
    """Name the register of each 8x8 matrix of an operand, from its first row down."""
    return [f"R{base + one.holders(row, 0)[0].register}" for row in range(0, one.rows, 8)]
