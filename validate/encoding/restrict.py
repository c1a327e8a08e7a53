"""Keep of a generation's rows what its own nvdisasm agrees with, when words with changed bits are asked for.

    python validate/encoding/restrict.py FOLDER SM --tool NVDISASM [--tried 100000] [--seed 3]

Rows may be learnt on another generation, and bits that mean nothing on the one may mean something on the other; or no
sample showed what a bit does. Asked for are `trials.walk` and words with changed bits. A word that a row prints wrongly
is brought as near as possible to one that the row prints rightly. What then still differs says what is wrong: a bit
that the row does not read is fixed, a state of one block is taken out, of several blocks the states that do not go
together. Control codes are kept from the row where a plain one would be right. Where nothing of this is the cause, the
row is taken out for this generation, for `learn.py --add` to learn anew.
"""

from __future__ import annotations

import argparse
import itertools
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from check import texts_alone
from oracle import Oracle
from row import FREE
from trials import home_of, known, legal_states, mutated, put, walk
from words import FORM, plain_control
from write import kept, save

from simtc.sass.decoder.reader import TARGET, Reader
from simtc.sass.decoder.table import Encoding, encoding, table

_BARRIERS = 0x3F << 110
_LARGEST = 4096  # states of blocks together
_ROUNDS = 60
_HALF = (1 << 64) - 1
Entry = dict[str, object]


