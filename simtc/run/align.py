"""Lines of two versions of a source that are the same line, by their text: an inserted line moves no other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import PurePath
from typing import Any

__all__ = ["aligned"]

Line = Mapping[str, Any]  # of `by_line`: source, code, and what was counted
_ALIKE = 0.6  # from this ratio on, of the longest common parts, a changed line is taken for the same one


def aligned(first: Sequence[Line], second: Sequence[Line]) -> list[tuple[Line | None, Line | None]]:
    """Pair the lines of two runs' sources; a line that only one has is alone.

    Lines whose text is not known are the same where file and number are.

    Example:
        >>> one = [{"source": ["k.cu", n], "code": code} for n, code in ((1, "a = 1;"), (2, "b[i] = a;"))]
        >>> more = ((1, "a = 1;"), (2, "c();"), (3, "b[i + 1] = a;"))
        >>> two = [{"source": ["k.cu", n], "code": code} for n, code in more]
        >>> [(x and x["source"][1], y and y["source"][1]) for x, y in aligned(one, two)]
        [(1, 1), (None, 2), (2, 3)]

    """
    one, two = _by_file(first), _by_file(second)
    if len(one) == len(two) == 1:  # a copy of the file may have another name
        return list(_pairs(*one.values(), *two.values()))
    names = dict.fromkeys([*one, *two])
    return [pair for name in names for pair in _pairs(one.get(name, []), two.get(name, []))]


def _by_file(lines: Sequence[Line]) -> dict[str, list[Line]]:
    files: dict[str, list[Line]] = {}
    for line in sorted(lines, key=lambda line: tuple(line["source"])):
        files.setdefault(PurePath(line["source"][0]).name, []).append(line)
    return files


def _pairs(first: list[Line], second: list[Line]) -> Iterator[tuple[Line | None, Line | None]]:
    one, two = ([_text(line) for line in lines] for lines in (first, second))
    for kind, a, b, c, d in SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from zip(first[a:b], second[c:d], strict=True)
        else:
            yield from _changed(first[a:b], second[c:d])


def _changed(first: list[Line], second: list[Line]) -> Iterator[tuple[Line | None, Line | None]]:
    """Pair the lines of a stretch that was rewritten, in order: each with the next one that is much like it."""
    start = 0
    for line in first:
        ratios = [SequenceMatcher(None, _text(line), _text(other), autojunk=False).ratio() for other in second[start:]]
        best = max(ratios, default=0.0)
        if best < _ALIKE:
            yield line, None
            continue
        place = start + ratios.index(best)
        yield from ((None, other) for other in second[start:place])
        yield line, second[place]
        start = place + 1
    yield from ((None, other) for other in second[start:])


def _text(line: Line) -> str:
    return " ".join(line["code"].split()) or f"line {line['source'][1]}"
