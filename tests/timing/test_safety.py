"""No shipped kernel reads a fixed-latency result early; a wrong latency is caught."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

from simtc import arch
from simtc.arch import device
from simtc.errors import BadInputError, SimtcError
from simtc.gemm.shipped import shipped, shipped_names
from simtc.isa import opcodes
from simtc.report.run import launch_text
from simtc.resources import folder
from simtc.run.launch import launch
from simtc.run.solve import operands, solve
from simtc.sass import load
from simtc.sass.distances import census
from simtc.timing.hazards import PRODUCERS, READERS, safe_cycles
from tests.timing.micro import kernel, line

BOARDS = {70: "v100_sxm2", 75: "t4", 80: "a100_sxm", 90: "h200"}


def least(name):
    """The smallest problem that goes round a kernel's loop more than once."""
    one = shipped(name)
    m, n, k = (max(step, block) for step, block in zip(one.multiple, one.block, strict=True))
    return m, n, 3 * k


@pytest.mark.parametrize(("name", "sm"), [(name, sm) for name in shipped_names() for sm in shipped(name).sms])
def test_no_shipped_kernel_reads_a_result_early(name, sm):
    one, (m, n, k) = shipped(name), least(name)
    solve(one, device(BOARDS[sm]), operands(one, m, n, k), m=m, n=n, k=k, alpha=2.0, beta=1.0, timing=True)


def planted(pipe, **latencies):
    """A T4 whose pipe takes longer."""
    chip = device("t4")
    if pipe is None:
        pipes = dataclasses.replace(chip.sm.pipes, **latencies)
    else:
        slow = dataclasses.replace(getattr(chip.sm.pipes, pipe), **latencies)
        pipes = dataclasses.replace(chip.sm.pipes, **{pipe: slow})
    return dataclasses.replace(chip, cycle_level=dataclasses.replace(chip.sm, pipes=pipes))


@pytest.mark.parametrize(
    ("name", "pipe", "latency", "cycles"),
    [
        ("wmma_tiled", "alu", "safe_same_cycles", 5),
        ("wmma_tiled", "alu", "safe_cross_cycles", 6),
        ("wmma_tiled", "alu", "safe_memory_cycles", 9),
        ("wmma_ragged", "imad", "safe_same_cycles", 5),
        ("wmma_ragged", "imad", "safe_memory_cycles", 9),
        ("wmma_tiled", "imad_wide", "safe_same_cycles", 3),
        ("mma_m16n8k8_f32", "fma", "safe_memory_cycles", 9),
        ("mma_m16n8k8_f32", "uniform", "safe_cross_cycles", 7),
        ("wmma_tiled", None, "safe_predicate_cycles", 13),
    ],
)
def test_a_latency_that_is_one_cycle_too_long_is_caught(name, pipe, latency, cycles):
    """Compiled code keeps exactly the distances of the table: one cycle more, and some read of it is too early."""
    one, (m, n, k) = shipped(name), least(name)
    with pytest.raises(SimtcError, match="the worst 1 cycle early"):
        solve(one, planted(pipe, **{latency: cycles}), operands(one, m, n, k), m=m, n=n, k=k, timing=True)


@pytest.mark.parametrize(
    ("reader", "distance"),
    [
        ("@P0 IADD3 R8, R4, R5, RZ", {"v100_pcie": 12, "t4": 12, "a100_sxm": 13, "h200": 13}),
        ("@P0 EXIT", {"v100_pcie": 12, "t4": 12, "a100_sxm": 13, "h200": 13}),
        ("SEL R8, R4, R5, P0", dict.fromkeys(BOARDS.values(), 4)),
        ("IMAD.X R8, R4, R5, R4, P0", dict.fromkeys(BOARDS.values(), 5)),
    ],
)
def test_predicates_are_read_early_as_guards_and_late_as_operands(reader, distance):
    for board, cycles in distance.items():
        chip = device(board)

        def run(stall, chip=chip):
            body = [line("ISETP.GE.AND P0, PT, R4, R5, PT", stall=stall), line(reader, stall=5)]
            one = kernel("reads", int(chip.sm_name.removeprefix("sm_")), body)
            launch(one, 1, 32, [np.zeros(64, np.int32)], device=chip, timing=True)

        run(cycles)
        with pytest.raises(SimtcError, match="the worst 1 cycle early"):
            run(cycles - 1)


