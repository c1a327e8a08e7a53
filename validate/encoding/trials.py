"""Words that the whole table is tried on: known ones, known ones with changed bits, and a walk over every row."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from row import FREE
from words import FORM, plain_control, shipped, words_of

from simtc.sass.decoder.table import Block, Encoding, Field, table

__all__ = ["home_of", "known", "legal_states", "mutated", "put", "walk"]

_HOMES, _STATES, _PAIRS = 2, 48, 12  # words a row, states of a block, pairs of states of two blocks
_REGISTERS = ("R", "UR", "P", "UP", "B", "SB")


def known(corpus: Path, sm: int) -> tuple[list[int], list[int]]:
    """Return the words of a generation's listings, and those that corpus.py compiled for it."""
    return sorted(shipped(sm)), sorted(words_of(corpus / f"sm_{sm}", plain=False))


def mutated(words: list[int], count: int, seed: int = 1) -> list[int]:
    """Return words with one to four bits changed, anywhere in the 128."""
    draw = random.Random(seed)
    found = []
    for _ in range(count):
        word = draw.choice(words)
        for _ in range(draw.choice((1, 1, 2, 3, 4))):
            word ^= 1 << draw.randrange(128)
        found.append(word)
    return found


def walk(sm: int, words: list[int], seed: int) -> Iterator[int]:
    """Yield for every row of a generation words that show whether what was learnt apart also holds together.

    Around known words of the row: every state of every block, alone and with every bit that the row does not read
    changed; pairs of states of two blocks; every field with its first, last and half-way value in every state.
    """
    draw = random.Random(seed)
    forms: dict[int, list[int]] = defaultdict(list)
    for word in words:
        forms[word & FORM].append(plain_control(word))
    for row in table(sm):
        mine = sorted({word for word in forms[row.value & FORM] if word & row.mask == row.value})
        for home in draw.sample(mine, min(_HOMES, len(mine))) or [home_of(row)]:
            yield from _around(row, home, draw)


def _around(row: Encoding, home: int, draw: random.Random) -> Iterator[int]:
    read = {bit for one in (*row.fields, *row.blocks) for bit in one.bits}
    free = [bit for bit in FREE if not row.mask >> bit & 1 and bit not in read]
    states = [_legal(block, draw) for block in row.blocks]
    chosen = [(block, key) for block, keys in zip(row.blocks, states, strict=True) for key in keys]
    for word in dict.fromkeys([home, *(put(row, block, key, home) for block, key in chosen)]):
        yield word
        yield from (word ^ 1 << bit for bit in free)
        for one in row.fields:
            ones = (1 << len(one.bits)) - 1
            yield from (_set(one, raw, word) for raw in (0, ones, ones >> 1, ones ^ ones >> 1, draw.getrandbits(64)))
    for one, two in itertools.combinations(range(len(row.blocks)), 2):
        pairs = list(itertools.product(states[one], states[two]))
        for first, second in draw.sample(pairs, min(_PAIRS, len(pairs))):
            yield put(row, row.blocks[two], second, put(row, row.blocks[one], first, home))


def _legal(block: Block, draw: random.Random) -> list[tuple[int, ...]]:
    legal = legal_states(block)
    return draw.sample(legal, min(_STATES, len(legal)))


def legal_states(block: Block) -> list[tuple[int, ...]]:
    """Return the states of a block that the table has, each as the states of its digits."""
    keys = itertools.product(*map(range, block.radices))
    return [key for key, state in zip(keys, block.states, strict=True) if state is not None]


def home_of(row: Encoding) -> int:
    """Return a word of a row: the first state of every block that the table has."""
    word = plain_control(row.value)
    for block in row.blocks:
        word = put(row, block, legal_states(block)[0], word)
    return word


def put(row: Encoding, block: Block, key: tuple[int, ...], word: int) -> int:
    """Set the digits of a block, where the width of their fields allows it."""
    for bit, state in zip(block.bits, key[: len(block.bits)], strict=True):
        word = word & ~(1 << bit) | state << bit
    for number, state in zip(block.fields, key[len(block.bits) :], strict=True):
        one = row.fields[number]
        ones = (1 << len(one.bits)) - 1
        raw = (ones if state else ones >> 1) if one.kind in _REGISTERS else (ones >> 1 ^ 2, 0, 1, 4, ones)[state]
        word = _set(one, raw, word)
    return word


def _set(one: Field, raw: int, word: int) -> int:
    raw ^= -1 if one.inverted else 0
    for place, bit in enumerate(one.bits):
        word = word & ~(1 << bit) | (raw >> place & 1) << bit
    return word
