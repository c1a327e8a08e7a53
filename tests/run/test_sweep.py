"""Sweeps: what is pruned, what is ranked, what the clock times, and that nothing finished is lost or made twice."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from itertools import pairwise

import pytest

import simtc
from simtc.arch import device
from simtc.errors import BadInputError, KernelFaultError, SimtcError
from simtc.gemm.family import Refused
from simtc.gemm.hgemm import Configuration
from simtc.gemm.hgemm.fits import objection
from simtc.gemm.hgemm.tiles import Tiles
from simtc.gemm.registry import families, family
from simtc.report.sweep import count_text, sweep_csv, sweep_text
from simtc.run import sweep as sweep_room
from simtc.run.simulate import SIZES, Simulation, simulation
from simtc.run.sweep import Sweep
from simtc.run.sweep.case import Case
from simtc.run.sweep.local import locally
from simtc.run.sweep.plan import sizes_of
from simtc.run.sweep.space import choices_text

SMALL = {"m": 64, "n": 64, "k": 64, "block": (64, 64, 32), "layout": "pad"}  # some configurations, quickly timed
CLOSED = {"m": 1024, "n": 1024, "k": 1024, "fidelity": "analytic"}


@pytest.fixture(scope="module")
def timed():
    return simtc.sweep("hgemm", top=3, **SMALL)


@pytest.mark.parametrize(("board", "stages"), [("t4", (1, 2)), ("h200", (1, 2, 3, 4, 5)), ("v100_sxm2", (1, 2))])
def test_every_configuration_is_made_or_pruned_by_a_rule_that_it_breaks(board, stages):
    one = device(board)
    hgemm = family("hgemm")
    every = list(
        hgemm.space(hgemm.problem({"m": 8, "n": 8, "k": 8}, {}), one, {"block": (128, 128, 32), "loads": "lds"})
    )
    made = [found for found in every if not isinstance(found, Refused)]
    assert {found.stages for found in made} == set(stages)
    assert {found.layout for found in made} == {"none", "pad", "xor"}
    assert all(isinstance(found, Configuration) and found.arch == one.sm.name for found in made)
    assert len({found.name for found in made}) == len(made)
    pruned = [found for found in every if isinstance(found, Refused)]
    assert len({found.name for found in every}) == len(every)
    assert {found.rule for found in pruned} >= {"a thread's registers"}
    for found in pruned:  # what is pruned breaks the rule; sub-cores without a warp break none of the hardware's
        block, warp, layout, loads, stages_, copy = found.name.split()
        choices = {"layout": layout, "loads": loads, "stages": int(stages_[:-3]), "copy": copy, "arch": one.sm.name}
        sizes = {name: tuple(map(int, text.split("x"))) for name, text in (("block", block), ("warp", warp))}
        broken = objection(Tiles(**sizes, **choices))
        assert found.rule == broken.rule if broken else "sub-core" in found.rule


def test_closed_forms_rank_as_simulate_predicts_and_every_option_is_in_the_command():
    for name, sizes in (("hgemm", {"transpose": "nn", **CLOSED}), ("wmma_gemm", CLOSED)):
        result = simtc.sweep(name, device="a100_sxm", **sizes)
        rows = result.rankings[0].rows
        assert all(one.seconds <= other.seconds for one, other in pairwise(rows))
        assert {row.best.fidelity for row in rows} == {"analytic"}
        for row in (rows[0], rows[len(rows) // 2], rows[-1]):
            words = [tuple(word.split(maxsplit=1)) for word in row.options.split("--")[1:]]
            given = {flag.replace("-", "_"): value.strip() for flag, value in words}
            kinds = {option.name: option.kind for option in family(name).options}
            cast = {"shape": lambda text: tuple(map(int, text.split(","))), "int": int, "str": str}
            choices = {key: cast[kinds[key]](value) for key, value in given.items()}
            case = simulation(name, device="a100_sxm", **CLOSED, **choices)
            assert case.configuration.name == row.name
            assert case.predict() == row.closed


def test_every_family_has_a_space():
    for one in families():
        problem = one.problem({"m": 32, "n": 32, "k": 32}, {})
        made = next(found for found in one.space(problem, device("a100_sxm"), {}) if not isinstance(found, Refused))
        assert made.name
        assert bool(choices_text(one, made)) == bool(one.options)


def test_the_best_by_closed_forms_are_timed_as_simulate_times_them(timed):
    (ranking,) = timed.rankings
    first = sorted(ranking.rows, key=lambda row: row.closed.seconds)[:3]
    assert {row.name for row in ranking.timed} == {row.name for row in first}
    assert ranking.timed == ranking.rows[:3]
    assert [row.seconds for row in ranking.timed] == sorted(row.seconds for row in ranking.timed)
    best = timed.best
    assert best is ranking.rows[0]
    again = simulation("hgemm", **SMALL, warp=tuple(best.best.config["warp"]), loads=best.best.config["loads"],
                       stages=best.best.config["stages"])  # fmt: skip
    assert again.configuration.name == best.name
    assert again.predict() == best.timed
    assert best.tflops == pytest.approx(2e-12 * 64**3 / best.seconds)


def test_what_has_no_program_is_passed_over_and_says_so(monkeypatch):
    why = property(lambda tiles: "five stages: not today" if tiles.stages == 5 else None)
    monkeypatch.setattr(Configuration, "not_generated", why)
    choices = {"m": 128, "n": 128, "k": 64, "block": (128, 128, 32), "warp": (64, 64, 16), "layout": "pad"}
    result = simtc.sweep("hgemm", device="h200", loads="lds", **choices)
    (ranking,) = result.rankings
    assert {row.best.config["stages"] for row in ranking.timed} == {1, 2, 3, 4}
    (passed,) = [one for one in ranking.rows if one.why]
    assert passed.best.config["stages"] == 5
    assert "not timed: five stages: not today" in sweep_text(result)
    assert (passed.exit_code, result.exit_code) == (0, 0)
    with pytest.raises(BadInputError, match=r"no configuration has a program: five stages: .* Try: --fidelity"):
        simtc.sweep("hgemm", device="h200", stages=5, **choices)


def test_a_resumed_sweep_ends_with_the_same_table_and_makes_nothing_twice(timed, tmp_path, monkeypatch):
    path = tmp_path / "kept.jsonl"
    simtc.sweep("hgemm", top=2, resume=path, **SMALL)
    text = path.read_text()
    assert len(text.splitlines()) == 3
    path.write_text(text[:-40])  # killed in the middle of the second case's line
    made = []
    predict = Simulation.predict
    monkeypatch.setattr(Simulation, "predict", lambda case: made.append(case) or predict(case))
    done = []
    resumed = simtc.sweep("hgemm", top=3, resume=path, progress=lambda *far: done.append(far), **SMALL)
    assert resumed.to_json() == timed.to_json()
    assert len(made) == 2  # the one that was cut off, and the third
    assert (done[0], done[-1]) == ((1, 3), (3, 3))
    assert simtc.sweep("hgemm", top=3, resume=path, **SMALL).to_json() == timed.to_json()
    assert len(made) == 2
    assert path.read_text().startswith(text.splitlines()[0])


def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "kept.jsonl"
    simtc.sweep("hgemm", top=1, resume=path, **SMALL)
    text = path.read_text()
    for change, why in (
        ({"m": 65}, "sizes there [[64, 64, 64]], here [[65, 64, 64]]"),
        ({"device": "rtx2070"}, "device there t4, here rtx2070"),
        ({"clock_mhz": 1000}, "clock_mhz there 1590, here 1000"),
        ({"caches": "warm"}, "caches there cold, here warm"),
        ({"loads": "lds"}, 'choices there {"block": [64, 64, 32], "layout": "pad"}, here'),
    ):
        with pytest.raises(BadInputError, match="is of another sweep: ") as error:
            simtc.sweep("hgemm", top=1, resume=path, **SMALL | change)
        assert why in str(error.value)
    assert path.read_text() == text
    head, line = text.splitlines()
    other = json.dumps(json.loads(head) | {"sources": "of last week"})
    for wrong, why in (
        (f"{other}\n{line}\n", "simtc's sources have changed since"),
        (f"{head}\n{line[:-9]}\n{line}\n", "line 2 is damaged"),
        ("a,b\n1,2\n", "is no file of simtc sweep"),
        ('{"schema": "simtc.run/1"}\n', "is no file of simtc sweep"),
    ):
        path.write_text(wrong)
        with pytest.raises(BadInputError, match=why):
            simtc.sweep("hgemm", top=1, resume=path, **SMALL)
        assert path.read_text() == wrong
    with pytest.raises(BadInputError, match="there is no folder"):
        simtc.sweep("hgemm", top=1, resume=tmp_path / "no" / "kept.jsonl", **SMALL)


def test_two_sweeps_do_not_write_one_file(tmp_path):
    path = tmp_path / "kept.jsonl"

    def meanwhile(done, total):  # noqa: ARG001 - as progress is called
        with pytest.raises(BadInputError, match="in use by another sweep"):
            simtc.sweep("hgemm", top=1, resume=path, **SMALL)

    simtc.sweep("hgemm", top=1, resume=path, progress=meanwhile, **SMALL)
    assert len(path.read_text().splitlines()) == 2


def test_an_interrupt_keeps_what_is_finished(tmp_path):
    path = tmp_path / "kept.jsonl"

    def stop(done, total):  # noqa: ARG001 - as progress is called
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match=r"interrupted: 1 finished cases are in .*kept.jsonl. Try: the same"):
        simtc.sweep("hgemm", top=2, resume=path, progress=stop, **SMALL)
    assert len(path.read_text().splitlines()) == 2
    with pytest.raises(KeyboardInterrupt, match=r"nothing is kept. Try: --resume FILE"):
        simtc.sweep("hgemm", top=2, progress=stop, **SMALL)


def test_a_kernel_that_fails_costs_its_own_place_alone(timed, monkeypatch, tmp_path):
    predict, loser = Simulation.predict, timed.rankings[0].rows[0].name

    def fail(case):
        if case.configuration.name == loser:
            raise KernelFaultError("an address outside of every buffer")
        return predict(case)

    monkeypatch.setattr(Simulation, "predict", fail)
    path = tmp_path / "kept.jsonl"
    first, again = (simtc.sweep("hgemm", top=3, resume=path, **SMALL) for _ in range(2))
    assert first.to_json() == again.to_json()
    (ranking,) = first.rankings
    assert [row.name for row in ranking.timed] == [row.name for row in timed.rankings[0].timed[1:]]
    (failed,) = [row for row in ranking.rows if row.why]
    assert (failed.name, failed.exit_code, first.exit_code) == (loser, 4, 4)
    assert "not timed: an address outside of every buffer" in sweep_text(first)


def test_sizes_choose_their_own_winners_and_one_is_best_for_all():
    result = simtc.sweep("hgemm", m=(64, 256), n=(64, 256), k=64, block=(64, 64, 32), layout="pad", loads="lds", top=1)
    assert [ranking.size for ranking in result.rankings] == [(64, 64, 64), (256, 256, 64)]
    winners = {row.name for row in result.selection}
    for ranking in result.rankings:  # each winner is timed at every size
        assert winners <= {row.name for row in ranking.timed}
        assert ranking.best.seconds == min(row.seconds for row in ranking.timed)
    losses = result.losses()
    assert set(losses) >= winners
    assert losses[result.best.name] == min(losses.values()) >= 1
    data = result.to_dict()
    assert [row["m"] for row in data["selection"]] == [64, 256]
    assert "selection: of 2 sizes, " in sweep_text(result)


def test_refinement_goes_on_until_no_single_change_helps():
    kept = {"block": (64, 64, 32), "warp": (32, 32, 8), "layout": "pad", "loads": "lds"}
    plain, refined = (
        simtc.sweep("hgemm", m=256, n=256, k=256, top=1, refine=refine, **kept) for refine in (False, True)
    )
    assert refined.best.seconds < plain.best.seconds
    made = family("hgemm").configured("turing", {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in refined.best.best.config.items() if name != "instr"
    })  # fmt: skip
    assert all(getattr(made, name) == value for name, value in kept.items())  # what was chosen stays
    by_name = {row.name: row for row in refined.rankings[0].rows}
    limit = refined.best.seconds
    for _, other in made.neighbours():
        if not isinstance(other, str) and all(getattr(other, name) == value for name, value in kept.items()):
            row = by_name[other.name]
            assert row.timed or row.closed.seconds > limit


def test_the_process_of_a_case_may_die(timed):
    plan = Sweep(family="hgemm", sizes=((64, 64, 64),), top=3, choices={"block": (64, 64, 32), "layout": "pad"})
    cases = [Case(simulation=plan.case(one, "").simulation, sources="") for one in plan.survey()[0].candidates[:3]]
    outcomes = locally(cases, 2)
    found = [next(outcomes)]
    for process in multiprocessing.active_children():
        os.kill(process.pid, signal.SIGKILL)
    found += outcomes
    expected = {row.timed.cycles for row in timed.rankings[0].timed}
    assert len(found) == 3
    assert {one.prediction.cycles for one in found} == expected
    with pytest.raises(SimtcError, match="other sources of simtc"):
        list(locally([Case(simulation=cases[0].simulation, sources="of last week")], 1))


def test_bad_input_is_told_before_anything_runs():
    for given, why in (
        ({"k": (64, 128), "n": (64, 64, 64)}, "sizes go in step: 1 of m, 3 of n, 2 of k"),
        ({"m": (64, 64)}, "each of them once"),
        ({"m": ()}, "0 of m"),
        ({"m": 0}, "m is 0"),
        ({"top": 0}, "top 0"),
        ({"jobs": 0}, "jobs 0"),
        ({"fidelity": "sample"}, "did you mean 'sampled'"),
        ({"caches": "hot"}, "unknown state of the caches"),
        ({"blok": 3}, "did you mean 'block'"),
        ({"device": "c2050"}, "has no tensor cores"),
        ({"layout": "pat"}, "did you mean 'pad'"),
        ({"warp": (64, 64, 64)}, "no configuration of hgemm can be made: the warp tile divides the block tile (4)"),
    ):
        with pytest.raises(BadInputError, match=r".") as error:
            simtc.sweep("hgemm", **SMALL | given)
        assert why in str(error.value)
    assert sizes_of(8, 8, (16, 32)) == ((8, 8, 16), (8, 8, 32))
    assert "batch" in SIZES


def test_what_is_shown(timed):
    text = sweep_text(timed)
    assert text.startswith("hgemm 64 x 64 x 64 on t4, fidelity sampled\nspace ")
    assert text.count("pruned: ") == len(timed.rankings[0].refused)
    assert f"fastest: {timed.best.options}\n" in text
    assert timed.best.options in timed._repr_html_()
    assert repr(timed) == "<sweep of hgemm on t4: 64x64x64, sampled>"
    lines = sweep_csv(timed).splitlines()
    assert len(lines) == 1 + len(timed.rankings[0].rows)
    assert lines[0].startswith("rank,m,n,k,name,seconds,cycles,tflops,")
    data = json.loads(timed.to_json())
    assert next(iter(data.items())) == ("schema", "simtc.sweep/1")
    assert data["sizes"][0]["space"] == len(data["sizes"][0]["rows"]) + sum(data["sizes"][0]["refused"].values())
    made, refused = Sweep(family="wmma_gemm", sizes=((64, 64, 64),)).count()
    assert "transpose        nn: " in count_text("wmma_gemm", "t4", made, refused)
    assert sweep_room.__doc__


def test_a_frame_of_pandas(timed):
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = timed.to_frame()
    assert len(frame) == len(timed.rankings[0].rows)
    assert frame["seconds"][0] == timed.best.seconds
    assert frame["config.block"][0] == "64x64x32"
