"""simtc simulate lu, and the families beside it."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from simtc.cli.simulate import simulate
from simtc.errors import BadInputError

CUBE = ("-m", "64", "-n", "64", "-k", "64")


def invoke(*line):
    return CliRunner().invoke(simulate, list(line))


def test_lu_says_where_its_time_goes_and_what_is_assumed():
    line = ("lu", "-n", "1024", "--nb", "64", "--device", "a100_sxm", "--fidelity", "analytic")
    done = invoke(*line)
    assert done.exit_code == 0
    assert "assumed      panels at 20 GFLOP/s" in done.output
    assert "of them updates 90.9 %" in done.output
    found = json.loads(invoke(*line, "--json", "--look-ahead").output)
    assert found["schema"] == "simtc.simulate/1"
    assert found["seconds"] < sum(found["parts"].values())
    assert set(found["parts"]) == {"panel", "transfers", "swaps", "solve", "update"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (("lu", "--nb", "64"), "lu needs -n. Try: simtc simulate lu -n 4096"),
        (("lu", "-n", "64", "-k", "64"), "-k.* on lu, which has a size n"),
        (("lu", "-n", "64", "--fidelity", "quick"), "unknown fidelity 'quick'"),
        (("wmma_gemm", *CUBE, "--nb", "8"), "which is no factorization"),
        (("sgemm", *CUBE, "--device", "c2050"), "sm_20 are not known.*--fidelity analytic"),
        (("sgemm", *CUBE, "--blocking", "shared", "--transpose", "tn"), "no kernel of sgemm"),
    ],
)
def test_what_cannot_be_is_refused(line, message):
    done = invoke(*line)
    with pytest.raises(BadInputError, match=message):
        raise done.exception