TABLES = folder("validate") / "distances"
CENSUS = {sm: tomllib.loads((TABLES / f"sm_{sm}.toml").read_text()) for sm in (70, 75, 80, 86, 87, 89, 90)}
UNCHECKED = ("branch", *(name for name, opcode in opcodes().items() if opcode.unit == "tensor"))


@pytest.mark.parametrize("sm", CENSUS)
def test_no_distance_of_ours_is_longer_than_what_compiled_code_keeps(sm):
    pipes, seen = arch.sm(f"sm_{sm}").pipes, CENSUS[sm]["cycles"]
    ours = {made: readers for made, readers in seen.items() if made.split()[0].split(".")[0] not in UNCHECKED}
    assert set(ours) <= set(PRODUCERS)
    assert {read for readers in seen.values() for read in readers} <= set(READERS)
    too_long = {
        (made, read): (safe_cycles(pipes, made, read), least)
        for made, readers in ours.items()
        for read, (least, *_) in readers.items()
        if safe_cycles(pipes, made, read) > least
    }
    assert too_long == {}


@pytest.mark.parametrize("sm", CENSUS)
def test_the_commonest_distances_are_exactly_what_compiled_code_keeps(sm):
    """Where hundreds of different pairs stand at one distance, a shorter one of ours would not find a fault."""
    pipes, seen = arch.sm(f"sm_{sm}").pipes, CENSUS[sm]["cycles"]
    for made, read in (("alu R", "alu"), ("alu R", "imad"), ("fma R", "fma"), ("imad R", "imad"), ("imad R", "alu"),
                       ("imad R", "memory"), ("alu P", "guard"), ("alu P", "alu")):  # fmt: skip
        least, _, different, _ = seen[made][read]
        assert (made, read, different, safe_cycles(pipes, made, read)) == (made, read, 100, least)


@pytest.mark.parametrize("sm", BOARDS)
def test_the_census_holds_the_shipped_kernels(sm):
    paths = sorted((folder("kernels") / "listings" / f"sm_{sm}").glob("wmma_[nt]*.sass"))
    found = census(kernel for path in paths for kernel in load(path).values())
    assert {f"{path.stem}.cu" for path in paths} <= set(CENSUS[sm]["evidence"]["files"])
    assert len(found) > 20
    assert all(CENSUS[sm]["cycles"][made][read][0] <= one.cycles for (made, read), one in found.items())


DATA = Path(__file__).with_name("data")


@pytest.mark.parametrize("sm", [80, 90])
def test_an_attention_kernel_reads_nothing_early(sm):
    """What validate/distances/attention.cu compiles to, and what it computes."""
    one = load(DATA / f"attention2_sm{sm}.sass")["attention2"]
    Q, K, V = np.random.default_rng(3).standard_normal((3, 128, 64)).astype(np.float16)
    D = np.zeros_like(Q)
    launch(one, (2, 1), 128, [Q, K, V, D, np.int32(128)], device=BOARDS[sm], timing=True)
    scores = np.exp(Q.astype(float) @ K.T.astype(float) / 8)
    assert np.abs(D - scores / scores.sum(axis=1, keepdims=True) @ V.astype(float)).max() < 1e-3


@pytest.mark.parametrize("sm", [80, 90])
def test_called_functions_and_shuffles_of_some_threads_read_nothing_early(sm):
    """RET reads its address, and WARPSYNC its mask, as late as MUFU reads its source."""
    one = load(DATA / f"calls_sm{sm}.sass")["calls"]
    assert {"CALL", "RET", "WARPSYNC"} <= {i.opcode for i in one.instructions}
    draw = np.random.default_rng(1)
    args = [draw.integers(0, 1 << 31, 64).astype(np.uint32), draw.random(64).astype(np.float32), draw.random(64),
            draw.integers(1, 1 << 60, 64).astype(np.uint64), np.uint32(9)]  # fmt: skip
    launch(one, 1, 64, args, device=BOARDS[sm], timing=True)


