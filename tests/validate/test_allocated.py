"""Where a driver put the arrays of 460 launches (data/allocated.csv: driver 580.159, an H100, 2026-11-28).

Three processes made the launches of a half of the corpus, two of them under the profiler; an address is told from the
last multiple of 2 MiB before it.
"""

from __future__ import annotations

import csv
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

import simtc
from simtc.errors import BadInputError
from simtc.validate.campaigns.corpus import cases
from simtc.validate.chip import Chip
from simtc.validate.corpus.allocated import allocated
from simtc.validate.validate import campaign_settings

HOPPER = Path(__file__).parents[1] / "timing" / "data" / "red_rates.sass"


def test_arrays_lie_where_the_driver_put_them():
    with (Path(__file__).parent / "data" / "allocated.csv").open(encoding="utf-8") as rows:
        found = [(row.pop("process"), list(map(int, row.values()))) for row in csv.DictReader(rows)]
    assert len(found) == 460
    for _, some in groupby(found, key=lambda one: one[0]):
        numbers = [row for _, row in some]
        assert allocated(row[:3] for row in numbers) == [tuple(row[3:]) for row in numbers]


def test_each_process_of_a_campaign_begins_anew():
    settings = campaign_settings("corpus")
    launches = [case.launch for case in cases({**settings, "halves": ["exam"]}, Chip(90, "NVIDIA H200"))]
    first = [launches[at] for at in range(0, len(launches), 2 * settings["batch"])]
    assert all(one.places[0] == 0 for one in first)
    assert all(cold.places == warm.places for warm, cold in zip(launches[::2], launches[1::2], strict=True))
    assert len({one.places for one in launches}) > 200


def cycles(places):
    counters, out = np.zeros(1 << 16, np.uint8), np.zeros(2 * 132 * 8, np.uint32)
    run = simtc.launch(
        simtc.load(HOPPER)["red_rates_spread_256"], 132, 256, [counters, out, np.uint32(4)], device="h200",
        timing=True, caches="warm", places=places,
    )  # fmt: skip
    assert counters.view(np.uint32).sum() == 132 * 256 * 4
    return run.cycles


def test_a_kib_has_four_units_where_it_begins_in_the_middle_of_one():
    """Of 256 words at a multiple of 1 KiB the first and the third 256 bytes share a unit; 512 bytes further none do."""
    assert cycles((512, 0)) < 0.65 * cycles((0, 0))
    assert cycles((4096, 512)) == pytest.approx(cycles((0, 0)), rel=0.1)


@pytest.mark.parametrize(
    ("places", "says"),
    [
        ((0,), "one entry for each buffer .*: 2, got 1"),
        ((100, 0), "multiple of 256 .* got 100"),
        ((4 << 20, 2 << 20), "got 2097152"),
    ],
)
def test_places_that_cannot_be_are_refused(places, says):
    with pytest.raises(BadInputError, match=says):
        cycles(places)
