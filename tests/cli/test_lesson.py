"""`simtc lesson` as a user types it."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec

import pytest

from simtc.cli import main
from simtc.report.lessons import LESSONS, lesson
from simtc.report.lessons.notebook import notebook_json

HAS_JUPYTER = all(map(find_spec, ("nbclient", "nbconvert", "ipykernel")))


@pytest.fixture
def simtc(monkeypatch, capsys):
    def run(*words):
        monkeypatch.setattr(sys, "argv", ["simtc", "lesson", *map(str, words)])
        with pytest.raises(SystemExit) as exit_:
            main()
        return (exit_.value.code or 0, *capsys.readouterr())

    return run


def test_list(simtc):
    code, out, err = simtc()
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines() if not line.startswith(" ")] == list(LESSONS)
    found = json.loads(simtc("--json")[1])
    assert found["schema"] == "simtc.lesson/1"
    assert found["lessons"][2]["questions"] == list(lesson("banks").questions)


def test_export(simtc, tmp_path):
    for ending, text in ((".ipynb", notebook_json(lesson("bits"))), (".md", lesson("bits").source)):
        assert simtc("bits", "--output", tmp_path / f"bits{ending}") == (0, "", "")
        assert (tmp_path / f"bits{ending}").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["bank"], "did you mean 'banks'? Try: simtc lesson"),
        (["banks", "--output", "banks.pdf"], "the name must end in .ipynb, .md, .html"),
        (["banks", "--output", "no folder/banks.md"], "there is no folder"),
        (["banks", "--slides"], "--slides has no effect without --output"),
        (["banks", "--slides", "--output", "banks.md"], "--slides makes HTML: --output banks.html"),
        (["banks", "--json"], "--json has no effect"),
        (["--output", "banks.md"], "--out has no effect without the name of a lesson"),
    ],
)
def test_bad_lines(simtc, words, said):
    code, out, err = simtc(*words)
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.skipif(HAS_JUPYTER, reason="the extra is installed")
def test_the_extra_is_missing(simtc, tmp_path):
    code, _, err = simtc("banks", "--output", tmp_path / "banks.html")
    assert code == 3
    assert "pip install 'simtc[notebook]'" in err
    assert not list(tmp_path.iterdir())


def test_open(simtc, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("simtc.cli.lesson.find_spec", lambda _: None)
    code, _, err = simtc("banks")
    assert code == 3
    assert "pip install jupyterlab, or: simtc lesson banks --output banks.html" in err
    assert not list(tmp_path.iterdir())
    started = []
    monkeypatch.setattr("simtc.cli.lesson.find_spec", lambda name: name == "notebook" or None)
    monkeypatch.setattr(
        "subprocess.run", lambda words, check: started.append(words[1:]) or type("Done", (), {"returncode": check})
    )
    assert simtc("banks")[0] == 0
    mine = tmp_path / "banks.ipynb"
    mine.write_text(mine.read_text(encoding="utf-8").replace("guess = ...", "guess = 2"), encoding="utf-8")
    assert "opened as it is" in simtc("banks")[2]
    assert "guess = 2" in mine.read_text(encoding="utf-8")
    assert started == [["-m", "notebook", "banks.ipynb"]] * 2
