"""Bank conflicts against what Nsight Compute counted on an H200, a brute-force oracle, and what must stay the same."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simtc.errors import BadInputError
from simtc.layout import Access

HERE = Path(__file__).parent
WIDTHS = (32, 64, 128)


def test_every_pattern_counted_on_an_h200():
    names = ("op", "size_bytes", "address", "wavefronts", "conflicts")
    with np.load(HERE / "wavefronts_h200.npz") as counted:
        rows = list(zip(*(counted[name].tolist() for name in names), strict=True))
    assert Counter(op for op, *_ in rows) == {"ld": 730, "st": 330, "x1": 27, "x2": 27, "x4": 27}
    for op, size_bytes, address, wavefronts, conflicts in rows:
        lanes = tuple(None if place < 0 else place for place in address)
        if op.startswith("x"):
            access = Access(addresses=lanes[: 8 * int(op[1])], width=128, matrix=True)
        else:
            access = Access(addresses=lanes, width=8 * size_bytes, store=op == "st")
        assert (access.wavefronts, access.excess) == (wavefronts, conflicts), (op, size_bytes, address)


@st.composite
def accesses(draw):
    width = draw(st.sampled_from(WIDTHS))
    place = st.integers(0, draw(st.sampled_from([3, 31, 1023]))).map(lambda unit: unit * width // 8)
    addresses = draw(st.lists(st.one_of(st.none(), place, place, place), min_size=32, max_size=32))
    return Access(addresses=tuple(addresses), width=width, store=draw(st.booleans()))


def brute_force(access):
    """Serve word by word: the smallest number of turns in which no bank gives two words, phase by phase."""
    lanes_of = [phase.lanes for phase in access.phases]
    total = 0
    for lanes in lanes_of:
        queues = defaultdict(set)
        for lane in lanes:
            for byte in range(access.addresses[lane], access.addresses[lane] + access.width // 8, 4):
                queues[byte // 4 % 32].add(byte // 4)
        while any(queues.values()):
            total += 1
            for queue in queues.values():
                if queue:
                    queue.pop()
    return total


@settings(deadline=None)  # a busy machine is no failure
@given(accesses())
def test_wavefronts_are_the_fewest_turns(access):
    assert access.wavefronts == brute_force(access)
    assert access.excess >= 0
    assert access.ideal == len(access.phases) <= access.width // 32


@settings(deadline=None)  # a busy machine is no failure
@given(accesses(), st.randoms())
def test_lanes_of_a_phase_may_change_places(access, random):
    group = {32: 32, 64: 16, 128: 8}[access.width]
    moved = []
    for start in range(0, 32, group):
        part = list(access.addresses[start : start + group])
        random.shuffle(part)
        moved += part
    other = Access(addresses=tuple(moved), width=access.width, store=True)
    assert other.wavefronts == Access(addresses=access.addresses, width=access.width, store=True).wavefronts


@settings(deadline=None)  # a busy machine is no failure
@given(accesses(), st.integers(1, 64))
def test_a_shift_by_whole_lines_changes_nothing(access, lines):
    shifted = tuple(None if place is None else place + 128 * lines for place in access.addresses)
    assert Access(addresses=shifted, width=access.width, store=access.store).wavefronts == access.wavefronts


@settings(deadline=None)  # a busy machine is no failure
@given(accesses())
def test_every_word_is_served_once_and_no_bank_twice_in_a_wavefront(access):
    for phase in access.phases:
        words = [word for wavefront in phase.wavefronts for _, word, _ in wavefront]
        assert len(words) == len(set(words))
        for wavefront in phase.wavefronts:
            banks = [bank for bank, _, _ in wavefront]
            assert all(low < high for low, high in pairwise(banks))
        wanted = dict.fromkeys(phase.lanes, access.width // 32)
        assert Counter(lane for wavefront in phase.wavefronts for *_, lanes in wavefront for lane in lanes) == wanted
        assert bool(phase.collisions) == (len(phase.wavefronts) > 1)


@pytest.mark.parametrize("width", WIDTHS)
def test_nobody_active_costs_nothing(width):
    access = Access(addresses=(None,) * 32, width=width)
    assert (access.wavefronts, access.ideal, access.excess) == (0, 0, 0)


@pytest.mark.parametrize(("words", "wavefronts"), [(1, 1), (2, 2), (4, 4), (8, 8), (16, 16), (32, 32), (33, 1), (3, 1)])
def test_stride(words, wavefronts):
    assert Access(addresses=tuple(4 * words * lane for lane in range(32))).wavefronts == wavefronts


def test_rows_at_a_pitch_of_80_bytes_make_sts_128_cost_8():
    rows = tuple(lane // 4 * 80 + lane % 4 * 16 for lane in range(32))
    assert Access(addresses=rows, width=128, store=True).wavefronts == 8


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"width": 16}, "32, 64 or 128 bits wide, not 16"),
        ({"addresses": (2,) * 32}, "lane 0: address 2 is not a multiple of 4 bytes"),
        ({"addresses": (0, -4)}, "lane 1: address -4"),
        ({"addresses": (0,) * 33}, "32 lanes, not 33"),
        ({"matrix": True, "width": 128, "addresses": (0,) * 9}, "8, 16 or 32 rows"),
        ({"matrix": True, "width": 32}, "8, 16 or 32 rows of 128 bits"),
    ],
)
def test_bad_input(arguments, words):
    with pytest.raises(BadInputError, match=words):
        Access(**{"addresses": (0,) * 32, **arguments})
