"""Streams and disks as they are: closed, full, read-only; and Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from simtc.cli.output import to_json
from simtc.cli.progress import bar
from simtc.files import write_text

SIMTC = f"{sys.executable} -c 'from simtc.cli import main; main()'"


def shell(line, **more):
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {line.replace('simtc', SIMTC, 1)}"], capture_output=True,
                          text=True, check=False, **more)  # fmt: skip
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    return done


@pytest.mark.parametrize("verb", ["arch t4", "arch --json", "run --list", "banks --stride 4", "--help"])
def test_a_full_stdout_is_told(verb):
    done = shell(f"simtc {verb} >/dev/full")
    assert (done.returncode, done.stderr) == (2, "simtc: cannot write to stdout: No space left on device\n")


def test_a_closed_stdout_is_told():
    done = shell("simtc arch t4 >&-")
    assert (done.returncode, done.stderr) == (2, "simtc: cannot write to stdout: it is closed. Try: >/dev/null\n")


def test_a_closed_or_full_stderr_costs_no_result():
    assert shell("simtc arch t4 --json 2>&-").returncode == 0
    assert shell("simtc arch t5 2>&-").returncode == 2
    assert shell("simtc arch t5 2>/dev/full").returncode == 2
    done = shell("simtc arch h200 --status published 2>/dev/full")
    assert done.returncode == 0


def test_a_reader_that_left_is_141():
    done = shell("simtc arch --json | true")
    assert done.returncode in (0, 141)
    assert done.stderr == ""


def test_a_locale_without_our_characters(tmp_path):
    env = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    assert shell("simtc arch t4", env=env, cwd=tmp_path).returncode == 0
    done = shell("simtc arch $'t\\xff5'", env=env)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_what_was_given_cannot_move_the_cursor():
    done = shell("simtc arch $'t5\\n\\x1b[31mred'")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "\x1b" not in done.stderr


def test_json_has_no_nan():
    values = {"a": float("nan"), "b": [1.5, float("inf")], "c": {"d": -float("inf")}, "e": np.float64("nan"), "f": None}
    assert json.loads(to_json(values), parse_constant=pytest.fail) == {
        "a": None, "b": [1.5, None], "c": {"d": None}, "e": None, "f": None,
    }  # fmt: skip


def test_progress_without_a_terminal_is_a_line_now_and_then(monkeypatch, capsys):
    clock = iter([0.0, 1.0, 31.0, 32.0, 62.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with bar("cases") as progress:
        for done in range(4):
            progress(done, 1000)
    assert capsys.readouterr().err == "simtc: 1 of 1,000 cases after 31 s\nsimtc: 3 of 1,000 cases after 62 s\n"


def test_a_small_disk_that_fills_up_keeps_the_older_file(tmp_path):
    """A file system of 64 KiB, where the user may make one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], capture_output=True,
                      check=False).returncode:  # fmt: skip
        pytest.skip("mounting needs rights that this user lacks")
    try:
        (disk / "b.json").write_text("the older file")
        write_text(disk / "filler", "x" * 40_000)
        done = shell("simtc banks --tile 256x32 --pattern ldsm.x4 --json --out b.json", cwd=disk)
        assert done.returncode == 2
        assert "cannot write b.json: No space left on device" in done.stderr
        assert (disk / "b.json").read_text() == "the older file"
        assert sorted(path.name for path in disk.iterdir()) == ["b.json", "filler"]
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_ctrl_c_in_a_comparison_does_not_wait_for_what_it_began(tmp_path):
    """A case that computes for a minute in a thread: the process ends at once, and keeps the case before it."""
    code = """
import signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
from simtc.validate import compare
from simtc.validate.predictions import Predictions
import simtc.validate.compare as room, simtc.cli.compare as verb
def forever(*_, predictions=None, **__):
    threading.Thread(target=time.sleep, args=(60,)).start()
    predictions.made = 3
    print("ready", flush=True)
    time.sleep(60)
room.replay = forever
verb.note_compilation = lambda: None
from simtc.cli import main
main()
"""
    capture = "validate/captures/h200/layouts-pycuda.json"
    from simtc.resources import folder  # noqa: PLC0415

    path = str(folder("validate").parent / capture)
    began = subprocess.Popen([sys.executable, "-c", code, "compare", path], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, cwd=tmp_path)  # fmt: skip
    with began:
        assert began.stdout.readline() == "ready\n"
        time.sleep(0.2)
        began.send_signal(signal.SIGINT)
        err = began.communicate(timeout=30)[1]
    assert began.returncode == 130
    assert err == ("simtc: interrupted: 3 new predictions are kept. Try: the same command, which goes on behind them\n")


def test_the_package_is_the_command_line():
    """`python -m simtc`, for who has no scripts on the path."""
    done = subprocess.run([sys.executable, "-m", "simtc", "arch", "t5"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("simtc: unknown device or architecture 't5'")
