"""sm_90 and the H200 against the microbenchmarks that they were read from."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from simtc import arch

MICROBENCH = {
    "HMMA register-port tokens": (
        "{}: next",
        "tensor.HMMA.{}.register_port_cycles",
        "16816.F32 16816.F16 1688.F32 1688.F16",
    ),
    "HMMA issue interval": (
        "{}; independent",
        "tensor.HMMA.{}.issue_interval_cycles",
        "16816.F32 16816.F16 1688.F32 1688.F16",
    ),
    "HMMA accumulate latency": ("{}", "tensor.HMMA.{}.chain_safe_cycles", "16816.F32 16816.F16 1688.F32 1688.F16"),
    "HMMA result latency": ("{}", "tensor.HMMA.{}.latency_first_cycles", "16816.F32 16816.F16 1688.F32 1688.F16"),
}


@pytest.fixture(scope="module")
def h200(shared: Path) -> list[dict[str, str]]:
    with (shared / "facts" / "microbench" / "h200_microbench.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("quantity", "parameters", "path"),
    [
        *[
            (quantity, parameters.format(kind), path.format(kind))
            for quantity, (parameters, path, kinds) in MICROBENCH.items()
            for kind in kinds.split()
        ],
        ("shared load latency (issue", "LDS, conflict", "memory.LDS.32.latency_cycles"),
        ("shared load latency (issue", "LDS.64", "memory.LDS.64.latency_cycles"),
        ("shared load latency (issue", "LDS.128", "memory.LDS.128.latency_cycles"),
        ("shared load latency (issue", "LDSM.x1", "memory.LDSM.1.latency_cycles"),
        ("shared load latency (issue", "LDSM.x2", "memory.LDSM.2.latency_cycles"),
        ("shared load latency (issue", "LDSM.x4", "memory.LDSM.4.latency_cycles"),
        ("shared load latency per extra", "LDS/LDSM", "shared.conflict_cycles"),
        ("WAR release", "LDS/LDSM", "memory.LDSM.4.war_cycles"),
        ("WAR release", "STS", "memory.STS.32.war_cycles"),
        ("WAR release", "STS.64", "memory.STS.64.war_cycles"),
        ("WAR release", "STS.128", "memory.STS.128.war_cycles"),
        ("WAR release", "LDG any", "memory.LDG.128.war_cycles"),
        ("WAR release", "STG", "memory.STG.32.war_cycles"),
        ("WAR release", "STG.64", "memory.STG.64.war_cycles"),
        ("WAR release", "STG.128", "memory.STG.128.war_cycles"),
        ("WAR release", "LDGSTS", "memory.LDGSTS.128.war_cycles"),
        ("MIO operand-read", "LDS/LDSM", "memory.LDS.64.operand_read_cycles"),
        ("MIO operand-read", "STS =", "memory.STS.32.operand_read_cycles"),
        ("MIO operand-read", "STS.64 =", "memory.STS.64.operand_read_cycles"),
        ("MIO operand-read", "STS.128 =", "memory.STS.128.operand_read_cycles"),
        ("MIO operand-read", "LDG any", "memory.LDG.64.operand_read_cycles"),
        ("MIO operand-read", "STG =", "memory.STG.32.operand_read_cycles"),
        ("MIO operand-read", "STG.64 =", "memory.STG.64.operand_read_cycles"),
        ("MIO operand-read", "STG.128 =", "memory.STG.128.operand_read_cycles"),
        ("MIO operand-read", "LDGSTS", "memory.LDGSTS.32.operand_read_cycles"),
        ("MIO queue depth", "", "shared.queue_entries"),
        ("shared LSU queue", "", "shared.sm_queue_entries"),
        ("global load latency, L1 hit", "LDG.32", "memory.LDG.32.latency_cycles"),
        ("global load latency, L1 hit", "LDG.64", "memory.LDG.64.latency_cycles"),
        ("global load latency, L1 hit", "LDG.128", "memory.LDG.128.latency_cycles"),
        ("L2 to SM fill", "", "l1.l2_bytes_per_cycle"),
        ("BAR.SYNC release", "", "issue.barrier_release_cycles"),
        ("taken branch", "", "issue.branch_taken_cycles"),
        ("not-taken branch", "", "issue.branch_not_taken_cycles"),
        ("issue interval", "FADD", "pipes.fma.issue_interval_cycles"),
        ("issue interval", "IADD3", "pipes.alu.issue_interval_cycles"),
        ("issue interval", "IMAD,", "pipes.imad.issue_interval_cycles"),
        ("issue interval", "IMAD,", "pipes.fp16.issue_interval_cycles"),
        ("issue interval", "IMAD.WIDE", "pipes.imad_wide.issue_interval_cycles"),
        ("issue interval", "MUFU", "pipes.xu.issue_interval_cycles"),
        ("issue interval", "MOVM", "special.MOVM.issue_interval_cycles"),
        ("issue interval", "LDC", "special.LDC.issue_interval_cycles"),
        ("issue interval", "ULDC", "pipes.uniform_move.issue_interval_cycles"),
        ("issue interval", "ULDC", "special.S2R.issue_interval_cycles"),
        ("dependent latency", "IADD3, IMAD", "pipes.alu.observed_cycles"),
        ("dependent latency", "IADD3<->IMAD", "pipes.alu.safe_cross_cycles"),
        ("latency (issue", "S2R TID", "special.S2R.latency_cycles"),
        ("latency (issue", "S2UR", "special.S2UR.latency_cycles"),
        ("latency (issue", "LDC", "special.LDC.latency_cycles"),
        ("latency (issue", "MUFU", "pipes.xu.latency_cycles"),
        ("latency (issue", "MOVM", "special.MOVM.latency_cycles"),
        ("LDC first touch", "", "l1.constant_first_cycles"),
    ],
)
def test_hopper_equals_the_microbenchmark(h200, quantity, parameters, path):
    found = [
        float(fact["value"])
        for fact in h200
        if fact["quantity"].startswith(quantity)
        and (fact["parameters"] == parameters or fact["parameters"].startswith(parameters))
        and re.match(r"[0-9.]+$", fact["value"])
    ]
    exact = [
        float(fact["value"])
        for fact in h200
        if fact["quantity"].startswith(quantity) and fact["parameters"] == parameters
    ]
    constant = arch.sm("sm_90").provenance(path)
    assert constant.status == "measured"
    assert constant.value == (exact or found)[0]


def test_board_constants_equal_the_microbenchmark(h200):
    board = arch.device("h200")
    spread = next(fact["value"] for fact in h200 if fact["quantity"] == "L2 hit latency spread by line")
    nearest, farthest = map(int, re.match(r"(\d+)\.\.(\d+)", spread).groups())
    # what one loop of 20 lines saw; fitted since on many more loads
    assert nearest < board.l2_hit_cycles - board.l2_spread_cycles / 2 < board.l2_hit_cycles < farthest
    hits = [fact for fact in h200 if fact["quantity"] == "global load latency, L1 miss L2 hit"]
    seen = next(float(fact["value"]) for fact in hits if fact["parameters"] == "LDG.32")
    first = board.l2_hit_cycles - board.clocked("clock.l2.first_sm_cycles")  # which that loop ran on
    assert first == pytest.approx(seen, rel=0.03)
    dram = next(fact["value"] for fact in h200 if fact["quantity"] == "global load latency, DRAM")
    quickest, slowest = map(int, dram.split("-"))
    # a mean of near and far ones is among them; far ones, and some that meet a refresh, are the slowest
    assert board.dram_cycles - board.dram_spread_cycles / 2 < quickest
    assert quickest < board.dram_cycles + board.dram_spread_cycles / 2 < slowest
