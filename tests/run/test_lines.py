"""Two versions of a kernel by line of the source: a transpose with bank conflicts, and one with padding and more lines.

The listings beside the sources are what nvcc 13 made of them: nvcc -cubin -lineinfo -arch=sm_75.
"""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

from simtc.cli.compare import compare
from simtc.cli.run import run
from simtc.results import InstructionTime
from simtc.results.lines import by_line
from simtc.run.align import aligned
from simtc.run.compare import compare_runs, read_run

HOME = Path(__file__).with_name("data") / "versions"
LAUNCH = ["transpose", "--grid", "4", "--block", "32,8", "--arg", "f32[1024]=iota", "--arg", "f32[1024]", "--timing"]
READ = "tile[threadIdx.x][row];"  # of the line in which the first version has bank conflicts


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Return the folder of both runs as JSON, and of the first one's page."""
    home = tmp_path_factory.mktemp("versions")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(HOME)  # where the sources are that the listings name
        for name in ("transpose", "transpose_padded"):
            page = ["--html", str(home / "page.html")] if name == "transpose" else []
            done = CliRunner().invoke(run, [f"{name}.sass", *LAUNCH, *page, "--json"])
            assert done.exit_code == 0
            (home / f"{name}.json").write_text(done.stdout)
    return home


def _lines(*codes):
    return [{"source": ["k.cu", number], "code": code} for number, code in enumerate(codes, start=1)]


def _numbers(pairs):
    return [tuple(line and line["source"][1] for line in pair) for pair in pairs]


def test_an_inserted_line_moves_no_other():
    old = _lines("for (;;)", "x = a[i];", "__syncthreads();", "y = x;", "__syncthreads();")
    new = _lines("// new", "for (;;)", "x = a[i];", "z = 1;", "__syncthreads();", "y = x;", "__syncthreads();")
    assert _numbers(aligned(old, new)) == [(None, 1), (1, 2), (2, 3), (None, 4), (3, 5), (4, 6), (5, 7)]
    assert _numbers(aligned(new, old)) == [(b, a) for a, b in _numbers(aligned(old, new))]


def test_a_line_that_was_rewritten_is_alone():
    assert _numbers(aligned(_lines("x = a[i];"), _lines("__syncthreads();"))) == [(1, None), (None, 1)]


def test_lines_without_text_are_the_same_by_their_number():
    one, two = _lines("", "", ""), _lines("", "", "")
    assert _numbers(aligned(one[1:], two[:2])) == [(None, 1), (2, 2), (3, None)]


def test_a_lines_counts_are_sums():
    rows = (
        (0, 2, 30, "wait", 0, 0),
        (16, 2, 50, "barrier", 3, 0),
        (32, 7, 10, "wait", 0, 5),
        (48, 2, 25, "wait", 1, 8),
    )
    instructions = [
        InstructionTime(
            address=address, text="NOP", source=("k.cu", line), issued=1, cycles=cycles, top_stall=cause,
            conflicts=conflicts, sectors=sectors,
        )
        for address, line, cycles, cause, conflicts, sectors in rows
    ]  # fmt: skip
    one, two = by_line(instructions, {"k.cu": "first\n  second\n"})
    assert (one.code, one.cycles, one.top_stall, one.conflicts, one.sectors) == ("  second", 105, "wait", 4, 8)
    assert (two.source, two.code) == (("k.cu", 7), "")


def test_removing_the_conflicts_shows_in_the_line_that_had_them(runs):
    found = compare_runs(*(read_run(runs / f"{name}.json") for name in ("transpose", "transpose_padded")))
    first = found.lines[0]
    assert first.code.endswith(READ)
    assert (first.first["source"][1], first.second["source"][1]) == (9, 12)
    # Four blocks read 32 columns of 32 floats: each takes one wavefront instead of 32.
    assert (first.first["conflicts"], first.second["conflicts"]) == (4 * 32 * 31, 0)
    assert first.difference < -0.9 * (found.first["warp_cycles"] - found.second["warp_cycles"])
    assert [pair.code for pair in found.lines if pair.first is None] == ["const float by = scale;"]
    # 4 KiB in and out, of four blocks, in sectors of 32 bytes; the scale is one sector a warp.
    assert sum(pair.first["sectors"] for pair in found.lines if pair.first) == 2 * 4 * 4096 // 32
    assert sum(pair.second["sectors"] for pair in found.lines) == 2 * 4 * 4096 // 32 + 4 * 8
    assert abs(sum(pair.difference for pair in found.lines)) == found.first["warp_cycles"] - found.second["warp_cycles"]


def test_text_json_and_page_of_two_versions(runs, tmp_path):
    pair = [str(runs / f"{name}.json") for name in ("transpose", "transpose_padded")]
    done = CliRunner().invoke(compare, [*pair, "--report", str(tmp_path / "ab.html")])
    assert done.exit_code == 1  # by two: the scale is new
    table = done.stdout.split("warp-cycles by source line, those that changed most\n")[1].splitlines()
    assert table[0].split()[:2] == ["first:", "line"]
    assert table[1].endswith(READ)
    assert "3,968 -> 0" in table[1]
    result = json.loads(CliRunner().invoke(compare, [*pair, "--json"]).stdout)
    assert result["lines"][0]["first"]["top_stall"] == "short_scoreboard"
    assert [abs(line["difference"]) for line in result["lines"]] == sorted(
        (abs(line["difference"]) for line in result["lines"]), reverse=True
    )
    page = (tmp_path / "ab.html").read_text()
    assert re.search(r"-\d\d,\d{3}", page).start() < page.index("const float by = scale;")
    assert "short_scoreboard: The warp waits" in page


def test_a_run_with_damaged_lines_is_told(runs, tmp_path):
    raw = json.loads((runs / "transpose.json").read_text())
    raw["by_line"][0]["source"] = "k.cu:3"
    (tmp_path / "bad.json").write_text(json.dumps(raw))
    done = CliRunner().invoke(compare, [str(tmp_path / "bad.json"), str(runs / "transpose.json")])
    assert "is a damaged run: by_line is" in str(done.exception)


class _Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.names, self.targets, self.lines = set(), [], []

    def handle_starttag(self, _tag, attrs):
        found = dict(attrs)
        self.names |= {found["id"]} if "id" in found else set()
        self.targets += [found["href"]] if "href" in found else []
        self.lines += [found["data-line"]] if "data-line" in found else []


def test_lines_and_instructions_of_the_page_lead_to_one_another(runs):
    page, links = (runs / "page.html").read_text(), _Links()
    links.feed(page)
    assert {target[1:] for target in links.targets} <= links.names
    assert "#i01b0" in links.targets  # the store, which waits for what was read with conflicts
    assert links.targets.count("#transpose_cu-9") > 5
    assert links.lines.count("transpose_cu-9") == links.targets.count("#transpose_cu-9") + 1
    assert "tile[row][threadIdx.x] = from[32 * row + threadIdx.x];" in page
    assert "__shared__ float tile[32][32];" in page  # a line without instructions
