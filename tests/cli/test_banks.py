"""`simtc banks` as a user types it."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys

import pytest

SIMTC = (sys.executable, "-c", "from simtc.cli import main; main()")


def simtc(*arguments):
    done = subprocess.run([*SIMTC, *arguments], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    return done


def run(*arguments):
    done = simtc("banks", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_tile_of_yan_and_others():
    values = json.loads(run("--tile", "256x32", "--json"))
    assert next(iter(values)) == "schema"
    tiles = {tile["layout"]: tile for tile in values["tiles"]}
    assert tiles["paper"]["overlaps"] == 1016
    assert tiles["pad"]["overlaps"] == 0
    assert tiles["pad"]["formula"] == "row*32 + row/2*8 + col"
    assert {pattern["excess"] for pattern in tiles["pad"]["patterns"].values()} == {0}
    assert [tiles["none"]["patterns"][f"lds.{width}"]["wavefronts"] for width in (32, 64, 128)] == [4, 8, 16]
    text = run("--tile", "256x32")
    assert "1016" in text
    assert "row*32 + row%2*8 + col" in text


def test_one_pattern_of_a_tile():
    out = run("--tile", "256x32", "--layout", "none", "--pattern", "lds.32")
    assert "LDS.32: 4 wavefronts, ideal 1, excess 3" in out
    assert "phase 0: lanes 0, 8, 16, 24 collide in bank 0\n" in out


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        (["--stride", "8"], "LDS.32: 2 wavefronts, ideal 1, excess 1"),
        (["--stride", "16", "--width", "128", "--store"], "STS.128: 4 wavefronts, ideal 4, excess 0"),
        (["--stride", "0", "--width", "64"], "LDS.64: 1 wavefront, ideal 1, excess 0"),
        (["--stride", "0", "--width", "64", "--store"], "STS.64: 2 wavefronts, ideal 2, excess 0"),
        (["--pitch", "80", "--width", "128", "--store"], "STS.128: 8 wavefronts, ideal 4, excess 4"),
        (["--pitch", "64", "--ldmatrix", "x4"], "LDSM.x4: 16 wavefronts, ideal 4, excess 12"),
        (["--stride", "16", "--ldmatrix", "x2"], "LDSM.x2: 2 wavefronts, ideal 2, excess 0"),
        (["--addresses", "0,0x80,-,4"], "LDS.32: 2 wavefronts, ideal 1, excess 1"),
    ],
)
def test_patterns(arguments, first):
    assert run(*arguments).splitlines()[0] == first


def test_addresses_from_a_file(tmp_path):
    listing = tmp_path / "addresses.txt"
    listing.write_text(" ".join(str(128 * lane) for lane in range(32)) + "\n", encoding="utf-8")
    values = json.loads(run("--addresses", str(listing), "--json"))
    assert values["accesses"][0]["wavefronts"] == 32
    assert values["accesses"][0]["phases"][0]["collisions"] == [{"bank": 0, "lanes": list(range(32))}]


def test_svg(tmp_path):
    target = tmp_path / "map.svg"
    assert run("--stride", "8", "--format", "svg", "--output", str(target)) == ""
    assert target.read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["give one of --stride, --pitch, --addresses, --tile, not none"]),
        (["--stride", "4", "--tile", "8x8"], ["not --stride and --tile"]),
        (["--stride", "6"], ["lane 1: address 6 is not a multiple of 4 bytes"]),
        (["--stride", "4", "--width", "16"], ["32, 64 or 128 bits wide, not 16"]),
        (["--tile", "256"], ["--tile takes ROWSxCOLUMNS such as 256x32, not '256'"]),
        (["--tile", "256x32", "--layout", "padd"], ["unknown shared-memory layout 'padd'", "did you mean 'pad'?"]),
        (["--tile", "256x32", "--pattern", "lds.8"], ["unknown access pattern 'lds.8'"]),
        (["--tile", "256x32", "--format", "svg"], ["--pattern"]),
        (["--tile", "256x32", "--pattern", "lds.32", "--format", "svg"], ["--layout"]),
        (["--addresses", "0,zero"], ["'zero' is no byte address"]),
        (["--addresses", ",".join(["0"] * 33)], ["32 lanes, not 33"]),
    ],
)
def test_bad_input_is_one_line_and_exit_2(arguments, words):
    done = simtc("banks", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.strip().splitlines()) == 1
    for word in words:
        assert word in done.stderr


def test_a_closed_pipe_is_no_error():
    command = f"{shlex.join(SIMTC)} banks --tile 256x32 --json | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("{\n", "", 0)
