import json
import shutil

from click.testing import CliRunner

from simtc.cli.compare import compare
from simtc.errors import BadInputError
from simtc.resources import folder

LAYOUTS = folder("validate") / "captures" / "h200" / "layouts-pycuda.json"


def test_the_h200s_layouts_agree():
    outcome = CliRunner().invoke(compare, [str(LAYOUTS)])
    assert outcome.exit_code == 0
    assert outcome.stdout.splitlines()[-1].startswith("0 of 6,129,728 elements differ")


def test_json_says_what_was_compared_and_where():
    outcome = CliRunner().invoke(compare, [str(LAYOUTS), "--json"])
    result = json.loads(outcome.stdout)
    assert next(iter(result.items())) == ("schema", "simtc.compare/1")
    assert result["machine"]["device"] == "NVIDIA H200"
    assert (result["differing"], result["not_compared"], result["elements"]) == ([], [], 6129728)


def test_a_capture_that_differs_is_exit_1_and_names_where(tmp_path):
    for ending in (".json", ".npz"):
        shutil.copy(LAYOUTS.with_suffix(ending), tmp_path)
    path = tmp_path / LAYOUTS.name
    raw = json.loads(path.read_text())
    name = "ldmatrix.x4.trans"
    raw["cases"][name]["result"] = "0" * 64
    path.write_text(json.dumps(raw))
    outcome = CliRunner().invoke(compare, [str(path)])
    assert outcome.exit_code == 1
    assert f"differs: {name}: 1 rows" in outcome.stdout
    assert outcome.stdout.endswith("1 cases differ\n")


def test_another_schema_is_bad_input(tmp_path):
    (tmp_path / "c.json").write_text('{"schema": "simtc.capture/9"}')
    outcome = CliRunner().invoke(compare, [str(tmp_path / "c.json")])
    assert isinstance(outcome.exception, BadInputError)
    assert "reads 'simtc.capture/1'" in str(outcome.exception)


def test_a_missing_file_is_told():
    outcome = CliRunner().invoke(compare, ["nowhere.json"])
    assert isinstance(outcome.exception, BadInputError)
    assert "there is no file nowhere.json" in str(outcome.exception)
