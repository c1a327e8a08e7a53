"""The units of the clock: what follows from their list, and what the notes say of them."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from pathlib import Path

import pytest

from simtc import arch
from simtc.timing import pipeline, units
from simtc.timing.pipeline import CELLS, PARAMETERS, READ_BY, UNITS
from simtc.timing.unit import Cells, Scale, Unit, joined

ROOT = Path(__file__).resolve().parents[2]
TIMING = ROOT / "simtc" / "timing"
HELPERS = {
    "addresses",
    "aging",
    "fills",
    "groups",
    "memory_queue",
    "on_the_way",
    "queued_barriers",
    "returns",
    "server",
}  # parts of units, not units
LINK = re.compile(r"\]\(([^)#]+)\)")


def sources():
    return sorted(TIMING.rglob("*.py"))


def test_the_pipeline_lists_every_unit_once():
    files = {path.stem for path in Path(units.__path__[0]).glob("*.py")} - {"__init__"} - HELPERS
    assert [unit.name for unit in UNITS] == [*dict.fromkeys(unit.name for unit in UNITS)]
    assert {unit.name for unit in UNITS} == files


def test_the_pipeline_is_a_page():
    assert len(Path(pipeline.__file__).read_text(encoding="utf-8").splitlines()) <= 110
    assert max(len(path.read_text(encoding="utf-8").splitlines()) for path in sources()) <= 300


def test_a_parameter_names_constants_that_boards_have():
    boards = [arch.device(name) for name in arch.device_names()]  # what one of them says nothing of, another knows
    known = {path for board in boards for path in board.constants}
    assert [path for path in READ_BY if not hasattr(boards[0], path) and path not in known] == []
    assert READ_BY["l1.tag_queue_entries"] == "l1"
    assert READ_BY["dram_cycles"] == "dram"


def test_a_parameter_is_a_field_of_its_units_record():
    for unit in UNITS:
        if unit.parameters:
            assert PARAMETERS[unit.name].names == tuple(one.name for one in fields(unit.parameters))


def test_two_units_cannot_keep_one_array():
    one = Unit(name="one", chip={"wake": CELLS["wake"]})
    with pytest.raises(ValueError, match="two: wake is another unit's"):
        joined((one, Unit(name="two", chip={"wake": Cells(of=CELLS["wake"].of)})))


def test_half_of_the_blocks_have_half_of_dram_and_a_power_of_two_of_slices():
    scale = Scale(share=0.4, merged=1.0, cpc_crowd=1.0, gpc_crowd=0.5)
    found = {unit.name: unit.parameters for unit in UNITS if unit.parameters}
    whole = {
        name: parameters(**dict.fromkeys((one.name for one in fields(parameters)), 40.0))
        for name, parameters in found.items()
    }
    scaled = {name: own.scaled(scale) for name, own in whole.items()}
    assert scaled["dram"] == {
        "dram_measured_bytes_per_cycle": pytest.approx(16), "dram_channels": pytest.approx(16),
        "write_row_lines": pytest.approx(100), "read_channels": pytest.approx(16),
    }  # fmt: skip
    assert scaled["l2"] == {"l2_slices": 16, "slice_bytes_per_cycle": pytest.approx(40), "first_sm_cycles": 0}
    assert scaled["atomics"] == {
        "atomic_word_cycles": pytest.approx(100), "atomic_sector_cycles": pytest.approx(100),
        "atomic_pass_cycles": pytest.approx(100), "alone_cycles": pytest.approx(100),
    }  # fmt: skip
    assert scaled["blocks"] == {"block_cycles": pytest.approx(100)}
    assert scaled["crossbar"]["gpc_bytes_per_cycle"] == pytest.approx(20)
    assert scaled["barrier"] == {}


@pytest.mark.parametrize("note", ["glossary", "walk"])
def test_links_lead_somewhere(note):
    text = (ROOT / "sass_notes" / f"{note}.md").read_text(encoding="utf-8")
    missing = [link for link in LINK.findall(text) if not (ROOT / "sass_notes" / link).exists()]
    assert LINK.findall(text)
    assert missing == []


def test_every_word_of_the_glossary_is_used_where_it_says():
    text = (ROOT / "sass_notes" / "glossary.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| \[[^]]+\]\(([^)]+)\) \|$", text, re.MULTILINE)
    assert len(rows) > 20
    unused = [
        word for word, link in rows
        if word.split()[0].lower() not in (ROOT / "sass_notes" / link).resolve().read_text(encoding="utf-8").lower()
    ]  # fmt: skip
    assert unused == []
    told = {Path(link).stem for _, link in rows}
    assert {unit.name for unit in UNITS} - told <= {"barrier", "operands", "pipes", "tensor", "l2"}


def test_the_walk_leads_in_three_steps_from_the_readme_to_the_cycle_of_a_conflict():
    walk = (ROOT / "sass_notes" / "walk.md").read_text(encoding="utf-8")
    assert re.findall(r"^(\d)\. \*\*", walk, re.MULTILINE) == ["1", "2", "3"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert {"sass_notes/clock.md", "sass_notes/walk.md"} <= set(LINK.findall(readme))  # where step 1 begins
    steps = dict(zip("123", re.split(r"^\d\. \*\*", walk, flags=re.MULTILINE)[1:], strict=True))
    leads = {"1": "pipeline.py", "2": "shared_memory.py", "3": "traffic.py"}
    assert [name for name, file in leads.items() if f"/{file})" not in steps[name]] == []


def functions(path):
    return {
        one.name: ast.unparse(one) for one in ast.walk(ast.parse(path.read_text())) if isinstance(one, ast.FunctionDef)
    }


def test_the_walk_quotes_the_code():
    page = (TIMING / "pipeline.py").read_text(encoding="utf-8")
    walk = " ".join((ROOT / "sass_notes" / "walk.md").read_text(encoding="utf-8").split())
    shared = functions(TIMING / "units" / "shared_memory.py")
    shown = "`shared_memory.UNIT, # the data stage takes a wavefront, or a line for L1`"
    assert shown.strip("`") in " ".join(page.split())
    for quoted in (
        shown, "`_cycles` returns how long", "`wavefronts * WAVEFRONT / data_stage_bytes_per_cycle`",
        "`_pass_first` adds those cycles to `stage_free`", "`wavefronts` looks at the addresses",
    ):  # fmt: skip
        assert quoted in walk
    assert "stage_bytes = ck.chip.shared_memory.data_stage_bytes_per_cycle" in shared["_cycles"]
    assert "one.wavefronts * WAVEFRONT / stage_bytes" in shared["_cycles"]
    assert "cycles = _cycles(ck, op, one)" in shared["_pass_first"]
    assert "sm.stage_free = t + cycles" in shared["_pass_first"]
    traffic = functions(ROOT / "simtc" / "machine" / "traffic.py")["wavefronts"]
    assert "event[Event.WAVEFRONTS] =" in traffic
    assert "event[Event.WAVEFRONTS]" in functions(TIMING / "units" / "lsu.py")["push"]
    assert "lower_board" in functions(TIMING / "units" / "scoreboards.py")["complete"]
    assert "Stall.mio_throttle" in functions(TIMING / "units" / "dispatch.py")["_held_up"]
    assert "Stall.short_scoreboard" in functions(TIMING / "units" / "scoreboards.py")["awaited"]
