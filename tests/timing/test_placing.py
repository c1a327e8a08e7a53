"""Blocks go to the SMs that two boards gave them to, as often as their scheduler began with the GPC that simtc does."""

from __future__ import annotations

import csv
import importlib.util
from collections import Counter

import numpy as np
import pytest

from simtc import arch
from simtc.resources import folder
from simtc.timing.placing import first_sms, halves, neighbours, places

SPEC = importlib.util.spec_from_file_location("placed", folder("validate") / "microbench" / "placed.py")
PLACED = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(PLACED)
FIRST = 8  # SMs that get their blocks before all others
BOARDS = {"h200": "h200", "h100_sxm": "h100"}


def captured(board):
    """Yield of each captured grid: its blocks, how many an SM has room for, and their SMs."""
    path = folder("validate") / "captures" / BOARDS[board] / "placed.csv"
    if not path.exists():
        pytest.skip("the captures are not beside the tests")
    for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines()):
        blocks = int(row["blocks"])
        room = PLACED.ROOM[int(row["threads"]), int(row["shared_bytes"])]
        yield blocks, room, [int(sm) for sm in row["sms"].split()]


def gpcs(board):
    """Return the GPC of each SM number of the chip, -1 for those that get blocks first: pairs begin with 2 x GPC."""
    wave = next(sms for blocks, _, sms in captured(board) if blocks == 132)
    found, gpc = dict.fromkeys(wave[:FIRST], -1), -1
    for sm in wave[FIRST:]:
        gpc = sm // 2 if sm < 16 else gpc
        found[sm] = gpc
    return found


@pytest.mark.parametrize("board", BOARDS)
def test_gpcs_are_as_large_as_the_board_says(board):
    sizes = Counter(gpcs(board).values())
    assert [sizes[g] for g in range(8)] == [2 * pairs for pairs in arch.device(board).gpc_pairs]
    assert sizes[-1] == FIRST == 2 * len(arch.device(board).first_pairs)


@pytest.mark.parametrize("board", BOARDS)
def test_each_gpc_gets_as_many_blocks_as_on_the_chip_and_in_the_same_order(board):
    device, of, alike = arch.device(board), gpcs(board), 0
    grids = list(captured(board))
    for blocks, room, sms in grids:
        used = min(blocks, device.sm_count)
        chosen = places(device, used)
        mine = [
            -1 if chosen[sm].is_first else chosen[sm].gpc
            for sm in first_sms(device, used, min(room, -(-blocks // used)), blocks)
        ]
        chip = [of[sm] for sm in sms]
        assert Counter(mine) == Counter(chip), blocks
        if chip[FIRST] == 0:  # it begins where it left off; the clock begins with GPC 0
            assert mine == chip, blocks
            alike += 1
    assert len(grids) == 29
    assert alike >= 6


def test_few_blocks_are_spread_over_all_gpcs_one_for_a_pair():
    chosen = places(arch.device("h100_sxm"), 66)
    assert Counter(place.gpc for place in chosen if not place.is_first) == {0: 4, 6: 7, 7: 7} | dict.fromkeys(
        range(1, 6), 8
    )
    assert not any(place.second for place in chosen if not place.is_first)


def test_ports_of_stores_have_six_sms_or_fewer_and_first_pairs_one_of_their_own():
    gpcs, cpcs = neighbours(arch.device("h200"), 132)
    assert Counter(Counter(cpcs.tolist()).values()) == {6: 16, 4: 6, 2: 6}
    assert len(set(cpcs[:FIRST].tolist())) == FIRST // 2
    assert not set(cpcs[:FIRST].tolist()) & set(cpcs[FIRST:].tolist())
    assert Counter(gpcs.tolist()) == {0: 16, 6: 18, 7: 18} | dict.fromkeys(range(1, 6), 16)


def test_a_board_of_which_nothing_is_known_has_one_group():
    gpc, cpc = neighbours(arch.device("t4"), 40)
    assert (set(gpc.tolist()), set(cpc.tolist())) == ({0}, {0})
    assert np.array_equal(first_sms(arch.device("t4"), 40, 2, 60), np.arange(60) % 40)


@pytest.mark.parametrize(
    ("board", "near_one_half"), [("h200", [4, 8, 12]), ("h100_sxm", [4, 8, 12]), ("t4", [3, 6, 10])]
)
def test_the_first_eight_sms_are_near_one_half_of_l2_where_gpcs_are_known(board, near_one_half):
    """Of 20 SMs 13 are (test_red_rates); on one board of five, and here on boards of which less is known, six of 8."""
    assert [int((halves(arch.device(board), sms) == 0).sum()) for sms in (4, 8, 16)] == near_one_half
    assert int(halves(arch.device(board), arch.device(board).sm_count).sum()) in {18, 66}