def main() -> None:
    """Restrict the rows of one generation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("sm", type=int)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tried", type=int, default=100000)
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args()
    oracle = Oracle(options.tool, options.sm)
    compiled = sorted(set().union(*known(options.corpus, options.sm)))
    tried = [*walk(options.sm, compiled, options.seed), *mutated(compiled, options.tried, options.seed)]
    wrong: dict[tuple[str, str], list[int]] = defaultdict(list)
    for word in words_apart(oracle, list(dict.fromkeys(tried))):
        wrong[_key(_row_of(options.sm, word))].append(word)
    forms: dict[int, list[int]] = defaultdict(list)
    for word in compiled:
        forms[word & FORM].append(plain_control(word))
    entries = []
    for entry, sm in kept(set()):
        bad = wrong.get((entry["match"], entry["text"]), []) if sm == options.sm else []
        mended = _Mender(oracle, entry, sm, forms).mend(bad) if bad else entry
        if mended is None:
            print("taken out", sm, entry["match"], entry["text"])
        else:
            entries.append((mended, sm))
    if wrong:
        save(entries)
    print(f"sm_{options.sm}: {len(tried)} words, {sum(map(len, wrong.values()))} wrong, of {len(wrong)} rows")


def words_apart(oracle: Oracle, words: list[int]) -> list[int]:
    """Return the words that simtc prints otherwise than nvdisasm; nvdisasm is asked only for what simtc prints."""
    apart = []
    for at in range(0, len(words), 200000):
        own = _texts(words[at : at + 200000], oracle.sm)
        said = oracle.ask(list(own))
        apart += [word for (word, mine), theirs in zip(own.items(), said, strict=True) if mine != _plain(theirs)]
    return apart


def _texts(words: list[int], sm: int) -> dict[int, str]:
    """Return what simtc prints of each word that it does not refuse."""
    return {word: text for word, text in zip(words, texts_alone(words, sm), strict=True) if text is not None}


def _plain(text: str | None) -> str | None:
    return text and " ".join(text.split())


def _row_of(sm: int, word: int) -> Encoding:
    """Return the row that printed a word: of several that do, the last."""
    rows = table(sm).of(word & 0xFFF | (word >> 91 & 1) << 12)
    return [row for row in rows if word & row.mask == row.value and printed(row, [word]) != [None]][-1]


def printed(row: Encoding, words: list[int]) -> list[str | None]:
    """Return what one row prints of words that match it, whatever their control codes."""
    found: list[str | None] = [None] * len(words)
    low = np.array([word & _HALF for word in words], np.uint64)
    high = np.array([word >> 64 for word in words], np.uint64)
    reader = Reader(row)
    places = np.flatnonzero(reader.matches(low, high))
    if len(places):
        reader.read(low[places], high[places], places, found)
    return [_with_distance(text) if text and TARGET in text else text for text in found]


def _with_distance(text: str) -> str:
    body, _, distance = text.partition(TARGET)
    return f"{body}{int(distance):#x}"


@dataclass(slots=True)
class _Mender:
    """One row of one generation, and known words of its form."""

    oracle: Oracle
    entry: Entry
    sm: int
    forms: dict[int, list[int]]

    @property
    def row(self) -> Encoding:
        """The row as it is now."""
        return encoding({**self.entry, "sm": [self.sm], "control": ""})

    def mend(self, wrong: list[int]) -> Entry | None:
        """Return the entry of the row that prints none of these words wrongly, None where no such mend is found."""
        wrong = self._mend_control(wrong)
        for _ in range(_ROUNDS):
            row = self.row
            bad = self._wrong(row, wrong)
            if not bad:
                return self.entry
            homes = [word for word in self.forms[row.value & FORM] if word & row.mask == row.value][:20]
            right = [home for home in [*homes, home_of(row)] if printed(row, [home]) != [None]]
            right = [home for home in right if not self._wrong(row, [home])]
            if not right or not self._step(row, *self._smallest(row, bad[0], right[0])):
                return None
            wrong = bad
        return None

    def _mend_control(self, wrong: list[int]) -> list[int]:
        """Take control codes out with which words are wrong that are right with a plain one; return the other words."""
        plain = [plain_control(word) for word in wrong]
        still = set(self._wrong(self.row, plain))
        codes = list(self.entry["control"])
        for word, other in zip(wrong, plain, strict=True):
            if other in still or word == other:
                continue
            barriers = word & _BARRIERS | other & ~_BARRIERS
            if words_apart(self.oracle, [barriers]):
                codes[1] = codes[1] - {word >> 110 & 63}
            else:
                codes[0] = codes[0] - {word >> 105 & 31 | (word >> 122 & 7) << 5}
            print("restricted", self.sm, self.entry["match"], self.entry["text"], "control")
        self.entry = self.entry | {"control": tuple(codes)}
        return sorted(still)

    def _wrong(self, row: Encoding, words: list[int]) -> list[int]:
        own = printed(row, words)
        shown = {word: mine for word, mine in zip(words, own, strict=True) if mine is not None}
        said = self.oracle.ask(list(shown))
        return [word for (word, mine), theirs in zip(shown.items(), said, strict=True) if mine != _plain(theirs)]

    def _smallest(self, row: Encoding, word: int, home: int) -> tuple[int, int]:
        """Put back to `home` as much of a word as possible with the row still wrong about it; return both."""
        read = {bit for one in (*row.fields, *row.blocks) for bit in one.bits}
        groups = [one.bits for one in (*row.blocks, *row.fields)] + [(bit,) for bit in FREE if bit not in read]
        masks = [sum(1 << bit for bit in bits) for bits in groups]
        while True:
            trials = [word & ~mask | home & mask for mask in masks if (word ^ home) & mask]
            still = self._wrong(row, trials)
            if not still:
                return word, home
            word = still[0]

    def _step(self, row: Encoding, word: int, home: int) -> bool:
        """Restrict the row so that it has no word any more that differs only in what is wrong; False if none can."""
        read = {bit for one in (*row.fields, *row.blocks) for bit in one.bits}
        free = [bit for bit in FREE if bit not in read and (word ^ home) >> bit & 1]
        if free:
            self._say(f"bit {free[0]}")
            self.entry = self.entry | {"match": _match(self.entry["match"], {free[0]: home >> free[0] & 1})}
            return True
        low = np.array([word & _HALF, home & _HALF], np.uint64)
        high = np.array([word >> 64, home >> 64], np.uint64)
        states = Reader(row).states(Reader(row).raws(low, high), low, high)
        concerned = [number for number, (mine, other) in enumerate(states) if mine != other]
        return bool(concerned) and self._forbid(row, concerned, word, home)

    def _forbid(self, row: Encoding, concerned: list[int], word: int, home: int) -> bool:
        """Leave only those states of some blocks together that come out right with everything else as at home."""
        blocks = [row.blocks[number] for number in concerned]
        keys = [legal_states(block) for block in blocks]
        if np.prod([len(each) for each in keys]) > _LARGEST:
            return False
        words = {}
        for combined in itertools.product(*keys):
            made = home
            for block, key in zip(blocks, combined, strict=True):
                made = put(row, block, key, made)
            words[combined] = made
        bad = set(self._wrong(row, [*words.values(), word]))
        legal = [combined for combined, made in words.items() if made not in bad]
        if word not in bad or len(legal) == len(words) or not legal:
            return False
        names = [name for name in self.entry if len(name) == 1]
        self._say("states of " + ", ".join(self.entry[names[number]]["of"] for number in concerned))
        if len(blocks) == 1:
            name = names[concerned[0]]
            kept_states = {"".join(map(str, key)) for (key,) in legal}
            states = {key: text for key, text in self.entry[name]["is"].items() if key in kept_states}
            self.entry = self.entry | {name: {"of": self.entry[name]["of"], "is": states}}
            return True
        fields = [f"f{number}" for block in blocks for number in block.fields]
        digits = [*(f"{bit}" for block in blocks for bit in block.bits), *fields]
        states = {}
        for combined in legal:
            parts = list(zip(blocks, combined, strict=True))
            bits = [state for block, key in parts for state in key[: len(block.bits)]]
            states["".join(map(str, bits + [state for block, key in parts for state in key[len(block.bits) :]]))] = []
        self.entry = self.entry | {chr(ord(max(names)) + 1): {"of": " ".join(digits), "is": states}}
        return True

    def _say(self, what: str) -> None:
        print("restricted", self.sm, self.entry["match"], str(self.entry["text"])[:40], what)


def _key(row: Encoding) -> tuple[str, str]:
    form = f"{row.value & 0xFFF:#05x}{' u' if row.value >> 91 & 1 else ''}"
    bits = " ".join(f"{bit}={row.value >> bit & 1}" for bit in FREE if row.mask >> bit & 1)
    text = "".join(_part(part, row) for part in row.text)
    return f"{form} {bits}".strip(), text


def _part(part: str | tuple[int, int] | int, row: Encoding) -> str:
    if isinstance(part, tuple):
        places = sum(isinstance(other, tuple) and other[0] == part[0] for other in row.text)
        return "{" + "abcdefghijklmnopqrstuvwxyz"[part[0]] + (str(part[1]) if places > 1 else "") + "}"
    return part if isinstance(part, str) else f"{{{part}}}"


def _match(match: str, bits: dict[int, int]) -> str:
    form, *rest = match.split()
    upper = ["u"] if "u" in rest else []
    fixed = dict(tuple(map(int, part.split("="))) for part in rest if part != "u") | bits
    return " ".join([form, *upper, *(f"{bit}={state}" for bit, state in sorted(fixed.items()))])


if __name__ == "__main__":
    main()
