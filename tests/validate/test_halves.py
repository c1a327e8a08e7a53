"""Which half of L2 arrays hang on: what asks the chip, run here, and where its answer puts arrays."""

from __future__ import annotations

import numpy as np
import pytest

import simtc
from simtc.arch import device
from simtc.errors import BadInputError
from simtc.machine.state import GLOBAL_BASE
from simtc.resources import folder
from simtc.validate.campaigns.corpus import cases
from simtc.validate.chip import Chip
from simtc.validate.corpus.allocated import regions, settled
from simtc.validate.corpus.drawing import draw
from simtc.validate.corpus.halves import asked
from simtc.validate.validate import campaign_settings

SIZES, PLACES, FAR = (3000, 7 << 20, 512), (1024, 0, 4096), (1, 0b1100, 0)
CALIBRATED = ["h200", "h100_sxm"]


def is_far(board, at):
    return ((GLOBAL_BASE + at) & sum(1 << bit for bit in device(board).memory_half_bits)).bit_count() & 1


@pytest.mark.parametrize("board", CALIBRATED)
def test_the_kernel_that_asks_finds_the_clocks_own_halves(board):
    place, count = 6 << 20, 64
    offsets = np.arange(1, count + 1) * (2 << 20) // 16 + 4096 * np.arange(count)
    cycles, at = np.zeros(3 << 20, np.uint32), (GLOBAL_BASE + place + offsets).astype(np.uint64)
    kernel = simtc.load(folder("validate") / "corpus" / "halves.cubin")["halves"]
    simtc.launch(
        kernel, 1, 1, [at, np.int32(count), np.uint32(0), cycles], device=board, timing=True, caches="warm",
        places=(0, place),
    )  # fmt: skip
    assert [int(one > 400) for one in cycles[:count]] == [is_far(board, place + int(offset)) for offset in offsets]
    assert not cycles[count:].any()


@pytest.mark.parametrize("board", CALIBRATED)
def test_arrays_lie_where_as_much_of_each_is_far(board):
    found = settled(SIZES, PLACES, FAR, device(board).memory_half_bits)
    assert [at % (2 << 20) for at in found] == list(PLACES)
    assert all(before + size < after for before, size, after in zip(found, SIZES, found[1:], strict=False))
    seen = [[is_far(board, one) for one in regions(at, size)] for at, size in zip(found, SIZES, strict=True)]
    assert seen == [[1], [0, 0, 1, 1], [0]]


def test_what_the_chip_said_of_its_arrays_is_what_is_simulated(monkeypatch):
    """Each region is asked for once; an answer is kept as a number for each array; and the launch lies there."""

    class Gpu:
        def launch(self, code, grid, block, args):
            assert (code.kernel.name, grid, block) == ("halves", 1, 1)
            assert args[0].tolist() == [1024, 4 << 20, 6 << 20, 8 << 20, 10 << 20, (12 << 20) + 4096]
            args[3][:] = [500, 300, 290, 480, 520, 310]

    measured = asked(Gpu(), [(1024, SIZES[0]), (4 << 20, SIZES[1]), ((12 << 20) + 4096, SIZES[2])])
    assert {name: measured.pop(name) for name in ("at_0", "at_1", "at_2")} == {"at_0": 1024, "at_1": 0, "at_2": 4096}
    assert measured == {"far_0": 1.0, "far_1": 12.0, "far_2": 0.0}
    settings = campaign_settings("corpus") | {"halves": ["exam"]}
    case = next(cases(settings, Chip(90, "NVIDIA H200")))
    launched = []
    monkeypatch.setattr("simtc.validate.corpus.launch.launch", lambda *_, places, **__: launched.append(places))
    monkeypatch.setattr("simtc.validate.corpus.launch.bits", lambda _: 0)
    for measure in ({}, measured, measured | {"at_0": 1536.0, "at_1": 512.0, "at_2": 0.0}):
        case.as_captured(measure).launch.simulate(device("h200"))
    foretold, told = (
        settled(draw(case.launch.program).array_bytes, places, FAR, device("h200").memory_half_bits)
        for places in (case.launch.places, (1536, 512, 0))
    )
    assert launched == [case.launch.places, foretold, told]


def test_whole_places_lie_behind_each_other():
    kernel = simtc.load(folder("validate") / "corpus" / "halves.cubin")["halves"]
    args = [np.zeros(4, np.uint64), np.int32(0), np.uint32(0), np.zeros(4, np.uint32)]
    for places, said in (((4 << 20, 2 << 20), "Try: 4194816"), ((2 << 20, 2 << 20), "got 2097152"), ((0, 100), "256")):
        with pytest.raises(BadInputError, match=said):
            simtc.launch(kernel, 1, 1, args, device="h200", places=places)
    simtc.launch(kernel, 1, 1, args, device="h200", places=(2 << 20, 4 << 20))
