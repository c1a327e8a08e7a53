"""A lesson as a page or as slides: its notebook is run, and nbconvert makes HTML of it."""

from __future__ import annotations

from typing import Any

from simtc.errors import MissingToolError, SimtcError
from simtc.report.lessons.lesson import Lesson
from simtc.report.lessons.notebook import notebook_json

__all__ = ["executed", "lesson_html"]

_SECONDS = 900  # that one cell may take: the first one that runs a kernel may have to compile the simulator
# What nbconvert would have a page fetch from elsewhere; a lesson has neither formulas nor widgets nor diagrams.
_FETCHED = ("mathjax_url", "require_js_url", "jquery_url", "mermaid_js_url", "widget_renderer_url")


def _require() -> None:
    try:
        import ipykernel  # noqa: F401, PLC0415 - looked for, not used
        import nbclient  # noqa: F401, PLC0415
        import nbconvert  # noqa: F401, PLC0415
    except ImportError as error:
        raise MissingToolError(
            f"a lesson as HTML needs {error.name}, which is not installed. Try: pip install 'simtc[notebook]', or "
            "--output with a name that ends in .ipynb or .md, which needs nothing"
        ) from None


def executed(lesson: Lesson) -> Any:
    """Return a lesson's notebook with outputs, as nbformat has it.

    Raises:
        MissingToolError: the extra `notebook` is not installed.
        SimtcError: a cell failed.

    """
    _require()
    import nbformat  # noqa: PLC0415 - optional
    from nbclient import NotebookClient  # noqa: PLC0415
    from nbclient.exceptions import CellExecutionError, DeadKernelError  # noqa: PLC0415

    made = nbformat.reads(notebook_json(lesson), as_version=4)
    try:
        NotebookClient(made, timeout=_SECONDS, kernel_name="python3").execute()
    except CellExecutionError as error:
        raise SimtcError(f"lesson {lesson.name} ended in an error: {error.ename}: {error.evalue}") from None
    except (DeadKernelError, TimeoutError) as error:
        raise SimtcError(f"lesson {lesson.name} did not end: {type(error).__name__}. Try: simtc lesson") from None
    return made


def lesson_html(lesson: Lesson, *, slides: bool = False) -> str:
    """Return a lesson, run, as one HTML page, or as slides.

    The page needs no network; slides load reveal.js from where nbconvert has it.

    Raises:
        MissingToolError: the extra `notebook` is not installed.
        SimtcError: a cell failed.

    """
    made = executed(lesson)
    from nbconvert import HTMLExporter, SlidesExporter  # noqa: PLC0415 - optional

    exporter = SlidesExporter() if slides else HTMLExporter()
    for name in _FETCHED:
        if exporter.has_trait(name) and not (slides and name in ("require_js_url", "jquery_url")):
            setattr(exporter, name, "")
    page: str = exporter.from_notebook_node(made, resources={"metadata": {"name": lesson.title}})[0]
    return page
