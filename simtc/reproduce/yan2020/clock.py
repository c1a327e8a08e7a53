"""Yan, Wang, Chu (IPDPS 2020): Tables I, III, IV and V, which the chip's data take in, beside the clock's own values.

A table's own rows prove only that the clock composes what it was given. The mixes are the test: the tables have no such
row, so what the clock says there follows from its pipes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from simtc import arch
from simtc.gemm.hgemm.pipes import SUB_CORES
from simtc.isa import Instruction
from simtc.reproduce.microbenchmark import SHARED_BYTES, each, line
from simtc.reproduce.printed import printed
from simtc.results.comparison import Item

__all__ = ["table1", "table3", "table4", "table5"]

_BOARD = "t4"  # the paper finds the same on both of its boards
_COUNT = 32  # instructions, or groups, of the shorter run
_BUFFER_BYTES = 1 << 18  # 2 * _COUNT loads of 16 bytes by 128 threads, each from another place
_SHARED = {"LDS": "LDS{bits} R{d}, [R4.X{bytes}]", "STS": "STS{bits} [R4.X{bytes}], R64"}
_WIDTHS = (32, 64, 128)
_Made = tuple[list[Item], None]


def _hmma(number: int) -> Instruction:
    place = 8 + 4 * (number % 8)
    return line(f"HMMA.1688.F16 R{place}, R64, R68, R{place}")


def _shared(opcode: str, width: int, number: int) -> Instruction:
    bits = "" if width == 32 else f".{width}"
    return line(_SHARED[opcode].format(bits=bits, bytes=width // 8, d=8 + 4 * (number % 8)))


def _global(width: int, stride: int, number: int) -> Sequence[Instruction]:
    """Return an LDG whose threads stand side by side; the first one finds out its thread's address."""
    bits = "" if width == 32 else f".{width}"
    load = line(f"LDG.E{bits}.SYS R{8 + 4 * (number % 8)}, [R6+{stride * number:#x}]", write=number % 6)
    if number:
        return (load,)
    shift = (width // 8).bit_length() - 1
    return (
        line("S2R R4, SR_TID.X", stall=8, write=0),
        line(f"SHF.L.U32 R5, R4, {shift:#x}, RZ", stall=12, wait=(0,)),
        line("IADD3 R6, R2, R5, RZ", stall=12),
        line("MOV R7, R3", stall=12),
        load,
        line("IADD3 R5, R5, RZ, RZ", wait=(0,)),  # what the others hit in L1 has arrived
    )


def _clock(
    make: Callable[[int], Instruction | Sequence[Instruction]], *, warps: int = 1, caches: str = "warm"
) -> float:
    return each(_BOARD, make, _COUNT, shared_bytes=SHARED_BYTES, warps=warps, caches=caches, buffer_bytes=_BUFFER_BYTES)


def _simulated(name: str, paper: float | None, value: float, note: str = "") -> Item:
    return Item(name=name, paper=paper, simtc=round(value, 2), kind="simulation", note=note)


def table1() -> _Made:
    """HMMA.1688.F16: inputs, the clock's CPI, and HMMAs with STS.128 among them on all four sub-cores."""
    table, turing = printed("yan2020")["table1"], arch.sm("turing")
    hmma = turing.tensor["HMMA.1688.F16"]
    theory = hmma.fma / (turing.tensor_rate["f16.f16"] / turing.limits.sub_cores)
    items = [
        Item(
            name="CPI, theoretical", paper=table["cpi_theoretical"], simtc=theory, kind="exact",
            note="multiply-adds of one instruction over those of a sub-core's cycle, as the white paper has them",
        ),
        Item(name="CPI, measured", paper=table["cpi_measured"], simtc=hmma.issue_interval_cycles, kind="input"),
        Item(name="latency, half 1 of D", paper=table["latency_first"], simtc=hmma.latency_first_cycles, kind="input"),
        Item(name="latency, half 2", paper=table["latency_second"], simtc=hmma.latency_second_cycles, kind="input"),
        _simulated("CPI, from the clock", table["cpi_measured"], _clock(_hmma)),
    ]  # fmt: skip
    store, stage = turing.memory["STS.128"].cpi_cycles, 512 / turing.shared.data_stage_bytes_per_cycle
    for count in (2, 4, 5):
        value = _clock(partial(_interleaved, count), warps=SUB_CORES)
        by_paper = max(count * table["cpi_measured"], SUB_CORES * store)
        items.append(
            _simulated(
                f"mix: cycles of {count} HMMA and 1 STS.128 on every sub-core", None, value,
                f"equation 6 has {by_paper:.1f}: it takes one warp's CPI of STS.128 for that of the SM; in the clock "
                f"{store:g} cycles are the sub-core's port, and the stage that all share takes {stage:g}",
            )
        )  # fmt: skip
    return items, None


def _interleaved(count: int, number: int) -> list[Instruction]:
    return [*(_hmma(count * number + place) for place in range(count)), _shared("STS", 128, number)]


def table3() -> _Made:
    """LDG from L1 and from L2, and a mix: LDG.128 from L2 with STS.128 after each."""
    table, turing = printed("yan2020")["table3"], arch.sm("turing")
    l1 = {width: turing.memory[f"LDG.{width}"].cpi_cycles for width in _WIDTHS}
    l2 = {32: turing.l1.l2_cpi_32_cycles, 64: turing.l1.l2_cpi_64_cycles, 128: turing.l1.l2_cpi_128_cycles}
    items = []
    for level, known, stride, caches in (("L1", l1, 0, "cold"), ("L2", l2, 1, "warm")):
        for width in _WIDTHS:
            paper, name = table[level.lower()][str(width)], f"LDG.{width}, data in {level}"
            value = _clock(partial(_global, width, stride * 4 * width), caches=caches)
            items.append(Item(name=name, paper=paper, simtc=known[width], kind="input"))
            items.append(_simulated(f"{name}, from the clock", paper, value))
    stride = 512 * SUB_CORES
    value = _clock(lambda i: [*_global(128, stride, i), _shared("STS", 128, i)], warps=SUB_CORES, caches="warm")
    together = l2[128] + turing.memory["STS.128"].cpi_cycles
    note = (
        f"equation 4 has {together:.2f}: it lets the path from L2 and the stores take turns in one pipe; "
        "in the clock stores pass while loads are on their way from L2"
    )
    items.append(
        _simulated("mix: cycles of LDG.128 from L2 and STS.128, by warp, of four", None, value / SUB_CORES, note)
    )
    return items, None


def table4() -> _Made:
    """LDS and STS, and a mix: two LDS.32 and one STS.128, by one warp and by four."""
    table, turing = printed("yan2020")["table4"], arch.sm("turing")
    items = []
    for opcode, width in ((opcode, width) for opcode in _SHARED for width in _WIDTHS):
        paper, name = table[opcode][str(width)], f"{opcode}.{width}"
        items.append(Item(name=name, paper=paper, simtc=turing.memory[name].cpi_cycles, kind="input"))
        items.append(_simulated(f"{name}, from the clock", paper, _clock(partial(_shared, opcode, width))))
    together = 2 * turing.memory["LDS.32"].cpi_cycles + turing.memory["STS.128"].cpi_cycles
    for warps in (1, SUB_CORES):
        value = _clock(
            lambda i: [*(_shared("LDS", 32, 2 * i + j) for j in (0, 1)), _shared("STS", 128, i)], warps=warps
        )
        note = f"the sum of their CPI is {together:.2f}"
        items.append(_simulated(f"mix: cycles of 2 LDS.32 and 1 STS.128, {warps} warps", None, value / warps, note))
    return items, None


def table5() -> _Made:
    """Table IV as bytes a cycle, and a mix: LDS.128 by four warps at once."""
    table, turing = printed("yan2020")["table5"], arch.sm("turing")
    items = []
    for opcode, width in ((opcode, width) for opcode in _SHARED for width in _WIDTHS):
        paper, name = table[opcode][str(width)], f"{opcode}.{width}"
        value = round(4 * width / turing.memory[name].cpi_cycles, 2)
        items.append(
            Item(name=name, paper=paper, simtc=value, kind="input", note="32 lanes' bytes over Table IV's CPI")
        )
        value = 4 * width / _clock(partial(_shared, opcode, width))
        items.append(_simulated(f"{name}, from the clock", paper, value))
    for opcode in _SHARED:
        value = SUB_CORES * 512 / _clock(partial(_shared, opcode, 128), warps=SUB_CORES)
        note = "the table has one warp alone"
        items.append(_simulated(f"mix: bytes/cycle of {opcode}.128 by four warps", None, value, note))
    return items, None
