"""Every parameter of every unit changes the cycles of some small launch, and so does each field of an instruction.

That each constant of a board changes one of these numbers is the subject of tests/arch/test_every_constant.py. What
none of the launches below shows, the microbenchmark shows that `simtc fit` has for it: a new parameter needs no entry
here, unless it is not to be doubled (FACTORS), or is of another board than an H200 (ONLY).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from fnmatch import fnmatchcase
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simtc.arch import Device, device
from simtc.arch.altered import altered
from simtc.errors import SimtcError
from simtc.reproduce.microbenchmark import cycles, kernel, line
from simtc.run.launch import launch
from simtc.sass import load
from simtc.timing import setup
from simtc.timing.pipeline import UNITS
from simtc.validate.campaigns.microbench import MicroCase, cases
from simtc.validate.chip import Chip as Board
from simtc.validate.validate import campaign_settings
from tests.timing.measured import parity

H200 = device("h200")
# KERNEL/BLOCKSxTHREADS, the quickest first
MICROBENCHMARKS = (
    "constants/8x32/", "atomic_x4/1x32/16,0,0/", "atomic_x4/1x32/16,1,0/",
    "barriers/1x64/", "named_barriers/1x256/16,128/", "straight/1x32/", "shared_beside_stores/1x64/",
    "load_128_x4/8x128/", "copy_x4/1x32/", "load_rows_x4/1x128/8,512,1/cold", "chase_beside_mma/1x160/",
    "store_narrow_x8/1x256/",
    "scale_pieces_x1/1x256/", "scale_pieces_x1/16x256/", "store_pieces_x8/16x256/", "sts_among_16816_f32/1x256/",
    "needed_16816_f32/1x256/", "reuse_2/1x512/", "called_leaves/1x1024/", "fill_16_x1/1x1024/4,32,128,220/cold",
    "line_stream_16_3/1x256/32,64,80,2048,64,", "fill_stream_4_3/1x256/32,16,16,", "red_issued/1x256/16,8,1,0/",
    "fill_stream_8_3/1x256/32,16,16,2048,16,1024,65536,96",
    "red_issued/16x256/64,8,1,0/",
    "load_places_4/1x256/32,4,4,2052,", "past_places_16/1x256/32,16,16,2048,128,", "scale_pieces_x1/16x512/16,32,4096,",
    "copied_4_2x4_3/1x128/8,1/", "stage_copies/1x128/32,64,64,2048,1048576,4194304,0,4/",
    "stage_copies/1x128/32,64,64,2048,1048576,4194304,0,1/", "stage_copies/1x128/32,32,32,2048,1048576,4194304,0,1/",
    "stage_copies/132x128/32,32,32,128,128,128,0,4/",
)  # fmt: skip
PARAMETERS = {  # and the constants that each is made of
    f"{unit.name}.{one.name}": one.metadata["paths"]
    for unit in UNITS
    if unit.parameters
    for one in fields(unit.parameters)
}
FEW = 4  # microbenchmarks of those that a constant is fitted to
WHERE_OFF = 1000  # in place of a parameter that is 0: no factor moves it
FACTORS = {  # 2 for all others
    "barrier.barrier_defers": 0, "operands.reads_ahead": 0, "dram.dram_refresh_period_cycles": 1 / 16,
    "special.registers_ahead": 1 / 4, "special.constants_ahead": 1 / 4,
    "dram.dram_measured_bytes_per_cycle": 1 / 64, "crossbar.packet_cycles": 16,
    "crossbar.copy_bytes_per_cycle": 1 / 16, "joining.join_cycles": 0, "joining.join_requests": 1 / 4,
    "places.tags_ahead_cycles": 0, "ldgsts.copies_pending": 1 / 64,
    "waiting.atomic_queue_entries": 1 / 16, "crossbar.atomic_queue_entries": 0,
    "dram.dram_banks": 1 / 1024, "shared_memory.sm_queue_entries": 1 / 4, "ldgsts.copy_write_bytes_per_cycle": 1 / 16,
    "l1.tag_lines_per_cycle": 1 / 4, "merging.store_merge_cycles": 1 / 16, "blocks.block_cycles": 50,
    "landing.slots": 1 / 2, "landing.block_shared_bytes": 1 / 2,
    "ways.slice_flits": 4, "waiting.left_flits": 1 / 4,
    "blocks.sm_block_cycles": 50, "blocks.sm_block_warp_cycles": 1000, "dispatch.older_first": 0,
    **dict.fromkeys(
        (
            "write_combining.l2_store_queue_cycles", "dram.dram_row_open_cycles", "dvfs.tensor_hold_cycles",
            "l1.tag_queue_entries", "l1.unused_bytes", "crossbar.gpcs", "l1.in_order",
            "crossbar.l2_store_queue_cycles",
        ), 0,
    ),
    **dict.fromkeys(  # of arrays
        ("dispatch.sub_cores", "l2.l2_slices", "l1.l1_sets"), 0.5,
    ),
    "l2_tags.l2_sets": 1 / 4096, "store_lines.kept_for_cycles": 1 / 16,
}  # fmt: skip
# What a launch makes of an SM; code, tested below; what L2 holds: test_l2.py; the LSU of others: test_memory_path.py
APART = (
    "blocks.slots", "blocks.warps", "fetch.first_cycles", "l2_tags.l2_halves", "l2_tags.l2_dirty_bytes",
    "l2_tags.l2_fill_bytes", "write_combining.l2_fill_bytes", "lsu.lsu_lanes", "lsu.register_cycles",
)  # fmt: skip
FIELDS = (
    "interval", "latency", "operand_read", "war", "tail", "returned", "tokens", "port_wait", "store_wait",
    "stage_wait", "even", "lost_even", "second_pass", "behind_half", "stall",
)  # fmt: skip


def yielding() -> int:
    """One warp whose instructions ask for another warp, with a stall count of 1."""
    one = line("FADD R6, R6, R7", stall=1)
    asked = replace(one, control=replace(one.control, yields=True))
    return cycles(H200, [asked, line("NOP", stall=8)] * 8)


def twice() -> int:
    """All lines of 196 KB, from DRAM and once more."""
    start = [
        line("S2R R6, SR_TID.X", write=0, stall=2),
        line("SHF.R.U32.HI R6, RZ, 0x5, R6", wait=(0,), stall=6),
        line("IMAD R6, R6, 0x3000, RZ", stall=6),
        line("IADD3 R2, R2, R6, RZ", stall=10),
    ]
    loads = [line(f"LDG.E R10, [R2+{hex(128 * i)}]", write=0, stall=2) for i in range(96)]
    body = [*start, *loads, line("NOP", wait=(0,)), *loads]
    return cycles(H200, body, warps=16, buffer_bytes=16 * 0x3000, caches="cold")


def after_another() -> int:
    """Blocks for whose places others wait, while their stores are answered."""
    one = replace(kernel("stores", 90, [line("STG.E [R2], R4", stall=2)]), registers=32)
    return launch(one, 300, 1024, [np.zeros(64, np.uint32)], device=H200, timing=True).cycles


def side_by_side() -> int:
    """Two blocks for an SM, where nothing else comes one after another."""
    board = altered(altered(H200, "launch.block_cycles", 0), "launch.sm_start_cycles", 0)
    return launch(
        kernel("two", 90, [line("NOP")]), 133, 32, [np.zeros(64, np.uint32)], device=board, timing=True
    ).cycles


def two_blocks() -> int:
    """Two blocks of an SM that need one pipe first, then another: the older one has gone on when the other follows."""
    body = [line("MUFU.RCP R8, R6", write=0, stall=2)] * 64 + [line("IMAD R9, R6, R6, R6", wait=(0,), stall=2)] * 128
    return launch(kernel("two", 90, body), 264, 256, [np.zeros(64, np.uint32)], device=H200, timing=True).cycles


def rows(row: int, pitch: int) -> int:
    """Rows that two warps copy with LDGSTS."""
    kernel = load(Path(__file__).parent / "data" / "row_copies.sass")[f"rows_{row}_{pitch}"]
    args = [np.zeros(1, np.int64), np.zeros(1 << 18, np.uint8), np.int32(4)]
    return launch(kernel, 1, 64, args, device=H200, timing=True, caches="warm", shared_bytes=8192).cycles


def beside_reads(kernel: str) -> int:
    """LDS, beside loads or copies of sixteen rows each of sixteen bytes, which lie in other banks two by two."""
    code = load(Path(__file__).parent / "data" / "fill_costs.sass")[kernel]
    numbers = map(np.int32, (16, 272, 130560, 1 << 17, 4000))
    out = np.zeros(80, np.uint32)
    launch(code, 1, 512, [out, np.zeros(1 << 20, np.uint8), *numbers], device=H200, timing=True, caches="cold")
    return int(out.sum())


def held_by_l1(width: int, row: int, stride: int) -> int:
    """LDGSTS through L1 of lines that it holds, of eight warps."""
    code = load(Path(__file__).parent / "data" / "copy_turns.sass")[f"turns_{width}_32"]
    numbers, out = map(np.int32, (row, stride, row, 0, 0xFF, 0)), np.zeros((32, 2), np.uint32)
    launch(code, 1, 512, [np.zeros(2 << 20, np.uint8), out, *numbers], device=H200, timing=True, caches="warm",
           shared_bytes=64 * 32 * width)  # fmt: skip
    return int(out.sum())


def missing_l1() -> int:
    """LDGSTS through L1 of lines of their own, 32 of each of 16 warps."""
    code, out = load(Path(__file__).parent / "data" / "bursts.sass")["ca_4"], np.zeros((16, 2), np.uint32)
    args = [np.zeros(1 << 20, np.uint8), out, np.int32(128), np.int32(128)]
    launch(code, 1, 512, args, device=H200, timing=True, caches="warm", shared_bytes=16 * 32 * 128)
    return int(out.sum())


def behind_copies(copies: int, row: int) -> int:
    """SHFL behind LDGSTS past L1 of each of eight warps: rows of so many bytes, for lines of their own."""
    code = load(Path(__file__).parent / "data" / "behind_copies.sass")[f"loose_{copies}"]
    numbers, out = map(np.int32, (row, 1024, 128)), np.zeros((8, 5), np.uint32)
    launch(code, 1, 256, [np.zeros(8 << 20, np.uint8), out, *numbers], device=H200, timing=True, caches="warm",
           shared_bytes=copies * 512 // row * 128 * 8)  # fmt: skip
    return int(out.sum())


def held_groups() -> int:
    """A group of four LDGSTS of lines that L1 holds, of each of four warps."""
    code, out = load(Path(__file__).parent / "data" / "held_waits.sass")["hold_4_4"], np.zeros((4, 4), np.uint32)
    args = [out, np.zeros(1 << 20, np.uint8), np.int32(8192), np.int32(0)]
    launch(code, 1, 128, args, device=H200, timing=True, caches="warm", shared_bytes=2048)
    return int(out.sum())


def beside_stores() -> int:
    """STS beside loads that L2 answers."""
    code = load(Path(__file__).parent / "data" / "stage_costs.sass")["sts_ldg_16"]
    numbers = map(np.int32, (512, 512, 1 << 17, 1 << 17, 16, 3000))
    args = [np.zeros(80, np.uint32), np.zeros(16 << 17, np.uint8), *numbers]
    launch(code, 1, 1024, args, device=H200, timing=True, caches="cold", shared_bytes=4096 * 17)
    return int(args[0].sum())


def behind_dram() -> int:
    """A load that L2 answers, behind one of its warp that DRAM answers."""
    code = load(Path(__file__).parent / "data" / "loads_in_order.sass")["ldg__ldg_l2"]
    out, numbers = np.zeros(2, np.uint32), map(np.int32, (0, 20))
    args = [out, np.zeros(1 << 17, np.uint8), np.zeros(1 << 14, np.uint8), *numbers]
    launch(code, 1, 160, args, device=H200, timing=True, caches="cold")
    return int(out[0])


def far_half() -> int:
    """Copies through L1 of two blocks of an SM, those of the second one to the far half of the array."""
    code = load(Path(__file__).parent / "data" / "row_fills.sass")["row_fills_16"]
    numbers = map(np.uint32, (128, 128, 128, 64 << 10, 4, 1 << 20, 1))
    args = [np.zeros(4 << 20, np.uint8), np.zeros(64, np.uint32), *numbers]
    return launch(code, 133, 256, args, device=H200, timing=True, caches="warm", shared_bytes=100 << 10).cycles


def far_lines() -> int:
    """Lines that each block loads when the one behind it has: of SMs that are near the two halves of L2."""
    kernel, out = load(Path(__file__).parent / "data" / "cold_rounds.sass")["cold"], np.zeros(132, np.uint32)
    counts = (np.int32(number) for number in (8, 32, 128, 0, 4096))
    args = [out, np.zeros(1 << 20, np.uint8), *counts, np.int64(4096)]
    launch(kernel, 132, 32, args, device=H200, timing=True, caches="cold")
    return int(out.sum())


def red_then_stores() -> int:
    """RED of eight warps of 20 SMs at one line, and then stores of lines: how long the SMs are active."""
    kernel = load(Path(__file__).parent / "data" / "red_ends.sass")["red_ends_3"]
    args = [np.zeros(1 << 16, np.uint8), np.zeros(1 << 22, np.uint8), np.uint32(16)]
    return launch(kernel, 20, 256, args, device=H200, timing=True, caches="warm").cycles


def two_rows() -> int:
    """Lines of two rows of DRAM by turns, and a wait for each eight of them."""
    loads = [line(f"LDG.E R8, [R2+{hex(8192 * (i % 2) + 64 * i)}]", write=0, stall=2) for i in range(64)]
    waits = [line("NOP", wait=(0,))]
    return cycles(H200, [one for i in range(0, 64, 8) for one in (*loads[i : i + 8], *waits)], caches="cold")


def batches() -> int:
    """Lines that go to two channels of DRAM, of two banks each, between loads; what is loaded last waits for them."""
    board = device("v100_pcie")
    for path, value in (
        ("l2_dirty_bytes", 2048), ("dram_measured_gb_per_s", 14), ("clock.dram.channels", 2), ("dram_banks", 4),
        ("clock.dram.batch_bytes", 512),
    ):  # fmt: skip
        board = altered(board, path, value)
    each = [line("SHF.L.U32 R6, R4, 0x2, RZ", stall=6), line("IADD3 R2, R2, R6, RZ", stall=10)]
    for i in range(64):
        each += [
            line(f"STG.E [R2+{hex(1024 * i)}], R8", stall=2),
            line(f"LDG.E R9, [R2+{hex(65536 + 128 * i)}]", write=0, stall=2),
        ]
    return cycles(board, [*each, line("NOP", wait=(0,))], buffer_bytes=1 << 17, caches="cold")


def parts() -> int:
    """A word of each of 32 lines, 16 times, and an L2 that is slower than the SM."""
    each = [line("SHF.L.U32 R6, R4, 0x7, RZ", stall=6), line("IADD3 R2, R2, R6, RZ", stall=10)]
    stores = [line(f"STG.E [R2+{hex(4096 * i)}], R8", stall=2) for i in range(16)]
    slow = altered(device("v100_pcie"), "l2_measured_gb_per_s", 20)
    return cycles(slow, [*each, *stores, line("NOP", stall=8)], buffer_bytes=1 << 17)


def lines() -> int:
    """Whole lines that are stored one by one, and what the data stage takes after them."""
    each = [line("SHF.L.U32 R6, R4, 0x2, RZ", stall=6), line("IADD3 R2, R2, R6, RZ", stall=10)]
    stores = [line(f"STG.E [R2+{hex(128 * i)}], R8", stall=2) for i in range(8)]
    return cycles(
        H200, [*each, *stores, line("LDS R9, [RZ]", write=0, stall=2), line("NOP", wait=(0,))], shared_bytes=64
    )


def overwritten() -> int:
    """An instruction that may only issue when the sources of the one before it have been read."""
    return cycles(H200, [line("HMMA.16816.F16 R8, R16, R24, R8", read=1, stall=1), line("NOP", wait=(1,))] * 8)


def asked(text: str) -> int:
    """More of what the SM serves one after another than may wait, and what issues when they all have."""
    return cycles(H200, [line(text, write=0)] * 24 + [line("NOP", stall=8)] * 64, warps=4)


def straight_of_all() -> int:
    """Straight code that no cache has, for every SM of the chip."""
    code = kernel("straight", 90, [line("NOP")] * 512)
    return launch(code, 132, 32, [np.zeros(64, np.uint32)], device=H200, timing=True, caches="cold").cycles


def straight() -> int:
    """Code that comes line by line."""
    return cycles(H200, [line("NOP")] * 64, caches="cold")


def jumps() -> int:
    """Code that is jumped over before it has come."""
    code = load(Path(__file__).parent / "data" / "cold_code.sass")["jumps_64"]
    args = [np.zeros(32, np.uint32), np.float32(0), np.int32(0)]
    return launch(code, 1, 32, args, device=H200, timing=True, caches="cold").cycles


def behind_red() -> int:
    """Loads behind RED of their own warp, some to the same stack of memory."""
    code, out = load(Path(__file__).parent / "data" / "red_ways.sass")["red_ways"], np.zeros(264, np.uint32)
    counts = (np.uint32(number) for number in (16, 132, 1056, 600))
    args = [np.zeros(1 << 16, np.uint8), np.zeros(1 << 20, np.uint8), out, *counts]
    launch(code, 132, 32, args, device=H200, timing=True, caches="warm")
    return int(out[::2].sum())


def meeting(bits: int, apart: int) -> int:
    """Atomics of warps whose lanes meet at words of a line, or of several, beside 200 KB of shared memory."""
    code, out = load(Path(__file__).parent / "data" / "l1_places.sass")[f"meets_{bits}"], np.zeros(64, np.int64)
    args = [np.zeros(1 << 12, np.int32), out, np.int32(1), np.int32(apart)]
    launch(code, 1, 1024, args, device=H200, timing=True, caches="warm", shared_bytes=200 << 10)
    return int(out.sum())


def lines_of_sets() -> int:
    """16 warps that load four lines of one set of L1's tags, by turns with a line of any."""
    data, lines = Path(__file__).parent / "data", np.arange(1 << 12)
    code, times, at = load(data / "tag_sets.sass")["load_4"], np.zeros(32, np.uint32), np.zeros((256, 32), np.uint32)
    own = lines[parity(lines * 128, int(H200.clocked("clock.places.bit_0"))) == 0]
    at[::2] = 128 * np.repeat(own[:512].reshape(128, 4), 8, axis=1)
    at[1::2] = 128 * lines[-128:, None]
    args = [times, at.ravel(), np.zeros(1 << 19, np.uint8), np.int32(0)]
    launch(code, 1, 512, args, device=H200, timing=True, caches="warm")
    return int(times.sum())


