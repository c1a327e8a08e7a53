"""Reading what should not be read."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from simtc.errors import BadInputError
from simtc.resources import folder
from simtc.validate.capture import read_capture, sampled
from simtc.validate.compare import replay

KERNELS = folder("validate") / "captures" / "h200" / "kernels-pycuda.json"


@pytest.fixture
def copy(tmp_path):
    for ending in (".json", ".npz"):
        shutil.copy(KERNELS.with_suffix(ending), tmp_path)
    return tmp_path / KERNELS.name


def edit(path, **changes):
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.mark.parametrize("schema", ["simtc.capture/2", "simtc.run/1", None])
def test_another_schema_is_refused(copy, schema):
    edit(copy, schema=schema)
    with pytest.raises(BadInputError, match=r"this simtc reads 'simtc\.capture/1'"):
        read_capture(copy)


def test_missing_and_damaged_files_are_told(copy, tmp_path):
    with pytest.raises(BadInputError, match=r"there is no file .*nothing\.json"):
        read_capture(tmp_path / "nothing.json")
    copy.with_suffix(".npz").write_bytes(copy.with_suffix(".npz").read_bytes()[:1000])
    with pytest.raises(BadInputError, match="damaged"):
        read_capture(copy)
    copy.with_suffix(".npz").unlink()
    with pytest.raises(BadInputError, match=r"kernels-pycuda\.npz, which belongs to it"):
        read_capture(copy)
    copy.write_text("{")
    with pytest.raises(BadInputError, match="is not JSON"):
        read_capture(copy)


def test_arrays_of_another_capture_are_refused(copy):
    shutil.copy(folder("validate") / "captures" / "h200" / "layouts-pycuda.npz", copy.with_suffix(".npz"))
    with pytest.raises(BadInputError, match="do not belong together"):
        read_capture(copy)


def test_an_unknown_campaign_is_refused(copy):
    edit(copy, campaign="kernel")
    with pytest.raises(BadInputError, match=r"unknown campaign 'kernel'.*did you mean 'kernels'"):
        replay(read_capture(copy))


def only(copy, name, **changes):
    """Keep one case of a capture."""
    whole = read_capture(copy)
    raw = json.loads(copy.read_text())
    raw["cases"] = {name: raw["cases"][name] | changes}
    copy.write_text(json.dumps(raw))
    np.savez(copy.with_suffix(".npz"), rows=whole.cases[name].rows, samples=whole.cases[name].samples)


def test_one_flipped_bit_is_found_and_named(copy):
    name = "wmma_ragged/37x53x29"
    only(copy, name, result="0")
    with np.load(copy.with_suffix(".npz")) as arrays:
        rows, samples = arrays["rows"].copy(), arrays["samples"].copy()
    samples[0] ^= 1
    rows[0] ^= 1
    rows[5] ^= 1
    np.savez(copy.with_suffix(".npz"), rows=rows, samples=samples)
    (case,) = replay(read_capture(copy)).differing
    assert case.differing_rows == 2
    assert str(case.first[0]).startswith("[0, 0]: GPU 0x")
    assert str(case.first[1]) == f"[5]: the GPU's bits were not kept (in that row; D[5, 0] of {name})"


def test_edited_settings_are_told_from_wrong_bits(copy):
    only(copy, "wmma_ragged/37x53x29")
    raw = json.loads(copy.read_text())
    edit(copy, settings=raw["settings"] | {"seed": 12})
    outcome = replay(read_capture(copy))
    assert not outcome.differing
    assert "inputs come out differently" in outcome.problems[0].problem


def test_code_of_another_compiler_is_marked(copy):
    only(copy, "wmma_ragged/37x53x29", note="nvcc 99 compiled other machine code than the shipped listing's")
    outcome = replay(read_capture(copy))
    assert not outcome.same
    assert outcome.problems[0].problem.startswith("nvcc 99 compiled other machine code")


def test_samples_are_spread_over_the_whole_result():
    places = sampled((100, 10))
    assert (places[0], places[-1], len(places)) == (0, 999, 24)
    assert sampled((0, 3)).size == 0
