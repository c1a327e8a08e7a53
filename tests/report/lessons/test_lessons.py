"""Lessons say what their notebooks say, ask what they can grade, and run from the first cell to the last."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from simtc.errors import BadInputError, SimtcError
from simtc.report.lessons import LESSONS, lesson
from simtc.report.lessons.lesson import Lesson
from simtc.report.lessons.notebook import notebook, notebook_json

FOLDER = Path(__file__).resolve().parents[3] / "sass_notes" / "lessons"
HAS_JUPYTER = all(map(find_spec, ("nbclient", "nbconvert", "ipykernel")))


@pytest.mark.parametrize("name", LESSONS)
def test_the_notebook_is_the_lesson(name):
    written = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    assert written == notebook_json(lesson(name)), "out of date: python sass_notes/build.py"


def test_every_file_is_a_lesson():
    assert {path.stem for path in FOLDER.glob("*.md")} == set(LESSONS) == {path.stem for path in FOLDER.glob("*.ipynb")}


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_has_its_parts_and_asks_what_it_can_grade(name):
    one = lesson(name)
    parts = ["Predict", "Run", "Explain", "Graded"]
    assert re.findall(r"^## (.*)$", one.source, re.MULTILINE) == parts
    assert re.findall(r'here\.check\("(\w+)"', one.source) == list(one.questions)
    predict = one.source.partition("## Run")[0]
    assert f'here.check("{next(iter(one.questions))}", guess)' in predict
    assert max(map(len, one.source.splitlines())) <= 150


def test_cells_are_the_markdown_again():
    one = lesson("banks")
    again = "\n\n".join(f"```python\n{cell.text}\n```" if cell.code else cell.text for cell in one.cells)
    assert again.split() == one.source.split()
    made = notebook(one)
    assert [cell["id"] for cell in made["cells"]] == [f"banks-{number}" for number in range(len(one.cells))]
    assert not any(cell.get("outputs") for cell in made["cells"])


def test_a_lesson_that_does_not_exist():
    with pytest.raises(BadInputError, match=r"did you mean 'banks'\? Try: simtc lesson"):
        lesson("bank")
    with pytest.raises(BadInputError, match=r"unknown question of lesson banks 'stride'.*did you mean 'stride_6'"):
        lesson("banks").check("stride", 2)


@pytest.mark.skipif(HAS_JUPYTER, reason="the next test runs the same cells in a kernel")
@pytest.mark.parametrize("name", LESSONS)
def test_it_runs(name, run_cells):
    shown = run_cells(lesson(name))
    assert shown
    begun = name == "banks"  # which has one cell with an answer that is not right yet
    assert sum("no answer yet" in one for one in shown) == len(lesson(name).questions) - begun
    assert not any("> right</p>" in one or ": right" in one for one in shown), "a lesson gives no answer away"


@pytest.mark.skipif(not HAS_JUPYTER, reason="needs the extra: pip install 'simtc[notebook]'")
def test_they_run_in_jupyter(monkeypatch):
    """One kernel for all, emptied between two lessons: it loads the compiled simulator once."""
    import nbformat  # noqa: PLC0415 - optional
    from nbclient import NotebookClient  # noqa: PLC0415

    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")  # or Jupyter warns of where its folders will be
    monkeypatch.setenv("SIMTC_HAZARDS", "note")
    made = notebook(lesson(LESSONS[0])) | {"cells": []}
    empty = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": "%reset -f"}
    for name in LESSONS:
        made["cells"] += [*notebook(lesson(name))["cells"], empty | {"id": f"{name}-end"}]
    done = nbformat.reads(json.dumps(made), as_version=4)
    NotebookClient(done, timeout=600, kernel_name="python3").execute()
    outputs = [output for cell in done.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not any(output.output_type == "error" for output in outputs)
    pages = [output.data["text/html"] for output in outputs if "text/html" in output.get("data", {})]
    asked = sum(len(lesson(name).questions) for name in LESSONS)
    assert sum("no answer yet" in page for page in pages) == asked - 1  # banks begins one for you
    assert sum("<svg" in page for page in pages) > 8
    assert any("color:#b3261e" in page for page in pages)


@pytest.mark.skipif(not HAS_JUPYTER, reason="needs the extra: pip install 'simtc[notebook]'")
def test_a_page_needs_no_network(monkeypatch):
    from simtc.report.lessons.export import lesson_html  # noqa: PLC0415 - optional

    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    source = "# A page\n\nOf one cell.\n\n```python\nprint(6 * 7)\n```\n"
    page = lesson_html(Lesson(name="page", source=source, questions={}))
    assert "42" in page
    assert not re.findall(r'<(?:script|link)[^>]*(?:src|href)="https?:', page)
    with pytest.raises(SimtcError, match="lesson page ended in an error: NameError: name 'six' is not defined"):
        lesson_html(Lesson(name="page", source=source.replace("6", "six"), questions={}))
    assert "reveal" in lesson_html(Lesson(name="page", source=source, questions={}), slides=True)
