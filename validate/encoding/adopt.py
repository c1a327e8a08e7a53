"""Rows of one generation tried on another, and the control codes that each row may have."""

from __future__ import annotations

import pickle
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from oracle import CONTROL, Oracle
from row import Block, Row

__all__ = ["adopted", "control_codes"]

FORM = 0xFFF | 1 << 91
_MOST = 256


def own_word(row: Row) -> int:
    """Return a word of the row with every digit as in the word it was learnt from."""
    word = row.region.value | CONTROL
    for block in row.blocks:
        word = _put(block, block.base, word)
    return word


def _put(block: Block, key: tuple[int, ...], word: int) -> int:
    for digit, state in zip(block.digits, key, strict=True):
        mask, bits = digit.states[state]
        word = word & ~mask | bits
    return word


def _trials(row: Row) -> Iterator[int]:
    """Yield words that try every state of every block, and random ones."""
    draw = random.Random(row.region.value)
    home = own_word(row)
    yield home
    for block in row.blocks:
        keys = list(block.table)
        for key in keys if len(keys) <= _MOST else draw.sample(keys, _MOST):
            yield _put(block, key, home)
    for _ in range(200):
        word = home
        for block in draw.sample(row.blocks, draw.choice((1, 3, 8, len(row.blocks))) % (len(row.blocks) + 1)):
            legal = [key for key, entry in block.table.items() if entry is not None]
            word = _put(block, draw.choice(legal), word)
        for one in row.fields:
            if draw.random() < 0.5:
                word = one.put(word, draw.getrandbits(len(one.bits)))
        yield word


def adopted(oracle: Oracle, path: Path, samples: dict[int, list[int]]) -> dict[int, list[Row]]:
    """Return, by form, the rows of another generation that this one's nvdisasm agrees with in every trial."""
    forms: dict[int, list[Row]] = defaultdict(list)
    for row in pickle.loads(path.read_bytes()):
        forms[row.region.value & FORM].append(row)
    trials = {id(row): list(_trials(row)) for rows in forms.values() for row in rows}
    oracle.ask([word for words in trials.values() for word in words])
    kept = {}
    for form, rows in forms.items():
        same = all(row.text(word) == oracle.known[word] for row in rows for word in trials[id(row)])
        if same and not any(row.open for row in rows) and _cover(rows, oracle, samples.get(form, [])):
            kept[form] = rows
    return kept


def _cover(rows: list[Row], oracle: Oracle, words: list[int]) -> bool:
    texts = oracle.ask(words)
    for word, text in zip(words, texts, strict=True):
        row = next((row for row in rows if row.region.holds(word)), None)
        if row is None or row.text(word) != text:
            return False
    return True


def control_codes(oracle: Oracle, rows: list[Row]) -> list[tuple[frozenset[int], frozenset[int]]]:
    """Return for each row which control codes it may have: stall, yield and reuse (8 bits), and both barriers (6 bits).

    Codes with which a reuse flag is there and not printed are left out like those that nvdisasm refuses.
    """
    plain = [own_word(row) & ~(((1 << 23) - 1) << 105) for row in rows]
    codes = [[(code & 31) << 105 | code >> 5 << 122 | 0x3F << 110 for code in range(256)] for _ in rows]
    barriers = [[code << 110 | 0x11 << 105 for code in range(64)] for _ in rows]
    asked = [[home | bits for bits in (*one, *two)] for home, one, two in zip(plain, codes, barriers, strict=True)]
    oracle.ask([word for words in asked for word in words])
    found = []
    for row, words in zip(rows, asked, strict=True):
        good = [oracle.known[word] is not None and oracle.known[word] == row.text(word) for word in words]
        found.append(
            (
                frozenset(code for code in range(256) if good[code]),
                frozenset(code for code in range(64) if good[256 + code]),
            )
        )
    return found


def main() -> None:
    """Find the control codes of rows that were learnt: adopt.py SM ROWS TOOL."""
    sm, path, tool = sys.argv[1:]
    rows = pickle.loads(Path(path).read_bytes())
    Path(path).with_suffix(".control").write_bytes(pickle.dumps(control_codes(Oracle(tool, int(sm)), rows)))


if __name__ == "__main__":
    main()
