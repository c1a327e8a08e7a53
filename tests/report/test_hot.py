"""The hottest lines of a timed launch: the dearest first, with their cause, and the text of the source."""

from __future__ import annotations

from simtc.report.hot import hot_text, hottest
from simtc.report.listing import listing_rows
from simtc.results import InstructionTime, Timing


def _timing(*instructions):
    return Timing(
        cycles=1000, clock_mhz=1000, warp_cycles=1000, stalls={"selected": 300, "long_scoreboard": 700},
        resources={"issue": 300.0}, counters={"wavefronts": 0, "ideal_wavefronts": 0}, blocks_per_sm=1,
        occupancy_limit="warps", by_instruction=instructions,
    )  # fmt: skip


def _one(address, cycles, text, source=None, cause="long_scoreboard", conflicts=0, issued=10):
    return InstructionTime(
        address=address, text=text, source=source, issued=issued, cycles=cycles, top_stall=cause, conflicts=conflicts
    )


def test_lines_are_sums_of_their_instructions(tmp_path):
    path = tmp_path / "k.cu"
    path.write_text("// head\n  x[i] = y[i] * 2;\n")
    file = str(path)
    timing = _timing(
        _one(0x00, 5, "S2R R0, SR_TID.X", (file, 1)),
        _one(0x10, 400, "LDS R4, [R2]", (file, 2), conflicts=1200, cause="short_scoreboard"),
        _one(0x20, 500, "FMUL R4, R4, 2", ("wmma_naive.cu", 1)),
        _one(0x30, 95, "STG.E [R2], R4", (file, 2), issued=95),
    )
    lines = [" ".join(line.split()) for line in hot_text(timing)]
    assert lines[2].startswith("50.0 % long_scoreboard wmma_naive.cu:1 // ")
    assert lines[3:] == [
        "50.0 % long_scoreboard 0020 FMUL R4, R4, 2",
        "49.5 % short_scoreboard 1,200 k.cu:2 x[i] = y[i] * 2;",
        "40.0 % short_scoreboard 1,200 0010 LDS R4, [R2]",
        "9.5 % selected 0030 STG.E [R2], R4",
    ]


def test_without_source_lines_instructions_are_told():
    timing = _timing(*(_one(16 * n, 10 * n, f"NOP {n}") for n in range(10)))
    lines = [" ".join(line.split()) for line in hot_text(timing)]
    assert lines[2:] == [f"{n}.0 % long_scoreboard {16 * n:04x} NOP {n}" for n in (9, 8, 7, 6)]


def test_top_sorts_the_listing():
    timing = _timing(*(_one(16 * n, 10 * (n % 4), f"NOP {n}") for n in range(8)))
    assert [one.address for one in hottest(timing, 3)] == [0x30, 0x70, 0x20]
    assert [row[0] for row in listing_rows(timing, 3)] == ["address", "0030", "0070", "0020"]
    assert len(listing_rows(timing)) == 9
