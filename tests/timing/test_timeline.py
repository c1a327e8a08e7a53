"""The timeline in its three forms."""

from __future__ import annotations

import dataclasses
import gzip
import html
import json
import re
from xml.etree import ElementTree as ET

import pytest

from simtc.arch import device
from simtc.errors import BadInputError
from simtc.gemm.shipped import shipped
from simtc.report.listing import listing_rows
from simtc.report.page import launch_html
from simtc.report.timeline import timeline_svg
from simtc.results import Stall
from simtc.run.solve import operands, solve


@pytest.fixture(scope="module")
def launch():
    kernel, size = shipped("wmma_tiled"), {"m": 128, "n": 256, "k": 64}
    return solve(kernel, device("t4"), operands(kernel, **size), **size, timing=True, timeline=True).launch


def test_slices_account_for_every_warp_cycle(launch):
    timeline = launch.timeline
    total = {cause.name: 0 for cause in Stall}
    for one in timeline:
        total[one.cause.name] += one.end - one.start
    assert timeline.dropped == 0
    assert total == dict(launch.stalls)


def test_the_slices_of_a_warp_follow_one_another(launch):
    last = {}
    for one in sorted(launch.timeline, key=lambda s: (s.warp, s.start)):
        assert one.start < one.end
        assert last.get(one.warp, one.start) == one.start
        last[one.warp] = one.end
    assert len(last) == 16


def test_perfetto_follows_the_trace_event_format(launch, tmp_path):
    path = tmp_path / "t.json.gz"
    launch.timeline.to_perfetto(path)
    trace = json.loads(gzip.decompress(path.read_bytes()))
    slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    named = {(e["pid"], e["tid"]) for e in trace["traceEvents"] if e["ph"] == "M" and e["name"] == "thread_name"}
    assert len(slices) == len(launch.timeline)
    assert {(e["pid"], e["tid"]) for e in slices} == named
    assert all(isinstance(e["ts"], int) and e["dur"] > 0 and e["name"] for e in slices)
    assert any(e["name"].startswith("HMMA.1688.F32") for e in slices)


def test_kanata_parses_and_retires_every_instruction(launch, tmp_path):
    path = tmp_path / "t.kanata"
    launch.timeline.to_kanata(path)
    lines = path.read_text().splitlines()
    assert lines[0] == "Kanata\t0004"
    started, open_stage, retired, now = set(), {}, set(), None
    for line in lines[1:]:
        command, *fields = line.split("\t")
        if command == "C=":
            now = int(fields[0])
        elif command == "C":
            assert int(fields[0]) > 0
            now += int(fields[0])
        elif command == "I":
            started.add(int(fields[0]))
        elif command == "S":
            assert int(fields[0]) in started
            assert int(fields[0]) not in open_stage
            open_stage[int(fields[0])] = fields[2]
        elif command == "E":
            assert open_stage.pop(int(fields[0])) == fields[2]
        elif command == "R":
            retired.add(int(fields[0]))
        else:
            assert command == "L"
    assert not open_stage
    assert len(retired) == launch.instructions
    assert now == max(one.end for one in launch.timeline)


def test_text_shows_one_glyph_a_cause(launch):
    text = launch.timeline.to_text(first=0, last=2000, width=80, warps=4).splitlines()
    assert text[0] == "wmma_tiled: cycles 0 to 2000, 25 a column"
    assert len(text) == 6
    assert "L" in text[1]
    assert "'L' long_scoreboard" in text[-1]


def test_the_picture_shows_each_cause_in_its_colour(launch):
    tree = ET.fromstring(timeline_svg(launch.timeline, first=0, last=2000, warps=4))  # noqa: S314 - our own
    words = [element.text for element in tree.iter() if element.tag.endswith("text")]
    causes = {one.cause.name for one in launch.timeline if one.warp < 4 and one.start < 2000}
    paths = [element for element in tree.iter() if element.tag.endswith("path")]
    assert {"selected", "long_scoreboard"} <= causes & set(words)
    assert len(paths) == len(set(words) & {cause.name for cause in Stall})
    assert sum(word.startswith("SM 0, sub-core ") for word in words) == 4
    with pytest.raises(BadInputError, match="has nothing"):
        timeline_svg(dataclasses.replace(launch.timeline, raw=launch.timeline.raw[:0]))


def test_columns_are_what_most_of_their_cycles_were(launch):
    timeline = launch.timeline
    shown, causes = timeline.majority(first=100, last=300, columns=200, warps=3)
    slices = [one for one in timeline if one.warp in shown]
    for warp, row in zip(shown, causes.tolist(), strict=True):
        for cycle, cause in enumerate(row, 100):
            assert Stall(cause) in {one.cause for one in slices if one.warp == warp and one.start <= cycle < one.end}


def test_the_listing_accounts_for_every_cycle(launch):
    head, *rows = listing_rows(launch.timing)
    assert sum(int(row[head.index("cycles")].replace(",", "")) for row in rows) == launch.timing.warp_cycles
    assert sum(int(row[head.index("issued")].replace(",", "")) for row in rows) == launch.instructions
    hmma = next(row for row in rows if row[-1].startswith("HMMA"))
    assert hmma[head.index("source")].startswith("wmma_tiled.cu:")


def test_the_page_needs_nothing_else(launch):
    page = launch_html(launch, "a launch")
    assert "<svg" in page
    assert "HMMA.1688.F32" in page
    assert launch.timing.limit in html.unescape(page)
    assert not re.search(r'src=|href="(?!#)|@import|url\(', page)  # its own links lead from lines to instructions
