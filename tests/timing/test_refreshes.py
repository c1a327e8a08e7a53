"""DRAM refreshes its banks by turns, and what asks one meanwhile waits (data/refreshes.cu, an H200).

`refreshes.csv`: single lines of 64 MB that 31 warps of an SM load one after another, and when; of those that come late
the bank's turn says when it was over. `refresh_bursts.csv`: 32 lines of a warp at a time (fewer that lie anywhere), of
300 places each. `cold_places.csv`: the rows of cold_rows.cu, 24 steps of an SM or more beside 196 KB of shared memory.
The clock does not know banks: rows that are opened meet refreshes evenly spread. So of lines near each other more do.
"""

from __future__ import annotations

from statistics import mean

import numpy as np
import pytest

import simtc
from simtc.arch import device
from tests.timing.measured import code_of, numbers_of, offsets, parity
from tests.timing.rows import PAGE, STEPS, WIDTHS, places

H200 = device("h200")
PERIOD = 3804  # cycles until a bank is refreshed again; 3,812 on another H200
# Bits of twice the number of a line in its slice, and of address bit 16, whose parities are a bank's turn.
TURN = (0x4CC, 0x78D, 0x14A, 0x288)
SPAN, AT = 64 << 20, (1 << 30) + (528 << 20)
APART, AHEAD = 216, 250  # cycles from one bank's refresh to the next one's, and by which one half's are ahead
LATE = (70, 600)  # beyond the median: less is no refresh, more not only that


def turns(addresses):
    """Return the turn of each line's bank, and which half of memory it is in."""
    own = [int(H200.clocked(f"clock.slices.bit_{k}")) for k in range(6)]
    low = sum(parity(addresses, bits) << k for k, bits in enumerate(own))
    number = 2 * (((addresses >> 17 << 6) + low) // (H200.l2_slices // 2)) + (addresses >> 16 & 1)
    half = parity(addresses, sum(1 << bit for bit in H200.memory_half_bits))
    return sum(parity(number, bits) << k for k, bits in enumerate(TURN)), half


def agreement(times):
    """Return how far times agree modulo a period: 1 where all of them do, near 0 where none do."""
    return float(abs(np.exp(2j * np.pi * times / PERIOD).mean()))


def test_a_banks_refreshes_end_a_period_apart():
    """Lines of sixteen banks come late at all times; less their banks' turns they do as if all were of one bank."""
    rows = numbers_of("refreshes")
    assert len(rows) == 31 * 256
    warp, address, begin, cycles = (np.array([row[name] for row in rows]) for name in rows[0])
    turn, half = turns(address)
    beyond = cycles - np.array([np.median(cycles[warp == one]) for one in range(31)])[warp]
    late = (beyond > LATE[0]) & (beyond < LATE[1])
    assert 0.1 < late.mean() < 0.15
    over = (begin + beyond)[late]
    assert agreement(over) < 0.1
    known = agreement(over - turn[late] * APART + half[late] * AHEAD)
    assert known > 0.9
    for bit in range(4):  # each of the parities is needed
        assert agreement(over - (turn[late] & ~(1 << bit)) * APART + half[late] * AHEAD) < known


def burst(lines, stride, count):
    """Return what a burst takes, of `count` places as if by chance: the mean, and the median."""
    chance = np.random.default_rng(lines + stride)
    sectors = np.full((count, 32), 0xFFFFFFFF, np.uint32)
    for one in sectors:
        if stride:
            one[:] = (chance.integers(0, SPAN - 34 * stride) // 128 * 128 + stride * np.arange(32)) // 32
        else:
            one[:lines] = 4 * chance.choice(SPAN // 128, lines, replace=False)
    took = np.zeros(count, np.uint32)
    simtc.launch(
        code_of("refreshes")["burst"], 1, 32,
        [np.zeros(SPAN, np.uint8), sectors, np.int32(count), np.zeros(count, np.uint32), took],
        device="h200", timing=True, caches="cold", places=(AT, 4 << 30, (4 << 30) + PAGE, (4 << 30) + 2 * PAGE),
    )  # fmt: skip
    return took.mean(), np.median(took)


def test_bursts():
    """Lines beside each other are of few banks, and rarely wait; of those far apart one nearly always does.

    Half of the bursts of 2 KiB and more apart wait for none on the chip, where few do here.
    """
    rows = numbers_of("refresh_bursts")
    found = [burst(row["lines"], row["stride"], 100) for row in rows]
    errors = [ours / row["mean"] - 1 for (ours, _), row in zip(found, rows, strict=True)]
    apart = [error for error, row in zip(errors, rows, strict=True) if 1000 < row["stride"] < 4200]
    medians = [ours / row["median"] - 1 for (_, ours), row in zip(found, rows, strict=True)]
    assert len(rows) == 21
    assert mean(map(abs, errors)) < 0.055
    assert mean(map(abs, medians)) < 0.11
    assert 0.07 < mean(apart) < 0.13


@pytest.mark.parametrize("kind", range(6))
def test_rows_beside_shared_memory(kind):
    """LDG.128, the same past L1, LDG.32, LDGSTS.64, LDGSTS.128 and that past L1, of which few find a place in L1."""
    rows = [row for row in numbers_of("cold_places") if row["kind"] == kind][:6]
    errors = []
    for row in rows:
        blocks, warps = row["blocks"], row["warps"]
        out = np.zeros((blocks, warps * (STEPS + 1) + 1), np.uint32)
        data = np.zeros(row["block"] * blocks + row["stride"] * 32 + 4096, np.uint8)
        simtc.launch(
            code_of("cold_rows")[f"rows_{kind}_{row['pieces']}_{row['stages']}"], blocks, 32 * warps,
            [out, data, np.int32(STEPS), offsets(WIDTHS[kind], row["row"].bit_length() - 1, row["stride"]),
             *(np.int32(row[name]) for name in ("next", "piece", "own", "block"))],
            device="h200", timing=True, caches="cold", threads=1, shared_bytes=196 << 10,
            places=(PAGE, *places(row, "cold", data.size)),
        )  # fmt: skip
        clocks = out[:, :-1].reshape(blocks, warps, STEPS + 1)
        errors.append((clocks[:, :, -1] - clocks[:, :, 2].astype(float)).mean() / row["cycles"] - 1)
    assert len(errors) == 6
    assert mean(map(abs, errors)) < 0.05
