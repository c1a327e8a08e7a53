"""The corpus: what its names draw is what was compiled, it runs without faults, and its exam half stays shut."""

from __future__ import annotations

import hashlib
import json
import runpy
import sys
from collections import Counter

import pytest

from simtc.errors import SimtcError
from simtc.report.validation import outcome_html, outcome_of, outcome_text
from simtc.resources import folder
from simtc.run.launch import launch
from simtc.validate import campaign_profile as profiling
from simtc.validate.capture import Capture, Record
from simtc.validate.compare import Compared, Replay, replay
from simtc.validate.corpus import archive
from simtc.validate.corpus.drawing import EXAM_SEED, draw, half_of, names
from simtc.validate.corpus.features import effects
from simtc.validate.corpus.launch import CorpusLaunch
from simtc.validate.corpus.text import source_text
from simtc.validate.measured import NotHereError, Point, code_digest
from simtc.validate.profiler import Counted, profiled
from simtc.validate.validate import campaign_settings, cases_of

MACHINE = {"device": "NVIDIA H200", "compute_capability": [9, 0], "driver": "1", "clock_mhz": 1980, "toolkit": "nvcc",
           "backend": "pycuda 1"}  # fmt: skip


@pytest.fixture(scope="module")
def cases():
    return {case.name: case for case in cases_of("corpus", campaign_settings("corpus"), 90, "NVIDIA H200")}


@pytest.mark.parametrize("half", archive.FILES)
def test_an_archive_was_compiled_from_what_the_names_draw(half):
    written = {file: source_text(kernels) for file, kernels in archive.kernels_of(half).items()}
    assert archive.manifest(half)["sources"] == {
        file: hashlib.sha256(text.encode()).hexdigest() for file, text in written.items()
    }


def test_knobs_reach_what_they_are_for():
    every = [draw(name) for name in names()]
    tiles = [tile for knobs in every for tile in knobs.tiles]
    assert {(t.width, t.cache) for t in tiles if t.copy == "ldgsts"} == {(4, "ca"), (8, "ca"), (16, "ca"), (16, "cg")}
    assert {t.row for t in tiles} == {16, 32, 64, 128, 256, 512}
    assert {k.stages for k in every} == {1, 2, 3, 4, 5}
    assert {k.warps for k in every} >= {1, 2, 4, 8, 16, 32}
    assert max(k.blocks for k in every) > 1000
    assert min(k.blocks for k in every) == 1
    assert len({k.mma for k in every}) > 25
    assert all(k.shared_bytes <= 227 << 10 and k.threads <= 1024 for k in every)
    assert min(Counter(map(half_of, names())).values()) > 0.45 * len(every)


def test_machine_code_holds_what_the_knobs_say():
    for name in names()[160:176]:
        knobs, kernel = draw(name), archive.kernel(name)
        opcodes = {instruction.opcode for instruction in kernel.instructions}
        assert ("LDGSTS" in opcodes) == any(tile.copy == "ldgsts" for tile in knobs.tiles)
        assert ("LDSM" in opcodes) == any("ldsm" in x.read and x.fragments and x.copy != "direct" for x in knobs.tiles)
        assert bool(opcodes & {"HMMA", "IMMA", "DMMA"}) == bool(knobs.mma) or "4" in knobs.mma or "b1" in knobs.mma


def test_small_kernels_run_without_a_race_or_a_fault():
    small = [name for name in names() if draw(name).blocks * draw(name).warps <= 4 and draw(name).iterations <= 8]
    counting = [name for name in small if draw(name).atomics == "shared"]  # on from what it held: nobody reads it
    assert (len(small), len(counting)) == (9, 1)
    for name in sorted({*small} - {*counting}):
        one, knobs = CorpusLaunch(program=name, caches="warm"), draw(name)
        args = one.arguments()
        launch(
            one.kernel, knobs.blocks, knobs.threads, args, shared_bytes=knobs.shared_bytes, device="h200", check=True
        )
        assert args[2].any()


