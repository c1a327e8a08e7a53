"""What ends a launch early, and what its result may depend on: limits, faults, Ctrl-C, threads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from simtc.errors import KernelFaultError
from simtc.isa import Kernel, Parameter
from simtc.run.launch import launch
from simtc.sass import load, parse_instruction

LISTING = Path(__file__).with_name("data") / "control_sm75.sass"
PROGRAM = load(LISTING)
THREADS = pytest.mark.parametrize("threads", [1, 2, 3])
HANGS = 120  # seconds, far more than a process takes that does not wait for an endless kernel


def script(*lines):
    """Run Python in a process of its own, which is ended where it does not end itself."""
    head = (
        "import os, signal, sys, threading", "import numpy as np", "from simtc.errors import KernelFaultError",
        "from simtc.run.launch import launch", "from simtc.sass import load", f"program = load({str(LISTING)!r})",
        "most = dict(instruction_limit=1 << 60, launch_limit=1 << 60)",
        "signal.signal(signal.SIGINT, signal.default_int_handler)",  # a job in the background ignores it
    )  # fmt: skip
    text = "\n".join([*head, *lines])
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=HANGS, check=False)


@pytest.mark.parametrize("timing", [False, True])
def test_an_endless_kernel_of_many_warps(timing):
    says = (
        r"instruction limit of the launch reached by blocks that have not ended: endless at 0x00.*block \(\d+, 0, 0\)"
        r".*raise the limit with --max-launch-instructions \(launch_limit=\)"
    )
    with pytest.raises(KernelFaultError, match=says):
        launch(PROGRAM["endless"], 100, 1024, [np.zeros(2, np.int32)], timing=timing, launch_limit=100_000)


def test_blocks_that_end_do_not_count():
    out = np.zeros(64, np.int32)
    count = launch(PROGRAM["half_waits"], 1, 64, [out]).instructions
    out = np.zeros(64 * 100, np.int32)
    for limit in (count, count - 1):
        if limit < count:
            with pytest.raises(KernelFaultError, match=r"block \(0, 0, 0\)"):
                launch(PROGRAM["half_waits"], 100, 64, [out], launch_limit=limit, threads=2)
        else:
            assert launch(PROGRAM["half_waits"], 100, 64, [out], launch_limit=limit).instructions == 100 * count


@THREADS
def test_the_fault_of_the_first_block(threads):
    with pytest.raises(KernelFaultError, match=r"block \(6, 0, 0\)"):
        launch(PROGRAM["faults_from"], 400, 32, [np.zeros(400 * 32, np.int32), np.int32(6)], threads=threads)


def test_others_stop_at_a_fault():
    """Block 0 faults at once; the others never end."""
    done = script(
        "try:",
        "    launch(program['faults_first'], 8, 32, [np.zeros(64, np.int32)], threads=2, **most)",
        "except KernelFaultError as error:",
        "    print(error)",
    )
    assert done.stdout.startswith("out-of-bounds global access: faults_first at 0x00b0"), done.stderr
    assert "block (0, 0, 0)" in done.stdout


def test_ctrl_c():
    done = script(
        "for way in (dict(threads=2), dict(check=True), dict(timing=True)):",
        "    launch(program['faults_from'], 1, 32, [np.zeros(32, np.int32), np.int32(6)], **way)  # compiles",
        "    soon = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))",
        "    try:",
        "        soon.start()",
        "        launch(program['faults_first'], 4, 512, [np.zeros(1 << 21, np.int32)], **way, **most)",
        "    except KeyboardInterrupt:",
        "        print('stopped')",
    )
    assert done.stdout == "stopped\n" * 3, done.stderr


def test_ctrl_c_of_the_command_line():
    arguments = ["simtc", "run", str(LISTING), "endless", "--grid", "4", "--block", "64", "--arg", "i32[4]",
                 "--max-instructions", str(1 << 60), "--max-launch-instructions", str(1 << 60)]  # fmt: skip
    soon = "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()"
    done = script(f"sys.argv = {arguments}", "from simtc.cli import main", soon, "main()")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "simtc: interrupted\n")


def test_clocks_and_sms_do_not_depend_on_threads():
    found = []
    for threads in (1, 2, 3):
        out = np.zeros((400, 2), np.int64)
        launch(PROGRAM["who_and_when"], 400, 96, [out], threads=threads)
        found.append(out)
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])
    assert np.array_equal(found[0][:, 0], np.arange(400) % 40)  # a T4 has 40 SMs


@THREADS
@pytest.mark.parametrize("name", ["handed_on", "handed_back"])
def test_blocks_that_wait_for_one_another(name, threads):
    """Flags that are read as volatile: each block waits for the one before it, or for the one behind it."""
    flags, out = np.full(9, -1, np.int32), np.zeros(8, np.int32)
    flags[0 if name == "handed_on" else 8] = 0 if name == "handed_on" else 8
    launch(PROGRAM[name], 8, 32, [flags, out], threads=threads, instruction_limit=100_000)
    assert np.array_equal(out, 10 * np.arange(8))


def test_one_thread_runs_blocks_in_order():
    """Blocks that race for one place: on the chip any of them may win, with one thread the last one does."""
    lines = ["S2R R0, SR_CTAID.X", "MOV R2, c[0x0][0x160]", "MOV R3, c[0x0][0x164]", "STG.E [R2.64], R0", "EXIT"]
    code = tuple(parse_instruction(text, address=16 * place) for place, text in enumerate(lines))
    race = Kernel(name="race", sm=75, instructions=code, parameters=(Parameter(offset=0, size=8),))
    out = np.zeros(1, np.int32)
    launch(race, 1000, 32, [out], threads=1)
    assert out[0] == 999
