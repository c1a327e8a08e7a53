"""What pictures were found wanting in: units of their own, the papers' values, dark paper, colours that stand out."""

from __future__ import annotations

import re
from itertools import product
from xml.etree import ElementTree as ET

import pytest

from simtc.analytic.chart import Chart, Mark, Series, stacked
from simtc.errors import BadInputError
from simtc.layout import Tile, fragment
from simtc.report.colors import CAUSE_COLORS
from simtc.reproduce.reproduce import reproduce
from simtc.results import Stall

SVG = "{http://www.w3.org/2000/svg}"


def words(svg):
    return [one.text for one in ET.fromstring(svg).iter(f"{SVG}text")]  # noqa: S314 - our own text


def luminance(color):
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_every_cause_stands_out_from_light_and_from_dark_paper():
    for palette, paper in product(CAUSE_COLORS.values(), ("#ffffff", "#12171e")):
        assert set(palette) == {cause.name for cause in Stall}
        for cause, color in palette.items():
            if color != "ink":
                low, high = sorted((luminance(color), luminance(paper)))
                assert (high + 0.05) / (low + 0.05) >= 3, (cause, color, paper)


def test_each_unit_has_a_chart_of_its_own():
    svg = reproduce("nvidia/fig8").svg
    assert {"TFLOPS", "us", "tiles"} <= set(words(svg))
    assert svg.count("<polyline") == 3
    assert svg.count(f'stroke-dasharray="{"6 4"}"') == 3 * (4 + 1)  # the guide's jumps, and a key


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("yan2020/square", {"the paper's highest, rtx2070", "the paper's highest, t4", "the paper: T4 falls beyond"}),
        ("yan2020/fig3", {"128x128 under DRAM's slope", "256x256 under DRAM's slope"}),
    ],
)
def test_what_the_paper_prints_is_drawn(name, said):
    assert said <= set(words(reproduce(name).svg))


def test_a_mark_stands_where_its_value_is():
    line = Series(name="y = x", points=((0, 0), (100, 100)))
    chart = Chart(
        title="t", across="x", up="y", series=(line,), marks=(Mark(name="p", x=50, y=50), Mark(name="l", y=100))
    )
    svg = chart.to_svg()
    assert re.search(r'd="M350\.0 216\.0m', svg)  # the middle of the frame, from (70, 56) to (630, 376)
    assert 'x1="70" y1="56" x2="630" y2="56"' in svg
    assert chart.columns()["curve"] == ["y = x", "y = x", "p", "l"]
    assert stacked(chart, chart).count("<polyline") == 2
    with pytest.raises(BadInputError, match="mark 'm' has no place"):
        Mark(name="m")
    with pytest.raises(BadInputError, match="at or below 0"):
        Chart(title="t", across="x", up="y", series=(line,), marks=(Mark(name="m", x=0, y=1),), log=(True, True))


def test_banks_are_named_and_paper_turns_dark():
    access = Tile(rows=64, cols=32).ldmatrix(4)
    assert words(access.to_svg())[2:35] == ["bank", *map(str, range(32))]
    for svg in (access.to_svg(), fragment("m16n8k8.f32.f16.f16.f32", operand="a", arch="turing").to_svg()):
        rules = re.search(r"prefers-color-scheme:dark\)\{(.*)\}</style>", svg)[1]
        lights = dict(re.findall(r'\[fill="(#\w+)"\]\{fill:(#\w+)\}', rules))
        assert lights["#ffffff"] == "#12171e"
        on = {one.get("fill") for one in ET.fromstring(svg).iter(f"{SVG}text")}  # noqa: S314 - our own text
        assert "#1b2430" in on  # letters on a lane's colour, which stays as it is,
        assert "#1b2430" not in lights  # keep theirs