def captured(chosen):
    def record(name):
        code = code_digest(archive.code(name.split("/")[0]))
        return Record(
            status="ran", inputs=code, measured={"active_cycles": 5000.0, "nanoseconds": 4000.0, "instructions": 1.0}
        )

    some = {name: record(name) for name in chosen}
    return Capture(campaign="corpus", settings=campaign_settings("corpus"), machine=MACHINE, date="2026-11-22",
                   simtc="", cases=some)  # fmt: skip


def test_only_the_examination_compares_the_exam_half(cases, monkeypatch, tmp_path, capsys):
    shut = [name for name, case in cases.items() if case.half == "exam"]
    outcome = replay(captured(shut[:3]), cases=[cases[name] for name in shut[:3]])
    assert outcome.points == ()
    tiny = min(shut, key=lambda name: (draw(name.split("/")[0]).blocks * draw(name.split("/")[0]).iterations, name))
    exam = runpy.run_path(str(folder("validate") / "corpus" / "exam.py"))
    log = tmp_path / "exam.jsonl"
    scope = exam["main"].__globals__
    monkeypatch.setitem(scope, "_LOG", log)
    monkeypatch.setattr(sys, "argv", ["exam.py", str(tmp_path / "capture.json")])
    assert exam["main"]() == 2
    assert "error: there is no file" in capsys.readouterr().err
    monkeypatch.setitem(scope, "read_capture", lambda path: captured([tiny]))  # noqa: ARG005 - as the original
    monkeypatch.setattr(sys, "argv", ["exam.py", "capture.json"])
    exam["main"]()
    look = json.loads(log.read_text())
    assert (look["launches"], look["board"], look["seed"]) == (1, "NVIDIA H200", EXAM_SEED)
    assert len(look["commit"].removesuffix("+changes")) == 40
    assert look[f"active_cycles {tiny.split('/')[1]}"]["launches"] == 1
    capsys.readouterr()


def test_the_regression_finds_a_planted_effect():
    def point(name):
        padded = any(tile.pitch > tile.row and tile.copy == "ldgsts" for tile in draw(name.split("/")[0]).tiles)
        return Point(case=name, group="", quantity="active_cycles", unit="cycles", measured=1000.0,
                     predicted=700.0 if padded else 1000.0)  # fmt: skip

    found = effects([point(f"{name}/{caches}") for name in names()[:300] for caches in ("cold", "warm")])
    assert "ldgsts padded" in found[0].knob
    assert found[0].change < -0.15


def test_the_regression_of_nothing(recwarn):
    assert effects([]) == []
    assert not recwarn


def test_the_report_names_the_knobs_and_draws_them():
    chosen = [f"{name}/{caches}" for name in names()[:150] for caches in ("cold", "warm")]
    compared = []
    for name in chosen:
        predicted = 4000.0 if "cold" in name else 5000.0
        kind = draw(name.split("/")[0]).kind
        one = Point(
            case=name, group=kind, quantity="active_cycles", unit="cycles", measured=5000.0, predicted=predicted
        )
        compared.append(Compared(name=name, points=(one,)))
    outcome = outcome_of(Replay(capture=captured(chosen), cases=tuple(compared)))
    table = outcome_text(outcome).split("knobs that predict the error")[1]
    assert table.splitlines()[2].split()[:2] == ["caches", "cold"]
    assert "Knobs that predict the error" in outcome_html(outcome)
    assert outcome_html(outcome).count("<svg") == 3


class FakeGpu:
    class description:  # noqa: N801 - an instance's attribute elsewhere
        backend = "pycuda 1"


def row(cycles):
    return {"active_cycles": cycles, "nanoseconds": cycles, "instructions": 9.0}


