"""`simtc sweep` as a user types it."""

from __future__ import annotations

import csv
import io
import json
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import simtc

SIMTC = (sys.executable, "-c", "from simtc.cli import main; main()")
CLOSED = ("sweep", "hgemm", "-m", "1024", "-n", "512", "-k", "256", "--layout", "pad", "--fidelity", "analytic")
SMALL = ("sweep", "hgemm", "-m", "64", "-n", "64", "-k", "64", "--block", "64,64,32", "--layout", "pad")


def simtc_(*arguments):
    done = subprocess.run([*SIMTC, *arguments], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    return done


def test_text_json_csv_and_plot_say_the_same(tmp_path):
    table, plot = tmp_path / "table.csv", tmp_path / "plot.svg"
    done = simtc_(*CLOSED, "--device", "h200", "--csv", str(table), "--plot", str(plot), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    data = json.loads(done.stdout)
    assert next(iter(data.items())) == ("schema", "simtc.sweep/1")
    (size,) = data["sizes"]
    assert (size["m"], size["n"], size["k"], data["choices"]) == (1024, 512, 256, {"layout": "pad"})
    assert size["rows"][0]["name"] == data["best"] == data["selection"][0]["name"]
    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    assert [row["name"] for row in rows] == [row["name"] for row in size["rows"]]
    assert [float(row["seconds"]) for row in rows] == [row["seconds"] for row in size["rows"]]
    drawn = ET.fromstring(plot.read_text())  # noqa: S314 - what was just written
    texts = [one.text for one in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert f"hgemm 1024 x 512 x 256 on h200: {len(rows):,} of {size['space']:,} configurations" in texts
    assert {f"pruned: {rule}" for rule in size["refused"]} <= set(texts)
    assert f"fastest: {size['rows'][0]['options']}" in " ".join(texts)


def test_the_selection_of_several_sizes():
    done = simtc_("sweep", "hgemm", "-m", "256,4096", "-n", "256,4096", "-k", "512", *CLOSED[-4:], "--loads", "lds")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert "selection: of 2 sizes, 2 configurations win" in lines
    start = lines.index("selection: of 2 sizes, 2 configurations win")
    assert lines[start + 2].startswith("256 x 256 x 512    ")
    assert lines[start + 3].startswith("4096 x 4096 x 512  ")
    assert "pruned: a thread's registers" in done.stdout
    assert lines[-1].startswith("to look at it: simtc simulate hgemm -m 256 -n 256 -k 512 --device t4 --block ")


def test_the_winner_is_looked_at_over_the_same_batch():
    sizes = ("-m", "32", "-n", "32", "-k", "32", "--batch", "10,20")
    done = simtc_("sweep", "hgemm_batched", *sizes, "--device", "v100_pcie", "--fidelity", "analytic")
    assert (
        f"simtc simulate hgemm_batched {' '.join(sizes)} --device v100_pcie --version " in done.stdout.splitlines()[-1]
    )


def test_the_count_of_a_space():
    done = simtc_("sweep", "wmma_gemm", "--device", "t4", "--count", "--json")
    data = json.loads(done.stdout)
    assert (data["space"], data["made"]) == (140, 48)  # of 17 pairs with shapes, 12 have listings for Turing
    assert data["refused"] == {"the type pair has the shape": 72, "a listing of the type pair runs on the board": 20}
    assert (
        "types            f16_f32: 12, f16_f16: 12, u8: 12, s8: 12"
        in simtc_("sweep", "wmma_gemm", "--device", "t4", "--count").stdout.splitlines()
    )


def test_killed_and_resumed_it_ends_with_the_same_table_and_leaves_no_process(tmp_path):
    path, options = tmp_path / "kept.jsonl", {"block": (64, 64, 32), "layout": "pad"}
    command = [*SIMTC, *SMALL, "--top", "4", "--resume", str(path), "--json"]
    running = subprocess.Popen([*command, "--jobs", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not path.exists() or path.read_bytes().count(b"\n") < 2:
        assert running.poll() is None
        time.sleep(0.01)
    children = _children(running.pid)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    before = path.read_bytes().count(b"\n")
    done = simtc_(*command[len(SIMTC) :], "--jobs", "1")
    assert done.returncode == 0
    assert json.loads(done.stdout) == json.loads(simtc.sweep("hgemm", m=64, n=64, k=64, top=4, **options).to_json())
    assert path.read_bytes().count(b"\n") == 5
    assert before >= 2
    assert not [pid for pid in children if _is_alive(pid)]


def _children(pid):
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def _is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sweep", "hgemm", "-m", "8"), "hgemm needs -n -k. Try: simtc sweep hgemm -m 4096 -n 4096 -k 4096"),
        (("sweep", "hgem"), "did you mean 'hgemm'?"),
        ((*CLOSED, "-m", "8,x"), "-m '8,x': a size, or several such as -m 32,64,128"),
        ((*CLOSED, "-m", "8,0"), "-m 0: a whole number from 1"),
        ((*CLOSED, "-n", "1,2", "-k", "1,2,3"), "sizes go in step: 1 of m, 2 of n, 3 of k"),
        ((*CLOSED, "--dim", "16x4"), "unknown choice of hgemm 'dim'"),
        ((*CLOSED, "--types", "s8"), "unknown types 's8': known are f16, bf16"),
        ((*CLOSED, "--top", "3"), "--top has no effect on --fidelity analytic"),
        ((*CLOSED, "--resume", "a.jsonl"), "--resume has no effect on --fidelity analytic"),
        ((*CLOSED, "--plot", "a.png"), "--plot a.png: the name must end in .svg"),
        ((*CLOSED, "--csv", "no/such/folder.csv"), "there is no folder no/such"),
        ((*CLOSED, "--count", "--csv", "a.csv"), "--csv has no effect with --count"),
        ((*SMALL, "--scheduler", "tcp://h:1", "--jobs", "2"), "--jobs has no effect with --scheduler"),
        ((*SMALL, "--csv", "a.svg", "--plot", "a.svg"), "name one file: give each its own"),
        ((*CLOSED, "--warp", "64,64,64"), "no configuration of hgemm can be made: the warp tile divides"),
    ],
)
def test_bad_input(arguments, message):
    from click.testing import CliRunner  # noqa: PLC0415 - one process for all

    from simtc.cli.sweep import sweep  # noqa: PLC0415

    done = CliRunner().invoke(sweep, arguments[1:])
    assert (str(getattr(done.exception, "message", done.exception)).count(message), done.output) == (1, "")
    assert getattr(done.exception, "exit_code", None) == 2
