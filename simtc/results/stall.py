"""Why a warp did not issue, in Nsight Compute's words."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Stall"]


class Stall(IntEnum):
    """The cause of one cycle of one warp. `selected` is no stall: the warp issued."""

    selected = 0
    wait = 1  # a fixed latency: the stall count of its last instruction
    short_scoreboard = 2  # a result from shared memory, the XU or a special register
    long_scoreboard = 3  # a result from global or local memory
    mio_throttle = 4  # the memory I/O queue is full
    lg_throttle = 5  # likewise, for a global or local access
    math_pipe_throttle = 6  # the pipe is busy
    barrier = 7  # other warps have not reached the block's barrier
    not_selected = 8  # another warp of the sub-core issued
    branch_resolving = 9  # the target of a branch
    no_instruction = 10  # not fetched yet; also the start of the block
    dispatch_stall = 11
    membar = 12
    sleeping = 13
    drain = 14  # stores of an ending warp
    imc_miss = 15  # a constant that is not in its cache yet
