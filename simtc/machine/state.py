"""The state that compiled code works on: flat arrays and records, grouped in named tuples.

One `State` holds everything private to one driver: registers, predicates, shared and local memory of the blocks that
are resident in it. `Memory` holds what all blocks share. `Code` is the lowered kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np
from numba import from_dtype

from simtc.bundle import BundleType
from simtc.jit import Array
from simtc.machine.micro import MICRO, PREDICATES, WARP_WORDS
from simtc.machine.types import BYTES, LONGS, WORDS, int32, int64
from simtc.machine.watch import FINDING, GATHERED, WATCH

__all__ = [
    "BLOCK", "CODE", "GLOBAL_BASE", "LOCAL_WINDOW", "MEMORY", "SHARED_WINDOW", "STATE", "WARP", "Code", "Event",
    "Geometry", "Memory", "Outcome", "State", "Waiting", "new_state", "shared_pitch",
]  # fmt: skip

# Where the address space begins. Shared and local memory are also visible through 16 MiB windows of it.
GLOBAL_BASE: Final = 0x7F00_0000_0000
SHARED_WINDOW: Final = 0x7FFE_0000_0000
LOCAL_WINDOW: Final = 0x7FFF_0000_0000
_BANKS_BYTES: Final = 128  # of a word of each bank of shared memory

WARP: Final = np.dtype(
    [
        ("pc", np.int32),
        ("active", np.uint32),  # lanes that execute now; the other live lanes wait at lane_pc
        ("alive", np.uint32),  # lanes that have not exited
        ("blocked", np.uint32),  # lanes that wait for others, as lane_wait says
        ("waiting", np.int32),  # of the whole warp: see Waiting
        ("barrier", np.int32),  # the block barrier it waits at
        ("block", np.int32),  # slot of its block
        ("index", np.int32),  # its number within the block
        ("executed", np.int64),  # warp-instructions so far
        ("groups", np.int32),  # how many groups of lanes have parted or met
        ("lane_pc", np.int32, (32,)),
        ("lane_group", np.int32, (32,)),  # of a lane that is not active: those of one number go on together
        ("lane_wait", np.int32, (32,)),  # what a blocked lane waits for: see simtc.machine.control
        ("convergence", np.uint32, (16,)),  # participants of B0..B15
        ("lane_sync", np.uint32, (32,)),  # of a lane that waits at WARPSYNC: the lanes it waits for
    ],
    align=True,
)

BLOCK: Final = np.dtype(
    [
        ("x", np.int32),
        ("y", np.int32),
        ("z", np.int32),
        ("first_warp", np.int32),
        ("warps", np.int32),
        ("live_warps", np.int32),
        ("shared_at", np.int64),  # its first byte in the shared array
        ("arrived", np.int32, (16,)),  # threads at each barrier
        ("expected", np.int32, (16,)),  # threads it takes, 0 for all live ones
        ("voted", np.int32, (16,)),  # BAR.RED: threads whose predicate held
        ("voters", np.int32, (16,)),
        ("result", np.int32, (16,)),
        ("epoch", np.int64),  # barriers completed
    ],
    align=True,
)


class Waiting(IntEnum):
    """Why a warp cannot execute its next instruction."""

    READY = 0
    BARRIER = 1
    DONE = 2


class Outcome(IntEnum):
    """What one step did; negative values are faults."""

    NEXT = 0
    BRANCHED = 1
    BLOCKED = 2  # waits at a block barrier
    EXITED = 3
    YIELDED = 4
    STOPPED = 5  # of a run: another block's fault, or its user, made it pointless
    OUT_OF_BOUNDS = -1
    MISALIGNED = -2
    SHARED_OUT_OF_BOUNDS = -3
    LOCAL_OUT_OF_BOUNDS = -4
    CONSTANT_OUT_OF_BOUNDS = -5
    DEADLOCK = -6
    TRAPPED = -7
    BAD_BRANCH = -8
    INSTRUCTION_LIMIT = -9
    SHARED_MISALIGNED = -10
    OUTSIDE_CALL = -11
    LAUNCH_LIMIT = -40
    HANGS = -41  # in the clock: a scoreboard that nothing will bring down


class Event(IntEnum):
    """Places in the event array: what the last step did, for faults and for the clock."""

    MASK = 0  # lanes that executed
    LANE = 1  # of a fault: the first lane at fault
    ADDRESS = 2  # and its address
    WAVEFRONTS = 3  # passes through shared memory
    IDEAL = 4  # passes that the same bytes would need without conflicts
    SECTORS = 5  # 32-byte sectors of global memory touched
    LINES = 6  # 128-byte lines touched; by a load, as often as L1 looks them up
    TAKEN = 7  # 1 where the warp went elsewhere than to its next instruction
    BLOCK = 8  # of a fault: the block's linear number, set by the driver
    WARP = 9
    PC = 10
    PIECES = 11  # of a copy of 16 bytes a lane to shared memory: bits of the sectors asked for that begin a piece
    MEETING = 12  # of an atomic: the most lanes that meet at one word
    ASKED = 13  # of those: how many sectors are asked for
    PASSES = 14  # of what L1 looks up: passes over its banks, each of which gives a word of any line
    TO = 15  # of a copy to shared memory: the first byte of its block's that it writes
    LIST = 16  # sector addresses, line by line in the order of their first touch
    BANKS = 96  # for counting wavefronts: what each bank of shared memory delivers
    WORDS = 160  # for counting wavefronts: how many words each bank is asked for
    TABLE = 192  # of numbers that were seen: words beyond the first one of a bank, sectors, or lines
    LANDING = 256  # for counting pieces: sectors, where they land, and how
    COUNT = 352


class Geometry(IntEnum):
    """Places in the geometry array: the launch, and switches."""

    BLOCK_X = 0
    BLOCK_Y = 1
    BLOCK_Z = 2
    GRID_X = 3
    GRID_Y = 4
    GRID_Z = 5
    SHARED_BYTES = 6
    LOCAL_BYTES = 7
    LITERAL_WORDS = 8
    REGISTERS = 9
    TRACE = 10  # 1: count wavefronts and sectors
    CLOCK = 11  # what clock64 reads
    SM_ID = 12
    WARPS = 13  # per block
    DYNAMIC_SHARED = 14
    SMS = 15
    COUNT = 16


class Code(NamedTuple):
    """A lowered kernel."""

    ops: Array  # MICRO records
    mma: Array  # (instructions, fields) int64: see simtc.machine.tensor
    words: Array  # int32: for each element, its word among the operand's rows
    shifts: Array  # int32: and its first bit


class Memory(NamedTuple):
    """What all blocks share."""

    bytes: Array  # global memory
    words: Array  # the same memory as words
    starts: Array  # offsets of the allocations, ascending
    ends: Array
    constants: Array  # all constant banks, one after another
    banks: Array  # (32,) start and end of each bank's bytes: [2 * bank], [2 * bank + 1]


class State(NamedTuple):
    """What one driver owns."""

    F: Array  # rows: literals, then each warp's registers
    P: Array  # predicates
    warps: Array
    blocks: Array
    shared: Array
    shared_words: Array
    local: Array
    T: Array  # scratch: results before they are committed
    matrix_a: Array
    matrix_b: Array
    matrix_c: Array
    matrix_d: Array
    work: Array
    address: Array  # one a lane
    address2: Array
    event: Array
    geometry: Array
    unknown: Array  # these are of a checked run: see simtc.machine.shadow
    origin: Array
    unset: Array
    unset_global: Array
    written: Array
    read: Array
    read_too: Array
    uses: Array
    uses_at: Array
    habits: Array
    masks: Array
    beyond: Array
    counted: Array
    watch: Array
    gathered: Array
    findings: Array
    found: Array
    where: Array
    doubts: Array


_RECORDS = {"watch": WATCH, "gathered": GATHERED, "findings": FINDING}
_W, _L, _B, _I = WORDS, LONGS, BYTES, int32[::1]
CODE: Final = BundleType("Code", {"ops": from_dtype(MICRO)[::1], "mma": int64[:, ::1], "words": _I, "shifts": _I})
MEMORY: Final = BundleType("Memory", {"bytes": _B, "words": _W, "starts": _L, "ends": _L, "constants": _B, "banks": _L})
STATE: Final = BundleType(
    "State",
    {
        **dict.fromkeys(State._fields, _W),
        "warps": from_dtype(WARP)[::1],
        "blocks": from_dtype(BLOCK)[::1],
        **dict.fromkeys(("shared", "local", "unset", "unset_global"), _B),
        **dict.fromkeys(("work", "uses", "uses_at", "habits", "masks", "beyond", "counted"), _I),
        **dict.fromkeys(("address", "address2", "event", "geometry"), _L),
        **dict.fromkeys(("written", "read", "read_too", "origin", "found", "where"), _L),
        **{name: from_dtype(dtype)[::1] for name, dtype in _RECORDS.items()},
    },
)


_NO_SHADOW = {
    **dict.fromkeys(("uses", "uses_at", "habits", "masks", "beyond", "counted"), np.zeros(1, np.int32)),
    **dict.fromkeys(("written", "read", "read_too", "origin", "found", "where"), np.zeros(1, np.int64)),
    **dict.fromkeys(("unset", "unset_global"), np.zeros(1, np.uint8)),
    **dict.fromkeys(("unknown", "doubts"), np.zeros(1, np.uint32)),
    **{name: np.zeros(1, dtype) for name, dtype in _RECORDS.items()},
}


def shared_pitch(geometry: np.ndarray) -> int:
    """Return the bytes from one resident block's shared memory to the next: each begins with the first bank."""
    return -(-int(geometry[Geometry.SHARED_BYTES]) // _BANKS_BYTES) * _BANKS_BYTES


def new_state(
    literals: np.ndarray,
    geometry: np.ndarray,
    *,
    slots: int,
    work_words: int,
    shadow: Mapping[str, np.ndarray] | None = None,
) -> State:
    """Allocate the state for `slots` resident blocks.

    Args:
        literals: the shared rows, (rows * 32,) uint32.
        geometry: (Geometry.COUNT,) int64.
        slots: blocks resident at once.
        work_words: scratch that the matrix operations need, in 32-bit words.
        shadow: the arrays of a checked run.

    """
    warps = slots * int(geometry[Geometry.WARPS])
    shared_bytes = shared_pitch(geometry)
    registers = np.zeros(literals.size + warps * WARP_WORDS, np.uint32)
    registers[: literals.size] = literals
    shared = np.zeros(max(slots * shared_bytes, 16), np.uint8)
    blocks = np.zeros(slots, BLOCK)
    blocks["shared_at"] = np.arange(slots) * shared_bytes
    local = np.zeros(max(warps * 32 * int(geometry[Geometry.LOCAL_BYTES]), 16), np.uint8)
    return State(
        F=registers,
        P=np.zeros(warps * PREDICATES, np.uint32),
        warps=np.zeros(warps, WARP),
        blocks=blocks,
        shared=shared,
        shared_words=shared.view(np.uint32),
        local=local,
        T=np.zeros(16 * 32, np.uint32),
        **{f"matrix_{x}": np.zeros(4096, np.uint32) for x in "abcd"},
        work=np.zeros(work_words, np.int32),
        address=np.zeros(32, np.int64),
        address2=np.zeros(32, np.int64),
        event=np.zeros(Event.COUNT, np.int64),
        geometry=geometry.astype(np.int64),
        **(shadow or _NO_SHADOW),
    )
