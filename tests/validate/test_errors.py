"""The errors that the notes show are those that the report computes now."""

from __future__ import annotations

import subprocess
import sys

import pytest

from simtc.resources import folder


@pytest.mark.slow
def test_the_file_of_errors_is_no_more_than_a_percent_and_a_half_off():
    script = folder("validate") / "errors.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
