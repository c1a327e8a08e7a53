"""Learning one row: the words of one form that print with the same operands, from nvdisasm's answers about them.

A row starts from one word. Its fields are found first, then its blocks; then random words show what is still wrong. A
digit on which the number of operands depends splits the row in two.
"""

from __future__ import annotations

import sys
from collections.abc import Generator

from blocks import TRACE, Blocks, Split, TooLarge
from oracle import CONTROL
from row import CONTROL_MASK, Block, Region, Row

__all__ = ["Ask", "learn"]

Ask = Generator[list[int], list[str | None], "Row | list[Region]"]
_DEEPEST = 1  # so many splits for want of a block that is small enough, then the region is given up


def learn(region: Region, samples: list[int]) -> Ask:
    """Learn a region, asking for the texts of words; `samples` are words that must come out right.

    Returns its row, or the two regions that it must be split into.
    """
    try:
        row = yield from _Learner(region, [word for word in samples if region.holds(word)]).learn()
    except Split as split:
        if split.bits & ~region.mask == 0:
            raise SystemExit(f"no way to split {region}") from None
        if TRACE:
            print(
                "split",
                f"{region.value & 0xFFF:#x}",
                split.bits.bit_length() - 1,
                f"{split.home:#x} {split.start:#x}",
                split.why,
            )
        return [region.split(split.bits, split.home), region.split(split.bits, split.start)]
    except TooLarge as large:
        if (region.mask & ~(0xFFF | 1 << 91)).bit_count() > _DEEPEST:
            return []
        print("large", f"{region.value & 0xFFF:#x} {region.mask & ~0xFFF:#x}", len(large.digits), file=sys.stderr)
        if TRACE:
            print("large", f"{region.mask:#x} {region.value:#x}", [digit.name for digit in large.digits])
        bits = [digit.name[1] for digit in large.digits if digit.name[0] == "bit"]
        texts = yield [large.home ^ 1 << bit for bit in bits]
        legal = [bit for bit, text in zip(bits, texts, strict=True) if text is not None]
        if not legal:
            raise SystemExit(f"{region}: a block of {len(large.digits)} digits cannot be split") from None
        return [region.split(1 << legal[0], large.home), region.split(1 << legal[0], large.home ^ 1 << legal[0])]
    return row


class _Learner(Blocks):
    """The steps of learning one row."""

    def learn(self) -> Generator[list[int], list[str | None], Row]:
        yield from self._find_fields()
        self._find_digits()
        yield from self._pairs()
        row = Row(self.region, self.fields, self.parts, self.blocks)
        for _ in range(14):
            if not (yield from self._check(row)):
                break
        return row

    def _check(self, row: Row) -> Generator[list[int], list[str | None], bool]:
        """Compare random words, and the samples; merge what does not agree. Return whether anything changed."""
        row.blocks = self.blocks
        words = [self._draw() for _ in range(300)] + [word & ~CONTROL_MASK | CONTROL for word in self.samples]
        words = list(dict.fromkeys(words))
        texts = yield words
        wrong = [(word, text) for word, text in zip(words, texts, strict=True) if row.text(word) != text]
        row.open = []
        if not wrong:
            return False
        wrong = self.random.sample(wrong, min(8, len(wrong)))
        joined: list[tuple[Block, ...]] = []
        smallest = yield from self._smallest(row, [word for word, _ in wrong])
        for word, text in smallest:
            blocks = [block for block in self.blocks if self._key(block, word) != self._base(block)]
            if text is not None:
                self._shape_or_split(word, text, blocks)
            if TRACE:
                print("check", [[d.name for d in b.digits] for b in blocks], repr(text), repr(row.text(word)))
            if len(blocks) < 2:
                row.open.append((word, text, row.text(word)))
            else:
                joined.append(tuple(blocks))
        if joined:
            yield from self._merge(joined)
            row.blocks = self.blocks
        return bool(joined)

    def _shape_or_split(self, word: int, text: str, blocks: list[Block]) -> None:
        digits = tuple(digit for block in blocks for digit in block.digits)
        self._same_shape(self._shape(self.parts), self._abstract(text, word), Block(digits), word)

    def _draw(self) -> int:
        """Return a word of the region: some blocks in another state, fields with any values."""
        word = self.word
        many = self.random.choice((1, 3, 8, len(self.blocks)))
        for block in self.random.sample(self.blocks, min(many, len(self.blocks))):
            legal = [key for key, entry in block.table.items() if entry is not None]
            key = self.random.choice(legal if self.random.random() < 0.97 else list(block.table))
            word = self._make(block, key, word)
        for one in self.fields:
            choice = self.random.random()
            if choice < 0.3:
                word = one.put(word, self.random.getrandbits(len(one.bits)))
            elif choice < 0.4:
                word = one.put(word, self.random.choice((0, 1, (1 << len(one.bits)) - 1, 1 << len(one.bits) - 1)))
            elif choice < 0.45:
                word = one.put(word, 1 << self.random.randrange(len(one.bits)))
        return word

    def _key(self, block: Block, word: int) -> tuple[int, ...]:
        return tuple(digit.state(word, self.fields) for digit in block.digits)

    def _smallest(
        self, row: Row, words: list[int]
    ) -> Generator[list[int], list[str | None], list[tuple[int, str | None]]]:
        """Put back to the row's word as much of each word as possible with the row still wrong about it."""
        pieces = [sum({digit.states[0][0] for digit in block.digits}) for block in self.blocks]
        pieces += [sum(1 << bit for bit in one.bits) for one in self.fields]
        active = set(words)
        final: dict[int, str | None] = {}
        for _ in range(12):
            singles = {
                word: [word & ~mask | self.word & mask for mask in pieces if (word ^ self.word) & mask]
                for word in active
            }
            texts = yield [trial for trials in singles.values() for trial in trials] + list(active)
            said = dict(
                zip([trial for trials in singles.values() for trial in trials] + list(active), texts, strict=True)
            )
            bold: dict[int, list[int]] = {}
            for word, trials in singles.items():
                good = [word ^ trial for trial in trials if row.text(trial) != said[trial]]
                if good:
                    bold[word] = self._bolder(word, good)
                else:
                    final[word] = said[word]
            if not bold:
                break
            texts = yield [trial for trials in bold.values() for trial in trials]
            said = dict(zip([trial for trials in bold.values() for trial in trials], texts, strict=True))
            active = {next(trial for trial in trials if row.text(trial) != said[trial]) for trials in bold.values()}
        return list(final.items())

    def _bolder(self, word: int, good: list[int]) -> list[int]:
        """Return trials that put back many pieces at once, the boldest first, the last surely still wrong."""
        trials = []
        for share in (1.0, 0.8, 0.8, 0.6, 0.6, 0.5, 0.5, 0.3, 0.3):
            trial = word
            for change in self.random.sample(good, max(1, int(share * len(good)))):
                trial ^= change
            trials.append(trial)
        return [*trials, word ^ good[0]]
