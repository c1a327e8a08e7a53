"""Fitting: constants that were planted are found again, and nothing else moves."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from simtc.arch import device
from simtc.arch.altered import altered
from simtc.calibrate.board import MOVABLE
from simtc.calibrate.fit import fit
from simtc.calibrate.patch import patch
from simtc.cli.fit import fit as verb
from simtc.errors import BadInputError
from simtc.report.fit import fit_text
from simtc.resources import folder
from simtc.validate.campaigns.microbench import MicroCase, cases
from simtc.validate.capture import Capture, Record, read_capture, write_capture
from simtc.validate.chip import Chip
from simtc.validate.validate import campaign_settings, cases_of

CAPTURES = folder("validate") / "captures" / "h200"
MACHINE = read_capture(CAPTURES / "kernels-pycuda.json").machine


def capture_of(board, *kernels):
    """Return the capture that a chip would give which is exactly as simtc's clock has it."""
    settings = campaign_settings("microbench")
    found = {}
    for case in cases(settings, Chip(90, "NVIDIA H200")):
        if isinstance(case, MicroCase) and case.name.startswith(kernels):
            taken = case.predict_on(board)
            cycles = taken.values["cycles"]
            measured = {"cycles": cycles, "least_cycles": cycles, "most_cycles": cycles}
            found[case.name] = Record(status="ran", measured=measured, inputs=taken.code)
    return Capture(campaign="microbench", settings=settings, machine=MACHINE, date="2026-11-21", simtc="0", cases=found)


@pytest.fixture(scope="module")
def planted():
    """Return a capture of a chip whose SHFL takes 31 cycles and whose conflicts cost 3."""
    board = device("h200")
    for constant, value in (("special.SHFL.latency_cycles", 31), ("shared.conflict_cycles", 3)):
        board = altered(board, constant, value)
    return capture_of(board, "chain_shfl/1x32", "shared_chase")


def test_a_planted_constant_is_found_and_patched(planted):
    board, found = fit(planted, only="special.SHFL.*")
    (one,) = found
    assert one.status in MOVABLE
    assert one.low <= 31 <= one.high
    assert (one.changes, one.error_before > 0.05, one.error_after < 0.01) == (True, True, True)
    text = patch(planted, board, found)
    added = [line for line in text.splitlines() if line.startswith("+")]
    assert added[0] == "+++ b/simtc/arch/sm/sm_90.toml"
    assert 'status = "fitted", source = "fit", note = "' in added[1]
    assert "was 24" in added[1]
    assert added[2].startswith('+fit = "simtc fit: the microbenchmarks of validate/microbench.toml on one NVIDIA H200')
    assert "1 of 1 constants change" in fit_text(found)


def test_what_was_measured_is_told_and_not_moved(planted):
    _, (one,) = fit(planted, only="memory.LDS.32.*")
    assert (one.status, one.moves, one.changes) == ("measured", False, False)
    board, found = fit(planted, only="memory.LDS.32.*", overrule=True)
    assert found[0].moves
    assert patch(planted, board, found) == ""  # its own case, of one way, has no conflicts


def test_the_patch_applies_and_loads(planted, tmp_path):
    board, found = fit(planted, only="special.SHFL.*")
    target = tmp_path / "simtc" / "arch" / "sm" / "sm_90.toml"
    target.parent.mkdir(parents=True)
    shutil.copy(folder("validate").parent / "simtc" / "arch" / "sm" / "sm_90.toml", target)
    (tmp_path / "fit.patch").write_text(patch(planted, board, found))
    subprocess.run(["git", "apply", "--unidiff-zero", "fit.patch"], cwd=tmp_path, check=True)
    assert f"latency_cycles = {{value = {found[0].value:g}" in target.read_text()


def test_where_no_case_depends_on_a_constant_it_stays(planted):
    record = planted.cases["shared_chase/1x32/4,1/warm"]
    alone = replace(planted, cases={"shared_chase/1x32/4,1/warm": record})
    _, (one,) = fit(alone, only="shared.conflict_cycles", overrule=True)
    assert (one.determined, one.changes) == (False, False)
    assert "not determined" in fit_text([one])


def test_only_a_microbenchmark_capture_is_fitted_on():
    with pytest.raises(BadInputError, match="fitted on a capture of campaign microbench and on nothing else"):
        fit(read_capture(CAPTURES / "kernels-pycuda.json"))


