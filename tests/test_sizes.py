"""No file has more lines than a reader takes in at a sitting, and no compiled function more parameters than a call."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted(path for room in ("simtc", "validate") for path in (ROOT / room).rglob("*.py"))
COMPILED = ("jit(", "compiled(")


def too_long(paths, most=300):
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    return {str(path.relative_to(ROOT)): lines for path, lines in lengths.items() if lines > most}


def too_many_parameters(text, most=8):
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    declared = [one for one in functions if any(ast.unparse(by).startswith(COMPILED) for by in one.decorator_list)]
    return [one.name for one in declared if len(one.args.args) > most]


def test_no_file_has_more_than_300_lines():
    assert len(SOURCES) > 400
    assert too_long(SOURCES) == {}


def test_no_compiled_function_takes_more_than_8_parameters():
    assert too_many_parameters("@jit(x)\ndef f(a, b, c, d, e, f, g, h, i): ...") == ["f"]
    found = {str(path.relative_to(ROOT)): too_many_parameters(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert {path: names for path, names in found.items() if names} == {}
