"""What a unit of the clock declares itself: boards and generations say it in [clock.UNIT]; other rooms know no name."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from simtc import arch
from simtc.arch.altered import altered
from simtc.arch.device import load_device
from simtc.arch.generation import load_sm
from simtc.arch.reads import readers
from simtc.calibrate.board import shared, step_of, value_of
from simtc.calibrate.fit import Fitted, fit
from simtc.calibrate.patch import patch
from simtc.cli.arch import arch as verb
from simtc.errors import BadInputError
from simtc.report.cards.lookup import card
from simtc.resources import folder
from simtc.timing import declared as module
from simtc.timing.declared import declared, left_out, prove_declared
from simtc.timing.pipeline import READ_BY
from simtc.timing.setup import parameters
from simtc.timing.unit import Launched, Parameters, Unit, constant
from simtc.validate.capture import read_capture

CHIPS = [*map(arch.device, arch.device_names()), *map(arch.sm, arch.sm_names())]
DATA = Path(arch.__file__).parent
LAUNCH = Launched(slots=1, warps=1, l1_sets=1, l2_sets=1)
TURN, BRANCH = "clock.dram.turn_ns", "clock.dispatch.register_branch_interval_cycles"
OWN = [path for path in READ_BY if path.startswith("clock.")]
SAID = '{value = 30, unit = "ns", status = "fitted", source = "accelsim"}'


def loaded(folder: Path, file: str, old: str, new: str) -> arch.Device | arch.Sm:
    """Return a chip whose file says something else."""
    text = (DATA / file).read_text(encoding="utf-8")
    assert text.count(old) == 1
    path = folder / Path(file).name
    path.write_text(text.replace(old, new), encoding="utf-8")
    return (load_device if file.startswith("devices") else load_sm).__wrapped__(path)


def test_what_is_found_in_the_sources_is_what_units_declare():
    assert {*declared()} == {*OWN}
    assert all(readers(path) == (f"timing.units.{READ_BY[path]}",) for path in OWN)
    assert [path for path, meaning in declared().items() if not meaning] == [], "a comment behind it says what it means"


@pytest.mark.parametrize("chip", CHIPS, ids=str)
def test_what_a_chip_says_a_unit_declares(chip):
    prove_declared(chip)


@pytest.mark.parametrize("path", OWN)
def test_some_chip_says_it_and_others_are_told_to_have_left_it_out(path):
    boards = [arch.device(name) for name in arch.device_names()]
    told = [board for board in boards if path in board.constants]
    assert told
    assert [board for board in boards if board.cycle_level and path not in left_out(board)] == told
    out = CliRunner().invoke(verb, [told[0].name, "--json"]).stdout
    (entry,) = [one for one in json.loads(out)["constants"] if one["name"] == path]
    assert entry["read_by"] == [f"timing.units.{READ_BY[path]}"]
    assert declared()[path] in card(path).what


def test_a_unit_declares_no_others_constants():
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Guest(Parameters):
        turn: float = constant(TURN)

    with pytest.raises(ValueError, match=r"guest declares clock.dram.turn_ns: its own are \[clock.guest\]'s"):
        Unit(name="guest", parameters=Guest)
    assert Unit(name="dram", parameters=Guest)


def test_what_nothing_is_said_of_is_its_default():
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Late(Parameters):
        off: float = constant("clock.late.first_cycles")
        one: float = constant("clock.late.each_ns", default=10)

    own = Late.of(arch.device("h200"), LAUNCH)
    assert (own.off, own.one) == (0, pytest.approx(19.8))


def test_a_boards_own_value_comes_before_its_generations(tmp_path, monkeypatch):
    both = "[clock.dram]\nturn_ns = {value = 1, unit = 'ns', status = 'fitted', source = 'ptxas'}\n[sources]\n"
    generation = loaded(tmp_path, "sm/sm_70.toml", "[sources]\n", both)
    monkeypatch.setitem(load_device.__wrapped__.__globals__, "sm", lambda _: generation)
    board = load_device.__wrapped__(DATA / "devices" / "v100_pcie.toml")
    assert (generation.clock["dram"]["turn_ns"], board.clock["dram"]["turn_ns"]) == (1, 20)
    assert board.provenance(TURN).source == "accelsim"
    assert not shared(board, TURN)
    first = next(line for line in (DATA / "devices" / "v100_pcie.toml").read_text().splitlines() if "turn_ns" in line)
    board = loaded(tmp_path, "devices/v100_pcie.toml", first + "\n", "")
    assert (board.clock["dram"]["turn_ns"], board.clocked("clock.dram.channels")) == (1, 64)
    assert board.provenance(TURN).source == "ptxas"
    assert shared(board, TURN)
    sections = [one.section for one in board.constants.values()]
    assert sum(one != two for one, two in pairwise(sections)) + 1 == len({*sections})


def test_what_is_in_ns_takes_cycles_by_the_clock():
    board = arch.device("v100_pcie")
    at = {mhz: parameters(board.at(mhz), LAUNCH)["dram"] for mhz in (1380, 690)}
    assert [float(one["dram_turn_cycles"][0]) for one in at.values()] == pytest.approx([27.6, 13.8])
    assert [float(one["dram_batch_bytes"][0]) for one in at.values()] == [1500, 1500]
    one = {"section": "clock.dram", "key": "turn_ns", "value": 1, "status": "fitted", "source": "a", "citation": "b"}
    with pytest.raises(BadInputError, match=r"constant clock.dram.turn_ns has unit 'us', but its name says 'ns'"):
        arch.Constant(unit="us", **one)


@pytest.mark.parametrize("path", [TURN, BRANCH])
def test_a_constant_is_replaced_by_its_path(path):
    board = next(arch.device(name) for name in ("h200", "v100_sxm2") if path in arch.device(name).constants)
    value = value_of(board, path)
    assert altered(board, path, value) == board
    moved = altered(board, path, 2 * value)
    assert (value_of(moved, path), step_of(board, path)) == (2 * value, float(f"{value / 200:.0e}"))
    assert parameters(moved, LAUNCH).tobytes() != parameters(board, LAUNCH).tobytes()
    assert moved.under_tensor_load().clock == moved.clock
    with pytest.raises(BadInputError, match=f"has no constant '{path}s'; did you mean '{path}'"):
        altered(board, f"{path}s", 1)


@pytest.mark.parametrize(("table", "name", "message"), [
    ("dram", "trun_ns", r"unknown constant of \[clock.dram\] of t4 'trun_ns': known are .*; did you mean 'turn_ns'\?"),
    ("drma", "turn_ns", r"unknown table of \[clock\] of t4 'drma': known are .*; did you mean 'dram'\?"),
])  # fmt: skip
def test_what_no_unit_declares_is_refused_wherever_units_are_known(tmp_path, monkeypatch, table, name, message):
    said = f"[clock.{table}]\n{name} = {SAID.replace('accelsim', 'jia2018')}\n\n[sources]\n"
    board = loaded(tmp_path, "devices/t4.toml", "[sources]\n", said)
    with pytest.raises(BadInputError, match=message) as told:
        parameters(board, LAUNCH)
    monkeypatch.setattr("simtc.cli.arch.chips.device", lambda _: board)
    for arguments in (["t4"], ["t4", "--json"], []):
        refused = CliRunner().invoke(verb, arguments)
        assert str(refused.exception) == str(told.value)
    assert told.value.exit_code == 2


def test_what_is_wrong_in_a_generations_file_is_told_of_it(tmp_path, monkeypatch):
    generation = loaded(tmp_path, "sm/sm_90.toml", "register_branch_interval_cycles = ", "branch_interval_cycles = ")
    monkeypatch.setitem(load_device.__wrapped__.__globals__, "sm", lambda _: generation)
    board = load_device.__wrapped__(DATA / "devices" / "h200.toml")
    for chip in (generation, board):
        with pytest.raises(BadInputError, match=r"\[clock.dispatch\] of sm_90 'branch_interval_cycles': known are"):
            prove_declared(chip)


def test_a_bare_number_is_refused(tmp_path):
    with pytest.raises(BadInputError, match=r"clock.dram.turn_ns is bare: write turn_ns = \{value = ..., unit = "):
        loaded(tmp_path, "devices/t4.toml", "[sources]\n", "[clock.dram]\nturn_ns = 7\n[sources]\n")
    with pytest.raises(BadInputError, match=r"clock.dram is bare"):
        loaded(tmp_path, "devices/t4.toml", "[sources]\n", "[clock]\ndram = 7\n[sources]\n")


def test_a_fit_finds_it_and_patches_the_file_that_says_it(monkeypatch):
    """Five cycles between branches to addresses in registers, planted into what calls of a leaf took."""
    entry = {"constant": BRANCH, "cases": ["called_leaves/1x1024/*"]}
    monkeypatch.setattr("simtc.calibrate.table.campaign_settings", lambda _: {"fit": [entry]})
    monkeypatch.setattr("simtc.calibrate.fit._cycles", lambda _, board: 100.0 * value_of(board, BRANCH))
    capture = read_capture(folder("validate") / "captures" / "h200" / "microbench-pycuda.json")
    few = {name: one for name, one in capture.cases.items() if name.startswith("called_leaves/1x1024/")}
    for one in few.values():
        monkeypatch.setitem(one.measured, "cycles", 500.0)
    board, (one,) = fit(capture, only=BRANCH, overrule=True)
    assert (one.old, one.changes, value_of(board, BRANCH)) == (4, True, pytest.approx(5, rel=0.02))
    text = patch(capture, arch.device("h200"), [one])
    assert "+++ b/simtc/arch/sm/sm_90.toml" in text
    assert re.search(r"^\+register_branch_interval_cycles = \{value = 5", text, re.MULTILINE)
    own = Fitted(
        constant=TURN, old=20.0, status="fitted", value=25.0, low=24.0, high=26.0, error_before=0.1, error_after=0.0,
        cases=(), moves=True,
    )  # fmt: skip
    text = patch(capture, arch.device("v100_pcie"), [own])
    assert "+++ b/simtc/arch/devices/v100_pcie.toml" in text
    assert "+turn_ns = {value = 25.0" in text


def test_the_sources_are_read_as_they_are_written(tmp_path, monkeypatch):
    """A parameter over several lines, one that follows from two constants, and what is no parameter."""
    (tmp_path / "one.py").write_text(
        "class One(Parameters):\n"
        "    a_cycles: float = constant(  # of a\n"
        '        "clock.one.a_cycles", room=7\n'
        "    )\n"
        '    both: float = derived(lambda d, _: 0, "clock.one.a_cycles", "clock.one.b_bytes")  # of both\n'
        'TEXT: str = str("clockwork")\n',
        encoding="utf-8",
    )
    monkeypatch.setattr(module, "_UNITS", tmp_path)
    assert declared.__wrapped__() == {"clock.one.a_cycles": "of a", "clock.one.b_bytes": "of both"}
