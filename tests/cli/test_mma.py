"""`simtc mma`: what it prints, writes and refuses."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys

import numpy as np
import pytest

from simtc.numerics.multiply import mma

TURING = "m16n8k8.f32.f16.f16.f32"
SIMTC = [sys.executable, "-c", "from simtc.cli import main; main()", "mma"]


def simtc(folder, *arguments):
    return subprocess.run([*SIMTC, *arguments], capture_output=True, text=True, cwd=folder, check=False)


@pytest.fixture
def folder(tmp_path):
    """Return a folder with operands, and with files that are not operands."""
    rng = np.random.default_rng(3)
    A, B = (rng.standard_normal((2, *shape)).astype(np.float16) for shape in ((16, 8), (8, 8)))
    C = rng.standard_normal((2, 16, 8)).astype(np.float32)
    np.savez(tmp_path / "abc.npz", A=A, B=B, C=C)
    np.savez(tmp_path / "ab.npz", A=A, B=B, c=C)
    np.savez(tmp_path / "small.npz", A=A[:, :8], B=B, C=C)
    np.savez(tmp_path / "wide.npz", A=A.astype(np.float64) + 70000, B=B, C=C)
    np.savez(tmp_path / "objects.npz", A=np.array([None]), B=B, C=C)
    np.savez(tmp_path / "empty.npz", A=A[:0], B=B[:0], C=C[:0])
    np.save(tmp_path / "one.npy", A)
    (tmp_path / "text.npz").write_text("hello")
    (tmp_path / "nothing.npz").write_bytes(b"")
    (tmp_path / "cut.npz").write_bytes((tmp_path / "abc.npz").read_bytes()[:700])
    return tmp_path


def test_writes_d_and_prints_its_digest(folder):
    done = simtc(folder, TURING, "--arch", "turing", "--in", "abc.npz", "--out", "d.npz", "--json")
    assert (
        done.returncode,
        done.stderr.replace("simtc: compiling for this machine, once (about 10 seconds)\n", ""),
    ) == (0, "")
    report = json.loads(done.stdout)
    with np.load(folder / "abc.npz") as given, np.load(folder / "d.npz") as written:
        D = mma(TURING, given["A"], given["B"], given["C"], arch="turing")
        np.testing.assert_array_equal(written["D"], D)
    assert next(iter(report)) == "schema"
    assert report | {"digest": None} == {
        "schema": "simtc.mma/1",
        "instruction": TURING,
        "arch": "turing",
        "machine_code": "1 x HMMA.1688",
        "evidence": "published",
        "path": "compiled",
        "shapes": {"A": [2, 16, 8], "B": [2, 8, 8], "C": [2, 16, 8], "D": [2, 16, 8]},
        "dtype": "float32",
        "digest": None,
        "out": "d.npz",
    }
    assert report["digest"] == hashlib.sha256(D.tobytes()).hexdigest()
    slow = simtc(folder, TURING, "--arch", "sm_75", "--in", "abc.npz", "--json", "--reference")
    assert json.loads(slow.stdout)["digest"] == report["digest"]


def test_an_empty_batch_is_a_result(folder):
    done = simtc(folder, TURING, "--arch", "turing", "--in", "empty.npz", "--out", "d.npz")
    assert (done.returncode, done.stdout) == (0, "")
    with np.load(folder / "d.npz") as written:
        assert written["D"].shape == (0, 16, 8)


def test_lists_instructions_with_their_evidence(folder):
    done = simtc(folder, "--list", "--arch", "hopper")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["m16n8k32.f32.e4m3.e4m3.f32", "2", "x", "HMMA.16816", "captured"] in lines
    listed = json.loads(simtc(folder, "--list", "--arch", "volta", "--json").stdout)
    assert listed["schema"] == "simtc.mma/1"
    assert {"name": "m8n8k4.f32.f16.f16.f32", "machine_code": "1 x HMMA.884", "evidence": "captured"} in listed[
        "instructions"
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["m16n8k8.f32.f16.f16.f33", "--arch", "turing"], "did you mean 'm16n8k8.f32.f16.f16.f32'?"),
        ([TURING, "--arch", "turin"], "unknown architecture 'turin': known are volta, sm_70"),
        (["--arch", "turing"], "which instruction? Try: simtc mma --list --arch turing"),
        ([TURING, "--arch", "turing"], "where are A, B and C?"),
        ([TURING, "--arch", "turing", "--in", "abc.npz"], "where should D go? Add --out d.npz, or --json"),
        (
            [TURING, "--arch", "turing", "--in", "absent.npz", "--json"],
            "there is no file absent.npz",
        ),
        ([TURING, "--arch", "turing", "--in", ".", "--json"], "cannot read .: Is a directory"),
        ([TURING, "--arch", "turing", "--in", "text.npz", "--json"], "text.npz is not an .npz of plain arrays"),
        ([TURING, "--arch", "turing", "--in", "nothing.npz", "--json"], "nothing.npz is not an .npz of plain arrays"),
        ([TURING, "--arch", "turing", "--in", "cut.npz", "--json"], "cut.npz is not an .npz of plain arrays"),
        ([TURING, "--arch", "turing", "--in", "objects.npz", "--json"], "objects.npz is not an .npz of plain arrays"),
        ([TURING, "--arch", "turing", "--in", "one.npy", "--json"], "one.npy holds a single array: write one"),
        ([TURING, "--arch", "turing", "--in", "ab.npz", "--json"], "ab.npz has no array C: it has A, B, c; is it 'c'?"),
        (
            [TURING, "--arch", "turing", "--in", "small.npz", "--json"],
            "A has shape (2, 8, 8): m16n8k8.f32.f16.f16.f32 takes",
        ),
        ([TURING, "--arch", "turing", "--in", "wide.npz", "--json"], "is not a value of f16"),
        (
            [TURING, "--arch", "turing", "--in", "abc.npz", "--out", "absent/d.npz"],
            "cannot write absent/d.npz: there is no folder absent",
        ),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(folder, arguments, message):
    done = simtc(folder, *arguments)
    lines = [line for line in done.stderr.splitlines() if "compiling" not in line]
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(lines) == 1
    assert lines[0].startswith("simtc: ")
    assert message in lines[0]


def test_a_closed_pipe_is_no_traceback(folder):
    listing = subprocess.Popen(
        [*SIMTC, "--list", "--arch", "hopper"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
    )
    assert listing.stdout
    assert listing.stderr
    listing.stdout.close()
    errors = listing.stderr.read()
    listing.stderr.close()
    listing.wait()
    assert errors == b""


def test_listing_does_not_import_numba(folder):
    listing = "import sys, contextlib\nfrom simtc.cli import main\nwith contextlib.suppress(SystemExit):\n    main()\n"
    done = subprocess.run(
        [sys.executable, "-c", f"{listing}assert 'numba' not in sys.modules", "mma", "--list", "--arch", "volta"],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "m8n8k4" in done.stdout
