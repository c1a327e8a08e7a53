"""The API reference as Markdown, made of what the public names say of themselves."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Iterable
from importlib import import_module
from typing import Any

import simtc

__all__ = ["ROOMS", "reference"]

# What a user imports from, beside `simtc` itself; the public names of a room are its `__all__`.
ROOMS = {
    "simtc.layout": "where data lives: fragments, 8x8 matrices, tiles, banks",
    "simtc.arch": "chips as data",
    "simtc.results": "what a launch gives",
    "simtc.results.prediction": "what a simulation gives",
    "simtc.results.timeline": "what each warp did",
    "simtc.results.display": "how every result shows itself",
    "simtc.isa": "instructions, kernels, programs",
    "simtc.gemm": "the kernels that ship",
    "simtc.run.solve": "a shipped GEMM over arrays",
    "simtc.run.compare": "two runs side by side",
    "simtc.gpu": "the GPU at hand",
    "simtc.validate.capture": "what a chip gave",
    "simtc.validate.compare": "a capture beside simtc",
    "simtc.reproduce.reproduce": "published tables and figures beside simtc's own",
    "simtc.analytic.roofline": "the roofline of a board",
    "simtc.report.lessons": "lessons, and their graded answers",
    "simtc.report.cards": "what a word means",
    "simtc.errors": "what simtc raises",
}
_HEAD = """# API reference

Made by `python sass_notes/build.py` from what the code says of itself; a test holds both together. `dir(simtc)` has the
names of the first part. Every result has a short `repr`, a table in a notebook (`_repr_html_`), `columns()`, and
`to_frame()` where pandas is installed; layouts, bank maps, timelines and charts have `to_svg()`.
"""
_SECTION = re.compile(r"^(Args|Returns|Yields|Raises|Example|Examples):\s*$|^(Source): *", re.MULTILINE)


def reference() -> str:
    """Return the reference: the names of `simtc`, then those of each room."""
    parts = [_HEAD, "## simtc\n", f"{_sentence(simtc)}\n", *_entries("simtc", simtc.__all__)]
    for room, what in ROOMS.items():
        module = import_module(room)
        parts += [f"## {room}\n", f"{what[0].upper()}{what[1:]}.\n", *_entries(room, module.__all__)]
    return "\n".join(parts)


def _entries(room: str, names: Iterable[str]) -> Iterable[str]:
    for name in sorted(names, key=str.lower):
        found = inspect.unwrap(getattr(import_module(room), name))  # what remembers its results is a function too
        if inspect.isclass(found):
            yield from _class(name, found)
        elif inspect.isfunction(found):
            yield f"### `{name}`\n\n```python\n{name}{_signature(found)}\n```\n"
            yield _body(found)
        # a constant or a type's other name says itself, where it is defined


def _class(name: str, found: type) -> Iterable[str]:
    yield f"### `{name}`\n"
    yield _body(found)
    lines = []
    for member, value in sorted(vars(found).items()):
        if member.startswith("_") or member in getattr(found, "__slots__", ()):
            continue
        if isinstance(value, property):
            lines.append(f"- `{member}`: {_sentence(value)}")
        elif inspect.isfunction(value) and value.__doc__:
            lines.append(f"- `{member}{_signature(value)}`: {_sentence(value)}")
    if lines:
        yield "\n".join(lines) + "\n"


class _Written:
    """An annotation that is shown as it is written."""

    def __init__(self, text: Any) -> None:
        self.text = text if isinstance(text, str) else inspect.formatannotation(text)

    def __repr__(self) -> str:
        return self.text


def _signature(function: Any) -> str:
    """Return the signature as it is written, without self."""
    found, empty = inspect.signature(function), inspect.Parameter.empty
    given = [
        one if one.annotation is empty else one.replace(annotation=_Written(one.annotation))
        for one in found.parameters.values()
        if one.name != "self"
    ]
    returned = found.return_annotation if found.return_annotation is empty else _Written(found.return_annotation)
    return str(found.replace(parameters=given, return_annotation=returned))


def _sentence(found: Any) -> str:
    doc = inspect.getdoc(found) or ""
    return " ".join(doc.split("\n\n")[0].split())


def _body(found: Any) -> str:
    """Return a docstring as Markdown: its sections as headings in bold, its examples as code with results behind #."""
    doc = inspect.getdoc(found) or ""
    if doc.startswith(f"{getattr(found, '__name__', '')}("):
        return ""  # what a dataclass says of itself where nobody wrote more
    parts, kind = [], ""
    for place, piece in enumerate(_SECTION.split(doc)):
        if place % 3:  # the name of a section, by either pattern
            kind = piece or kind
            continue
        if not piece.strip():
            continue
        if kind in ("Example", "Examples"):
            parts.append(_example(inspect.cleandoc(piece)))
        elif kind in ("Args", "Raises"):
            parts.append(f"{kind}:\n\n{_list(inspect.cleandoc(piece))}")
        else:
            parts.append((f"{kind}: " if kind else "") + inspect.cleandoc(piece))
    return "\n\n".join(parts) + "\n"


def _list(text: str) -> str:
    """Return `name: what` lines as a list; what is indented goes on."""
    entries: list[str] = []
    for line in text.splitlines():
        if line.startswith(" ") and entries:
            entries[-1] += f" {line.strip()}"
        elif line.strip():
            name, _, what = line.partition(":")
            entries.append(f"- `{name}`:{what}")
    return "\n".join(entries)


def _example(text: str) -> str:
    lines = []
    for one in doctest.DocTestParser().get_examples(text):
        lines += [re.sub(r"\s*# doctest:.*", "", one.source).rstrip()]
        lines += [f"# {line}" for line in one.want.splitlines()]
    return "\n".join(["```python", *lines, "```"])