def lone_sectors(gap: int, reads: int) -> int:
    """Rows that 16 warps store beside 110 KB of shared memory, a sector of each line, behind lines that they load."""
    code, out = load(Path(__file__).parent / "data" / "store_lines.sass")["lines_16"], np.zeros(32, np.uint32)
    numbers = (np.int32(number) for number in (2, gap, 256 * gap, 16, reads))
    args = [out, np.zeros(16 * 256 * gap, np.uint8), np.zeros(16 * 16 * 4096, np.uint8), *numbers]
    launch(code, 1, 512, args, device=H200, timing=True, caches="warm", shared_bytes=110 << 10)
    return int(out.sum())


def timed(case: MicroCase, board: Device = H200) -> int:
    return case.simulate(board, case.kernel).cycles


@cache
def every() -> tuple[MicroCase, ...]:
    return tuple(cases(campaign_settings("microbench"), Board(90, "NVIDIA H200")))


@cache
def found() -> dict[str, MicroCase]:
    ran: dict[str, MicroCase] = {}
    for case in every():
        for start in MICROBENCHMARKS:
            if case.name.startswith(start):
                ran.setdefault(start, case)
    assert len(ran) == len(MICROBENCHMARKS)
    return ran


@cache
def launches() -> tuple[Callable[[], int], ...]:
    return (
        yielding,
        partial(rows, 64, 80),
        partial(rows, 128, 128),
        *(partial(timed, found()[start]) for start in MICROBENCHMARKS),
    )


