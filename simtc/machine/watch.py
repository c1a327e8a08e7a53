"""What a checked run remembers, as records: of warps and barriers who knows of whose accesses, and what it found.

Time is counted for each warp: its clock goes on whenever its threads synchronise. An access is stamped with the thread,
the instruction and that time, in one word, so that a byte of shared memory remembers it in eight.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import numpy as np

__all__ = ["FINDING", "GATHERED", "PLACES", "PREDICATE_AT", "UNIFORM_AT", "WATCH", "Found", "Habit", "Kind"]

# Where a warp's registers stand in `unknown` and `origin`: R0 .. R254, then the uniform ones, then the predicates.
UNIFORM_AT: Final = 256
PREDICATE_AT: Final = 320
PLACES: Final = 352

WATCH: Final = np.dtype(
    [
        ("clock", np.int64),
        ("joined", np.int64),  # up to this time, all threads of the warp know of each other's accesses
        ("lanes", np.int64, (1024,)),  # [32 a + b]: and up to this time lane a of lane b's
        ("times", np.int64, (32,)),  # of the block's other warps, up to which of their times this one knows of theirs
        ("committed", np.int64),  # groups of asynchronous copies
        ("waited", np.int64),  # groups that a wait has seen complete
        ("wait_time", np.int64, (64,)),  # when, of the last 64
        ("waits_at", np.int32),  # 1 + the barrier of the block that it will leave
        ("crossed", np.int32, (512,)),  # [32 b + lane]: how often the lane took barrier b of all threads
    ],
    align=True,
)

# A barrier of the block that is not complete: what its arrivals know.
GATHERED: Final = np.dtype(
    [("used", np.int64), ("place", np.int64), ("expected", np.int64), ("times", np.int64, (32,))], align=True
)

FINDING: Final = np.dtype(
    [
        ("kind", np.int64),
        ("place", np.int64),  # of the instruction
        ("other", np.int64),  # of the other one, -1 for none
        ("step", np.int64),  # which instruction of the run: the lanes of one step make one finding
        ("block", np.int64),
        ("warp", np.int64),
        ("lanes", np.int64),
        ("address", np.int64),
        ("thread", np.int64),  # the other one: 32 * warp + lane
        ("register", np.int64),
    ],
    align=True,
)


class Kind(IntEnum):
    """What kind of access a stamp is of."""

    PLAIN = 0
    ATOMIC = 1
    COPY = 2  # asynchronous: its time is the number of its group
    GUESS = 3  # a load whose value a compare-and-swap will prove


class Habit(IntEnum):
    """Bits of what the checks must know of an instruction beside its micro-operation; a wait's number is above them."""

    MERGES = 1  # it puts bytes of two registers together, one of which may hold nothing yet
    CONSTANT = 2  # and one of them is a constant
    JOINS = 4  # its threads wait for one another (.sync in PTX)
    COMMITS = 8
    WAITS = 16
    GUESSES = 32  # a load for a compare-and-swap, which will say whether it was right
    PACKS = 64  # it clears one bit of a register in place, as the compiler does where it keeps predicates in one
    NUMBER = 8  # shift of the groups that a wait leaves under way


class Found(IntEnum):
    """What a check found."""

    UNKNOWN_REGISTER = 1
    UNKNOWN_SHARED = 2
    UNKNOWN_GLOBAL = 3
    ATOMIC_ON_NOTHING = 4
    READ_AFTER_WRITE = 5
    WRITE_AFTER_WRITE = 6
    WRITE_AFTER_READ = 7
    COPY_NOT_WAITED_FOR = 8
    DIVERGENT_BARRIER = 9
    MISSED_BARRIER = 10
    BARRIER_COUNT = 11
    BARRIER_COUNTS = 12
    MASK_WITHOUT_CALLER = 13
