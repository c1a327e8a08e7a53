"""The recorded runs: what the browser reads, colours and says of them is what the clock recorded."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
import pytest

from simtc.isa.opcodes import opcode_of
from simtc.report.explorer.runs import BIN
from simtc.results import Stall

NAMES = ("sts5", "sts0", "unpadded", "wmma_tiled", "wmma_tiled_unpadded")
SLICES = (
    "return e.runNamed(arguments[0]).warps.map((one) => [one.warp, one.sub, one.place, one.cause, one.start, one.end])"
)
WAITED = """
const run = e.runNamed(arguments[0]);
const wanted = arguments[1];
const told = ({ warp, slice }) => [warp, run.warps[warp].place[slice], run.warps[warp].start[slice]];
return run.warps.map((warp, w) => [...warp.cause.keys()].filter((i) => warp.cause[i] === wanted)
  .map((i) => [i, e.producersOf(run, w, i).map(told)]));
"""


@pytest.fixture(scope="session")
def runs(recorded):
    return {run.name: run for run in recorded}


def slices_of(run):
    """Return each warp's (place, cause, start, end) in the order in which they began."""
    raw = run.result.timeline.raw
    return {
        warp: raw[raw[:, 0] == warp][:, 1:][np.argsort(raw[raw[:, 0] == warp][:, 3], kind="stable")]
        for warp in sorted(set(raw[:, 0]))
    }


@pytest.mark.parametrize("name", NAMES)
def test_every_slice(explorer, runs, name):
    shown = explorer.run(SLICES, name)
    due = slices_of(runs[name])
    assert len(shown) == len(due)
    for (warp, sub, *columns), (number, slices) in zip(shown, due.items(), strict=True):
        _, core, within = runs[name].result.timeline.place(number)
        assert (warp, sub) == (within, core)
        assert np.array_equal(np.array(columns).T, slices)


@pytest.mark.parametrize("name", NAMES)
def test_columns_show_what_most_of_their_cycles_were(explorer, runs, name):
    timeline = runs[name].result.timeline
    warps, due = timeline.majority(first=1000, last=5000, columns=400, warps=8)
    script = "return e.runNamed(arguments[0]).warps.map((one) => [...e.columnCauses(one, 1000, 5000, 400)])"
    shown = explorer.run(script, name)
    assert len(warps) == 8
    assert np.array_equal(np.array(shown), due)


