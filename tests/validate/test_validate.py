"""A campaign's course: interrupted, resumed, with kernels that fail, on a GPU that is not the one it began on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simtc.errors import BadInputError, MissingToolError
from simtc.gpu import GpuError
from simtc.report.validation import outcome_markdown, outcome_of, outcome_text
from simtc.validate.capture import read_capture
from simtc.validate.case import Skip
from simtc.validate.validate import validate


class FakeCase:
    """Gives back what it was told to, and counts how often the GPU was asked."""

    def __init__(self, name, gpu_says=(1, 2, 3), simtc_says=(1, 2, 3), error=None):
        self.name, self.gpu_says, self.simtc_says, self.error, self.runs = name, gpu_says, simtc_says, error, 0

    def inputs(self):
        return {"A": np.arange(3)}

    def run(self, gpu):  # noqa: ARG002 - the protocol's
        self.runs += 1
        if self.error:
            raise self.error
        return np.array([self.gpu_says], np.uint32)

    def expect(self):
        return np.array([self.simtc_says], np.uint32)

    def show(self, place):
        return f"element {place[1]}"


@pytest.fixture
def gpu(simulated_gpu):
    return simulated_gpu(75)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "kernels.json"


def test_a_campaign_ends_in_a_capture_and_forgets_its_state(gpu, out):
    done = validate("kernels", gpu, out, cases=[FakeCase("a"), Skip(name="b", reason="too new")])
    read = read_capture(out)
    assert done.same
    assert (read.campaign, read.sm, read.count("ran"), read.count("skipped"), read.elements) == ("kernels", 75, 1, 1, 3)
    assert read.cases["b"].reason == "too new"
    assert sorted(p.name for p in out.parent.glob("kernels.*")) == ["kernels.json", "kernels.npz"]
    assert "skipped: b: too new" in outcome_text(outcome_of(done))


def test_an_interrupted_campaign_loses_nothing_finished(gpu, out):
    first, second = FakeCase("a"), FakeCase("b", error=KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        validate("kernels", gpu, out, cases=[first, second])
    assert not out.exists()
    again = FakeCase("b")
    # What "a" gave is compared from the state file, not run again.
    first.simtc_says = (1, 2, 3)
    done = validate("kernels", gpu, out, cases=[first, again])
    assert (first.runs, again.runs, done.same, done.capture.count("ran")) == (1, 1, True, 2)


def test_a_difference_found_before_the_interruption_is_still_reported(gpu, out):
    first = FakeCase("a", simtc_says=(1, 2, 4))
    with pytest.raises(KeyboardInterrupt):
        validate("kernels", gpu, out, cases=[first, FakeCase("b", error=KeyboardInterrupt())])
    done = validate("kernels", gpu, out, cases=[first, FakeCase("b")])
    assert "GPU 0x3, simtc 0x4 (element 2)" in outcome_text(outcome_of(done))


def test_a_line_cut_short_by_the_interruption_is_run_again(gpu, out):
    with pytest.raises(KeyboardInterrupt):
        validate("kernels", gpu, out, cases=[FakeCase("a"), FakeCase("b", error=KeyboardInterrupt())])
    state = out.with_suffix(".partial")
    state.write_text(state.read_text()[:-20])
    again = FakeCase("a")
    assert validate("kernels", gpu, out, cases=[again, FakeCase("b")]).same
    assert again.runs == 1


def test_fresh_begins_anew(gpu, out):
    with pytest.raises(KeyboardInterrupt):
        validate("kernels", gpu, out, cases=[FakeCase("a"), FakeCase("b", error=KeyboardInterrupt())])
    again = FakeCase("a")
    validate("kernels", gpu, out, cases=[again], fresh=True)
    assert again.runs == 1


@pytest.mark.parametrize("change", [{"device": "Tesla V100"}, {"driver": "2.0"}, {"backend": "simulated 2"}])
def test_captures_of_two_machines_are_never_mixed(gpu, out, change):
    with pytest.raises(KeyboardInterrupt):
        validate("kernels", gpu, out, cases=[FakeCase("a", error=KeyboardInterrupt())])
    gpu.description = replace(gpu.description, **change)
    with pytest.raises(BadInputError, match=r"another machine; captures are never mixed\. Try: .*--fresh"):
        validate("kernels", gpu, out, cases=[FakeCase("a")])


def test_a_kernel_that_fails_is_reported_and_the_rest_goes_on(gpu, out):
    bad, good = FakeCase("bad", error=GpuError("probe on t4: out of resources")), FakeCase("good")
    done = validate("kernels", gpu, out, cases=[bad, good])
    assert (done.same, good.runs) == (False, 1)
    assert "failed: bad: probe on t4: out of resources" in outcome_text(outcome_of(done))
    assert read_capture(out).cases["bad"].status == "failed"


def test_a_fault_that_ends_the_context_stops_and_the_next_run_goes_on_behind_it(gpu, out):
    gpu.works = False
    bad, good = FakeCase("bad", error=GpuError("probe: illegal address")), FakeCase("good")
    with pytest.raises(MissingToolError, match=r"context ended in bad .*Try: the same command again"):
        validate("kernels", gpu, out, cases=[bad, good])
    gpu.works = True
    done = validate("kernels", gpu, out, cases=[bad, good])
    assert (bad.runs, good.runs, done.capture.count("failed")) == (1, 1, 1)


def test_what_differs_is_named_element_by_element(gpu, out):
    done = validate("kernels", gpu, out, cases=[FakeCase("a/x", gpu_says=(1, 9, 3)), FakeCase("a/y")])
    assert not done.same
    text = outcome_text(outcome_of(done))
    assert "differs: a/x: 1 elements\n    [0, 1]: GPU 0x9, simtc 0x2 (element 1)" in text
    assert "1 cases differ" in text
    page = outcome_markdown(outcome_of(done))
    assert "| a | 2 | 1 |" in page
    assert "- a/x: 1 elements; first [0, 1]: GPU 0x9" in page
