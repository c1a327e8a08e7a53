"""The README shows what its first command says."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"
SIMTC = (sys.executable, "-c", "from simtc.cli import main; main()")


def test_the_first_commands_output():
    """To 2 % of each number, so that a refined constant of a chip is not held up by its third digit here."""
    if not README.exists():
        pytest.skip("the README is not beside the tests")
    block = re.search(r"```console\n\$ (.*?)\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    command, shown = block[1].rpartition(".venv/bin/simtc ")[2], block[2].splitlines()
    done = subprocess.run([*SIMTC, *shlex.split(command)], capture_output=True, text=True, check=True)
    said = done.stdout.splitlines()
    assert said[0] == shown[0]
    for name in ("takes", "resident", "grid", "wasted"):
        ours, theirs = (next(line for line in lines if line.startswith(name)) for lines in (said, shown))
        assert _words(ours) == _words(theirs)
        assert _numbers(ours) == pytest.approx(_numbers(theirs), rel=0.02)


def test_the_python_example():
    if not README.exists():
        pytest.skip("the README is not beside the tests")
    assert doctest.testfile(str(README), module_relative=False).failed == 0


def _words(line):
    return re.sub(r"[\d.,]+", "#", line).split()


def _numbers(line):
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d.,]*(?<![,.])", line)]
