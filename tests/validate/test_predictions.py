"""Predictions are kept as they come, and taken again where nothing that they depend on has changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from simtc.arch import device
from simtc.arch.altered import altered
from simtc.errors import BadInputError
from simtc.isa import Kernel
from simtc.resources import folder
from simtc.validate import predictions as room
from simtc.validate.capture import Capture, Record, read_capture
from simtc.validate.compare import captured_cases, replay
from simtc.validate.measured import Measured, MeasuredCase
from simtc.validate.predictions import Predictions, fingerprint, key

KERNEL = Kernel(name="k", sm=75, instructions=(), registers=32)
ASKED = []


@dataclass(frozen=True, kw_only=True)
class Case(MeasuredCase):
    number: int
    board: object = device("t4")
    kernel: Kernel = KERNEL
    profile: object = field(default=object(), repr=False)  # what no prediction depends on

    @property
    def name(self):
        return f"case/{self.number}"

    def measure(self, gpu):
        raise NotImplementedError(gpu)

    def predict(self):
        ASKED.append(self.number)
        if self.number == 13:
            raise BadInputError("thirteen")
        if self.number == 99:
            raise KeyboardInterrupt
        return Measured(values={"cycles": 10.0 * self.number}, code="x")


@pytest.fixture(autouse=True)
def forget():
    ASKED.clear()


def test_the_second_time_takes_what_the_first_made(tmp_path):
    first = Predictions(folder=tmp_path)
    assert first.of(Case(number=4)).values == {"cycles": 40.0}
    second = Predictions(folder=tmp_path)
    assert second.of(Case(number=4)) == Measured(values={"cycles": 40.0}, code="x")
    assert (first.found, first.made, second.found, second.made) == (0, 1, 1, 0)
    assert ASKED == [4]
    Predictions(folder=tmp_path, fresh=True).of(Case(number=4))
    assert ASKED == [4, 4]


@pytest.mark.parametrize(
    "other",
    [
        {"number": 5},
        {"board": device("t4").at(1000)},
        {"board": altered(device("t4"), "pipes.alu.issue_interval_cycles", 3)},
        {"kernel": Kernel(name="k", sm=75, instructions=(), registers=33)},
    ],
)
def test_what_it_depends_on_makes_it_another(tmp_path, other):
    Predictions(folder=tmp_path).of(Case(number=4))
    Predictions(folder=tmp_path).of(Case(**{"number": 4} | other))
    assert len(ASKED) == 2


def test_edited_sources_make_all_of_them_others(tmp_path, monkeypatch):
    Predictions(folder=tmp_path).of(Case(number=4))
    monkeypatch.setattr(room, "sources_digest", lambda *_, **__: "edited")
    Predictions(folder=tmp_path).of(Case(number=4))
    assert ASKED == [4, 4]


def test_an_error_is_not_kept(tmp_path):
    for _ in range(2):
        with pytest.raises(BadInputError, match="thirteen"):
            Predictions(folder=tmp_path).of(Case(number=13))
    assert ASKED == [13, 13]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"values": 3, "code": "", "note": ""}', '{"values": {"cycles": "x"}}']
)
def test_a_damaged_file_is_made_again(tmp_path, text):
    Predictions(folder=tmp_path).of(Case(number=4))
    (one,) = tmp_path.iterdir()
    one.write_text(text)
    assert Predictions(folder=tmp_path).of(Case(number=4)).values == {"cycles": 40.0}
    assert ASKED == [4, 4]


def test_a_folder_that_takes_nothing_costs_no_result(tmp_path):
    (tmp_path / "file").write_text("")
    kept = Predictions(folder=tmp_path / "file" / "predictions")
    assert kept.of(Case(number=4)).values == {"cycles": 40.0}
    assert (kept.found, kept.made) == (0, 0)
    assert "Not a directory" in kept.problem


def test_what_content_is_not_known_is_no_key():
    with pytest.raises(TypeError, match="is not known"):
        fingerprint(object())
    assert fingerprint((1, 2)) != fingerprint((12,))
    assert fingerprint({"a": 1}, 2) != fingerprint({"a": 1, "b": 2})
    assert fingerprint(1) != fingerprint(1.0) != fingerprint("1")


@pytest.mark.parametrize("campaign", ["timing", "configured", "microbench", "counters"])
def test_every_kind_of_case_has_a_key(campaign):
    """The cases of the H200's captures: what they hold is what a key is made of."""
    cases = captured_cases(read_capture(folder("validate") / "captures" / "h200" / f"{campaign}-pycuda.json"))
    kinds = {type(case): case for case in cases if isinstance(case, MeasuredCase) and case.group != "cublas"}
    assert len({key(case) for case in kinds.values()}) == len(kinds) > 0


def captured(*numbers):
    machine = {"device": "NVIDIA T4", "compute_capability": [7, 5]}
    cases = {f"case/{n}": Record(status="ran", inputs="x", measured={"cycles": 11.0 * n}) for n in numbers}
    return Capture(campaign="timing", settings={}, machine=machine, date="", simtc="", cases=cases)


def test_an_interrupted_replay_keeps_what_was_finished(tmp_path, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    numbers, kept, said = (1, 2, 99, 3), Predictions(folder=tmp_path), []
    with pytest.raises(KeyboardInterrupt):
        replay(captured(*numbers), cases=[Case(number=n) for n in numbers], predictions=kept)
    assert kept.made >= 2
    ASKED.clear()
    again = Predictions(folder=tmp_path)
    found = replay(
        captured(1, 2), cases=[Case(number=n) for n in (1, 2)], predictions=again,
        progress=lambda done, total: said.append((done, total)),
    )  # fmt: skip
    assert (ASKED, again.found) == ([], 2)
    assert [point.predicted for point in found.points] == [10.0, 20.0]
    assert said[-1] == (2, 2)


def test_one_file_a_prediction(tmp_path):
    kept = Predictions(folder=tmp_path)
    for number in (1, 2, 1):
        kept.of(Case(number=number))
    assert [path.suffix for path in Path(tmp_path).iterdir()] == [".json", ".json"]
