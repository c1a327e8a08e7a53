"""Cards: every cause, resource and opcode has one, links lead somewhere, and the terminal shows them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from simtc import arch
from simtc.errors import BadInputError
from simtc.isa.opcodes import opcodes
from simtc.report.cards import KINDS, Card, all_cards, card
from simtc.resources import folder
from simtc.results import Stall
from simtc.results.timeline import GLYPHS
from simtc.sass import load

NOTES = Path(__file__).resolve().parents[3] / "sass_notes"
SIMTC = (sys.executable, "-c", "from simtc.cli import main; main()")


def words(kind):
    return {one.word for one in all_cards() if one.kind == kind}


def simtc(*arguments):
    done = subprocess.run([*SIMTC, "explain", *arguments], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    return done


def test_everything_that_is_reported_has_a_card():
    assert words("stall cause") == {cause.name for cause in Stall}
    assert words("opcode") == set(opcodes())
    constants = {path for name in arch.sm_names() for path in arch.sm(name).constants}
    constants |= {path for name in arch.device_names() for path in arch.device(name).constants}
    assert words("constant") == constants
    assert len({one.word for one in all_cards()}) == len(all_cards())


def test_every_resource_that_limits_a_launch_has_a_card():
    source = (Path(sys.modules["simtc"].__file__).parent / "timing" / "reading.py").read_text(encoding="utf-8")
    named = set(re.findall(r'"((?:the )?[\w ]+ (?:pipe|port|L1|L2))"|"(issue|L2|DRAM)"', source))
    due = {(one or other).removeprefix("the ") for one, other in named}
    assert due == words("resource")


def test_opcodes_that_compilers_use_are_explained():
    used = set()
    for path in (folder("kernels") / "listings").rglob("*.sass"):
        used |= {one.opcode for kernel in load(path).values() for one in kernel.instructions}
    assert used <= words("opcode") == set(opcodes())


def test_links_lead_somewhere():
    known = {one.word.lower() for one in all_cards()}
    for one in all_cards():
        file, _, heading = one.where.partition("#")
        headings = re.findall(r"^#+ (.*)$", (NOTES / file).read_text(encoding="utf-8"), re.MULTILINE)
        anchors = {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}
        assert heading in anchors, (one.word, one.where)
        assert {word.lower() for word in one.see} <= known, one.word


@pytest.mark.parametrize("cause", Stall)
def test_a_picture_of_a_cause_shows_it(cause):
    lines = [line for line in card(cause.name).picture if line.startswith("warp")]
    letters = "".join(line[9:] for line in lines)
    assert GLYPHS[cause] in letters or cause is Stall.no_instruction
    assert set(letters) <= set(GLYPHS.values())


def test_a_constant_shows_what_the_chips_say():
    shown = "\n".join(card("pipes.alu.issue_interval_cycles").picture)
    for name in arch.sm_names():
        constant = arch.sm(name).constants["pipes.alu.issue_interval_cycles"]
        assert re.search(rf"^{name} .* {constant.value:g}  {constant.status}, {constant.source}", shown, re.MULTILINE)
    assert "between two warp-instructions" in card("pipes.alu.issue_interval_cycles").what


def test_words_are_found_as_people_write_them():
    assert card("Long_Scoreboard").kind == "stall cause"
    assert card("HMMA.16816.F32").word == "HMMA"
    assert card("the tensor pipe").word == "tensor pipe"
    assert card("banks").word == "bank"
    assert [card(word).kind for word in ("membar", "MEMBAR")] == ["stall cause", "opcode"]
    assert card("l2_hit_cycles").kind == "constant"
    assert card("issue.scoreboards").word == "issue.scoreboards"  # and not the resource


@pytest.mark.parametrize(
    ("word", "answer"),
    [
        ("long_scorebord", "did you mean 'long_scoreboard'?"),
        ("issue_interval_cycles", "is the name of 4"),
        ("", "no card for ''"),
    ],
)
def test_an_unknown_word_is_one_clear_line(word, answer):
    with pytest.raises(BadInputError, match=re.escape(answer)):
        card(word)


def test_a_card_says_what_its_word_is():
    with pytest.raises(ValueError, match="described wrongly"):
        Card(word="x", kind="nothing", what="y")


def test_the_terminal_shows_a_card():
    done = simtc("long_scoreboard")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == card("long_scoreboard").to_text()
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert simtc("tensor", "pipe").stdout.startswith("tensor pipe (resource)\n")


def test_the_terminal_gives_json_and_lists():
    values = json.loads(simtc("HMMA", "--json").stdout)
    assert next(iter(values)) == "schema"
    assert values["schema"] == "simtc.explain/1"
    assert values["kind"] == "opcode"
    listed = json.loads(simtc("--list", "--kind", "stall cause", "--json").stdout)
    assert [one["word"] for one in listed["words"]] == [cause.name for cause in Stall]
    assert "stall cause: selected, wait, " in simtc("--list").stdout


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ((), "explain what?"),
        (("--list", "HMMA"), "--list takes no word"),
        (("HMMA", "--kind", "opcode"), "--kind is for --list"),
        (("--list", "--kind", "opcod"), "did you mean 'opcode'?"),
        (("nonsense_word",), "no card for 'nonsense_word'"),
    ],
)
def test_wrong_use_is_one_clear_line(arguments, answer):
    done = simtc(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert answer in done.stderr
    assert done.stderr.count("\n") == 1


def test_kinds_are_those_of_the_lookup():
    assert {one.kind for one in all_cards()} == set(KINDS)