def fitted(name: str) -> Iterator[Callable[[], int]]:
    """Yield a few small microbenchmarks that tell each constant of a parameter, as `simtc fit` has them."""
    for entry in campaign_settings("microbench")["fit"]:
        if entry["constant"] in PARAMETERS[name]:
            some = [one for one in every() if any(fnmatchcase(one.name, pattern) for pattern in entry["cases"])]
            micro = [one for one in some if isinstance(one, MicroCase)]
            yield from (partial(timed, one) for one in sorted(micro, key=lambda one: one.grid * one.block)[:FEW])


ONLY = {  # launches for what few others depend on
    **dict.fromkeys(("blocks.sm_block_cycles", "blocks.sm_block_warp_cycles"), side_by_side),
    **dict.fromkeys(("write_combining.store_answer_cycles", "blocks.block_cycles"), after_another),
    "fetch.line_cycles": straight,
    "fetch.spread_cycles": straight_of_all,
    **dict.fromkeys(("fetch.jump_cycles", "fetch.lines"), jumps),
    **dict.fromkeys(("ways.slice_flits", "waiting.left_flits"), behind_red),
    "answers.freed_cycles": partial(meeting, 5, 0),
    "crossbar.words_cycles": partial(meeting, 4, 0),
    "places.bit_1": partial(meeting, 5, 32),
    "places.tags_ahead_cycles": lines_of_sets,
    **dict.fromkeys(("waiting.outside_flits", "waiting.store_flits"), red_then_stores),
    **dict.fromkeys(
        (
            "ldgsts.far_bytes",
            "ldgsts.far_cycles",
            "landing.slots",
            "landing.warps",
            "landing.block_shared_bytes",
        ),
        far_half,
    ),
    "l1.in_order": behind_dram,
    "l1.fill_line_cycles": partial(beside_reads, "ldg_8"),
    "l1.fill_turn_bytes": partial(beside_reads, "ldg_16"),
    "shared_memory.fill_store_cycles": beside_stores,
    **dict.fromkeys(("ldgsts.fill_line_cycles", "shared_memory.turn_cycles"), partial(beside_reads, "copy_ca_8")),
    "ldgsts.held_cycles": partial(held_by_l1, 4, 128, 128),
    "ldgsts.few_cycles": partial(held_by_l1, 16, 128, 128),
    **dict.fromkeys(
        ("ldgsts.tag_lines_per_cycle", "ldgsts.lines_cycles", "ldgsts.ahead_cycles"), partial(held_by_l1, 8, 16, 144)
    ),
    **dict.fromkeys(("ldgsts.apart_cycles", "ldgsts.sooner_copies"), missing_l1),
    **dict.fromkeys(("bypass.beside_cycles", "bypass.narrow_pieces"), partial(behind_copies, 6, 64)),
    "bypass.idle_cycles": partial(behind_copies, 12, 128),
    "bypass.beside_copies": partial(behind_copies, 4, 32),
    "lsu.group_done_cycles": held_groups,
    "dispatch.older_first": two_blocks,
    "dram.dram_banks": two_rows,
    "l2.l2_far_cycles": far_lines,
    "l2.part_request_bytes": parts,
    **dict.fromkeys(
        (
            "dram.dram_channels",
            "dram.channel_banks",
            "dram.write_row_lines",
            "dram.dram_batch_bytes",
            "dram.dram_turn_cycles",
            "dram.dram_write_row_cycles",
        ),
        batches,
    ),
    "operands.source_read_cycles": overwritten,
    **dict.fromkeys(("store_lines.bank_cycles", "store_lines.ahead_lines"), partial(lone_sectors, 640, 0)),
    **dict.fromkeys(
        ("store_lines.other_cycles", "store_lines.kept_cycles", "store_lines.kept_for_cycles"),
        partial(lone_sectors, 128, 16),
    ),
    "special.registers_ahead": partial(asked, "S2R R8, SR_TID.X"),
    "special.constants_ahead": partial(asked, "LDC R8, c[0x0][0x160]"),
    "write_combining.store_least_cycles": lines,
    **dict.fromkeys(("l1.l1_sets", "dram.dram_measured_bytes_per_cycle"), twice),
}


