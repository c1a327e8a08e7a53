"""Every card, and the one that a word means."""

from __future__ import annotations

from functools import cache
from typing import Any

from simtc.errors import BadInputError, nearest
from simtc.report.cards.card import Card
from simtc.report.cards.constants import constant_cards
from simtc.report.cards.opcodes import opcode_cards
from simtc.report.cards.read import read_table

__all__ = ["all_cards", "card"]

_TABLES = {"causes": "stall cause", "resources": "resource", "glossary": "term"}


def all_cards() -> tuple[Card, ...]:
    """Return every card: causes, resources, words, opcodes, constants."""
    return (*_words(), *_constants())


@cache
def _words() -> tuple[Card, ...]:
    written = [_written(word, kind, row) for table, kind in _TABLES.items() for word, row in read_table(table).items()]
    return (*written, *opcode_cards())


@cache
def _constants() -> tuple[Card, ...]:
    return tuple(constant_cards())  # apart: twenty files are read for them


def _written(word: str, kind: str, row: dict[str, Any]) -> Card:
    parts: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return Card(word=word, kind=kind, **parts)


def card(word: str) -> Card:
    """Return the card of a word: as it stands, in any case, an instruction by its opcode, a constant by its last name.

    Raises:
        BadInputError: there is none, or a constant's last name is that of several.

    Example:
        >>> card("long_scoreboard").kind, card("hmma.1688").word, card("l2_hit_cycles").kind
        ('stall cause', 'HMMA', 'constant')

    """
    wanted = word.strip().lower()
    spellings = {wanted, wanted.removesuffix("s"), wanted.removeprefix("the ")}
    found = [one for one in _words() if one.word == word.strip()]  # MEMBAR is an opcode, membar a stall cause
    found += [one for one in _words() if one.word.lower() in spellings]
    found += [one for one in _words() if one.kind == "opcode" and one.word.lower() == wanted.split(".")[0]]
    if found:
        return found[0]
    last = [one for one in _constants() if one.word.lower() == wanted]
    last = last or [one for one in _constants() if one.word.lower().endswith(f".{wanted}")]
    if len(last) == 1:
        return last[0]
    if last:
        names = ", ".join(one.word for one in last[:6])
        raise BadInputError(
            f"{word!r} is the name of {len(last)} constants: {names}, ... Try: simtc explain {last[0].word}"
        )
    cards = all_cards()
    guess = nearest(word, (one.word for one in cards))
    hint = f"; did you mean {guess!r}?" if guess else "."
    raise BadInputError(
        f"no card for {word!r}: there are {len(cards)}, of stall causes, resources, terms, opcodes and constants{hint} "
        "Try: simtc explain --list"
    )
