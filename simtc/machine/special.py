"""Special registers: who a thread is, and what time it is."""

from __future__ import annotations

from enum import IntEnum

from simtc.jit import Arrays, Int, Record, jit
from simtc.machine.state import LOCAL_WINDOW, SHARED_WINDOW, STATE, Geometry
from simtc.machine.types import OP, int64, uint32, void

__all__ = ["Special", "special"]


class Special(IntEnum):
    """The special registers that S2R, S2UR and CS2R read."""

    SRZ = 0
    SR_LANEID = 1
    SR_TID_X = 2
    SR_TID_Y = 3
    SR_TID_Z = 4
    SR_CTAID_X = 5
    SR_CTAID_Y = 6
    SR_CTAID_Z = 7
    SR_EQMASK = 8
    SR_LTMASK = 9
    SR_LEMASK = 10
    SR_GTMASK = 11
    SR_GEMASK = 12
    SR_CLOCKLO = 13
    SR_CLOCKHI = 14
    SR_VIRTUALSMID = 15
    SR_SWINHI = 16
    SR_LWINHI = 17
    SR_TID = 18
    SR_GLOBALTIMERLO = 19
    SR_GLOBALTIMERHI = 20
    SR_WARPID = 21
    SR_CgaCtaId = 22
    SR_NTID = 23


@jit(int64(STATE, int64, int64, int64))
def _value(s: Arrays, which: Int, w: Int, lane: Int) -> Int:
    """Read one special register in one lane."""
    g, warp = s.geometry, s.warps[w]
    block = s.blocks[warp.block]
    thread = 32 * int64(warp.index) + lane
    width, height = g[Geometry.BLOCK_X], g[Geometry.BLOCK_Y]
    x, y, z = thread % width, thread // width % height, thread // (width * height)
    one = int64(1)
    if which == Special.SR_TID_X:
        return x
    if which == Special.SR_TID_Y:
        return y
    if which == Special.SR_TID_Z:
        return z
    if which == Special.SR_TID:
        return x | y << 16 | z << 26
    if which == Special.SR_CTAID_X:
        return int64(block.x)
    if which == Special.SR_CTAID_Y:
        return int64(block.y)
    if which == Special.SR_CTAID_Z:
        return int64(block.z)
    if which == Special.SR_LANEID:
        return lane
    if which == Special.SR_EQMASK:
        return one << lane
    if which == Special.SR_LTMASK:
        return (one << lane) - 1
    if which == Special.SR_LEMASK:
        return (one << (lane + 1)) - 1
    if which == Special.SR_GTMASK:
        return 0xFFFFFFFF & ~((one << (lane + 1)) - 1)
    if which == Special.SR_GEMASK:
        return 0xFFFFFFFF & ~((one << lane) - 1)
    if which == Special.SR_CLOCKLO or which == Special.SR_GLOBALTIMERLO:
        return g[Geometry.CLOCK] & 0xFFFFFFFF
    if which == Special.SR_CLOCKHI or which == Special.SR_GLOBALTIMERHI:
        return g[Geometry.CLOCK] >> 32
    if which == Special.SR_VIRTUALSMID:
        return g[Geometry.SM_ID]
    if which == Special.SR_SWINHI:
        return SHARED_WINDOW >> 32
    if which == Special.SR_LWINHI:
        return LOCAL_WINDOW >> 32
    if which == Special.SR_WARPID:
        return int64(warp.index)
    return 0


@jit(void(STATE, OP, int64))
def special(s: Arrays, op: Record, w: Int) -> None:
    """Leave a special register in the scratch; of a 64-bit read the upper word in row 1."""
    for lane in range(32):
        s.T[lane] = uint32(_value(s, op.imm, w, lane) & 0xFFFFFFFF)
        if op.d_rows > 1:
            s.T[32 + lane] = uint32(_value(s, op.imm + 1, w, lane) & 0xFFFFFFFF) if op.imm else uint32(0)
