"""The interval of sampled cycles: how wide the calibration makes it, and what it covers of other launches."""

from __future__ import annotations

import numpy as np
import pytest

from simtc.arch import device
from simtc.gemm.shipped import shipped
from simtc.resources import folder
from simtc.results.estimate import interval
from simtc.run.solve import operands, solve
from simtc.sass import load
from simtc.timing.sampling import doubt
from simtc.timing.sampling.sample import shared, starts
from simtc.validate.drawn import drawn
from simtc.validate.spread import CALIBRATION, CHECK, covered, factor, read_spread

HOME = folder("validate") / "interval"
CHANCE = 2.0  # deviations of a count of launches


def test_the_width_is_no_less_than_what_the_calibration_asks_for():
    assert factor(read_spread(HOME, CALIBRATION)) <= doubt.WIDER


def test_other_launches_are_covered_as_often_as_is_said():
    found = read_spread(HOME, CHECK)
    assert not {one.launch for one in found} & {one.launch for one in read_spread(HOME, CALIBRATION)}
    expected, deviation = doubt.COVERAGE * len(found), (doubt.COVERAGE * (1 - doubt.COVERAGE) * len(found)) ** 0.5
    assert len(covered(found)) >= expected - CHANCE * deviation


def test_a_launch_of_the_check_comes_out_as_it_is_told():
    told = read_spread(HOME, CHECK)[0]
    one = next(one for one in drawn(CHECK[0]) if one.name == told.launch)
    timing = one.run("sampled").timing
    assert timing.cycles == pytest.approx(told.sampled, rel=3 * timing.error_estimate)  # told by the clock before
    assert timing.cycles_interval[0] < timing.cycles < timing.cycles_interval[1]


def test_a_sample_says_that_its_interval_was_not_checked_on_such_launches():
    kernel = shipped("wmma_tiled").kernel(device("t4"))
    assert doubt.unchecked(kernel, doubt.LARGEST, decides=False) == []
    (note,) = doubt.unchecked(kernel, doubt.LARGEST + 1, decides=True)
    assert note.endswith("whose blocks go where values send them, of more than 4.2 million warp-instructions")
    atomic = load(folder("validate") / "microbench" / "listings" / "sm_90" / "atomics.sass")
    assert any("with atomics" in note for one in atomic for note in doubt.unchecked(atomic[one], 1, decides=False))


def test_an_interval_has_whole_cycles_and_ends_at_none():
    assert interval(1001, 0.1) == (900, 1102)
    assert interval(1000, 2.0) == (0, 3000)


def test_a_sampled_launch_tells_its_interval_and_what_it_comes_from():
    kernel, board = shipped("wmma_tiled"), device("t4")
    m, n, k = 2048, 1024, 1024
    arrays = operands(kernel, m, n, k, seed=None)
    run = solve(kernel, board, arrays, m=m, n=n, k=k, timing=True, fidelity="sampled").launch
    timing, data = run.timing, run.to_dict()
    assert sum(timing.doubts.values()) * doubt.WIDER == pytest.approx(timing.error_estimate)
    assert data["cycles_interval"] == list(interval(timing.cycles, timing.error_estimate))
    assert data["doubts"] == dict(timing.doubts)
    columns = run.columns()
    assert [columns["least_cycles"][0], columns["most_cycles"][0]] == data["cycles_interval"]


def test_a_wave_before_a_few_last_blocks_lasts_as_long_as_the_others():
    """An SM with ten places, in which a block ends every hundred cycles after the first ones, and two are the last."""
    begun = np.array([*[0.0] * 10, *(1000.0 + 100 * place for place in range(22))])
    spans = np.diff(starts(np.split(begun, [10, 20, 30])))
    assert spans[1:].tolist() == [1000.0, 1000.0]


@pytest.mark.parametrize("last", [2, 10])
def test_waves_that_end_in_one_stretch_share_what_was_counted(last):
    """The last wave may be so small that it has ended before anyone looks at the clock again."""
    counted = shared(np.zeros(1), np.array([100.0 + 10 * last]), np.array([10, last]))
    assert [float(one[0]) for one in counted] == [100.0, 100.0 + 10 * last]
