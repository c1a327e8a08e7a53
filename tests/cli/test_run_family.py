"""`simtc run FAMILY` as a user types it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

SIMTC = (sys.executable, "-c", "from simtc.cli import main; main()")
SMALL = ("run", "wmma_gemm", "-m", "40", "-n", "36", "-k", "20")


def simtc(*arguments):
    done = subprocess.run([*SIMTC, *arguments], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    return done


def test_the_documents_table_and_two_verdicts():
    done = simtc(*SMALL, "--types", "s8", "--shape", "16x16x16", "--transpose", "nt", "--pad", "--verify")
    assert done.returncode == 0
    lines = [line.split(None, 1) for line in done.stdout.splitlines()]
    assert lines[0][0] == "wmma_gemm_s8_m16n16k16_nt"
    text = done.stdout
    for row in (
        "NUM_BLOCKS     (1, 1, 1) = 1", "NUM_THREADS    (32, 4, 4) = 512", "A original     40 x 20, 1 B => 800 B",
        "A padded       64 x 64, 1 B => 4096 B", "Total eOPS     59840", "eOPS per byte  8.219780",
        "by the document's: CORRECT", "by exact arithmetic: CORRECT",
    ):  # fmt: skip
        assert row in text


def test_a_wrong_result_exits_with_1_and_json_has_the_verdicts():
    done = simtc("run", "wmma_gemm", "-m", "128", "-n", "64", "-k", "64", "--types", "s8", "--transpose", "tn",
                 "--as-printed", "--verify", "--json")  # fmt: skip
    assert done.returncode == 1
    data = json.loads(done.stdout)
    assert data["schema"] == "simtc.run/1"
    assert [verdict["correct"] for verdict in data["verdicts"]] == [True, False]
    assert data["table"]["TRANSPOSE_A"] == "true"
    assert data["config"]["types"] == "s8"
    assert len(data["digest"]) == 16


def test_any_family_runs_and_is_judged():
    done = simtc("run", "hgemm", "-m", "64", "-n", "64", "-k", "64", "--block", "64,64,32", "--verify", "--json")
    assert done.returncode == 0
    data = json.loads(done.stdout)
    assert (data["config"]["block"], data["verdicts"][0]["correct"]) == ([64, 64, 32], True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (SMALL, "m = 40: wmma_gemm_f16_f32_m16n16k16_nn takes multiples of 16; the nearest is 32. Try: --pad"),
        ((*SMALL, "--types", "s4"), "unknown type pair 's4': known are f16_f32"),
        ((*SMALL, "--types", "tf32", "--shape", "16x16x16"), "tf32 in 16x16x8. Try: --shape 16x16x8"),
        ((*SMALL, "--types", "f64", "--device", "t4"), "t4 is sm_75: it has f16_f32, f16_f16, u8, s8"),
        ((*SMALL, "--transpose", "ntt"), "unknown transpose 'ntt'"),
        ((*SMALL, "--stages", "2"), "unknown choice of wmma_gemm 'stages'"),
        (("run", "wmma_gemm", "-m", "64"), "wmma_gemm needs -n -k. Try: simtc run wmma_gemm -m"),
        (("run", "wmma_tiled", "-m", "128", "-n", "128", "-k", "32", "--pad"), "--pad"),
        (("run", "wmma_tiled", "-m", "128", "-n", "128", "-k", "32", "--types", "s8"), "--types"),
    ],
)
def test_bad_input_gets_one_clear_line(arguments, message):
    done = simtc(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.splitlines()[-1].startswith("simtc: ")
