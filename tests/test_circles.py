"""No file needs, to be imported, a file that needs it: a reader can begin at the bottom of any list of imports."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def imports(text, known):
    """Return the modules among `known` that a source asks for to be imported, not those that its functions ask for."""
    found = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module} | {f"{node.module}.{one.name}" for one in node.names}
    return found & known


def graph(sources):
    return {name: imports(text, set(sources)) - {name} for name, text in sources.items()}


def test_no_circle_of_imports():
    sources = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in (ROOT / "simtc").rglob("*.py")
        if path.name != "__init__.py"
    }
    assert len(sources) > 400
    found = graph(sources)
    assert "simtc.timing.units.l1" in found["simtc.timing.pipeline"]
    TopologicalSorter(found).prepare()


def test_a_circle_is_found():
    circle = {"a.b": "from a import c\n", "a.c": "import a.d\n", "a.d": "from a.b import x\n"}
    with pytest.raises(CycleError):
        TopologicalSorter(graph(circle)).prepare()
