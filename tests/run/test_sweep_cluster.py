"""Sweeps on a Dask cluster: what comes out is what this machine alone finds, whoever dies on the way."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

import simtc
from simtc.errors import BadInputError

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed: pip install simtc[cluster]")
SMALL = {"m": 64, "n": 64, "k": 64, "block": (64, 64, 32), "layout": "pad", "top": 4}
WAIT_SECONDS = 120


@pytest.fixture(scope="module")
def alone():
    return simtc.sweep("hgemm", **SMALL).to_json()


@contextmanager
def process(*command):
    """Start a program that ends with the block; yields it and the lines that it says."""
    done = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        yield done
    finally:
        os.killpg(done.pid, signal.SIGKILL)
        done.communicate()


def said(program, pattern):
    """Return what a program's next line of a pattern says."""
    for line in program.stdout:
        found = re.search(pattern, line)
        if found:
            return found[1]
    pytest.fail(f"{program.args} ended")


@pytest.mark.filterwarnings("ignore")  # Dask's own
def test_a_local_cluster_finds_the_same(alone, tmp_path):
    path = tmp_path / "kept.jsonl"
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        there = simtc.sweep("hgemm", scheduler=cluster.scheduler_address, resume=path, **SMALL)
    assert there.to_json() == alone
    assert simtc.sweep("hgemm", resume=path, **SMALL).to_json() == alone


@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_and_two_workers_of_which_one_dies(alone):
    dask = (
        sys.executable,
        "-m",
        "distributed.cli.dask_scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--no-dashboard",
    )
    worker = (sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard")
    with process(*dask, "--no-dashboard") as scheduler:
        address = said(scheduler, r"Scheduler at:\s+(tcp://\S+)")
        with process(*worker, address) as first, process(*worker, address):
            killed = []

            def kill(done, total):  # noqa: ARG001 - as progress is called
                if done and not killed:
                    killed.append(os.killpg(first.pid, signal.SIGKILL))

            with distributed.Client(address) as client:
                client.wait_for_workers(2, timeout=WAIT_SECONDS)
            there = simtc.sweep("hgemm", scheduler=address, progress=kill, **SMALL)
            assert killed
            assert there.to_json() == alone


def test_no_scheduler_answers():
    for address in ("tcp://127.0.0.1:1", "127.0.0.1:8786", "nonsense"):
        began = time.monotonic()
        with pytest.raises(BadInputError, match=r"no Dask scheduler answers at .* Try: dask scheduler"):
            simtc.sweep("hgemm", scheduler=address, **SMALL)
        assert time.monotonic() - began < WAIT_SECONDS
