"""`simtc simulate` as a user types it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

SIMTC = (sys.executable, "-c", "from simtc.cli import main; main()")
HGEMM = ("simulate", "hgemm", "-m", "4096", "-n", "4096", "-k", "4096")
CLOSED = (*HGEMM, "--fidelity", "analytic")


def simtc(*arguments):
    done = subprocess.run([*SIMTC, *arguments], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    return done


def test_the_text_holds_the_answer_and_what_is_left_out():
    done = simtc(*CLOSED, "--device", "rtx2070", "--block", "256,256,32", "--warp", "128x64x8")
    assert (done.returncode, done.stderr) == (0, "")
    first, *lines = done.stdout.splitlines()
    assert first == "hgemm 4096 x 4096 x 4096 on rtx2070: block 256x256x32, warp 128x64x8, HMMA.1688.F16"
    assert lines[0] == "fidelity     analytic: closed forms, no instruction is executed"
    assert " 59.7 TFLOPS peak" in lines[2]
    assert "limited by tensor pipe" in lines
    assert "this fidelity leaves out" in lines


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ((*CLOSED, "--timeline", "t.svg"), "'analytic' has no timeline: it executes nothing"),
        ((*CLOSED, "--roofline", "r.pdf"), "--roofline r.pdf: the name must end in .svg"),
        ((*CLOSED, "--cycles", "1,2"), "--cycles has no effect without --timeline FILE.svg"),
        (("simulate", "lu", "-n", "512", "--roofline", "r.svg"), "--roofline has no effect on lu"),
    ],
)
def test_pictures_that_cannot_be_are_told(line, words):
    done = simtc(*line)
    assert done.returncode == 2
    assert words in done.stderr


def test_json():
    done = simtc(*CLOSED, "--device", "t4", "--split-k", "2", "--beta", "1", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    data = json.loads(done.stdout)
    assert next(iter(data.items())) == ("schema", "simtc.simulate/1")
    assert (data["device"], data["m"], data["fidelity"], data["config"]["split_k"]) == ("t4", 4096, "analytic", 2)
    assert data["tflops"] == pytest.approx(2e-12 * 4096**3 / data["seconds"])
    assert data["peak_share"] == pytest.approx(data["tflops"] / data["peak_tflops"])
    assert data["cycles"] / (data["clock_mhz"] * 1e6) == pytest.approx(data["seconds"])


def test_the_clock_answers_where_nothing_is_said_and_draws_what_it_executed(tmp_path):
    size = ("-m", "1000", "-n", "1024", "-k", "1024", "--device", "rtx2070")
    page, roofline = tmp_path / "t.html", tmp_path / "r.svg"
    done = simtc("simulate", "hgemm", *size, "--timeline", str(page), "--roofline", str(roofline))
    assert done.returncode == 0
    words = page.read_text(encoding="utf-8")
    assert "SM 0, sub-core 0, warp 0" in words
    assert "<li>wait: " in words
    assert "at DRAM: " in roofline.read_text(encoding="utf-8")
    first, *lines = done.stdout.splitlines()
    assert first == "hgemm 1000 x 1024 x 1024 on rtx2070: block 256x128x32, warp 128x64x8, HMMA.1688.F16"
    assert lines[0].startswith("fidelity     sampled: the program in the clock, some SMs' steady state for all")
    assert "wasted       2.3 % of the tiles, 0.0 % of k, 55.6 % of the waves" in lines
    assert "where the warps' cycles went" in lines
    assert any("if the tensor pipe were the only limit" in line for line in lines)


def test_explore_in_text_and_json():
    done = simtc(*CLOSED, "--device", "t4", "--layout", "none", "--explore")
    assert done.stdout.splitlines()[-1].startswith("--layout pad helps most: ")
    assert "  --stages 2                refused: " not in done.stdout  # without padding two fit
    data = json.loads(simtc(*CLOSED, "--device", "t4", "--layout", "none", "--explore", "--json").stdout)
    assert next(iter(data)) == "schema"
    assert list(data["explored"]) == ["verdict", "neighbours", "refused"]
    assert {"change", "seconds", "speedup", "bound", "doubt"} == set(data["explored"]["neighbours"][0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("simulate", "hgemm", "-m", "8"), "hgemm needs -n -k. Try: simtc simulate hgemm -m 4096 -n 4096 -k 4096"),
        ((*HGEMM, "--block", "512,256,32"), "the nearest that fits: --block 256,256,32 --warp 128,64,8"),
        ((*HGEMM, "--warp", "128,128,8"), "it takes 422 registers a thread (256 for accumulators, "),
        ((*HGEMM, "--block", "256,256,64"), "one stage takes 73728 bytes of shared memory (8192 of them padding)"),
        ((*HGEMM, "--block", "256,256"), "--block '256,256': three sizes m,n,k, such as --block 256,256,32"),
        ((*HGEMM, "--fidelity", "sample"), "did you mean 'sampled'?"),
        (
            (*HGEMM, "--transpose", "nn", "--device", "titan_v"),
            "transpose nn: sm_70 has no LDSM",
        ),
        ((*HGEMM, "--split-k", "2"), "generated kernels do not split k; closed forms do. Try: --fidelity analytic"),
        ((*HGEMM, "--lda", "4101"), "a multiple of 8 elements; the nearest is 4104. Try: --lda 4104"),
        ((*HGEMM, "--device", "t5"), "unknown device 't5'"),
        ((*HGEMM, "--device", "c2050"), "c2050 (sm_20) has no tensor cores"),
        ((*HGEMM, "--layout", "paper"), "unknown layout 'paper': known are none, pad, xor"),
        ((*HGEMM, "-m", "x"), "-m x: a whole number from 1 to 2147483647"),
        ((*HGEMM, "--clock-mhz", "0"), "--clock-mhz 0: a whole number from 1 to 100000"),
        ((*CLOSED, "--split-k", "0"), "0"),
        (("simulate", "qgemm", "-m", "1", "-n", "1", "-k", "1"), "unknown family 'qgemm': known are "),
    ],
)
def test_bad_input_gets_one_clear_line(arguments, message):
    done = simtc(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_starts_without_numba():
    code = (
        f"import sys; sys.argv = ['simtc', *{CLOSED!r}]\n"
        "from simtc.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([name for name in ('numba', 'rich') if name in sys.modules], file=sys.stderr)"
    )
    assert simtc_code(code) == "[]\n"


def simtc_code(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr
