"""Occupancy is the most that fits."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from simtc import arch
from simtc.analytic.occupancy import occupancy
from simtc.resources import folder

T4 = arch.device("t4")


@given(
    threads=st.integers(1, 1024), registers=st.integers(1, 255), shared_bytes=st.integers(0, 65536),
)  # fmt: skip
def test_occupancy_is_the_most_that_fits(threads, registers, shared_bytes):
    limits = T4.limits
    room = occupancy(T4, threads=threads, registers=registers, shared_bytes=shared_bytes)

    def fits(blocks):
        warps = -(-threads // 32)
        of_a_warp = -(-registers * 32 // 256) * 256
        as_the_launch_sees_it = of_a_warp * (-(-warps // 4) * 4)  # as if a block took as much of every sub-core
        shared = -(-shared_bytes // 256) * 256
        return (
            (as_the_launch_sees_it <= limits.registers or blocks == 0)
            and blocks * warps <= 4 * (limits.registers // 4 // of_a_warp)  # each sub-core's part holds whole warps
            and blocks * warps <= limits.warps
            and blocks <= limits.blocks
            and blocks * shared <= limits.shared_bytes
        )

    assert fits(room.blocks)
    assert not fits(room.blocks + 1)


def test_blocks_of_few_warps_share_the_sub_cores():
    """56 registers a thread: nine warps in each quarter of the registers, 36 in all."""
    blocks = [occupancy(arch.device("v100_pcie"), threads=32 * warps, registers=56).blocks for warps in (1, 2, 3, 4, 6)]
    assert blocks == [32, 18, 12, 9, 6]


def test_every_answer_of_an_h200s_driver():
    """What validate/occupancy.py was told for 16 register counts, 6 sizes of shared memory and 1 to 32 warps."""
    said = json.loads((folder("validate") / "captures/h200/occupancy.json").read_text(encoding="utf-8"))
    board = arch.device("h200")
    ours = [
        [registers, shared, threads, occupancy(board, threads=threads, registers=registers, shared_bytes=shared).blocks]
        for registers, shared, threads, _ in said["rows"]
    ]
    assert len(ours) == 3072
    assert ours == said["rows"]