def test_a_chip_without_a_board_and_a_pattern_without_constants(planted):
    with pytest.raises(BadInputError, match="simtc has no board of Tesla X"):
        fit(replace(planted, machine={**MACHINE, "device": "Tesla X"}))
    with pytest.raises(BadInputError, match=r"no constant of h200 that 'memery\.\*' names has cases"):
        fit(planted, only="memery.*")


def test_what_a_board_takes_for_absent_begins_as_the_other_board_has_it(monkeypatch):
    """A constant of 0 stays where a search in steps of it would leave it; one that helps nothing stays 0."""
    capture = read_capture(CAPTURES.parent / "h100" / "microbench-pycuda.json")
    names = [
        name for name in capture.cases if name.startswith(("store_pieces_x8/132x512", "load_pieces_x8/66x512/16,128"))
    ]
    few = replace(capture, cases={name: capture.cases[name] for name in names})

    def cycles(case, board):
        return capture.cases[case.name].measured["cycles"] * (1 + 3.0 / max(board.cluster_packets_per_cycle, 0.1)) / 2

    absent = altered(device("h100_sxm"), "cluster_packets_per_cycle", 0)
    chip = SimpleNamespace(sm=90, name="NVIDIA H100 80GB HBM3", known=True, board=absent)
    monkeypatch.setattr("simtc.calibrate.fit._cycles", cycles)
    monkeypatch.setattr("simtc.calibrate.fit.chip_of", lambda _: chip)
    board, (packets,) = fit(few, only="cluster_packets*")
    assert (packets.old, packets.changes) == (0, True)
    assert board.cluster_packets_per_cycle == pytest.approx(3.0, rel=0.02)
    assert packets.low <= 3 <= packets.high
    assert "cluster_packets_per_cycle = {value = 3" in patch(few, board, [packets])


def test_a_second_board_does_not_move_what_was_fitted_on_the_first(monkeypatch):
    capture = read_capture(CAPTURES.parent / "h100" / "microbench-pycuda.json")
    monkeypatch.setattr("simtc.calibrate.fit._cycles", lambda case, board: board.sm.l1.request_cycles * 100.0)  # noqa: ARG005
    _, (one,) = fit(capture, only="l1.request_cycles")
    assert (one.moves, one.changes) == (False, False)
    _, (one,) = fit(replace(capture, machine=MACHINE), only="l1.request_cycles")
    assert one.moves


def test_the_table_names_constants_and_cases_that_exist():
    settings = campaign_settings("microbench")
    names = [case.name for case in cases(settings, Chip(90, "NVIDIA H200"))]
    names += [case.name for case in cases_of("counters", campaign_settings("counters"), 90, "NVIDIA H200")]
    for entry in settings["fit"]:
        boards = [device(name) for name in ("h200", "h100_sxm")]
        board = next(one for one in boards if entry["constant"] in one.constants)
        value = board.provenance(entry["constant"]).value
        assert isinstance(value, int | float)
        other = value / 2 if entry["constant"].endswith("latency_first_cycles") else 2 * value  # never after the second
        assert altered(board, entry["constant"], other) != board
        for pattern in entry["cases"]:
            head = pattern.split("*")[0]
            assert any(name.startswith(head) for name in names), pattern


def test_the_verb_writes_a_patch_and_edits_nothing(planted, tmp_path, monkeypatch):
    before = {path: path.read_bytes() for path in (folder("validate").parent / "simtc" / "arch").rglob("*.toml")}
    write_capture(planted, tmp_path / "m.json")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(verb, ["m.json", "--only", "special.SHFL.*", "--json"])
    assert done.exit_code == 0
    result = json.loads(done.stdout)
    assert next(iter(result.items())) == ("schema", "simtc.fit/1")
    assert result["constants"][0]["changes"]
    assert (tmp_path / result["patch"]).read_text().startswith("--- a/simtc/arch/sm/sm_90.toml")
    assert before == {path: path.read_bytes() for path in before}


@pytest.mark.parametrize("path", ["pipes.alu.issue_interval_cycles", "l2_hit_cycles", "tensor.HMMA.16816.F32.fma"])
def test_altered_replaces_one_constant_and_leaves_the_rest(path):
    board = device("h200")
    value = board.provenance(path).value
    assert altered(board, path, value) == board
    assert altered(board, path, value + 1) != board


def test_altered_names_the_nearest_constant():
    with pytest.raises(BadInputError, match="no constant 'l2_hits_cycles'; did you mean 'l2_hit_cycles'"):
        altered(device("h200"), "l2_hits_cycles", 1)
    with pytest.raises(BadInputError, match="only single numbers can be replaced"):
        altered(device("h200"), "limits.shared_carveouts_bytes", 1)
