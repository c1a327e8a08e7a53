"""Wavefronts as the compiled code counts them: against an H200's counters and against simtc.layout.banks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simtc.jit import callable_part
from simtc.layout import Access
from simtc.machine import traffic
from simtc.machine.state import Event

lookups, matrix_wavefronts, wavefronts = map(
    callable_part, (traffic.lookups, traffic.matrix_wavefronts, traffic.wavefronts)
)
pieces, passes, sectors = map(callable_part, (traffic.pieces, traffic.passes, traffic.sectors))
thread_lines = callable_part(traffic.thread_lines)
COUNTED = Path(__file__).parents[1] / "layout" / "wavefronts_h200.npz"


def count(op, nbytes, address):
    """Return (wavefronts, excess) of one access; inactive lanes have a negative address."""
    event = np.zeros(Event.COUNT, np.int64)
    lanes = np.array(address, np.int64)
    if op.startswith("x"):
        matrix_wavefronts(lanes, int(op[1]), event)
    else:
        mask = sum(1 << lane for lane in range(32) if address[lane] >= 0)
        wavefronts(lanes, np.uint32(mask), nbytes, int(op == "ld"), event)
    return event[Event.WAVEFRONTS], event[Event.WAVEFRONTS] - event[Event.IDEAL]


def test_every_pattern_counted_on_an_h200():
    with np.load(COUNTED) as counted:
        rows = [counted[name].tolist() for name in ("op", "size_bytes", "address", "wavefronts", "conflicts")]
    assert len(rows[0]) == 1141
    for op, nbytes, address, *expected in zip(*rows, strict=True):
        assert list(count(op, nbytes, address)) == expected, (op, nbytes, address)


@settings(deadline=None)
@given(data=st.data(), nbytes=st.sampled_from([4, 8, 16]), op=st.sampled_from(["ld", "st"]))
def test_the_rule_is_that_of_the_layouts(data, nbytes, op):
    place = st.integers(0, data.draw(st.sampled_from([1, 3, 31, 1023])))
    base = data.draw(st.lists(st.one_of(st.just(-1), place, place, place), min_size=32, max_size=32))
    distance = data.draw(st.sampled_from([0, 1, 2]))
    address = [
        nbytes * base[lane & ~distance] if base[lane] >= 0 <= base[lane & ~distance] else -1 for lane in range(32)
    ]
    if all(one < 0 for one in address):
        return
    access = Access(addresses=tuple(None if one < 0 else one for one in address), width=8 * nbytes, store=op == "st")
    assert count(op, nbytes, address) == (access.wavefronts, access.excess)


@settings(deadline=None)
@given(data=st.data(), nbytes=st.sampled_from([4, 8, 16]), mask=st.integers(0, 2**32 - 1))
def test_sectors_are_those_of_the_lanes_line_by_line_in_order_of_first_touch(data, nbytes, mask):
    place = st.integers(0, data.draw(st.sampled_from([1, 31, 255, 1 << 40])))
    address = nbytes * np.array(data.draw(st.lists(place, min_size=32, max_size=32)), np.int64)
    event = np.zeros(Event.COUNT, np.int64)
    sectors(address, np.uint32(mask), event)
    active = [lane for lane in range(32) if mask >> lane & 1]
    touched = [*dict.fromkeys(int(address[lane]) >> 5 for lane in active)]
    lines = [*dict.fromkeys(one >> 2 for one in touched)]
    by_line = sorted(touched, key=lambda one: lines.index(one >> 2))
    assert event[Event.LIST : Event.LIST + event[Event.SECTORS]].tolist() == by_line
    assert event[Event.LINES] == len(lines)
    lookups(address, np.uint32(mask), nbytes, event)
    assert event[Event.LINES] == len({(lane * nbytes // 128, int(address[lane]) >> 7) for lane in active})


@pytest.mark.parametrize("count_", [1, 2, 4])
def test_rows_of_matrices(count_):
    rows = [16 * 9 * row for row in range(8 * count_)] + [0] * (32 - 8 * count_)
    access = Access(addresses=tuple(rows[: 8 * count_]), width=128, matrix=True)
    assert count(f"x{count_}", 16, rows) == (access.wavefronts, access.excess)


@pytest.mark.parametrize(
    ("nbytes", "apart", "lines"),
    [(4, 4, 1), (8, 8, 2), (16, 16, 4), (4, 0, 1), (8, 0, 2), (16, 0, 4), (4, 128, 32), (16, 128, 32)],
)
def test_l1_looks_lines_up_for_each_half_or_quarter_of_a_warp_that_loads_wide_words(nbytes, apart, lines):
    event = np.zeros(Event.COUNT, np.int64)
    lookups(np.arange(32) * apart, np.uint32(0xFFFFFFFF), nbytes, event)
    assert event[Event.LINES] == lines
    lookups(np.arange(32) * apart, np.uint32(0x1), nbytes, event)
    assert event[Event.LINES] == 1


@pytest.mark.parametrize(
    ("nbytes", "apart", "count_"),
    [
        (4, 4, 1), (16, 16, 4), (4, 128, 32), (4, 132, 1), (4, 2052, 1), (4, 2064, 4), (8, 2048, 32), (8, 2056, 2),
        (16, 2048, 32), (16, 2064, 4), (16, 2080, 8), (16, 2112, 16), (16, 0, 4),
    ],
)  # fmt: skip
def test_lines_that_begin_at_other_banks_of_l1_are_read_together(nbytes, apart, count_):
    event = np.zeros(Event.COUNT, np.int64)
    passes(np.arange(32) * apart, np.uint32(0xFFFFFFFF), nbytes, event)
    assert event[Event.PASSES] == count_
    passes(np.arange(32) * apart, np.uint32(0x1), nbytes, event)
    assert event[Event.PASSES] == 1


@pytest.mark.parametrize(
    ("row", "pitch", "at", "to_at", "count_", "asked"),
    [
        (128, 128, 0, 0, 4, 16), (64, 64, 0, 0, 8, 16), (64, 128, 0, 0, 8, 16),
        (64, 64, 32, 0, 8, 16),  # the 64 bytes need not be a half of a line
        (64, 64, 96, 0, 16, 16),  # of two lines
        (64, 64, 16, 0, 16, 32),  # upper halves of sectors land as lower ones, and lower ones as upper ones
        (64, 128, 0, 16, 16, 32),
        (64, 128, 16, 16, 24, 24),  # a half, whole sectors, a half
        (64, 64, 80, 0, 24, 32), (128, 128, 16, 0, 12, 32), (128, 128, 48, 0, 16, 32),
        (256, 256, 16, 0, 12, 32),
        (64, 80, 0, 0, 15, 24), (128, 144, 0, 0, 10, 24), (128, 160, 0, 0, 7, 16),
        (32, 32, 0, 0, 16, 16), (16, 16, 0, 0, 32, 32),
    ],
)  # fmt: skip
def test_the_pieces_of_a_copy_are_neighbouring_sectors_that_land_alike(row, pitch, at, to_at, count_, asked):
    """What an H200's profiler counts as requests to L2, and as sectors (data/ring_copies.csv)."""
    event, lane = np.zeros(Event.COUNT, np.int64), np.arange(32)
    source, to = (lane * 16 // row * apart + lane * 16 % row for apart in (2048, pitch))
    pieces(source + at, to + to_at, np.uint32(0xFFFFFFFF), event)
    assert (int(event[Event.PIECES]).bit_count(), event[Event.ASKED]) == (count_, asked)
    if at % 32 == to_at % 32 == 0 and pitch % 32 == 0 and row > 16:  # halves of sectors may change places
        pieces(source + at, to + to_at ^ 16, np.uint32(0xFFFFFFFF), event)
        assert (int(event[Event.PIECES]).bit_count(), event[Event.ASKED]) == (count_, asked)


@pytest.mark.parametrize(
    ("row", "pitch", "apart", "mask", "at", "count_"),
    [
        (32, 32, 32, 0, 0, 4), (32, 32, 32, 1, 0, 8), (64, 64, 64, 3, 0, 8), (128, 128, 128, 7, 0, 4),
        (32, 48, 48, 0, 0, 18), (32, 48, 32, 0, 0, 24), (32, 32, 48, 0, 0, 24), (64, 80, 80, 0, 0, 13),
        (128, 144, 144, 0, 0, 9), (64, 64, 64, 0, 16, 6), (64, 64, 128, 3, 0, 8), (16, 16, 48, 0, 0, 28),
        (16, 32, 16, 0, 0, 32),  # neighbours that do not land as neighbours: loop_537 of corpus-10 takes 32.5 cycles
    ],
)  # fmt: skip
def test_rows_of_one_line_share_pieces_where_they_land_alike(row, pitch, apart, mask, at, count_):
    """As many as the cycles that a copy of swaps.cu takes on an H200; whole lines take more, by their bytes."""
    event, lane = np.zeros(Event.COUNT, np.int64), np.arange(32)
    number, byte = lane * 16 // row, lane * 16 % row
    source, to = number * apart + byte + at, number * pitch + (byte ^ (number & mask) * 16) + at
    pieces(source, to, np.uint32(0xFFFFFFFF), event)
    assert int(event[Event.PIECES]).bit_count() == count_


def test_threads_that_reach_for_the_same_word_of_their_own_share_a_line():
    event, lane = np.zeros(Event.COUNT, np.int64), np.arange(32)
    for address, nbytes, lines in (
        (0 * lane + 8, 4, 1),
        (0 * lane + 8, 16, 4),
        (lane * 4, 4, 32),
        (lane % 2 * 8, 8, 4),
    ):
        thread_lines(address, np.uint32(0xFFFFFFFF), nbytes, event)
        assert (event[Event.LINES], event[Event.PASSES], event[Event.SECTORS]) == (lines, lines, 0)
