"""Where the README's figures come from: captures, committed results, and commands that are run here."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from statistics import mean, median

import pytest

from simtc.numerics import instructions
from simtc.resources import folder
from simtc.validate.capture import read_capture

README = Path(__file__).resolve().parents[2] / "README.md"
EXAMINATION = README.parent.parent / "shared" / "facts" / "exam.md"
CAPTURES = folder("validate") / "captures"
SIMTC = (sys.executable, "-c", "from simtc.cli import main; main()")


@pytest.fixture(scope="module")
def readme():
    if not README.exists():
        pytest.skip("the README is not beside the tests")
    return README.read_text(encoding="utf-8")


def printed(words):
    return subprocess.run([*SIMTC, *words], capture_output=True, text=True, check=True).stdout


def test_what_padding_is_worth(readme):
    share = float(
        re.search(r"without the padding of shared memory the\s+kernel\s+has (\d+) % less throughput", readme)[1]
    )
    command = shlex.split("simulate hgemm -m 8192 -n 8192 -k 8192 --device t4 --json")
    padded, plain = (json.loads(printed([*command, *more]))["cycles"] for more in ((), ("--layout", "none")))
    assert 100 * (1 - padded / plain) == pytest.approx(share, abs=2)


def test_bits(readme):
    """The replay of these captures is tests/validate/test_captures.py: 0 elements differ."""
    text = " ".join(readme.split())
    results, kinds, fragments, computed = re.search(
        r"Of ([\d.]+) million results of (\d+) mma, wmma and wgmma instructions 0 differ from simtc's, "
        r"of ([\d.]+) million fragment elements 0, and of ([\d.]+) million elements", text,
    ).groups()  # fmt: skip
    for figure, campaign in ((results, "numerics"), (fragments, "layouts"), (computed, "kernels")):
        elements = read_capture(CAPTURES / "h200" / f"{campaign}-pycuda.json").elements
        assert f"{elements / 1e6:.1f}" == figure
    assert len(instructions("hopper")) == int(kinds)


def test_kernels_by_others(readme):
    found = json.loads((CAPTURES / "h200" / "others-clock.json").read_text())
    cases = read_capture(CAPTURES / "h200" / "others-pycuda.json").cases
    measured = {name: one.measured for name, one in cases.items() if one.status == "ran"}
    assert set(measured) == {*found["predicted"], *found["not_compared"]}  # nothing is dropped

    def errors(quantity):
        return [abs(one[quantity] / measured[name][quantity] - 1) for name, one in found["predicted"].items()]

    off, seconds = errors("active_cycles"), errors("nanoseconds")
    outside = [one["elapsed_cycles"] - one["active_cycles"] for one in measured.values()]
    text = " ".join(readme.split())
    shown = [
        *re.search(r"by others, H200: [^|]*\((\d+)\) \|[^|]*\| ([\d.]+) % \| ([\d.]+) % \|", text).groups(),
        *re.search(r"by others, in seconds \|[^|]*\| ([\d.]+) % \| ([\d.]+) % \|", text).groups(),
        *re.search(r"others half are within ([\d.]+) %, (\d+) of 100 within 12 %", text).groups(),
        re.search(r"almost a constant, ([\d,]+) cycles in the median of the kernels by others", text)[1].replace(
            ",", ""
        ),
    ]
    assert list(map(float, shown)) == pytest.approx([
        len(off), 100 * mean(off), 100 * max(off), 100 * mean(seconds), 100 * max(seconds), 100 * median(off),
        round(100 * mean(x <= 0.12 for x in off)), round(median(outside), -1),
    ], abs=0.051, rel=0)  # fmt: skip


def test_kernels_drawn_by_lot(readme):
    found = json.loads((CAPTURES / "h200" / "corpus-clock.json").read_text())
    first = json.loads((folder("validate") / "corpus" / "development_h200.json").read_text())["predicted"]
    measured = read_capture(CAPTURES / "h200" / "corpus-pycuda.json").cases

    def errors(predicted, quantity="active_cycles"):
        return [abs(one[quantity] / measured[name].measured[quantity] - 1) for name, one in predicted.items()]

    off, seconds = errors(found["predicted"]), errors(found["predicted"], "nanoseconds")
    smaller = errors({name: found["predicted"][name] for name in first})
    text = " ".join(readme.split())
    shown = [
        *re.search(r"drawn by lot, H200 \((\d+)\) \|[^|]*\| ([\d.]+) % \| ([\d.]+) % \|", text).groups(),
        *re.search(r"the same, in seconds \|[^|]*\| ([\d.]+) % \| ([\d.]+) % \|", text).groups(),
        *re.search(r"half of these launches are within ([\d.]+) %, (\d+) of 100 within 12 %", text).groups(),
        *re.search(r"The smaller (\d+) of them are ([\d.]+) % off; they were ([\d.]+) % off", text).groups(),
    ]
    assert list(map(float, shown)) == pytest.approx([
        len(off), 100 * mean(off), 100 * max(off), 100 * mean(seconds), 100 * max(seconds), 100 * median(off),
        round(100 * mean(x <= 0.12 for x in off)), len(smaller), 100 * mean(smaller), 100 * mean(errors(first)),
    ], abs=0.051, rel=0)  # fmt: skip


def test_the_half_that_was_kept_shut(readme):
    log = (folder("validate") / "corpus" / "exam.jsonl").read_text(encoding="utf-8").splitlines()
    last = {look["board"].split()[1]: look for look in map(json.loads, log)}
    rows = {
        "H200": r"\| H200, 300 kernels drawn by lot.*\| ([\d.]+) / ([\d.]+) % \| ([-+]\d+) % \|",
        "H100": r"\| H100 with the board that the fit made.*\| ([\d.]+) / ([\d.]+) % \| ([-+]\d+) % \|",
    }
    for board, row in rows.items():
        told = [last[board][f"active_cycles {caches}"] for caches in ("warm", "cold")]
        figures = re.search(row, readme).groups()
        assert figures[:2] == tuple(f"{100 * one['mean']:.1f}" for one in told)
        assert figures[2] == f"{100 * max((one['worst'] for one in told), key=abs):+.0f}"
    seconds = re.search(
        r"\| the same launches in seconds, .*\| ([\d.]+) / ([\d.]+) % \| ([-+]\d+) % \|", readme
    ).groups()
    found = [[last[board][f"nanoseconds {caches}"] for caches in ("warm", "cold")] for board in rows]
    assert seconds[:2] == tuple(f"{100 * mean(one['mean'] for one in told):.1f}" for told in found)
    assert seconds[2] == f"{100 * max((one['worst'] for told in found for one in told), key=abs):+.0f}"


def test_the_examination(readme):
    if not EXAMINATION.exists():
        pytest.skip("the examiner's report is not beside the project")
    report = EXAMINATION.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (H200.*|H100.*|T4.*) \| .*? \| ([\d. to]+) % \| ([+-]\d+) % \|$", readme, re.MULTILINE)
    assert len(rows) == 5
    for name, means, worst in rows:
        for figure in means.split(" to "):
            assert re.search(rf"[| ]{re.escape(figure)}[ %]", report), (name, figure)
        assert re.search(rf"[| ]{re.escape(worst)}[ %]", report), (name, worst)
