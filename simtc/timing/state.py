"""The clock's own state: flat arrays and records for the compiled code, one row an SM, a sub-core or a warp."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import from_dtype, int16

from simtc.bundle import BundleType
from simtc.jit import Array
from simtc.machine.types import float64, int64
from simtc.timing.constants import CORES, GATHERED, HEAP, LINES, PAIRS, PENDING, QUEUE, ROWS, SECTORS, Pipe

__all__ = [
    "CACHES",
    "CLOCK",
    "OP_TIMING",
    "SM",
    "SM_RECORD",
    "SUB",
    "SUB_RECORD",
    "TABLE",
    "TIMING",
    "WARP_CLOCK",
    "WARP_RECORD",
    "Caches",
    "Clock",
    "Table",
]

TIMING: Final = np.dtype(
    [
        ("pipe", np.int32),
        ("kind", np.int32),
        ("interval", np.int32),
        ("stall", np.int32),
        ("yields", np.int32),
        ("write_barrier", np.int32),  # -1 for none
        ("read_barrier", np.int32),
        ("wait_mask", np.int32),
        ("latency", np.int32),  # of VARIABLE: issue to release
        ("access", np.int32),
        ("operand_read", np.int32),
        ("war", np.int32),  # issue to release of the read barrier, unloaded
        ("tail", np.int32),  # from the end of the return path to the release of the scoreboard
        ("returned", np.int32),  # bytes to the registers
        ("hint", np.int32),  # of a load: aligned bytes that L2 should have, 0 for no more than it asks for
        ("is_long", np.int32),  # its scoreboard counts as long_scoreboard
        ("wait_board", np.int32),  # of WAIT
        ("wait_count", np.int32),
        ("first_read", np.int32),  # into Table.rows
        ("reads", np.int32),
        ("first_write", np.int32),
        ("writes", np.int32),
        ("is_branch", np.int32),
        ("tokens", np.int32),  # cycles of the register port, which matrix instructions wait for
        ("port_wait", np.float64),  # of TENSOR: what each other access to registers waits beside it
        ("store_wait", np.float64),  # and each cycle in which what is stored is read
        ("stage_wait", np.float64),  # and the data stage for each wavefront that is loaded
        ("conflicts", np.int32),  # cycles that its operands wait for one bank of the registers
        ("constant", np.int32),  # the line of constants that it reads, -1 for none
        ("loads_constant", np.int32),  # 1 for LDC, whose cache is another one
        ("is_barrier", np.int32),
        ("is_fence", np.int32),  # waits until the warp's stores are answered
        ("bypasses", np.int32),  # L1
        ("is_store", np.int32),  # to shared memory: a barrier waits until its operands have been read
    ],
    align=True,
)


def _record(fields: list[Any]) -> np.dtype[Any]:
    """Return a record whose numbers come before its arrays: they are used together, in a few lines of the cache."""
    return np.dtype(sorted(fields, key=lambda field: np.dtype([field]).itemsize), align=True)


WARP_CLOCK: Final = _record(
    [
        ("ready_at", np.int64),
        ("start", np.int64),
        ("lived", np.int64),  # cycles that the warps of this place were resident
        ("copies_done", np.int64),  # when its asynchronous copies will have landed
        ("counts", np.int32, (6,)),  # scoreboards
        ("is_long", np.int32, (6,)),  # what last raised each of them
        ("since", np.int64),  # the cycle from which on its cause is to be charged, at the instruction `place`
        ("cause", np.int32),  # why it does not issue, -1 for nothing to charge
        ("place", np.int32),
        ("sub", np.int32),  # its sub-core
        ("after", np.int32),  # the cause while it waits for ready_at
        ("resident", np.int32),
        ("at_barrier", np.int32),
        ("throttled", np.int32),  # 1 where its next instruction has waited for a pipe or a queue
        ("stores", np.int32),  # to global memory, that are still in the SM
        ("stored", np.int64),  # when the last one of them is answered
        ("unread", np.int32),  # stores to shared memory whose operands are still to be read
        ("issued_at", np.int64),
        ("shown_since", np.int64),  # the open slice of the timeline: its start, cause and instruction
        ("shown_cause", np.int32),
        ("shown_place", np.int32),
        # of each register: CLASS times its last writer's issue cycle + the class of the result, or -1
        ("written", np.int64, (ROWS,)),
        ("writers", np.int64, (ROWS,)),  # and the lanes that wrote it
    ]
)

# A ring of memory instructions: who, which, since when, and what its addresses cost.
_RING = [
    ("head", np.int32),
    ("count", np.int32),
    ("ring_warp", np.int32, (QUEUE,)),
    ("ring_place", np.int32, (QUEUE,)),
    ("ring_sub", np.int32, (QUEUE,)),
    ("ring_pushed", np.int64, (QUEUE,)),
    ("ring_wavefronts", np.int32, (QUEUE,)),
    ("ring_lines", np.int32, (QUEUE,)),
    ("ring_sectors", np.int32, (QUEUE,)),
    ("ring_list", np.int64, (QUEUE, SECTORS)),
]

SUB: Final = _record(
    [
        ("last", np.int32),  # the warp that issued last
        ("yielded", np.int32),  # 1 where its control code asked for another warp next
        *_RING,  # waiting for the operand port
        ("held", np.int32),  # queue places taken: until WAR release
        ("reading", np.int32),  # 1 while the head's operands are read
        ("read_done", np.int64),
        ("return_free", np.float64),
        ("free", np.int64, (Pipe.COUNT,)),  # when each pipe takes its next instruction
        ("dispatch_free", np.int64),  # when the operands of what issued last have been read
        ("port_free", np.int64),  # when the register port has served what issued so far
        ("held_until", np.int64),
        ("tensor_until", np.int64),  # until when a matrix instruction uses it
        ("port_wait", np.float64),  # and what each other access waits meanwhile
        ("store_wait", np.float64),
        ("stage_wait", np.float64),
        ("stage_debt", np.float64),  # the part of a cycle that it has still to wait
        ("port_debt", np.float64),  # the part of a cycle that accesses have still to wait
        ("late", np.int64),  # cycles that what issued last waits for its operands
        ("busy", np.int64, (Pipe.COUNT,)),  # cycles each pipe was occupied
        ("issued", np.int64),
    ]
)

SM: Final = _record(
    [
        ("number", np.int64),
        ("gpc", np.int64),
        ("cluster", np.int64),
        ("next", np.int64),
        ("moves_at", np.int64),  # when something may move on its memory I/O path
        ("fills", np.int32),  # loads whose data has come from L2 and waits for the data stage
        ("fill_head", np.int32),
        ("fill_ring", np.int32, (PENDING,)),  # their numbers
        ("filled", np.int32),  # 1 where one of them was what the data stage served last
        ("up_loads", np.int32),  # 1 where a load was the last one there
        ("requests", np.int64),  # of lines, by loads
        ("moved", np.int64),  # when the next instruction may leave the sub-cores' queues
        ("tag_free", np.int64),  # when the tag stage takes the next instruction
        ("stage_free", np.float64),
        ("stage_busy", np.float64),
        *_RING,  # waiting for the data stage
        ("link_free", np.float64),  # from L2 to this SM
        ("link_bytes", np.float64),
        ("up_free", np.float64),  # from this SM to L2
        ("stored", np.float64),  # when a load may follow the last store there
        ("up_line", np.int64),  # the line of the last request of a load
        ("turn", np.float64),  # cycles from the last store to a load, while it waits for the data stage
        ("pairs", np.int64, (2, PAIRS)),  # 64 bytes that this SM asked L2 for, or stored to, by a hash of their number
        ("pair_at", np.float64, (2, PAIRS)),  # when
        ("served", np.float64, (PAIRS,)),  # when L2 serves what was asked for
        ("queued", np.int64),  # sectors of stores that wait for the data stage
        ("barrier_free", np.int64),  # when the barrier unit lets the next warp go
        ("constants", np.int64, (CORES + 1, LINES)),  # when each sub-core has each line, and LDC; 0: not asked for
        ("events", np.int32),
        ("overflow", np.int32),  # 1 where the heap was too small
        ("pending", np.int32),  # loads that are on their way from L2, of which pending_place and so on tell
        ("pending_free", np.int32, (PENDING,)),  # a stack of free places, beyond the first `pending`
        ("pending_warp", np.int32, (PENDING,)),
        ("pending_place", np.int32, (PENDING,)),
        ("pending_sub", np.int32, (PENDING,)),
        ("pending_cycles", np.float64, (PENDING,)),  # of the data stage
        ("lines_stored", np.int64),
        ("gathered_sector", np.int64, (GATHERED,)),  # that was stored to
        ("gathered_until", np.int64, (GATHERED,)),  # the last line stored that may still go with it
        ("heap_time", np.int64, (HEAP,)),
        ("heap_what", np.int64, (HEAP,)),
        ("blocks", np.int32),  # resident
        ("ending", np.int32),  # blocks that have ended and hold their places
        ("last_cycle", np.int64),  # the last one in which it had work
        ("drained", np.int64),  # when its last store has left
    ]
)


class Table(NamedTuple):
    """What the clock knows of each instruction."""

    ops: Array  # TIMING records
    rows: Array  # int16: registers read and written: rows of the hazard table, and CLASS times what reads or writes
    safe: Array  # (producers, readers) int64: cycles that the compiler must keep


class Caches(NamedTuple):
    """The memory hierarchy behind the SMs' data stages."""

    chip: Array  # float64 constants, see Chip
    l1_tags: Array  # (sms, sets * ways)
    l1_ready: Array  # (sms, sets * ways * 4) when each sector is there; a huge number for never
    l1_used: Array
    l2_tags: Array  # (sets * ways)
    l2_ready: Array
    l2_used: Array
    l2_dirty: Array  # bits of its dirty sectors, and above them of the halves of L2 that keep it
    slices: Array  # (3 * slices) float64: when each slice of L2 will be idle, its last request's time, 1 for a store
    clusters: Array  # (2 * clusters) float64: likewise of the port to L2 that some SMs share
    ports: Array  # (4 * GPCs) float64: likewise of each GPC's port before merging; of each one's to L2
    servers: Array  # float64: see Server
    shares: Array  # (buffers, 2) float64: first sector, and how many sectors of DRAM each counts for
    age: Array  # float64: see Age; empty where L2 is whole
    open_rows: Array  # (BANKS,) the row of DRAM that each bank read last
    open_until: Array  # (BANKS,) float64: until when
    asked: Array  # (GPCs * MERGED) the sector that a GPC asked for last, by a hash of its number
    answered: Array  # float64: when it came
    counters: Array


