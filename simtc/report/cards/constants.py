"""Cards of constants: what the chips' data say of each, and its value on every chip that has it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from simtc import arch
from simtc.arch import Constant
from simtc.arch.device import Device
from simtc.arch.generation import Sm
from simtc.arch.unit_tables import CLOCK
from simtc.report.cards.card import Card
from simtc.timing.declared import declared

__all__ = ["constant_cards"]

_BAR = 24  # characters of the longest bar
_FIELD = re.compile(r"^    (\w+): [^#\n]*?(?:  # (.*))?$", re.MULTILINE)


def constant_cards() -> list[Card]:
    """Return a card for every constant that a board or a generation has."""
    found: dict[str, dict[str, Constant]] = {}
    for name in arch.sm_names():
        for path, constant in arch.sm(name).constants.items():
            found.setdefault(path, {})[name] = constant
    for name in arch.device_names():
        board = arch.device(name)
        shared = board.cycle_level.constants if board.cycle_level else {}
        for path, constant in board.constants.items():
            if path not in shared or shared[path] is not constant:  # what boards share is their SM's
                found.setdefault(path, {})[name] = constant
    return [_card(path, chips) for path, chips in sorted(found.items())]


def _card(path: str, chips: Mapping[str, Constant]) -> Card:
    one = next(iter(chips.values()))
    root = Sm if any(name in arch.sm_names() for name in chips) else Device
    meaning = _meaning(root, path)
    sources = sorted({f"{constant.source}: {constant.citation}" for constant in chips.values()})
    return Card(
        word=path,
        kind="constant",
        what=f"A constant of {'an SM generation' if root is Sm else 'a board'}, in {one.unit}{meaning}.",
        picture=tuple(_bars(chips)),
        caption="; ".join(sources),
        where="chips.md#what-a-status-means",
    )


def _bars(chips: Mapping[str, Constant]) -> list[str]:
    """Return a line a chip: name, bar, value, status, source."""
    numbers = [c.value for c in chips.values() if not isinstance(c.value, tuple)]
    most = max((abs(number) for number in numbers), default=0)
    width = max(map(len, chips))
    lines = []
    for name, constant in chips.items():
        value = constant.value
        bar = "" if isinstance(value, tuple) or not most else "#" * round(_BAR * abs(value) / most)
        shown = " ".join(map(str, value)) if isinstance(value, tuple) else f"{value:g}" if value < 1e6 else f"{value}"
        line = f"{name:<{width}}  {bar:<{_BAR}}  {shown:>8}  {constant.status}, {constant.source}"
        lines.append(line + (f" ({constant.note})" if constant.note else ""))
    return lines


def _meaning(root: type, path: str) -> str:
    """Return what the comments of the sections say of the fields along a path, as the end of a sentence."""
    if path.startswith(CLOCK):
        return f": {declared()[path]}"
    words, hint, rest = [], root, path
    while rest:
        if get_origin(hint) is Mapping:  # names of instructions may contain dots
            hint = get_args(hint)[1]
            inside = set(_comments(hint)) if is_dataclass(hint) else set()
            name, _, rest = rest.rpartition(".") if rest.rpartition(".")[2] in inside else (rest, "", "")
            words.append(f"of {name}")
            continue
        if not is_dataclass(hint):
            break
        name, _, rest = rest.partition(".")
        field_hints: dict[str, Any] = get_type_hints(hint)
        if name not in field_hints:
            break
        comment = _comments(hint).get(name, "")
        hint = field_hints[name]
        words += [comment] if comment and get_origin(hint) is not Mapping else []
    return f": {'; '.join(words)}" if words else ""


@cache
def _comments(section: type) -> dict[str, str]:
    """Return the comment behind each field of a dataclass."""
    return {name: comment or "" for name, comment in _FIELD.findall(inspect.getsource(section))}