def test_one_pass_is_chosen_and_a_launch_that_ends_the_process_costs_no_other(monkeypatch):
    starts = []

    def counted(ncu, gpu, work, caches, metrics):  # noqa: ARG001 - as the original
        wanted, stalls = work["names"], any("stalled" in name for name in metrics)
        starts.append((len(wanted), caches, len(metrics)))
        if "c/warm" in wanted and not stalls and work["repeats"] == 3:  # it ends the process; "d" is not reached
            done = wanted[: wanted.index("c/warm")]
            rows = {name: [row(5.0), row(3.0), row(4.0)] for name in done}
            return Counted(rows=rows, checksums=dict.fromkeys(done, 7), failed={"c/warm": "illegal address"}, passes=1)
        rows = {name: [{"stall_wait": 1.0}] if stalls else [row(4.0)] * work["repeats"] for name in wanted}
        return Counted(rows=rows, checksums=dict.fromkeys(wanted, 7), passes=7 if stalls else 1)

    monkeypatch.setattr(profiling, "profiled", counted)
    monkeypatch.setattr(profiling, "find_ncu", lambda: "ncu")
    launches = [(f"{name}/{caches}", caches) for name in "abcd" for caches in ("warm", "cold")]
    settings = {"repeats": 3, "batch": 160, "stalls_until_seconds": 60}
    counters = profiling.CampaignProfile(settings, launches, campaign="corpus")
    assert counters.of(FakeGpu, "a/warm")["active_cycles"] == 4.0
    assert counters.of(FakeGpu, "a/warm")["least_active_cycles"] == 3.0
    assert counters.of(FakeGpu, "d/warm")["stall_wait"] == 1.0
    with pytest.raises(SimtcError, match="illegal address"):
        counters.of(FakeGpu, "c/warm")
    assert counters.of(FakeGpu, "c/cold")["bits"] == 7
    warm = [start for start in starts if start[1] == "warm"]
    assert [count for count, _, metrics in warm if metrics == 6] == [3, 4, 1]  # the choice, the batch, what was left


def test_no_profiler_is_told_for_every_launch(monkeypatch):
    monkeypatch.setattr(profiling, "find_ncu", lambda: None)
    counters = profiling.CampaignProfile({"batch": 160}, [("a/warm", "warm"), ("b/warm", "warm")], campaign="corpus")
    for name in ("a/warm", "b/warm"):
        with pytest.raises(NotHereError, match="NCU="):
            counters.of(FakeGpu, name)


def test_rows_of_the_profiler_are_those_of_the_launches(tmp_path):
    """A script in ncu's place writes what the profiled process and ncu write."""
    ncu = tmp_path / "ncu"
    ncu.write_text(
        f"#!{sys.executable}\nimport json, sys\n"
        "work = json.load(open(sys.argv[-2]))\n"
        "told = {'order': work['names'], 'checksums': dict.fromkeys(work['names'], 3), 'beside': {}, 'failed': {}}\n"
        "json.dump(told, open(sys.argv[-1], 'w'))\n"
        "heads = ['ID', 'profiler__replayer_passes', 'sm__cycles_active.max', 'gpu__time_duration.sum']\n"
        "rows = [heads, ['', '', 'cycle', 'us']]\n"
        "rows += [[n, 2, f'1,00{n}', 2.5] for n in range(len(work['names']) * work['repeats'])]\n"
        "print('==PROF== Connected')\n"
        "print('\\n'.join(','.join(f'\"{cell}\"' for cell in row) for row in rows))\n"
    )
    ncu.chmod(0o755)
    done = profiled(str(ncu), FakeGpu, {"names": ["a", "b"], "repeats": 2}, "cold", ["sm__cycles_active.max"])
    assert done.passes == 2
    assert [one["active_cycles"] for one in done.rows["b"]] == [1002.0, 1003.0]
    assert done.rows["a"][0]["nanoseconds"] == 2500.0
    assert done.checksums["b"] == 3


@pytest.mark.parametrize("name", ["loop_272", "loop_150"])  # fp8, whose F2FP takes the upper half of a register
def test_results_are_those_of_the_chip(cases, name):
    captured = json.loads((folder("validate") / "captures" / "h200" / "corpus-pycuda.json").read_text())["cases"]
    said, found = captured[f"{name}/warm"]["measured"], cases[f"{name}/warm"].predict().values
    assert (found["bits"], found["instructions"]) == (said["bits"], said["instructions"])
