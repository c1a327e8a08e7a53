"""Chains of instructions written word by word: how a sub-core issues them, beside what an H200 took for them."""

from __future__ import annotations

import csv
import importlib.util

import numpy as np
import pytest

from simtc.resources import folder
from simtc.run.launch import launch
from simtc.sass.decoder import decode
from simtc.sass.listing import parse_listing

VALIDATE = folder("validate")
SPEC = importlib.util.spec_from_file_location("chains", VALIDATE / "microbench" / "chains.py")
CHAINS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(CHAINS)
HEAD = """simtc-listing 1

.kernel chain
.sm 90
.registers 64
.shared 1024
.parameter_base 0x210
.parameter 0x0 8
.code
"""
# Mean error by warps of the block, in percent: with 4 each sub-core has one.
LIMITS = {4: 2.0, 8: 4.0, 12: 5.5, 16: 5.5, 32: 5.5}


def measured():
    lines = (VALIDATE / "captures" / "h200" / "chains.csv").read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def kernel(chain):
    """Return the kernel of a chain, as simtc reads its words."""
    words = CHAINS.words(chain)
    (texts,) = decode([b"".join(word.to_bytes(16, "little") for word in words)], 90)
    lines = (
        f"{16 * place:04x}  {word & (1 << 64) - 1:016x} {word >> 64:016x}  -      {text}\n"
        for place, (word, text) in enumerate(zip(words, texts, strict=True))
    )
    (one,) = parse_listing(HEAD + "".join(lines) + ".end\n", "chain").kernels.values()
    return one


def clocks(one, warps):
    """Return what each warp of a block notes, (warps, times), from the first note of any of them."""
    stamps = np.zeros((32, 16), np.uint32)
    launch(one, 1, 32 * warps, [stamps], device="h200", timing=True, caches="warm", hazards="note")
    noted = stamps[:warps, : CHAINS.TIMES + 1].astype(np.int64)
    return noted - noted[:, 0].min()


@pytest.fixture(scope="module")
def errors():
    """Return the clock's error for each chain, by warps."""
    found = {warps: {} for warps in CHAINS.WARPS}
    for row in measured():
        one = kernel(row["chain"])
        for warps in CHAINS.WARPS:
            found[warps][row["chain"]] = clocks(one, warps)[:, -1].max() / int(row[CHAINS.COLUMN.format(warps)]) - 1
    return found


@pytest.mark.parametrize("warps", CHAINS.WARPS)
def test_chains_take_as_long_as_on_the_chip(errors, warps):
    off = {chain: round(100 * error, 1) for chain, error in errors[warps].items()}
    assert np.mean(np.abs([*off.values()])) < LIMITS[warps], sorted(off.items(), key=lambda one: -abs(one[1]))[:20]


def test_most_chains_of_one_warp_a_sub_core_are_within_a_fortieth(errors):
    """Four in five are: 2.5 % of the 15 to 60 cycles of a repetition."""
    near = [abs(error) < 0.025 for error in errors[4].values()]
    assert np.mean(near) > 0.8
