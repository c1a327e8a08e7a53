"""How a lesson's cells are run."""

from __future__ import annotations

import ast

import pytest


@pytest.fixture(scope="session")
def run_cells():
    """Run a lesson's code cells in one namespace, as a kernel would, and return what each shows."""

    def run(lesson):
        names, shown = {"__name__": lesson.name}, []
        for cell in lesson.cells:
            if not cell.code:
                continue
            tree = ast.parse(cell.text)
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, lesson.name, "exec"), names)  # noqa: S102 - a lesson of this repository
            if last is not None:
                value = eval(compile(ast.Expression(last.value), lesson.name, "eval"), names)  # noqa: S307
                shown.append(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
        return shown

    return run
