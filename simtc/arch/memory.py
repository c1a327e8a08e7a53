"""What is known of one SM's shared memory, L1 and path to L2; the same names as in `sm/*.toml`."""

from __future__ import annotations

from dataclasses import dataclass

from simtc.errors import BadInputError

__all__ = ["L1", "MemoryOperation", "SharedMemory"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryOperation:
    """One memory instruction of a warp, conflict-free and coalesced (global loads: hits in L1)."""

    operand_read_cycles: float  # the sub-core's port into the memory I/O queue is busy
    cpi_cycles: float  # one warp alone, back to back
    latency_cycles: float  # from issue to the release of its scoreboard (a store, which has none: its WAR time)
    war_cycles: float  # from issue to the release of its read barrier: sources may be overwritten

    def __post_init__(self) -> None:
        if self.cpi_cycles < self.operand_read_cycles:
            raise BadInputError(f"CPI {self.cpi_cycles} is below the operand read time {self.operand_read_cycles}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedMemory:
    """The memory I/O path of the SM: a queue in each sub-core, one data stage for all, a return path to each."""

    banks: int
    bank_bytes: int
    data_stage_bytes_per_cycle: int  # of the SM: shared memory and L1 hits alike
    return_bytes_per_cycle: int  # to one sub-core
    conflict_cycles: float  # latency of each wavefront beyond the first
    queue_entries: int  # of a sub-core; a slot is free again at WAR release
    sm_queue_entries: int  # of the SM, before the data stage
    release_cycles: int  # from the operands' read to the read barrier's release, where [memory] has no war_cycles
    lsu_lanes: float = 0.0  # whose register the SM takes in a cycle; 0 where nothing is known, and nothing waits

    @property
    def wavefront_bytes(self) -> int:
        """What one conflict-free pass over the banks moves."""
        return self.banks * self.bank_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class L1:
    """L1, constant caches, and the path to L2 as one SM sees it. Hit latencies are those of `memory`."""

    line_bytes: int
    sector_bytes: int
    hit_bytes_per_cycle: float  # sustained, as measured
    l2_bytes_per_cycle: float  # what L2 delivers to one SM
    copy_bytes_per_cycle: float  # and of LDGSTS, which does not fill L1
    copy_write_bytes_per_cycle: float  # of the data stage, for whole sectors that LDGSTS copies past L1
    copy_line_cycles: float  # of the tags, for each whole line that LDGSTS copies past L1
    copy_half_cycles: float  # and for each other line of which one piece is copied, of two or three sectors
    l2_cpi_32_cycles: float  # LDG.32 that misses L1 and hits L2: one warp alone, back to back
    l2_cpi_64_cycles: float
    l2_cpi_128_cycles: float
    store_partial_sector_cycles: float  # STG, SM-wide
    store_full_sector_cycles: float
    store_full_line_cycles: float
    store_least_cycles: float  # of the data stage, for a store of whole lines
    store_gather_lines: float  # that stores may reach until a sector takes no more of them along to L2
    store_queue_sectors: float  # on their way to L2 before the data stage waits for them
    pending_line_cycles: float  # of the data stage, for a line that was on its way already
    fill_line_cycles: float  # and for one that L2 brings together with others whose words lie in other banks: else one
    request_cycles: float  # of the path to L2, for each line: what loads ask for, and one sector that is stored
    switch_cycles: float  # and between loads and stores
    store_turn_cycles: float  # from the last sector of a store there to the next load's request
    store_turn_line_cycles: float  # and for each line of the store
    store_merge_cycles: float  # for which a store takes in another one to the same 64 bytes; 0 where nothing is known
    tag_queue_entries: float  # instructions that may wait for the tags without holding up what follows them
    constant_line_bytes: int
    constant_l1_cycles: float  # LDC that hits the L1 constant cache
    constant_l15_cycles: float
    constant_l2_cycles: float
    constant_first_cycles: float  # added to LDC by the first touch of a constant line, at every launch
    constant_operand_first_cycles: float  # likewise to ULDC and to c[][] operands
    # An atomic on global memory, beyond a load; 0 where nothing is known.
    atomic_packet_cycles: float = 0.0  # of the path to L2: for each sector, and each of the lanes that meet at one word
    atomic_line_cycles: float = 0.0  # and for each line, or each of those lanes, of one that returns a value
    atomic_sector_cycles: float = 0.0  # of a unit of L2, for a sector
    atomic_word_cycles: float = 0.0  # and for one of which it is for a part alone
    atomic_pass_cycles: float = 0.0  # and for each pass over a whole one, where lanes meet at its words, for each half
    atomic_cycles: float = 0.0  # until its answer comes, beyond a load's: the mean of near memory and far
    atomic_spread_cycles: float = 0.0  # and by how much far memory is later than near
    atomic_ahead_cycles: float = 0.0  # for which a unit of L2 has atomics of an SM when it takes another
    atomic_queue_entries: float = 0.0  # flits of them that wait in the SM without holding up what follows them
    # What may be on its way to an SM; 0 where nothing is known, and nothing waits.
    unused_bytes: float = 0.0  # of L1, in which no line finds a place to stay
    freed_cycles: float = 0.0  # until the place of a line that has come is another's, in the order of asking
    copy_freed_cycles: float = 0.0  # likewise of LDGSTS, whose lines leave their places together
    tag_lines_per_cycle: float = 0.0  # that the tags look up, where what is read of them lies in other banks; 0: one
    copies_pending: float = 0.0  # lines that LDGSTS copies past L1
    copy_queue_entries: float = 0.0  # LDGSTS through L1 that may wait at the tags without holding up what follows them
    bypass_queue_entries: float = 0.0  # and LDGSTS past it
    copy_tag_cycles: float = 0.0  # of the tags, for each LDGSTS that fills L1, beyond its lines
    copy_piece_cycles: float = 0.0  # of a piece that LDGSTS copies past L1: sectors that land alike
    join_cycles: float = 0.0  # in which requests for the same sectors, of SMs near one half of L2, are coalesced
    join_requests: float = 0.0  # of which so many at most
