"""simtc run, as a user meets it."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from simtc.cli import main
from simtc.gemm.shipped import shipped
from simtc.resources import folder
from simtc.results.estimate import shown
from simtc.run.solve import operands

LISTING = str(folder("kernels") / "listings" / "sm_75" / "wmma_tiled.sass")
SMALL = ["wmma_tiled", "-m", "128", "-n", "128", "-k", "32"]


@pytest.fixture
def simtc(monkeypatch, capsys):
    def run(*words):
        monkeypatch.setattr(sys, "argv", ["simtc", "run", *words])
        try:
            main()
            code = 0
        except SystemExit as done:
            code = done.code or 0
        out, err = capsys.readouterr()
        return code, out, err

    return run


def test_it_says_what_it_computed_and_where_the_cycles_went(simtc):
    code, out, err = simtc(*SMALL, "--timing")
    assert code == 0
    assert err in ("", "simtc: compiling the simulator (first use, up to a minute) ...\n")  # where it is the first
    for expected in (
        "wmma_tiled 128 x 128 x 32 on t4",
        "sha256",
        "relative error",
        "cycles",
        "TFLOPS",
        "long_scoreboard",
    ):
        assert expected in out
    assert "were the only limit" in out.splitlines()[-1]


def test_json_has_the_keys_of_its_schema(simtc):
    code, out, _ = simtc(*SMALL, "--timing", "--json")
    data = json.loads(out)
    keys = {"kernel", "device", "cycles", "seconds", "tflops", "instructions", "stalls", "bank_conflicts", "limit"}
    assert code == 0
    assert next(iter(data)) == "schema"
    assert data["schema"] == "simtc.run/1"
    assert keys | {"digest"} <= set(data)
    assert sum(data["stalls"].values()) == data["warp_cycles"]


def test_a_sampled_run_says_so_and_computes_nothing(simtc):
    words = ["wmma_tiled", "-m", "2048", "-n", "2048", "-k", "2048", "--timing", "--fidelity", "sampled"]
    _, out, _ = simtc(*words)
    assert "an estimate, " in out
    assert "no values were computed" in out
    assert "sha256" not in out
    data = json.loads(simtc(*words, "--json")[1])
    assert (data["fidelity"], data["digest"], data["error"]) == ("sampled", None, None)
    assert 0 < data["error_estimate"] < 0.1
    assert f"{shown(data['cycles'], data['error_estimate'])} cycles" in out


def test_the_clock_that_was_used_is_stated(simtc):
    default, slow = (json.loads(simtc(*SMALL, "--timing", "--json", *more)[1]) for more in ([], ["--clock-mhz", "795"]))
    assert (default["clock_mhz"], slow["clock_mhz"]) == (1590, 795)
    assert default["seconds"] == pytest.approx(default["cycles"] / 1590e6)
    assert slow["seconds"] == pytest.approx(slow["cycles"] / 795e6)


def test_the_listing_says_what_each_instruction_cost(simtc):
    _, out, _ = simtc(*SMALL, "--timing", "--by-instruction")
    head = next(line for line in out.splitlines() if line.startswith("address"))
    words = "address issued cycles share top cause conflicts sectors source instruction"
    assert " ".join(head.split()) == words
    assert any("wmma_tiled.cu:" in line and "HMMA.1688.F32" in line for line in out.splitlines())
    data = json.loads(simtc(*SMALL, "--timing", "--by-instruction", "--json")[1])
    assert sum(one["cycles"] for one in data["by_instruction"]) == data["warp_cycles"]
    assert sum(one["cycles"] for one in data["by_line"]) == data["warp_cycles"]
    assert all(one["code"] for one in data["by_line"])  # the source of a shipped kernel is at hand


@pytest.mark.parametrize("name", ["t.svg", "t.txt", "t.json", "t.json.gz", "t.kanata"])
def test_the_timeline_and_the_page_are_written(simtc, tmp_path, name):
    page = tmp_path / "t.html"
    code, _, _ = simtc(*SMALL, "--timing", "--timeline", str(tmp_path / name), "--html", str(page))
    assert code == 0
    assert (tmp_path / name).stat().st_size > 500
    assert page.read_text().startswith("<!DOCTYPE html>")


def test_matrices_come_from_files_and_go_to_them(simtc, tmp_path):
    kernel = shipped("wmma_tiled")
    arrays = operands(kernel, 128, 128, 32, seed=7)
    for name in "ABC":
        np.save(tmp_path / f"{name}.npy", arrays[name])
    files = [word for name in "ABC" for word in (f"--{name.lower()}", str(tmp_path / f"{name}.npy"))]
    out = tmp_path / "D.npy"
    code, read, _ = simtc(*SMALL, *files, "--beta", "1", "--out", str(out), "--json")
    _, drawn, _ = simtc(*SMALL, "--seed", "7", "--beta", "1", "--json")
    assert code == 0
    assert json.loads(read)["digest"] == json.loads(drawn)["digest"]
    a, b, c = (arrays[name].astype(np.float64) for name in "ABC")
    np.testing.assert_allclose(np.load(out), a @ b + c, rtol=1e-3, atol=1e-4)


def test_a_kernel_in_a_file(simtc, tmp_path):
    saved = tmp_path / "d.npy"
    specs = ["f16[128,32]=ones", "f16[32,128]=ones", "f32[128,128]", f"f32[128,128]>{saved}", "i32=128", "i32=128",
             "i32=32", "f32=0.5", "f32=0"]  # fmt: skip
    args = [word for spec in specs for word in ("--arg", spec)]
    code, out, _ = simtc(LISTING, "wmma_tiled", "--grid", "1", "--block", "256", *args)
    assert code == 0
    assert "warp-instructions" in out
    assert (np.load(saved) == 16).all()


def test_a_faulting_kernel_names_the_place(simtc):
    specs = [
        "f16[128,32]",
        "f16[32,127]",
        "f32[128,128]",
        "f32[128,128]",
        "i32=128",
        "i32=128",
        "i32=32",
        "f32=1",
        "f32=0",
    ]
    args = [word for spec in specs for word in ("--arg", spec)]
    code, out, err = simtc(LISTING, "wmma_tiled", "--grid", "1", "--block", "256", *args)
    assert (code, out) == (4, "")
    for expected in (
        "out-of-bounds global access",
        "LDG",
        "wmma_tiled.cu:",
        "block (0, 0, 0)",
        "warp",
        "lane",
        "buffer 1",
    ):
        assert expected in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["wmma_tild", "-m", "128", "-n", "128", "-k", "32"], "unknown kernel 'wmma_tild'"),
        ([*SMALL, "--device", "t5"], "unknown device 't5'"),
        (["wmma_tiled", "-m", "100", "-n", "128", "-k", "32"], "m = 100: wmma_tiled takes multiples of 128"),
        (["wmma_tiled", "-m", "-128", "-n", "128", "-k", "32"], "the nearest is 128"),
        (["wmma_tiled", "-m", "128", "-n", "128"], "wmma_tiled needs -k"),
        ([*SMALL, "--a", "missing.npy"], "A: there is no file missing.npy"),
        ([*SMALL, "--caches", "hot"], "unknown state of the caches 'hot': known are cold, warm"),
        ([*SMALL, "--clock-mhz", "0"], "--clock-mhz 0"),
        ([*SMALL, "--timeline", "t.json"], "--timeline needs --timing"),
        ([*SMALL, "--timing", "--timeline", "t.svgz"], "must end in"),
        ([*SMALL, "--by-instruction"], "--by-instruction needs --timing"),
        ([*SMALL, "--html", "t.html"], "--html needs --timing"),
        ([*SMALL, "--timing", "--timeline", "t.svg", "--cycles", "9,3"], "--cycles '9,3'"),
        ([*SMALL, "--fidelity", "sampled"], "--fidelity sampled needs --timing"),
        ([*SMALL, "--timing", "--fidelity", "sampled", "--out", "D.npy"], "--out needs --fidelity full"),
        ([*SMALL, "--timing", "--fidelity", "exact"], "unknown fidelity 'exact'"),
        ([*SMALL, "--grid", "4"], "--grid is for a kernel in a file"),
        (["mma_async_f32", "-m", "128", "-n", "128", "-k", "64"], "mma_async_f32 is compiled for sm_80, sm_90"),
        ([*SMALL, "--device", "gtx280"], "gtx280"),
        ([], "name a shipped kernel or a file"),
        ([LISTING, "nothing"], "unknown kernel 'nothing'"),
        ([LISTING, "wmma_tiled"], "--grid is missing"),
        ([LISTING, "wmma_tiled", "--grid", "a", "--block", "1"], "--grid 'a'"),
        ([LISTING, "wmma_tiled", "--grid", "1", "--block", "256"], "takes 9 arguments"),
        ([LISTING, "wmma_tiled", "--grid", "1", "--block", "2048"], "block (2048,)"),
        (
            [LISTING, "wmma_tiled", "--grid", "1", "--block", "512", *["--arg", "i32=1"] * 9],
            "launch bounds allow at most 256",
        ),
        (
            [LISTING, "wmma_tiled", "--grid", "1", "--block", "256", "--arg", "f33=1"],
            "unknown type of argument 0 'f33'",
        ),
        ([LISTING, "wmma_tiled", "--grid", "1", "--block", "256", "--arg", "i32=x"], "argument 0: 'x' is no int32"),
        (
            [LISTING, "wmma_tiled", "--grid", "1", "--block", "256", "--arg", "f32[2]=fives"],
            "unknown fill of argument 0",
        ),
        ([LISTING, "wmma_tiled", "--grid", "1", "--block", "256", "--arg", "?"], "argument 0: '?' is none of"),
        (
            [LISTING, "wmma_tiled", "--grid", "1", "--block", "256", "--arg", "@no.npy"],
            "argument 0: there is no file no.npy",
        ),
        (["missing.cubin", "k"], "missing.cubin"),
        ([*SMALL, "--speed"], "--speed"),
    ],
)
def test_bad_input_gets_one_clear_line(simtc, words, message):
    code, out, err = simtc(*words)
    assert (code, out) == (2, "")
    assert err.startswith("simtc: ")
    assert message in err
    assert err.count("\n") <= 2
    assert "Traceback" not in err


def test_a_matrix_of_another_shape_or_type_is_refused(simtc, tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, np.zeros((3, 3), np.float16))
    assert "is float16[3, 3], needed is float16[128, 32]" in simtc(*SMALL, "--a", str(path))[2]
    path.write_bytes(b"no array at all")
    assert "is not a .npy file" in simtc(*SMALL, "--a", str(path))[2]


def test_a_closed_pipe_ends_it_quietly():
    command = f"{sys.executable} -c 'from simtc.cli import main; main()' run --list"
    script = f"{command} | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] in ("141", "0")  # 0 where all of it fitted into the pipe
