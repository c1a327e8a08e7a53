"""What units of the clock share: pipes, kinds of instructions and of accesses, counters, and a few sizes."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from simtc.results.stall import Stall

__all__ = [
    "ASLEEP",
    "CLASS",
    "LANES",
    "LINE",
    "ROWS",
    "SECTOR",
    "STALLS",
    "TAGGED",
    "UNUSED",
    "WAVEFRONT",
    "WAYS",
    "WORDS",
    "Access",
    "Counter",
    "Kind",
    "Pipe",
]

STALLS: Final = len(Stall)
ROWS: Final = 336  # of the hazard table: R0.., UR0.., P0.., UP0..
CLASS: Final = 512  # times the class of its reader or producer, added to a row of the hazard table
WAYS: Final = 16  # associativity of both caches; not published, and of little consequence for streams
UNUSED: Final = -(1 << 60)  # when something that was never used was used last
ASLEEP: Final = 1 << 60  # the cycle until which what only another event wakes is asleep
LANES: Final = 32  # of a warp
LINE: Final = 128  # bytes, of both caches
SECTOR: Final = 32.0  # bytes
WAVEFRONT: Final = 128.0  # bytes
WORDS: Final = 8  # of a sector, and of a flit
TAGGED: Final = 32  # instructions at the tags of L1 that the clock has room for


class Pipe(IntEnum):
    """What an instruction occupies when it issues."""

    NONE = 0
    ALU = 1
    FMA = 2
    FP16 = 3
    FP64 = 4
    XU = 5
    UNIFORM = 6
    TENSOR = 7
    MIO = 8
    ADU = 9
    FMA_HEAVY = 10  # what multiplies integers and halves, where FFMA does not wait for it
    COUNT = 11


class Halves(IntEnum):
    """What an instruction takes of an FMA pipe that has two halves, of which one multiplies integers."""

    NONE = 0
    OTHER = 1  # FFMA: the half that the one before it did not take
    HEAVY = 2  # IMAD
    BOTH = 3  # HFMA2


class Special(IntEnum):
    """What an SM serves one after another beside its memory."""

    NONE = 0
    REGISTER = 1  # S2R, S2UR
    CONSTANT = 2  # LDC


class Kind(IntEnum):
    """How an instruction's completion is found."""

    FIXED = 0
    VARIABLE = 1  # a scoreboard after a latency
    MEMORY = 2  # through the memory I/O queue
    WAIT = 3  # DEPBAR: holds its warp until a scoreboard has come down


class Access(IntEnum):
    """What a memory instruction does to the data stage."""

    SHARED_LOAD = 0
    SHARED_STORE = 1
    GLOBAL_LOAD = 2
    GLOBAL_STORE = 3
    COPY = 4
    EXCHANGE = 5  # SHFL and its like: the crossbar without the banks
    ATOMIC = 6
    GROUP = 7  # LDGDEPBAR: marks the asynchronous copies before it
    SPECIAL = 8  # MUFU and its like: to the XU pipe
    BARRIER = 9  # BAR whose number or count is in a register


class Counter(IntEnum):
    """Places in the counter array."""

    INSTRUCTIONS = 0
    WAVEFRONTS = 1
    IDEAL_WAVEFRONTS = 2
    L1_SECTORS = 3
    L1_HITS = 4
    L2_SECTORS = 5
    L2_HITS = 6
    DRAM_SECTORS = 7
    HAZARDS = 8
    HAZARD_INSTRUCTION = 9
    HAZARD_ROW = 10
    HAZARD_MISSING = 11
    STORE_SECTORS = 12
    COUNT = 16
