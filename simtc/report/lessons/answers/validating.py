"""Questions of the lesson on validating."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from simtc.errors import MissingToolError
from simtc.report.lessons.question import Question
from simtc.resources import folder
from simtc.validate.capture import Capture, read_capture
from simtc.validate.compare import Replay, replay

__all__ = ["QUESTIONS"]

_KIND = ".f32.f16.f16.f32/"


@cache
def _capture() -> Capture:
    whole = read_capture(folder("validate") / "captures" / "h200" / "numerics-pycuda.json")
    kept = {name: record for name, record in whole.cases.items() if name.startswith("m16n8k") and _KIND in name}
    return replace(whole, cases=kept)


@cache
def _replayed() -> Replay:
    return replay(_capture())


def _altered() -> int:
    """Return how many cases differ once one digest is not what the chip gave."""
    capture = _capture()
    name, record = next(iter(capture.cases.items()))
    return len(replay(replace(capture, cases={**capture.cases, name: replace(record, result="0" * 64)})).differing)


def _judge(given: str) -> str | None:
    """Take a command that replays a capture with no GPU."""
    words = given.split()
    if words[:2] != ["simtc", "compare"]:
        return "the command is not one that compares a capture with simtc"
    if len(words) != 3 or not words[2].endswith(".json"):
        return "the command needs one file, the capture's"
    return None


QUESTIONS = (
    Question(
        name="exit_code",
        answer=lambda: MissingToolError.exit_code,
        hint="simtc --help lists the exit codes: 0 is done, 1 differs, 2 is bad input.",
    ),
    Question(
        name="elements",
        answer=lambda: _replayed().elements,
        hint="The replay says it in its first line.",
    ),
    Question(
        name="altered",
        answer=_altered,
        hint="One digest was changed: how many cases hold that digest?",
    ),
    Question(
        name="command",
        answer=lambda: "simtc compare numerics-mine.json",
        hint="simtc --help lists the verbs, and one of them replays a capture.",
        judge=_judge,
        wants="a command line in quotes",
    ),
)