class Clock(NamedTuple):
    """The chip in motion."""

    chip: Array  # float64 constants, see Chip
    sms: Array
    subs: Array
    warps: Array
    wake: Array  # (sms * sub-cores) the cycle in which a sub-core has to look at its warps again
    until: Array  # (warps) the cycle before which nothing can change about one
    stalls: Array  # (instructions, STALLS) cycles
    issued: Array  # per instruction
    conflicts: Array  # per instruction: wavefronts beyond the ideal
    counters: Array
    code: Array  # (sms, lines) when each line of code is there, -1 for not asked for
    running: Array  # (sms * slots) the block in each slot, -1 for none
    grid: Array  # see Queue
    order: Array  # the numbers of the blocks, in the order in which they are admitted
    counted: Array  # (1,) float64: when the chip has taken note of all blocks that have ended
    asked: Array  # (2 * GPCs) float64: when each one has served the constants asked for, the last request's time
    laps: Array  # (room, 3) backward branches taken: instruction, warp, cycle; no rows where none is wanted
    lap_count: Array  # (1,) laps seen, of which the first ones are kept
    slices: Array  # (room, 5) the timeline: warp, instruction, cause, start, end; no rows where none is wanted
    slice_count: Array  # (1,) slices seen, of which the first ones are kept
    pace: Array  # of the SMs' clock, see Pace
    faster: Array  # float64: by what a rise of that clock multiplies each constant; no rows where it never rises


