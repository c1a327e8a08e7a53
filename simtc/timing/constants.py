"""What the clock calls things: sizes, pipes, kinds of instructions and of accesses, and the places of its arrays."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from simtc.results.stall import Stall

__all__ = [
    "ASLEEP",
    "BANKS",
    "CLASS",
    "CODE_LINE",
    "CORES",
    "GATHERED",
    "HEAP",
    "LINES",
    "MERGED",
    "PAIRS",
    "PENDING",
    "QUEUE",
    "ROWS",
    "SECTORS",
    "SPAN",
    "STALLS",
    "UNUSED",
    "WAYS",
    "Access",
    "Chip",
    "Counter",
    "Kind",
    "Pace",
    "Pipe",
    "Server",
]

STALLS: Final = len(Stall)
ROWS: Final = 336  # of the hazard table: R0.., UR0.., P0.., UP0..
CLASS: Final = 512  # times the class of its reader or producer, added to a row of the hazard table
QUEUE: Final = 32  # places of a memory I/O ring; the modelled depths are smaller
HEAP: Final = 4096  # events pending in one SM
PENDING: Final = 1024  # loads of one SM on their way from L2
GATHERED: Final = 256  # places for sectors that one SM has stored to
SECTORS: Final = 64  # that one instruction can touch
WAYS: Final = 16  # associativity of both caches; not published, and of little consequence for streams
BANKS: Final = 1024  # of DRAM, each of which holds a row open
UNUSED: Final = -(1 << 60)  # when a place of L2 that holds nothing was used last
PAIRS: Final = 64  # requests of one SM, for 64 bytes each, that can be told apart
MERGED: Final = 65536  # sectors on their way to one GPC that can be told apart
CODE_LINE: Final = 8  # instructions of a line of code, of 128 bytes
SPAN: Final = 8  # what the clock's innermost functions are told: see issue.pick
ASLEEP: Final = 1 << 60  # the cycle until which what only another event wakes is asleep
CORES: Final = 4  # sub-cores of an SM at most
LINES: Final = 256  # of constants that one kernel touches by a fixed address, and of each of their caches


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
    COUNT = 10


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
    HAZARD_PLACE = 9
    HAZARD_ROW = 10
    HAZARD_MISSING = 11
    STORE_SECTORS = 12
    COUNT = 16


class Queue(IntEnum):
    """Places in the array of what has become of the grid's blocks."""

    ADMITTED = 0
    BLOCKS = 1
    DONE = 2
    LAST_WAVE = 3  # blocks before it
    KEPT = 4  # blocks that are for one SM, which gets the first one of the last wave
    FOR = 5  # its number, -1 before
    COUNT = 6


class Server(IntEnum):
    """Places in the array of what all SMs share: when DRAM will be idle, its last request's time, what it delivered."""

    DRAM = 0
    DRAM_LAST = 1
    DELIVERED = 2  # sectors
    COUNT = 3


class Pace(IntEnum):
    """Places in the array of what the SMs' own clock does."""

    LAST = 0  # when a tensor instruction issued last
    SLOW = 1  # 1 while the clock is low for them
    SINCE = 2  # from when on
    CYCLES = 3  # for which it was low before
    COUNT = 4


class Chip(IntEnum):
    """Places in the array of chip constants (float64)."""

    SLOTS = 1  # resident blocks of an SM
    WARPS = 2  # of a block
    SUB_CORES = 3
    QUEUE = 4
    SM_QUEUE = 5
    STAGE_BYTES = 6
    RETURN_BYTES = 7
    LINK_BYTES = 9
    SLICE_BYTES = 10  # a cycle, of one slice of L2
    DRAM_BYTES = 11
    L2_EXTRA = 12  # latency beyond an L1 hit
    DRAM_EXTRA = 13
    BRANCH_TAKEN = 14
    BARRIER_RELEASE = 15
    STALL1_YIELD = 16
    LAUNCH_BASE = 17
    LAUNCH_WARP = 18
    L1_SETS = 19
    L2_SETS = 20
    WAYS = 21
    STORE_PARTIAL = 22
    STORE_FULL = 23
    L2_SPREAD = 28  # latency from the nearest slices to the farthest
    DRAM_SPREAD = 29
    L2_FETCH = 30  # bytes that a miss brings from DRAM
    SLICES = 31
    PACKET = 32  # cycles that a packet of 32 bytes takes of the port to L2 that some SMs share
    GPCS = 33  # groups of SMs that share a port to L2, 0 where none is known
    GPC_BYTES = 34  # a cycle, of such a port; 0 for no limit
    LAUNCH_BLOCK = 35  # from one block that ends to the next, when the chip takes note of their ends
    CONSTANT_FIRST = 36  # first touch of a line of constants by LDC
    OPERAND_FIRST = 37  # and by an operand or ULDC
    BARRIER_WARP = 38
    PENDING_LINE = 39  # of the data stage, for a line that was on its way to L1 already
    STORE_LINE = 40  # and for each line that is stored whole
    STORE_QUEUE = 41  # sectors on their way up that do not hold the data stage
    L2_QUEUE = 42  # cycles that a slice may be behind before stores wait for it
    REFRESH_PERIOD = 43  # cycles from one refresh of DRAM to the next
    REFRESH = 44  # cycles that it takes
    DRAM_TAIL = 47  # mean of what a read takes beyond the quickest: exponential; from an open row
    DRAM_TAIL_ROW = 48  # and from another row
    CODE_LINE = 45  # from one line of straight code to the next, when it comes for the first time
    CODE_FIRST = 46  # until the first line of code comes that none before it announced; 0 where all code is there
    UP_REQUEST = 49  # cycles of the path to L2 that a line takes, asked for or one sector stored
    UP_SWITCH = 50  # between loads and stores there
    STORE_TURN = 51  # cycles there from a store to a load's request
    STORE_TURN_LINE = 52  # and for each of the store's lines
    TAG_AHEAD = 53  # lines that may wait at the tags, of loads
    REQUEST_BYTES = 55  # that a request of a slice counts for
    HALVES = 56  # of L2, each with the memory that hangs on it
    GPC_L2_BYTES = 57  # a cycle, of a GPC's port to L2, behind which requests have been merged; 0 for no limit
    ROW_OPEN = 59  # cycles after which a row of DRAM that nobody reads is closed
    STORE_BYTES = 60  # that a request of a slice counts for that stores
    SLICE_TURN = 61  # bytes that a slice could move while it turns from loads to stores, or back
    SM_BLOCK = 62  # from one block that an SM is given to the next
    SM_BLOCK_WARP = 63  # and for each of its warps
    SM_START = 64  # from the first block of one SM to that of the next
    STORE_ANSWER = 66  # from a slice of L2 that takes a store until its SM knows
    STORE_GATHER = 67  # lines that stores may reach until a sector takes no more of them along
    MERGE = 68  # cycles for which a request of an SM takes in another one for the same 64 bytes
    MERGE_STORE = 69  # and one that stores
    TENSOR_HOLD = 70  # for which the clock stays low after the last tensor instruction
    CONSTANT_TURN = 71  # cycles of a GPC from one request of constants to the next
    COUNT = 72
