"""The crossbar between SMs and L2: the port of an SM, and those of its CPC and its GPC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.timing.constants import SECTOR, WORDS, Access
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SM, Cells, Parameters, Unit, compiled, constant, derived
from simtc.timing.units import atomics, joining, l2, l2_tags
from simtc.timing.units.memory_queue import QUEUED
from simtc.timing.units.merging import asks_too
from simtc.timing.units.server import SERVER, serve, through

__all__ = [
    "UNIT",
    "Crossbar",
    "announce",
    "copy_sector",
    "fetch_sector",
    "send_atomic",
    "send_request",
    "send_store",
    "takes_atomic",
]

AHEAD: Final = 16.0  # cycles that the way up is planned for


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossbar(Parameters):
    """What a board says of the crossbar."""

    l2_bytes_per_cycle: float = constant("l1.l2_bytes_per_cycle")  # from L2 to an SM
    copy_bytes_per_cycle: float = constant("l1.copy_bytes_per_cycle")  # of LDGSTS past L1
    request_cycles: float = constant("l1.request_cycles")
    switch_cycles: float = constant("l1.switch_cycles")
    atomic_packet_cycles: float = constant("l1.atomic_packet_cycles")
    atomic_line_cycles: float = constant("l1.atomic_line_cycles")
    atomic_queue_entries: float = constant("l1.atomic_queue_entries")
    atomic_ahead_cycles: float = constant("l1.atomic_ahead_cycles")
    packet_cycles: float = derived(  # of a packet of 32 bytes, at the port of a CPC; 0 for no limit that is known
        lambda device, _: 1 / device.cluster_packets_per_cycle if device.cluster_packets_per_cycle else 0.0,
        "cluster_packets_per_cycle",
        "cluster_sms",
        scales=lambda own, scale: own.packet_cycles / scale.cpc_crowd,
    )
    part_packets: float = constant("clock.crossbar.part_packets")  # more, of a sector that is stored in part
    words_cycles: float = constant("clock.crossbar.words_cycles")  # more, of a line's words of an atomic with a result
    gpcs: float = constant("gpcs")
    gpc_bytes_per_cycle: float = constant(
        "gpc_bytes_per_cycle", scales=lambda own, scale: scale.gpc_crowd * own.gpc_bytes_per_cycle
    )


UNIT = Unit(
    name="crossbar",
    parameters=Crossbar,
    sm=(
        ("gpc", np.int64),
        ("half", np.int64),  # of L2, that it is near
        ("cpc", np.int64),
        ("link_free", np.float64),  # from L2 to this SM
        ("link_bytes", np.float64),
        ("back", SERVER),  # the same link, when DRAM has answered
        ("up_free", np.float64),  # from this SM to L2
        ("up_loads", np.int64),  # 1 where a load was the last one there
        ("up_line", np.int64),  # the line of the last request of a load
        ("requests", np.int64),  # of lines, by loads
        ("executed", np.float64, (atomics.UNITS,)),  # when units of L2 have executed the last sector of an atomic
    ),
    chip={
        "cpc_ports": Cells(of=SERVER, shape=lambda sizes: (sizes.cpcs,)),  # towards L2
        "gpc_ports": Cells(of=SERVER, shape=lambda sizes: (sizes.gpcs,)),  # before a GPC merges requests
    },
)


@compiled(void, CLOCK, SM, int64, float64)
def send_request(ck: Arrays, sm: Record, line: Int, cycles: Float) -> None:
    """Send the request for a line towards L2: it takes the way up for some cycles, and longer after a store."""
    if line != sm.up_line:
        sm.up_free += cycles + (0.0 if sm.up_loads else ck.chip.crossbar.switch_cycles)
        sm.up_loads = 1
        sm.requests += 1
        sm.up_line = line


@compiled(void, CLOCK, SM, OPERATION, QUEUED)
def announce(ck: Arrays, sm: Record, op: Record, one: Record) -> None:
    """Say that the sectors of an instruction are going to be asked for."""
    line = int64(-1)
    for k in range(one.sectors):
        sector = one.list[k]
        if op.access in (Access.GLOBAL_LOAD, Access.COPY) and ck.chip.crossbar.gpcs > 0:
            joining.announce(ck, sm, sector)
        if sector >> 2 != line:
            line = sector >> 2
            l2_tags.announce(ck, line)


@compiled(float64, CLOCK, SM, OPERATION, QUEUED, int64, float64, float64)
def fetch_sector(ck: Arrays, sm: Record, op: Record, load: Record, k: Int, missed: Float, t: Float) -> Float:
    """Bring the k-th sector of a load to an SM that missed L1 and asks L2 at t.

    Return when it is there, beyond what an L1 hit takes. What waited for DRAM takes its turn when that has answered.
    """
    own, sector = ck.chip.crossbar, load.list[k]
    send_request(ck, sm, sector >> 2, own.request_cycles)
    start = max(sm.link_free, t, sm.up_free)
    sm.link_free = start + SECTOR / own.l2_bytes_per_cycle
    sm.link_bytes += SECTOR
    if own.gpcs == 0:
        return l2.read(ck, sm, sector, int64(op.hint), asks_too(sm, sector, missed), 0.0, start)
    sent = through(ck.gpc_ports[sm.gpc], start, own.gpc_bytes_per_cycle)
    comes = joining.ask(ck, sm, op, load, k, missed, sent)
    return through(sm.back, comes, own.l2_bytes_per_cycle) if sm.waits else comes


@compiled(float64, CLOCK, SM, QUEUED, int64, int64, float64, float64)
def copy_sector(ck: Arrays, sm: Record, copy: Record, k: Int, hint: Int, missed: Float, t: Float) -> Float:
    """Bring the k-th sector of a copy past L1 to an SM, as `fetch_sector` does for a load.

    The port of a GPC does not count it. Slices serve so many requests a cycle, and so many bytes: whatever is more.
    """
    own, sector = ck.chip.crossbar, copy.list[k]
    size = max(ck.chip.l2.l2_request_bytes * copy.parts / copy.sectors, SECTOR)
    send_request(ck, sm, sector >> 2, own.request_cycles * copy.tags / copy.lines)
    sent = max(sm.link_free, t, sm.up_free)
    sm.link_free = sent + SECTOR / own.copy_bytes_per_cycle
    sm.link_bytes += SECTOR
    if own.gpcs == 0:
        return l2.read(ck, sm, sector, hint, asks_too(sm, sector, missed), 0.0, sent)
    comes = joining.ask_for_piece(ck, sm, copy, k, hint, size, sent)
    return through(sm.back, comes, own.copy_bytes_per_cycle) if sm.waits else comes


@compiled(int64, QUEUED, int64)
def _is_part(atomic: Record, k: Int) -> Int:
    """Tell whether an atomic is for a part of its k-th sector: of five for 32 words, the first and the last one."""
    whole = atomic.lanes // (WORDS * atomic.meeting)
    return int64(k < atomic.sectors - whole or k >= whole)


@compiled(float64, CLOCK, OPERATION, QUEUED, int64)
def _way_up(ck: Arrays, op: Record, atomic: Record, is_first: Int) -> Float:
    """Return how long the k-th sector of an atomic takes the way up: its data, and the head of its packet.

    A line's sectors share a packet; each of the lanes that meet at one word has its own: where a result comes back, for
    all sectors of the line, and longer for more than one word. Where nothing comes back, a word alone goes in the head.
    """
    own, meeting = ck.chip.crossbar, int64(atomic.meeting)
    if own.atomic_packet_cycles == 0:
        return own.request_cycles
    is_word = meeting * atomic.lines >= atomic.lanes
    if op.returned and meeting > 1 and not is_word:
        head = is_first * (own.atomic_line_cycles + own.words_cycles)
        return meeting * max(head + own.atomic_packet_cycles, own.request_cycles)
    head = own.atomic_line_cycles if is_first or meeting > 1 else 0.0
    if not op.returned and is_word:
        return meeting * max(head, own.request_cycles)
    return meeting * max(head + own.atomic_packet_cycles, own.request_cycles)


@compiled(float64, CLOCK, SM, QUEUED)
def takes_atomic(ck: Arrays, sm: Record, atomic: Record) -> Float:
    """Return when L2 takes the next sector of an atomic: it is not too far behind with the last one for that unit.

    Nor is what left the SM before still on its way up.
    """
    own, unit = ck.chip.crossbar, atomics.atomic_unit(ck, atomic.list[atomic.sent])
    if own.atomic_queue_entries == 0:
        return 0.0
    return max(sm.executed[unit % atomics.UNITS] - own.atomic_ahead_cycles, sm.up_free - AHEAD)


@compiled(int64, CLOCK, SM, OPERATION, QUEUED, float64, int64)
def send_atomic(ck: Arrays, sm: Record, op: Record, atomic: Record, t: Float, now: Int) -> Int:
    """Have L2 execute an atomic that an SM sends at t, or what is left of it; return 1 when all of it has left.

    What L2 is too far behind to take waits in the SM. `answered` is when L2 answers, beyond what an L1 hit takes.
    On boards of which that is not known, a sector is the request of a load.
    """
    own = ck.chip.crossbar
    meeting = int64(atomic.meeting) if own.atomic_packet_cycles > 0 else int64(1)
    if atomic.sent == 0:
        sm.up_free = max(sm.up_free, t) + (0.0 if sm.up_loads else own.switch_cycles)
        sm.up_loads, sm.up_line, atomic.answered = 1, int64(-1), t
    while atomic.sent < atomic.sectors:
        if atomic.sent > 0 and takes_atomic(ck, sm, atomic) > now:
            return 0
        k, sector = atomic.sent, atomic.list[atomic.sent]
        is_first = int64(k == 0 or atomic.list[k - 1] >> 2 != sector >> 2)
        sm.requests += is_first
        sm.up_free = max(sm.up_free, t) + _way_up(ck, op, atomic, is_first)
        sent = serve(ck.cpc_ports[sm.cpc], sm.up_free, meeting * own.packet_cycles)
        second = int64(k > 0 and atomic.list[k - 1] >> 1 == sector >> 1)
        atomic.answered = max(atomic.answered, atomics.join(ck, sm, sector, meeting, _is_part(atomic, k), second, sent))
        atomic.sent += 1
    atomic.sent = 0
    return 1


@compiled(float64, CLOCK, SM, int64, int64, int64, float64, float64)
def send_store(ck: Arrays, sm: Record, sector: Int, merged: Int, is_part: Int, t: Float, flits: Float) -> Float:
    """Write a sector through to L2; return when its slice takes it.

    Args:
        ck: the clock.
        sm: whose store it is.
        sector: its number.
        merged: 1 where it goes with a request before it.
        is_part: 1 where the store does not write all of it.
        t: when it leaves the SM.
        flits: packets that it takes: the sector and its mask; the address of a request is one more.

    """
    own = ck.chip.crossbar
    packets = flits + (0.0 if merged else 1.0) + is_part * own.part_packets
    sent = serve(ck.cpc_ports[sm.cpc], t, packets * own.packet_cycles)
    return l2.write(ck, sm, sector, merged, is_part, t, sent)