@pytest.mark.parametrize("name", NAMES)
def test_meters_add_up_to_what_the_clock_counted(explorer, runs, name):
    timing = runs[name].result.timing
    due = runs[name].meters.binned(timing.cycles)
    assert explorer.run("return e.runNamed(arguments[0]).meters", name) == due
    assert sum(due["tensor"]) == 4 * timing.resources["the tensor pipe"]  # one block: all sub-cores have the same work
    assert sum(due["conflicts"]) == timing.bank_conflicts
    assert 0 < max(due["queue"]) <= explorer.run("return e.runNamed(arguments[0]).places", name)
    assert len(due["tensor"]) == -(-timing.cycles // BIN)


def raisers(run, slices, i):
    """Return the instructions that a slice's scoreboards wait for: the last before it that raised each of them."""
    instructions = run.kernel.instructions
    mask, found = instructions[slices[i][0]].control.wait_mask, []
    for board in range(6):
        if not mask >> board & 1:
            continue
        for place, cause, start, _ in slices[:i][::-1]:
            control = instructions[place].control
            if cause == Stall.selected and board in (control.write_barrier, control.read_barrier):
                found.append([int(place), int(start)])
                break
    return found


@pytest.mark.parametrize("name", ["unpadded", "wmma_tiled"])
@pytest.mark.parametrize("cause", [Stall.short_scoreboard, Stall.long_scoreboard])
def test_scoreboards_wait_for_who_raised_them(explorer, runs, name, cause):
    compared = 0
    for (w, slices), shown in zip(
        enumerate(slices_of(runs[name]).values()), explorer.run(WAITED, name, int(cause)), strict=True
    ):
        listed = slices.tolist()
        assert [i for i, _ in shown] == np.flatnonzero(slices[:, 1] == cause).tolist()
        for i, producers in shown:
            assert producers == [[w, *one] for one in raisers(runs[name], listed, i)]
            assert producers, "a scoreboard is waited for that nothing raised"
            kinds = {opcode_of(runs[name].kernel.instructions[place]).latency for _, place, _ in producers}
            assert kinds <= {"variable"} or runs[name].kernel.sm >= 80
            compared += 1
    assert compared > 20


def test_who_is_not_selected_gives_way_to_who_is(explorer, runs):
    due = list(slices_of(runs["sts5"]).values())
    issues = {
        (w % 4, start): (w, place)
        for w, slices in enumerate(due)
        for place, cause, start, _ in slices.tolist()
        if cause == Stall.selected
    }
    for w, shown in enumerate(explorer.run(WAITED, "sts5", int(Stall.not_selected))):
        for i, producers in shown:
            start = int(due[w][i][2])
            assert producers == [[*issues[w % 4, start], start]]


def test_stall_counts_and_barriers_wait_for_the_right_ones(explorer, runs):
    due = list(slices_of(runs["sts5"]).values())
    for w, shown in enumerate(explorer.run(WAITED, "sts5", int(Stall.wait))):
        before, last = {}, None
        for i, (place, cause, start, _) in enumerate(due[w].tolist()):
            before[i] = last
            last = [w, place, start] if cause == Stall.selected else last
        assert [producers for _, producers in shown] == [[before[i]] for i, _ in shown]
    instructions = runs["sts5"].kernel.instructions
    arrivals = [
        [
            (start, place)
            for place, cause, start, _ in slices.tolist()
            if cause == Stall.selected and instructions[place].opcode == "BAR"
        ]
        for slices in due
    ]
    checked = 0
    for w, shown in enumerate(explorer.run(WAITED, "sts5", int(Stall.barrier))):
        for i, producers in shown:
            place, _, start, _ = due[w][i].tolist()
            if instructions[place].opcode == "BAR":
                continue  # it waits for its own stores to be read
            nth = sum(at < start for at, _ in arrivals[w])
            last = max((one[nth - 1][0], warp) for warp, one in enumerate(arrivals))
            assert [producers[0][2], producers[0][0]] == [last[0], producers[0][0]]
            assert producers[0][2] == last[0]
            checked += 1
    assert checked > 20


def test_busy_pipes_are_busy_with_what_their_sub_core_issued_last(explorer, runs):
    due = list(slices_of(runs["sts5"]).values())
    pipes = [one[7] for one in explorer.run("return e.runNamed('sts5').code")]
    issued = {}
    for w, slices in enumerate(due):
        for place, cause, start, _ in slices.tolist():
            if cause == Stall.selected:
                issued.setdefault((w % 4, pipes[place]), []).append([start, w, place])
    for one in issued.values():
        one.sort()
    compared = 0
    for w, shown in enumerate(explorer.run(WAITED, "sts5", int(Stall.math_pipe_throttle))):
        for i, producers in shown:
            place, _, start, _ = due[w][i].tolist()
            earlier = issued[w % 4, pipes[place]]
            at, other, by = earlier[bisect_left(earlier, [start]) - 1]
            assert producers == [[other, by, at]]
            compared += 1
    assert compared > 1000


def test_pointing_says_cycle_instruction_source_and_cause(explorer, runs):
    run = runs["wmma_tiled"]
    warp, slices = 2, slices_of(run)[2].tolist()
    place, cause, start, end = next(one for one in slices if one[1] == Stall.short_scoreboard and one[3] - one[2] > 20)
    explorer.open(f"timeline?run=wmma_tiled&at=a:{warp},{start}")
    text = explorer.find(".details").text
    instruction = run.kernel.instructions[place]
    file, line = instruction.source
    assert f"{start:,}, for {end - start} cycles" in text
    assert f"{instruction.address:04x}  {instruction.text}" in text
    assert f"{file}:{line}" in text
    assert Stall(cause).name in text
    first = run.kernel.instructions[raisers(run, slices, slices.index([place, cause, start, end]))[0][0]]
    assert first.text in text


def test_hovering_the_canvas_finds_the_slice_there(explorer, runs):
    from selenium.webdriver import ActionChains  # noqa: PLC0415 - only with the extra

    explorer.load("timeline?run=sts5&from=2400&to=2600")
    room = explorer.run("const v = e.page.view; return [v.width, v.canvas.getBoundingClientRect().height]")
    canvas = explorer.find("canvas")
    x, y = 600, 40 + 3 * 20 + 8  # the fourth warp
    ActionChains(explorer.driver).move_to_element_with_offset(
        canvas, x - canvas.rect["width"] // 2, y - canvas.rect["height"] // 2
    ).perform()
    shown = explorer.until(
        "const h = e.page.view.hover; return h && [h.warp, e.runNamed('sts5').warps[h.warp].start[h.slice]]"
    )
    cycle = 2400 + (x - 132) / (room[0] - 132 - 28) * 200
    slices = slices_of(runs["sts5"])[3].tolist()
    due = next(start for _, _, start, end in slices if start <= cycle < end)
    assert shown == [3, due]


def test_keyboard_zoom_and_alignment(explorer, runs):
    from selenium.webdriver.common.keys import Keys  # noqa: PLC0415 - only with the extra

    explorer.load("timeline?run=sts5&b=sts0&lap=2")
    area = explorer.find(".picture")
    before = explorer.run("return e.page.view.range()")
    area.send_keys("+")
    after = explorer.run("return e.page.view.range()")
    assert round((before[1] - before[0]) / (after[1] - after[0]), 1) == 2
    area.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ENTER)
    assert "at=a%3A1%2C" in explorer.address
    zeros = explorer.run("const v = e.page.view; return v.runs().map((run) => v.zero(run))")
    for name, zero in zip(("sts5", "sts0"), zeros, strict=True):
        loop = explorer.run("return e.runNamed(arguments[0]).loop", name)
        laps = [
            [one[2] for one in slices.tolist() if one[0] == loop and one[1] == Stall.selected][2]
            for slices in slices_of(runs[name]).values()
        ]
        assert zero == min(laps)
    explorer.find('[aria-label="show all cycles"]').click()
    assert "from=" not in explorer.address


def test_what_the_runs_teach(runs):
    """Conflicts, and stores in one heap, cost what the lesson says they cost."""
    cycles = {name: run.result.cycles for name, run in runs.items()}
    assert cycles["sts5"] < cycles["sts0"] < cycles["unpadded"]
    assert cycles["wmma_tiled"] < cycles["wmma_tiled_unpadded"]
    assert runs["sts5"].result.bank_conflicts == 0 < runs["unpadded"].result.bank_conflicts
