"""The second step of learning a row: the blocks, sets of digits that decide together about a piece of the text.

At first every digit is a block of its own; pairs show which belong together.
"""

from __future__ import annotations

import difflib
import functools
import itertools
from collections.abc import Generator, Iterator

from fields import Fields
from row import Block, Digit, Part, Row

__all__ = ["TRACE", "Blocks", "Split", "TooLarge"]

_LARGEST = 4096
TRACE = 0


class Split(Exception):  # noqa: N818 - not an error
    """The number of operands depends on these bits: `start` differs in them from the row's word, `home`."""

    def __init__(self, bits: int, home: int, start: int, why: object = None) -> None:
        super().__init__()
        self.bits, self.home, self.start, self.why = bits, home, start, why


class TooLarge(Exception):  # noqa: N818 - not an error
    """A block has too many digits; the row must be split on one of them."""

    def __init__(self, digits: tuple[Digit, ...], home: int) -> None:
        super().__init__()
        self.digits, self.home = digits, home


@functools.lru_cache(maxsize=100000)
def _matching_of(parts: tuple[Part, ...], other: tuple[Part, ...]) -> dict[int, int]:
    matcher = difflib.SequenceMatcher(None, parts, other, autojunk=False)
    return {match.a + step: match.b + step for match in matcher.get_matching_blocks() for step in range(match.size)}


def _matching(parts: list[Part], other: tuple[Part, ...]) -> dict[int, int]:
    """Return which parts are found in another text, and where."""
    return _matching_of(tuple(parts), other)


