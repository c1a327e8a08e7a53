"""The page of a timed launch explains the causes that took its cycles, with the words of the cards."""

from __future__ import annotations

from html import escape

from simtc.report.cards import card
from simtc.report.page import launch_html
from simtc.results import LaunchResult, Timing


def test_causes_are_explained_where_they_matter():
    timing = Timing(
        cycles=1000, clock_mhz=1000, warp_cycles=1000, stalls={"selected": 300, "long_scoreboard": 695, "membar": 5},
        resources={"issue": 300.0}, counters={"wavefronts": 0, "ideal_wavefronts": 0}, blocks_per_sm=1,
        occupancy_limit="warps", by_instruction=(),
    )  # fmt: skip
    launch = LaunchResult(kernel="k", device="t4", grid=(1, 1, 1), block=(32, 1, 1), instructions=300, timing=timing)
    page = launch_html(launch, "a launch")
    assert escape(card("long_scoreboard").cure) in page
    assert page.index("long_scoreboard: ") < page.index("selected: ")
    assert "membar: " not in page  # half a percent