@cache
def before(launched: Callable[[], int]) -> int:
    return launched()


def differ(
    some: Sequence[Callable[[], int]], monkeypatch: pytest.MonkeyPatch, where: Any, name: str, moved: Any
) -> bool:
    """Tell whether any launch takes other cycles with a function replaced; the first one that does is enough."""
    for launched in some:
        due = before(launched)
        with monkeypatch.context() as patch:
            patch.setattr(where, name, moved)
            try:
                if launched() != due:
                    return True
            except SimtcError:  # a latency that the code proves wrong
                return True
    return False


@pytest.mark.parametrize("name", [name for name in PARAMETERS if name not in APART])
def test_every_parameter_of_a_unit_changes_cycles(monkeypatch, name):
    given = setup.parameters
    unit, field = name.split(".")

    def moved(*args: Any) -> np.ndarray:
        chip: np.ndarray = given(*args)
        value = chip[unit][field]
        chip[unit][field] = np.where(value == 0, WHERE_OFF, value * FACTORS.get(name, 2))
        return chip

    some = (ONLY[name],) if name in ONLY else (*launches(), *fitted(name))
    assert differ(some, monkeypatch, setup, "parameters", moved)


def test_the_first_line_of_code_is_waited_for():
    slow = altered(H200, "fetch.first_cycles", 2 * H200.sm.fetch.first_cycles)
    assert cycles(slow, [line("NOP")], caches="cold") > cycles(H200, [line("NOP")], caches="cold")


@pytest.mark.parametrize("name", [*FIELDS, "safe"])
def test_every_field_of_an_instruction_changes_cycles(monkeypatch, name):
    given = setup.clock_table

    def moved(*args: Any) -> Any:
        table = given(*args)
        if name == "safe":
            return table._replace(safe=table.safe + 20)
        ops = table.ops.copy()
        ops[name] = 2 * ops[name] + (name in ("second_pass", "tail"))
        return table._replace(ops=ops)

    assert differ(launches(), monkeypatch, setup, "clock_table", moved)