def early(reader="SEL R8, R4, R5, P0", stall=3):
    body = [line("ISETP.GE.AND P0, PT, R4, R5, PT", stall=stall), line(reader, stall=5)]
    return kernel("hasty", 75, body)


def timed(one, blocks=1, **options):
    return launch(one, blocks, 32, [np.zeros(64, np.int32)], device="t4", timing=True, **options)


NOTE = (
    "safety check: hasty reads a fixed-latency result before simtc takes it to be ready, {count} times, the worst "
    "1 cycle early: P0 at {address:#06x} SEL R8, R4, R5, P0. In compiled code that means a wrong latency of sm_75 in "
    "simtc; values and cycles stand"
)


@pytest.mark.parametrize(("fidelity", "blocks"), [("full", 1), ("sampled", 1), ("sampled", 200_000)])
def test_in_a_users_run_it_is_a_note(monkeypatch, fidelity, blocks):
    monkeypatch.delenv("SIMTC_HAZARDS")
    one = early()
    address = next(i.address for i in one.instructions if i.opcode == "SEL")
    run = timed(one, blocks, fidelity=fidelity)
    notes = [note for note in run.timing.notes if note.startswith("safety check")]
    assert len(notes) == 1
    count = notes[0].split(" times")[0].split()[-1]
    assert notes[0] == NOTE.format(count=count, address=address)
    assert notes[0] in json.loads(run.to_json())["notes"]
    assert notes[0] in launch_text(run)


def test_a_run_that_keeps_the_distances_has_no_note(monkeypatch):
    monkeypatch.delenv("SIMTC_HAZARDS")
    assert timed(early(stall=4)).timing.notes == ()


@pytest.mark.parametrize("fidelity", ["full", "sampled"])
def test_on_request_it_is_an_error(monkeypatch, fidelity):
    monkeypatch.delenv("SIMTC_HAZARDS")
    with pytest.raises(SimtcError, match=r"P0 at .* SEL R8, R4, R5, P0"):
        timed(early(), fidelity=fidelity, hazards="error")
    monkeypatch.setenv("SIMTC_HAZARDS", "error")
    with pytest.raises(SimtcError, match="the worst 1 cycle early"):
        timed(early(), fidelity=fidelity)
    assert timed(early(), fidelity=fidelity, hazards="note").timing.notes


def test_another_way_with_it_is_refused(monkeypatch):
    with pytest.raises(BadInputError, match="unknown way with hazards 'ignore': known are note, error"):
        timed(early(), hazards="ignore")
    monkeypatch.setenv("SIMTC_HAZARDS", "warn")
    with pytest.raises(BadInputError, match="unknown way with hazards 'warn'"):
        timed(early())


@pytest.mark.parametrize(
    ("writes", "reads", "is_early"),
    [
        ("@P0 MOV R6, 0x1", "IMAD R8, R6, R6, RZ", True),
        ("@!P0 MOV R6, 0x1", "IMAD R8, R6, R6, RZ", False),  # it is not executed: R4 >= R5
        ("@P0 MOV R6, 0x1", "@!P0 IMAD R8, R6, R6, RZ", False),  # no lane executes both
        ("@P0 MOV R6, 0x1", "@P0 IMAD R8, R6, R6, RZ", True),
    ],
)
def test_only_what_a_lane_wrote_can_be_early_for_it(writes, reads, is_early):
    body = [
        line("MOV R4, 0x1", stall=8), line("MOV R5, 0x1", stall=8), line("MOV R6, 0x1", stall=8),
        line("ISETP.GE.AND P0, PT, R4, R5, PT", stall=13), line(writes, stall=2), line(reads, stall=5),
    ]  # fmt: skip
    notes = timed(kernel("lanes", 75, body), hazards="note").timing.notes
    assert bool(notes) == is_early
