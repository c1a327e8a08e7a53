"""Campaign `tuning`: which of its cases the clock predicts."""

from __future__ import annotations

import pytest

from simtc.resources import folder
from simtc.run.simulate import Simulation
from simtc.validate.campaigns.tuning import TuningCase
from simtc.validate.capture import read_capture
from simtc.validate.compare import captured_cases


@pytest.fixture
def without_a_listing():
    capture = read_capture(folder("validate") / "captures" / "h200" / "tuning-pycuda.json")
    cases = (one for one in captured_cases(capture) if isinstance(one, TuningCase))
    return next(one for one in cases if not one.configuration.compiled().ships)


@pytest.mark.parametrize("can", [True, False])
def test_the_clock_predicts_what_a_compiler_at_hand_makes(monkeypatch, without_a_listing, can):
    """The clock itself is left out here: what counts is whether it is asked."""
    one, asked = without_a_listing, []
    closed = one.configuration.closed_form(one.problem, one.board)
    kept = type(one.configuration)
    monkeypatch.setattr("simtc.gemm.at_hand.can_compile", lambda _: can)
    monkeypatch.setattr(Simulation, "predict", lambda self: asked.append(self) or closed)
    monkeypatch.setattr(kept, "program", lambda _: None)
    monkeypatch.setattr("simtc.validate.campaigns.tuning.code_digest", lambda _: "digest")
    values = one.predict().values
    assert ("sampled_cycles" in values, len(asked)) == (can, int(can))
