"""Published single-SM numbers. These are inputs of the chips' tables: they prove that the clock composes them."""

from __future__ import annotations

import pytest

from simtc.errors import SimtcError
from tests.timing.micro import cycles, each, line

SHARED = 16384
# Yan et al., Tables I, III and IV: cycles per instruction of one warp on Turing. Each lane has its own words.
YAN = {
    "HMMA.1688.F16 R{d}, R64, R68, R{d}": 8.06,
    "LDS R{d}, [R4.X4]": 2.11,
    "LDS.64 R{d}, [R4.X8]": 4.00,
    "LDS.128 R{d}, [R4.X16]": 8.00,
    "STS [R4.X4], R64": 4.06,
    "STS.64 [R4.X8], R64": 6.00,
    "STS.128 [R4.X16], R64": 10.00,
}


@pytest.mark.parametrize(("text", "cpi"), YAN.items())
@pytest.mark.parametrize("board", ["t4", "rtx2070"])
def test_cpi_of_yan(board, text, cpi):
    def one(i):
        return line(text.format(d=8 + 4 * (i % 8)))

    assert each(board, one, shared_bytes=SHARED) == pytest.approx(cpi, rel=0.06)


@pytest.mark.parametrize(("board", "latency"), [("t4", 19), ("v100_pcie", 19), ("h200", 23)])
def test_shared_memory_latency(board, latency):
    link = line("LDS R6, [R6]", write=0, wait=(0,), stall=2)
    start = [line("MOV R6, RZ", stall=12)]
    few = cycles(board, [*start, *[link] * 32], shared_bytes=SHARED)
    many = cycles(board, [*start, *[link] * 64], shared_bytes=SHARED)
    assert (many - few) / 32 == pytest.approx(latency, abs=1)


@pytest.mark.parametrize("ways", [1, 2, 4, 8, 16, 32])
def test_conflicts_on_v100_cost_two_cycles_a_way(ways):
    """Jia et al.: 19, 21, 25, 33, 49, 81 cycles for 1, 2, 4 .. 32-way conflicts."""
    shift = {1: 2, 2: 3, 4: 4, 8: 5, 16: 6, 32: 7}[ways]
    start = [line(f"SHF.L.U32 R6, R4, {shift:#x}, RZ", stall=12)]
    link = line("LDS R7, [R6]", write=0, wait=(0,), stall=2)
    few = cycles("v100_pcie", [*start, *[link] * 16], shared_bytes=SHARED)
    many = cycles("v100_pcie", [*start, *[link] * 32], shared_bytes=SHARED)
    assert (many - few) / 16 == pytest.approx(19 + 2 * (ways - 1), abs=1)


@pytest.mark.parametrize(("board", "hit", "l2"), [("t4", 32, 188), ("v100_pcie", 28, 193)])
def test_global_load_latency(board, hit, l2):
    def link(stride):
        return lambda i: line(f"LDG.E.SYS R7, [R2+{stride * i:#x}]", write=0, wait=(0,), stall=2)

    assert each(board, link(0), count=32) == pytest.approx(hit, abs=1)
    assert each(board, link(128), count=32, caches="warm") == pytest.approx(l2, abs=4)


@pytest.mark.parametrize("board", ["v100_pcie", "t4"])
def test_alu_instructions_issue_at_the_rate_of_their_pipe(board):
    assert each(board, lambda i: line(f"IADD3 R{8 + i % 16}, R4, R5, RZ")) == 2
    assert each(board, lambda i: line(f"IADD3 R{8 + i % 16}, R4, R5, RZ", stall=4)) == 4


@pytest.mark.parametrize(("sources", "cycles"), [("R4, R6, R10", 3), ("R4, R6, R4", 2), ("R4.reuse, R6, R10", 2)])
def test_doubles_are_read_from_both_banks(sources, cycles):
    assert each("h200", lambda i: line(f"DFMA R{16 + 2 * (i % 16)}, {sources}")) == cycles


# Jia et al. (2018 of the V100, 2019 of the T4): a link of a dependent chain. Fixed latencies are kept by the
# compiler, so they are inputs twice: the clock counts the distance it is given, and refuses one that is too short.
FIXED = [
    ("IADD3 R6, R6, R4, RZ", 4, 4),
    ("LOP3.LUT R6, R6, R4, RZ, 0xfc, !PT", 4, 4),
    ("SHF.L.U32 R6, R6, 0x1, RZ", 4, 4),
    ("FFMA R6, R6, R4, R6", 4, 4),
    ("IMAD R6, R6, R4, R6", 5, 5),
    ("HFMA2 R6, R6, R4, R6", 6, 6),
]
VARIABLE = {"v100_pcie": [("MUFU.RCP R6, R6", 14)], "t4": [("MUFU.RCP R6, R6", 15), ("DADD R6, R6, R8", 48)]}


@pytest.mark.parametrize(("text", "v100", "t4"), FIXED)
def test_fixed_latencies_of_jia(text, v100, t4):
    for board, latency in (("v100_pcie", v100), ("t4", t4)):
        assert each(board, lambda _, n=latency: line(text, stall=n)) == latency
        with pytest.raises(SimtcError, match="before simtc takes it to be ready"):
            each(board, lambda _: line(text, stall=3))


@pytest.mark.parametrize("board", VARIABLE)
def test_variable_latencies_of_jia(board):
    for text, latency in VARIABLE[board]:
        assert each(board, lambda _, t=text: line(t, stall=2, write=0, wait=(0,))) == pytest.approx(latency, abs=1)


def test_double_precision_of_a_v100_is_fixed_and_kept_by_the_compiler():
    assert each("v100_pcie", lambda _: line("DFMA R6, R6, R8, R6", stall=8)) == 8
