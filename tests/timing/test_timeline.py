"""The timeline in its three forms."""

from __future__ import annotations

import gzip
import json

import pytest

from simtc.arch import device
from simtc.gemm import operands, shipped, solve
from simtc.results import Stall


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
