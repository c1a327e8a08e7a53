"""Two runs side by side."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from simtc.cli.compare import compare
from simtc.cli.run import run
from simtc.errors import BadInputError
from simtc.run.compare import compare_runs, read_run

SIZE = ["-m", "128", "-n", "128", "-k", "64"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    home = tmp_path_factory.mktemp("runs")

    def one(name, *args):
        done = CliRunner().invoke(run, [*args, "--json"])
        assert done.exit_code == 0
        (home / name).write_text(done.stdout)
        return home / name

    return {
        "padded": one("padded.json", "wmma_tiled", *SIZE, "--timing"),
        "warm": one("warm.json", "wmma_tiled", *SIZE, "--timing", "--caches", "warm"),
        "unpadded": one("unpadded.json", "wmma_tiled_unpadded", *SIZE, "--timing"),
        "untimed": one("untimed.json", "wmma_tiled", *SIZE),
    }


def test_another_kernel_is_compared_by_resource_and_cause(runs):
    found = compare_runs(read_run(runs["padded"]), read_run(runs["unpadded"]))
    totals = {pair.name: pair for pair in found.totals}
    assert totals["bank_conflicts"].second > 4 * totals["bank_conflicts"].first
    assert next(pair for pair in found.resources if pair.name == "shared memory and L1").ratio > 1.5
    assert sum(pair.first for pair in found.stalls) == totals["warp_cycles"].first
    assert found.instructions == ()
    assert found.same


def test_the_same_kernel_is_compared_instruction_by_instruction(runs):
    found = compare_runs(read_run(runs["padded"]), read_run(runs["warm"]))
    assert sum(pair.first for pair in found.instructions) == found.first["warp_cycles"]
    assert sum(pair.second for pair in found.instructions) == found.second["warp_cycles"]
    text = CliRunner().invoke(compare, [str(runs["padded"]), str(runs["warm"])]).stdout
    assert "results  the same bits" in text
    assert "warp-cycles by instruction, those that changed most" in text
    assert "long_scoreboard" in text


def test_json_has_the_schema_first(runs):
    done = CliRunner().invoke(compare, [str(runs["padded"]), str(runs["warm"]), "--json"])
    result = json.loads(done.stdout)
    assert next(iter(result.items())) == ("schema", "simtc.compare/1")
    assert result["same_results"] is True
    assert {pair["name"] for pair in result["totals"]} >= {"cycles", "tflops", "instructions"}


def test_other_bits_are_exit_1(runs, tmp_path):
    other = json.loads(runs["padded"].read_text()) | {"digest": "0"}
    (tmp_path / "other.json").write_text(json.dumps(other))
    done = CliRunner().invoke(compare, [str(runs["padded"]), str(tmp_path / "other.json")])
    assert done.exit_code == 1
    assert "results  they differ" in done.stdout


def test_what_is_no_run_is_told(runs, tmp_path):
    with pytest.raises(BadInputError, match=r"was not timed and the other was\. Try: simtc run \.\.\. --timing"):
        compare_runs(read_run(runs["padded"]), read_run(runs["untimed"]))
    (tmp_path / "capture.json").write_text('{"schema": "simtc.capture/1"}')
    with pytest.raises(BadInputError, match=r"has schema 'simtc\.capture/1', two runs have 'simtc\.run/1'"):
        read_run(tmp_path / "capture.json")
    (tmp_path / "text.json").write_text("no")
    with pytest.raises(BadInputError, match=r"is not JSON .*Try: simtc run \.\.\. --json"):
        read_run(tmp_path / "text.json")
