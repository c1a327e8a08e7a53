"""What a real H200 gave for the same machine code and inputs: 0 bits differ."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest

from simtc.resources import folder
from simtc.run.launch import launch
from simtc.sass import load

CAPTURES = folder("validate") / "captures" / "h200"
KERNELS = json.loads((CAPTURES / "kernels.json").read_text())
OPCODES = json.loads((CAPTURES / "opcodes.json").read_text())
EXACT = [name for name in OPCODES["sha256"] if not name.startswith("approximate")]
# The whole grid's size is in the result of one operation, which a single block cannot give.
OF_THE_GRID = {"identity"}


def of_kernel(name):
    return [case for case in KERNELS["cases"] if case[0] == name]


@pytest.mark.parametrize("name", sorted({case[0] for case in KERNELS["cases"]}))
def test_shipped_kernels(gemm, name):
    kernel = gemm.catalog[name]
    listing = load(folder("kernels") / "listings" / "sm_90" / kernel["source"].replace(".cu", ".sass"))
    code = b"".join(i.encoding.to_bytes(16, "little") for i in listing[name].instructions)
    assert hashlib.sha256(code).hexdigest() == KERNELS["code_sha256"][name], "the listing is not what the H200 ran"
    for _, m, n, k, distribution, seed, expected in of_kernel(name):
        problem = gemm.Problem(name, kernel, 90, (m, n, k), distribution, seed)
        assert gemm.digest(problem.run()) == expected, (m, n, k, distribution)


def run_campaign(campaign, program, kernel, threads):
    """Execute the first threads of one kernel of the opcode campaign; return its rows and its operations' places."""
    group = next(g for g in campaign.groups() if g.kernel == kernel)
    rows = sum(op.words for op in group.ops)
    out = np.full((rows, OPCODES["threads"]), 0xDEADBEEF, np.uint32)
    scratch = np.zeros(2 * OPCODES["threads"], np.uint32)
    args = [campaign.inputs(group.domain, OPCODES["threads"]), out, scratch, np.int32(OPCODES["threads"])]
    launch(program[kernel], threads // OPCODES["block"], OPCODES["block"], args, device="h200")
    places, row = {}, 0
    for op in group.ops:
        places[op.name] = slice(row, row + op.words)
        row += op.words
    return out, places


@pytest.fixture(scope="module")
def program():
    return load(CAPTURES / OPCODES["listing"])


@pytest.fixture(scope="module")
def kept():
    with np.load(CAPTURES / "opcodes.npz") as archive:
        return dict(archive)


@pytest.mark.parametrize("kernel", EXACT)
def test_opcodes(campaign, program, kept, kernel):
    out, places = run_campaign(campaign, program, kernel, OPCODES["kept_threads"])
    chip = kept[kernel]
    assert set(places) == set(OPCODES["sha256"][kernel])
    wrong = [
        name
        for name, rows in places.items()
        if name not in OF_THE_GRID and not np.array_equal(out[rows, : chip.shape[1]], chip[rows])
    ]
    assert not wrong


@pytest.mark.parametrize("kernel", EXACT)
def test_opcodes_in_every_thread(campaign, program, kernel):
    out, places = run_campaign(campaign, program, kernel, OPCODES["threads"])
    parts = {name: np.ascontiguousarray(out[rows]).tobytes() for name, rows in places.items()}
    digests = {name: hashlib.sha256(part).hexdigest() for name, part in parts.items()}
    assert {name for name, digest in digests.items() if digest != OPCODES["sha256"][kernel][name]} == set()


def test_results_at_the_edge_of_the_normal_range():
    """Under .FTZ a result is tiny if it is below 2 ** -126 when rounded to 24 bits with no limit to its exponent."""
    with np.load(CAPTURES / "tiny.npz") as archive:
        captured = dict(archive)
    out = np.zeros_like(captured["out"])
    count = out.shape[1]
    args = [*(captured[name] for name in "abc"), out, np.int32(count)]
    launch(load(CAPTURES / "tiny.sass")["tiny"], count // 256, 256, args, device="h200")
    assert np.array_equal(out, captured["out"])
    assert 0.2 < np.mean(out[0] & 0x7FFFFFFF == 0) < 0.9


def ulps(x, y):
    """Return the distance in units of the last place of f32 words; infinity where one is not finite and they differ."""
    finite = np.isfinite(x.view(np.float32)) & np.isfinite(y.view(np.float32))
    gap = np.abs(x.astype(np.int64) - y.astype(np.int64)).astype(float)
    return np.where(x == y, 0.0, np.where(finite, gap, np.inf))


BOUNDS = {"rcp": 1, "rsqrt": 2, "sqrt": 1, "ex2": 2}


@pytest.mark.parametrize("name", BOUNDS)
def test_mufu_is_within_its_bound(campaign, program, kept, name):
    """The chip's tables against the exact value rounded once; over all 2^32 arguments the campaign found no more."""
    assert OPCODES["mufu_over_all_arguments"][name]["most_ulps"] == BOUNDS[name]
    assert OPCODES["mufu_over_all_arguments"][name]["other_disagreements"] == 0
    out, places = run_campaign(campaign, program, "approximate_single_0", OPCODES["kept_threads"])
    rows = places[f"{name}.approx.ftz.f32"]
    chip = kept["approximate_single_0"]
    assert ulps(out[rows, : chip.shape[1]], chip[rows]).max() <= BOUNDS[name]