_I16: Any = int16[::1]
_L, _LL, _F = int64[::1], int64[:, ::1], float64[::1]
OP_TIMING: Any = from_dtype(TIMING)
SM_RECORD: Any = from_dtype(SM)
SUB_RECORD: Any = from_dtype(SUB)
WARP_RECORD: Any = from_dtype(WARP_CLOCK)
TABLE: Final = BundleType("Table", {"ops": OP_TIMING[::1], "rows": _I16, "safe": _LL})
CACHES: Final = BundleType(
    "Caches",
    {
        **dict.fromkeys(Caches._fields, _L),
        **dict.fromkeys(("l1_tags", "l1_used"), _LL),
        **dict.fromkeys(("chip", "l2_ready", "slices", "clusters", "ports", "servers", "age"), _F),
        **dict.fromkeys(("answered", "open_until"), _F),
        **dict.fromkeys(("l1_ready", "shares"), float64[:, ::1]),
    },
)
CLOCK: Final = BundleType(
    "Clock",
    {
        **dict.fromkeys(Clock._fields, _L),
        **dict.fromkeys(("chip", "counted", "faster", "asked"), _F),
        "sms": SM_RECORD[::1],
        "subs": SUB_RECORD[::1],
        "warps": WARP_RECORD[::1],
        **dict.fromkeys(("stalls", "slices", "laps", "code"), _LL),
    },
)
