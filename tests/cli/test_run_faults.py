"""What a user is told of a kernel that cannot be run or goes wrong: one message, one exit code, no array written."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from simtc.cli import main
from simtc.resources import folder

TESTS = Path(__file__).parents[1]
FAULTY = str(TESTS / "machine" / "data" / "faulty_sm75.sass")
WMMA = folder("kernels") / "listings" / "sm_75" / "wmma_naive.sass"
CUBIN = TESTS / "sass" / "data" / "traps_sm75.cubin"
ONE = ("--grid", "1", "--block")


@pytest.fixture
def simtc(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["simtc", "run", *map(str, words)])
        try:
            main()
            code = 0
        except SystemExit as done:
            code = done.code or 0
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return run


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["past", *ONE, "64", "--arg", "u8[64]>o.npy", "--arg", "i32=1"],
            ["out-of-bounds global access: past at 0x0090 STG.E.U8.SYS", "(faulty.cu:8)", "block (0, 0, 0), warp 1",
             "lane 31", "0 bytes past the end of buffer 0 (64 bytes)"],
        ),
        (
            ["wide", *ONE, "1", "--arg", "i32[16]>o.npy", "--arg", "i32=8"],
            ["misaligned access: wide at 0x00a0 STG.E.128.SYS", "(faulty.cu:9)", "byte 8 of buffer 0 (64 bytes)"],
        ),
        (
            ["spin", *ONE, "32", "--arg", "i32[4]>o.npy", "--max-instructions", "5000"],
            ["instruction limit reached: spin at 0x", "warp 0", "raise the limit with --max-instructions"],
        ),
        (
            ["spin", *ONE, "32", "--arg", "i32[4]>o.npy", "--max-instructions", "5000", "--timing"],
            ["instruction limit reached: spin at 0x", "raise the limit with --max-instructions"],
        ),
        (
            ["deadlock", *ONE, "128", "--arg", "f32[128]>o.npy"],
            ["a barrier that can never complete: deadlock at 0x0070 @P0 BAR.SYNC", "lanes 0-31 wait there"],
        ),
        (
            ["deadlock", *ONE, "128", "--arg", "f32[128]>o.npy", "--timing"],
            ["a barrier that can never complete: deadlock at 0x0"],
        ),
        (
            ["war", *ONE, "128", "--arg", "f32[128]>o.npy", "--check"],
            ["shared memory race (", "war at 0x", "(faulty.cu:4)", "a __syncthreads() between them is missing"],
        ),
        (
            ["unwritten", *ONE, "128", "--arg", "f32[128]>o.npy", "--check"],
            ["use of a value from shared memory that nothing wrote: unwritten at 0x0090", "warp 3, lanes 4-31"],
        ),
    ],
)  # fmt: skip
def test_faults(simtc, words, says):
    code, out, err = simtc(FAULTY, *words)
    assert (code, out) == (4, "")
    assert all(one in err for one in says), err
    assert "No array was written" in err
    assert not Path("o.npy").exists()


def test_check_finds_nothing_in_what_is_clean(simtc):
    assert simtc(FAULTY, "norace", *ONE, "128", "--arg", "f32[128]", "--check")[0] == 0
    assert simtc("wmma_tiled", "-m", "128", "-n", "128", "-k", "32", "--check")[0] == 0
    assert "--check and --timing exclude each other" in simtc(FAULTY, "norace", *ONE, "1", "--arg", "f32[1]", "--check",
                                                         "--timing")[2]  # fmt: skip


ARGUMENTS = [*["--arg", "f16[16,16]"] * 4, *["--arg", "i32=16"] * 3, *["--arg", "f32=1"] * 2]  # of wmma_naive


def unknown_opcode(path):
    """Write the listing with one opcode that there is not, and another encoding for it."""
    lines = WMMA.read_text().split("\n")
    at = next(i for i, line in enumerate(lines) if " HMMA." in line)
    path.write_text("\n".join([*lines[:at], lines[at].replace("HMMA.", "HMMB."), *lines[at + 1 :]]))


@pytest.mark.parametrize(
    ("make", "words", "says"),
    [
        (unknown_opcode, ARGUMENTS, ["HMMB", "0x", "the nearest", "is HMMA"]),
        (lambda p: p.write_bytes(CUBIN.read_bytes()[:900]), [], ["is no readable ELF file", "past EOF 900"]),
        (lambda p: p.write_bytes(Path(sys.executable).read_bytes()), [], ["without CUDA code"]),
        (lambda p: p.write_text(WMMA.read_text()), ["--device", "h200"], ["compiled for sm_75, which h200 (sm_90)"]),
        (lambda p: p.write_text(WMMA.read_text()), ["wmma_naiv"], ["unknown kernel 'wmma_naiv': known are wmma_naive"]),
        (lambda p: p.write_text(WMMA.read_text()), ["--arg", "f16[16,16]"], ["takes 9 arguments", "got 1"]),
        (lambda p: p.write_text(WMMA.read_text()), ["--arg", "f16=1"] * 9, ["argument 0 of wmma_naive takes 8 bytes"]),
    ],
)  # fmt: skip
def test_what_cannot_be_run(simtc, make, words, says):
    make(Path("k"))
    code, out, err = simtc("k", *words, *ONE, "128")
    assert (code, out) == (2, "")
    assert all(one in err for one in says), err


def test_a_fault_leaves_every_array_as_it_was(simtc):
    np.save("x.npy", np.arange(64, dtype=np.uint8))
    code, _, err = simtc(FAULTY, "past", *ONE, "64", "--arg", "@x.npy>x.npy", "--arg", "i32=1")
    assert (code, "No array was written" in err) == (4, True)
    assert np.array_equal(np.load("x.npy"), np.arange(64, dtype=np.uint8))
