"""simtc sass, as a user types it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from simtc.resources import folder
from simtc.sass import load

LISTING = folder("kernels") / "listings" / "sm_75" / "wmma_tiled.sass"


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-c", "from simtc.cli import main; main()", "sass", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_report():
    done = run(LISTING, "wmma_tiled")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("wmma_tiled  (sm_75)\n")
    assert "tensor           64" in done.stdout
    assert "37888 bytes static per block" in done.stdout


def test_json():
    report = json.loads(run(LISTING, "--json").stdout)
    assert next(iter(report.items())) == ("schema", "simtc.sass/1")
    kernels = {kernel["kernel"]: kernel for kernel in report["kernels"]}
    assert set(kernels) == {"wmma_tiled", "wmma_tiled_f16", "wmma_tiled_unpadded"}
    kernel = kernels["wmma_tiled"]
    assert kernel["units"]["tensor"] == {"HMMA.1688.F32": 64}
    assert sum(sum(counts.values()) for counts in kernel["units"].values()) == kernel["instructions"]
    assert sum(kernel["stalls"].values()) == kernel["instructions"]


def test_annotated_listing():
    lines = run(LISTING, "wmma_tiled", "--listing").stdout.splitlines()
    assert (
        len([line for line in lines if line[:4].strip() and line[4:6] == "  " and "B" in line])
        == len(load(LISTING)["wmma_tiled"].instructions) + 1
    )


def test_write_listing_is_a_fixed_point(tmp_path):
    out = tmp_path / "out.sass"
    done = run(LISTING, "--write-listing", out)
    assert (done.returncode, done.stdout) == (0, "")
    assert out.read_text() == LISTING.read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nowhere.cubin"], 2, "simtc: cannot read nowhere.cubin: No such file or directory\n"),
        ([LISTING, "wmma_tild"], 2, "did you mean 'wmma_tiled'?"),
        ([LISTING, "--sm", "80"], 2, "holds code for sm_75, not for sm_80"),
        (
            [LISTING, "--write-listing", "/nowhere/out.sass"],
            2,
            "cannot write /nowhere/out.sass: there is no folder /nowhere",
        ),
        ([], 2, "Missing argument 'FILE'"),
    ],
)
def test_bad_input(arguments, code, message):
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_cross_check_of_a_listing(tmp_path):
    done = run(LISTING, "--cross-check")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(" instructions compared with the listing: 0 differ\n")
    other = tmp_path / "other.sass"
    other.write_text(LISTING.read_text().replace("S2R R", "S2UR R", 1))
    done = run(other, "--cross-check")
    assert done.returncode == 1
    assert "simtc  S2R R" in done.stdout
    assert "other  S2UR R" in done.stdout
    found = json.loads(run(other, "--cross-check", "--json").stdout)["cross_check"]
    assert [one["simtc"].replace("S2R", "S2UR") for one in found["differences"]] == [found["differences"][0]["other"]]