class Blocks(Fields):
    """A row whose fields are known and whose blocks are being found."""

    def _find_digits(self) -> None:
        taken = {bit for one in self.fields for bit in one.bits}
        digits = [
            Digit(("bit", bit), ((1 << bit, 0), (1 << bit, 1 << bit))) for bit in self._free() if bit not in taken
        ]
        for number, one in enumerate(self.fields):
            mask = sum(1 << bit for bit in one.bits)
            if one.kind in ("R", "UR", "P", "UP", "SB"):
                last = one.put(0, (1 << len(one.bits)) - 1)
                digits.append(Digit(("field", number), ((mask, self.word & mask), (mask, last))))
            elif one.kind == "H":
                states = [(mask, self.word & mask), (mask, 0), (mask, one.put(0, 1)), (mask, one.put(0, 4))]
                states = states[: 1 + min(3, len(one.bits))]
                if 2 <= len(one.bits) <= 8:
                    states += [(mask, self.word & mask)] * (4 - len(states)) + [(mask, mask)]
                digits.append(Digit(("field", number), tuple(states)))
        self.blocks = [Block((digit,)) for digit in digits]

    def _with(self, word: int, digit: Digit, state: int) -> int:
        mask, bits = digit.states[state]
        return word & ~mask | bits

    def _keys(self, block: Block) -> Iterator[tuple[int, ...]]:
        return itertools.product(*(self._states(digit) for digit in block.digits))

    def _states(self, digit: Digit) -> list[int]:
        """Return the states in which a digit really is when it is put there."""
        return [
            state
            for state in range(len(digit.states))
            if digit.state(self._with(0, digit, state), self.fields) == state
        ]

    def _make(self, block: Block, key: tuple[int, ...], word: int) -> int:
        for digit, state in zip(block.digits, key, strict=True):
            word = self._with(word, digit, state)
        return word

    def _base(self, block: Block) -> tuple[int, ...]:
        return tuple(digit.state(self.word, self.fields) for digit in block.digits)

    def _tabulate(self, blocks: list[Block]) -> Generator[list[int], list[str | None], None]:
        """Ask for every state of these blocks with everything else as in the row's word, and find their places."""
        jobs = [(block, key) for block in blocks for key in self._keys(block)]
        texts = yield [self._make(block, key, self.word) for block, key in jobs]
        found: dict[int, dict[tuple[int, ...], tuple[Part, ...] | None]] = {id(block): {} for block in blocks}
        home, whole = self._shape(self.parts), tuple(self.parts)
        for (block, key), text in zip(jobs, texts, strict=True):
            word = self._make(block, key, self.word)
            if text is None:
                found[id(block)][key] = None
                continue
            if text == self.home and len(block.digits) == 1 and block.digits[0].name[0] == "bit":
                found[id(block)][key] = whole
                continue
            parts = self._abstract(text, word)
            found[id(block)][key] = tuple(parts)
            self._same_shape(home, parts, block, word)
        for block in blocks:
            block.base = self._base(block)
            self._place(block, found[id(block)])

    def _same_shape(self, home: set[Part], parts: list[Part], block: Block, word: int) -> None:
        own = {digit.name[1] for digit in block.digits if digit.name[0] == "field"}
        shape = self._shape(parts)
        changed = shape ^ home
        bits = [digit.name[1] for digit in block.digits if digit.name[0] == "bit"]
        differing = sum(1 << bit for bit in bits if (word ^ self.word) >> bit & 1)
        fields_gone = {part for part in home - shape if isinstance(part, int)} - own
        numbers_new = {part for part in changed if isinstance(part, str)}
        if (fields_gone or numbers_new) and differing:
            raise Split(
                differing & -differing, self.word, word, (sorted(map(str, home)), sorted(map(str, shape)), parts)
            )

    def _place(self, block: Block, texts: dict[tuple[int, ...], tuple[Part, ...] | None]) -> None:
        """Find which stretches of the row's parts the block decides: those between parts that no state changes."""
        if len(set(texts.values())) == 1:
            block.places, block.dead, block.table = (), True, dict.fromkeys(texts, ())
            return
        matches = {key: _matching(self.parts, entry) for key, entry in texts.items() if entry is not None}
        stable = [at for at in range(len(self.parts)) if all(at in match for match in matches.values())]
        edges = [-1, *stable, len(self.parts)]
        places, pieces = [], {key: [] for key in matches}
        for left, right in itertools.pairwise(edges):
            found = {}
            for key, match in matches.items():
                start = match[left] + 1 if left >= 0 else 0
                found[key] = texts[key][start : match[right] if right < len(self.parts) else None]
            if len(set(found.values())) > 1:
                places.append((left + 1, right))
                for key, piece in found.items():
                    pieces[key].append(piece)
        block.places = tuple(places)
        block.dead = not places and None not in texts.values()
        block.table = {key: None if entry is None else tuple(pieces[key]) for key, entry in texts.items()}

    def _order(self) -> None:
        for number, block in enumerate(self.blocks):
            block.order = number

    def _pairs(self) -> Generator[list[int], list[str | None], None]:
        yield from self._tabulate(self.blocks)
        live = [block for block in self.blocks if block.places or None in block.table.values()]
        dead = [block for block in self.blocks if block not in live]
        self.blocks = [*live, *dead]
        self._order()
        for _ in range(6):
            quiet = [block for block in dead if all(digit.name[0] == "field" for digit in block.digits)]
            pairs = [*itertools.combinations(live, 2), *itertools.product(live, quiet)]
            if not (yield from self._test_pairs(pairs)):
                return
            live = [block for block in self.blocks if block.places or None in block.table.values()]
            dead = [block for block in self.blocks if block not in live]

    def _test_pairs(self, pairs: list[tuple[Block, Block]]) -> Generator[list[int], list[str | None], bool]:
        """Ask for pairs of states; merge the blocks of those that are not what each alone says."""
        jobs = []
        for one, two in pairs:
            ones = [key for key in one.table if key != one.base]
            twos = [key for key in two.table if key != two.base]
            both = list(itertools.product(ones, twos))
            if len(both) > 24:
                both = self.random.sample(both, 24)
            jobs += [(one, two, a, b) for a, b in both]
        words = [self._make(two, b, self._make(one, a, self.word)) for one, two, a, b in jobs]
        texts = yield words
        joined: list[tuple[Block, Block]] = []
        swapped = False
        for (one, two, *_), word, text in zip(jobs, words, texts, strict=True):
            row = Row(self.region, self.fields, self.parts, [one, two])  # all others are as in the row's word
            if row.text(word) == text:
                continue
            if text is not None and {place for place in one.places if place[0] == place[1]} & set(two.places):
                before = [block.order for block in self.blocks]
                self._swap(one, two)
                if row.text(word) == text:
                    swapped = True
                    continue
                for block, order in zip(self.blocks, before, strict=True):
                    block.order = order
            joined.append((one, two))
            if TRACE == 2:
                print(
                    "pair", [d.name for d in one.digits], [d.name for d in two.digits], repr(text), repr(row.text(word))
                )
        if joined:
            yield from self._merge(joined)
        return bool(joined) or swapped

    def _swap(self, one: Block, two: Block) -> None:
        """Of two blocks that print in the same place, put the second just before the first."""
        first, second = sorted((one, two), key=lambda block: block.order)
        low = first.order
        for block in self.blocks:
            if low <= block.order < second.order:
                block.order += 1
        second.order = low

    def _merge(self, joined: list[tuple[Block, ...]]) -> Generator[list[int], list[str | None], None]:
        groups: list[set[int]] = []
        by_id = {id(block): block for block in self.blocks}
        for blocks in joined:
            merged = {id(block) for block in blocks}
            apart = []
            for group in groups:
                if group & merged:
                    merged |= group
                else:
                    apart.append(group)
            groups = [*apart, merged]
        fresh = []
        for group in groups:
            members = [block for block in self.blocks if id(block) in group]
            digits = tuple(digit for block in members for digit in block.digits)
            size = 1
            for digit in digits:
                size *= len(digit.states)
            if size > _LARGEST:
                self._halve(digits)
            fresh.append(Block(digits, order=min(block.order for block in members)))
        gone = {each for group in groups for each in group}
        self.blocks = [block for key, block in by_id.items() if key not in gone] + fresh
        yield from self._tabulate(fresh)

    def _halve(self, digits: tuple[Digit, ...]) -> None:
        raise TooLarge(digits, self.word)
