"""Campaigns that measure: what the chip gave beside what simtc predicts, and what may not be compared."""

from __future__ import annotations

import json

import numpy as np
import pytest

from simtc.errors import SimtcError
from simtc.gpu import GpuError
from simtc.report.validation import outcome_html, outcome_markdown, outcome_of, outcome_text
from simtc.validate.campaigns.microbench import spans
from simtc.validate.capture import read_capture
from simtc.validate.case import Skip
from simtc.validate.compare import replay
from simtc.validate.measured import Measured, MeasuredCase, NotHereError
from simtc.validate.validate import campaign_settings, cases_of, validate


class FakeMeasured(MeasuredCase):
    """Measures and predicts what it is told."""

    def __init__(self, name, measured=100.0, predicted=90.0, code="c0de", error=None, counts=(7, 7)):
        self._name, self.measured, self.predicted, self.code, self.error = name, measured, predicted, code, error
        self.counts, self.runs = counts, 0

    compared = {"cycles": "cycles", "instructions": "count"}  # noqa: RUF012 - the protocol's

    @property
    def name(self):
        return self._name

    def measure(self, gpu):  # noqa: ARG002 - the protocol's
        self.runs += 1
        if self.error:
            raise self.error
        return Measured(values={"cycles": self.measured, "instructions": self.counts[0]}, code="c0de")

    def predict(self):
        if self.predicted is None:
            return None
        if isinstance(self.predicted, SimtcError):
            raise self.predicted
        return Measured(values={"cycles": self.predicted, "instructions": self.counts[1]}, code=self.code)


@pytest.fixture
def gpu(simulated_gpu):
    return simulated_gpu(75)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "timing.json"


def test_cycles_that_are_off_are_reported_and_are_no_failure(gpu, out):
    done = validate("timing", gpu, out, cases=[FakeMeasured("a/1"), FakeMeasured("b/1", predicted=125.0)])
    assert done.same
    text = outcome_text(outcome_of(done))
    assert "cycles        2         17.5 %          +7.5 %  +25.0 %  b/1" in text
    assert text.endswith("2 cases compared")
    page = outcome_markdown(outcome_of(done))
    assert "| a | 1 | 10.0 % | -10.0 % | -10.0 % | a/1 |" in page
    assert "| b/1 | cycles | 100 | 125 | +25.0 % |" in page


def test_the_page_stands_alone_and_names_the_worst(gpu, out):
    page = outcome_html(outcome_of(validate("timing", gpu, out, cases=[FakeMeasured("a<b/1"), FakeMeasured("c/1")])))
    assert page.count("<svg") == 2
    assert "a&lt;b/1: measured 100, predicted 90, -10.0 %" in page
    for outside in ("<script ", "src=", "href=", "@import", "<b/1"):  # its own script has no attributes
        assert outside not in page


def test_a_count_that_differs_is_a_failure(gpu, out):
    assert not validate("timing", gpu, out, cases=[FakeMeasured("a", counts=(7, 8))]).same


def test_what_is_only_measured_is_no_point(gpu, out):
    done = validate("timing", gpu, out, cases=[FakeMeasured("cublas", predicted=None), FakeMeasured("a")])
    assert [point.case for point in done.replay.points] == ["a", "a"]
    assert done.same


def test_other_machine_code_is_never_compared(gpu, out):
    done = validate("timing", gpu, out, cases=[FakeMeasured("a", code="other")])
    assert not done.same
    assert "not compared: a: the chip ran other machine code than is simulated here" in outcome_text(outcome_of(done))


def test_a_prediction_that_fails_is_reported_and_the_rest_goes_on(gpu, out):
    done = validate("timing", gpu, out, cases=[FakeMeasured("a", predicted=SimtcError("no timing of FOO")),
                                               FakeMeasured("b")])  # fmt: skip
    text = outcome_text(outcome_of(done))
    assert "not compared: a: no timing of FOO" in text
    assert [point.case for point in done.replay.points] == ["b", "b"]


def test_what_is_missing_on_the_machine_is_skipped_by_name_and_what_fails_is_failed(gpu, out):
    cases = [FakeMeasured("a", error=NotHereError("no ncu")), FakeMeasured("b", error=NotHereError("no ncu")),
             FakeMeasured("c", error=GpuError("c on t4: refused")), FakeMeasured("d")]  # fmt: skip
    done = validate("timing", gpu, out, cases=cases)
    text = outcome_text(outcome_of(done))
    assert "skipped: a and 1 more: no ncu" in text
    assert "failed: c: c on t4: refused" in text
    assert not done.same
    assert cases[3].runs == 1


def test_measuring_alone_leaves_a_capture_for_later(gpu, out):
    done = validate("timing", gpu, out, cases=[FakeMeasured("a")], predict=False)
    assert done.replay is None
    assert "nothing was compared. Try: simtc compare" in outcome_text(outcome_of(done))
    again = replay(read_capture(out), cases=[FakeMeasured("a")])
    assert [(point.quantity, point.error) for point in again.points] == [("cycles", -0.1), ("instructions", 0.0)]


def test_an_interrupted_measurement_is_not_repeated(gpu, out):
    first = FakeMeasured("a")
    with pytest.raises(KeyboardInterrupt):
        validate("timing", gpu, out, cases=[first, FakeMeasured("b", error=KeyboardInterrupt())])
    done = validate("timing", gpu, out, cases=[first, FakeMeasured("b")])
    assert (first.runs, done.capture.count("ran")) == (1, 2)


def test_spans_are_block_by_block():
    times = np.array([[10, 30], [12, 45], [100, 110], [90, 105]], np.uint32).reshape(-1)
    assert spans(times, 2).tolist() == [35, 20]


@pytest.mark.parametrize("campaign", ["microbench", "timing", "configured", "counters", "profiled"])
def test_settings_are_plain_json_so_that_a_capture_holds_its_whole_set(campaign):
    settings = campaign_settings(campaign)
    assert json.loads(json.dumps(settings)) == settings
    names = [case.name for case in cases_of(campaign, settings, 90, "NVIDIA H200")]
    assert len(names) == len(set(names)) > 20


def test_the_evaluation_set_and_the_calibration_set_share_no_kernel():
    calibration = {case.kernel_name for case in cases_of("microbench", campaign_settings("microbench"), 90, "h200")}
    evaluation = {case.group for case in cases_of("timing", campaign_settings("timing"), 90, "h200")}
    assert calibration
    assert not calibration & evaluation


@pytest.mark.parametrize(("sm", "name"), [(70, "Tesla V100-SXM2-16GB"), (75, "Tesla T4"), (80, "A100-SXM4-40GB")])
def test_other_chips_have_microbenchmarks_too(sm, name):
    found = cases_of("microbench", campaign_settings("microbench"), sm, name)
    ran = [case for case in found if not isinstance(case, Skip)]
    chain = next(case for case in ran if case.name == "wmma_f32_x1/1x32/4/warm")
    assert 32 * 16 < chain.predict().values["cycles"] < 32 * 80
