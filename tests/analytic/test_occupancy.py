"""Occupancy is the most that fits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from simtc import arch
from simtc.analytic.occupancy import occupancy

T4 = arch.device("t4")


@given(
    threads=st.integers(1, 1024), registers=st.integers(1, 255), shared_bytes=st.integers(0, 65536),
)  # fmt: skip
def test_occupancy_is_the_most_that_fits(threads, registers, shared_bytes):
    limits = T4.limits
    room = occupancy(T4, threads=threads, registers=registers, shared_bytes=shared_bytes)

    def fits(blocks):
        warps = -(-threads // 32)
        taken = -(-registers * 32 // 256) * 256 * (-(-warps // 4) * 4)
        shared = -(-shared_bytes // 256) * 256
        return (
            blocks * taken <= limits.registers
            and blocks * warps <= limits.warps
            and blocks <= limits.blocks
            and blocks * shared <= limits.shared_bytes
        )

    assert fits(room.blocks)
    assert not fits(room.blocks + 1)
