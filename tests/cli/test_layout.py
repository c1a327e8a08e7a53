"""`simtc layout` as a user types it: what goes to stdout, what to stderr, and the exit code."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys

import pytest

SIMTC = (sys.executable, "-c", "from simtc.cli import main; main()")
INSTR = "m16n8k8.f32.f16.f16.f32"


def simtc(*arguments):
    done = subprocess.run([*SIMTC, *arguments], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    return done


def run(*arguments):
    done = simtc("layout", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_table_shows_both_directions():
    out = run(INSTR, "--arch", "turing", "--operand", "a")
    assert "T5 R0.H1" in out
    assert "T5   1,2    1,3    9,2    9,3" in out


def test_get_and_at_are_two_sides():
    assert (
        run(INSTR, "--arch", "sm_75", "--operand", "a", "--get", "5,3").splitlines()[1] == "element 5,3: lane 21, R0.H1"
    )
    assert (
        run(INSTR, "--arch", "sm_75", "--operand", "a", "--at", "21,0,1").splitlines()[1]
        == "element 5,3: lane 21, R0.H1"
    )


def test_json_of_the_whole_and_of_one_element():
    values = json.loads(run(INSTR, "--arch", "turing", "--operand", "a", "--json"))
    assert next(iter(values)) == "schema"
    assert len(values["elements"]) == 128
    volta = ("wmma.m32n8k16.f16.f16.f16.f16", "--arch", "volta", "--operand", "b", "--major", "col")
    one = json.loads(run(*volta, "--get", "3,1", "--json"))
    assert [element["lane"] for element in one["elements"]] == [1, 5, 9, 13]


@pytest.mark.parametrize("form", ["csv", "markdown", "svg"])
def test_formats_and_output(tmp_path, form):
    out = run(INSTR, "--arch", "turing", "--operand", "a", "--format", form)
    target = tmp_path / "fragment"
    assert run(INSTR, "--arch", "turing", "--operand", "a", "--format", form, "--output", str(target)) == ""
    assert target.read_text(encoding="utf-8") == out


def test_colour_by_register_is_another_picture():
    picture = (INSTR, "--arch", "turing", "--operand", "a", "--format", "svg")
    assert run(*picture) != run(*picture, "--color", "register")


def test_explain():
    assert "step 2 of 2 (HMMA.16816): 8 products" in run(
        "m16n8k16.f32.f16.f16.f32", "--arch", "ampere", "--explain", "3,5"
    )
    assert run(INSTR, "--arch", "turing", "--explain").startswith("D[0,0] of")
    values = json.loads(run(INSTR, "--arch", "turing", "--explain", "1,2", "--json"))
    assert values["schema"] == "simtc.layout/1"
    assert len(values["steps"][0]) == 8


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["m16n8k9.f32.f16.f16.f32", "--arch", "turing"], ["unknown instruction", "did you mean"]),
        ([INSTR, "--arch", "turin"], ["unknown architecture 'turin'", "did you mean 'turing'?"]),
        ([INSTR, "--arch", "volta"], ["volta has no m16n8k8.f32.f16.f16.f32"]),
        ([INSTR, "--arch", "turing", "--operand", "e"], ["unknown operand 'e': known are a, b, c, d"]),
        (["wmma.m16n16k16.f32.f16.f16.f32", "--arch", "volta", "--operand", "a"], ["add --major row or --major col"]),
        ([INSTR, "--arch", "turing", "--operand", "a", "--get", "16,0"], ["rows are 0..15, columns 0..7"]),
        ([INSTR, "--arch", "turing", "--get", "5"], ["--get takes ROW,COL such as 5,3, not '5'"]),
        ([INSTR, "--arch", "turing", "--at", "5,x"], ["--at takes LANE,REGISTER"]),
        ([INSTR, "--arch", "turing", "--operand", "a", "--at", "0,2"], ["registers 0..1"]),
        ([INSTR, "--arch", "turing", "--get", "0,0", "--at", "0,0"], ["give one of them"]),
        ([INSTR], ["--arch"]),
        ([INSTR, "--arch", "turing", "--output", "/nonexistent/x.svg"], ["cannot write /nonexistent/x.svg"]),
    ],
)
def test_bad_input_is_one_line_and_exit_2(arguments, words):
    done = simtc("layout", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.strip().splitlines()) == 1
    for word in words:
        assert word in done.stderr


def test_a_closed_pipe_is_no_error():
    command = f"{shlex.join(SIMTC)} layout wmma.m16n16k16.f32.f16.f16.f32 --arch turing --operand a --json | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("{\n", "", 0)


def test_nothing_heavy_is_imported():
    code = "import sys, simtc.cli.layout, simtc.cli.banks; print(sorted({HEAVY} & set(sys.modules)))"
    code = code.replace("HEAVY", "'numba', 'numpy', 'rich', 'ml_dtypes'")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
