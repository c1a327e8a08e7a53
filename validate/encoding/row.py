"""Learning one row: the words of one form that print with the same operands, from nvdisasm's answers about them.

A row starts from one word. Bits whose change adds a power of two to one printed number are that number's field. All
other bits, and the question whether a field holds a special value (RZ, PT, zero ...), are digits. A block is a set of
digits that decide together about one piece of the text; the text is the pieces side by side. At first every digit is
a block of its own; pairs, and then random words, show which belong together. A digit on which the number of operands
depends splits the row in two.
"""

from __future__ import annotations

import difflib
import functools
import itertools
import random
import re
import sys
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

from oracle import CONTROL
from text import Field, Token, guess_form, lex, number_text, numbers

__all__ = ["FREE", "Block", "Region", "Row", "learn"]

FREE = tuple(bit for bit in (*range(12, 105), 122, 123, 124) if bit != 91)
_CONTROL_MASK = (1 << 128) - (1 << 105)
Ask = Generator[list[int], list[str | None], "Row | list[Region]"]
Part = str | int
_LARGEST = 4096
_DEEPEST = 1  # so many splits for want of a block that is small enough, then the region is given up
TRACE = 0


@dataclass(frozen=True, slots=True)
class Region:
    """Words that agree with `value` in the bits of `mask`; `start` is one that nvdisasm prints."""

    mask: int
    value: int
    start: int

    def holds(self, word: int) -> bool:
        """Tell whether a word lies in it."""
        return word & self.mask == self.value

    def split(self, bits: int, start: int) -> Region:
        """Return the part of it that agrees with `start` in these bits too."""
        mask = self.mask | bits
        return Region(mask, start & mask, start)


@dataclass(frozen=True, slots=True)
class Digit:
    """One bit, or what kind of value a field holds; `states` says how to make each."""

    name: tuple[str, int]
    states: tuple[tuple[int, int], ...]  # mask and bits to put

    def state(self, word: int, fields: list[Field]) -> int:
        """Return which state a word has."""
        kind, number = self.name
        if kind == "bit":
            return word >> number & 1
        return special(fields[number], word)


def special(one: Field, word: int) -> int:
    """Return what kind of value a field holds, as simtc.isa.encoding numbers them."""
    raw, ones = one.raw(word), (1 << len(one.bits)) - 1
    if one.kind == "SB":
        return int(raw > 5)
    if one.kind != "H":
        return int(raw == ones)
    if raw == ones and 3 <= ones <= 255:
        return 4
    return {0: 1, 1: 2, 1 << 16: 0, 1 << 31: 0}.get(raw, 3 if raw & raw - 1 == 0 else 0)


@dataclass(slots=True)
class Block:
    """Digits that decide together; `table` has, for each of their states, what is printed in each of the places.

    A place is a stretch from..to of the row's parts; None instead of pieces means that nvdisasm refuses the state.
    """

    digits: tuple[Digit, ...]
    table: dict[tuple[int, ...], tuple[tuple[Part, ...], ...] | None] = field(default_factory=dict)
    places: tuple[tuple[int, int], ...] = ()
    base: tuple[int, ...] = ()  # the states in the row's own word
    order: int = 0
    dead: bool = False  # decides nothing


@dataclass(slots=True)
class Row:
    """What was learnt of a region."""

    region: Region
    fields: list[Field]
    parts: list[Part]
    blocks: list[Block]
    open: list[tuple[int, str | None, str | None]] = field(default_factory=list)  # word, nvdisasm, row

    def text(self, word: int) -> str | None:
        """Return what the row prints, None where it has no entry."""
        pieces: list[tuple[int, int, int, tuple[Part, ...]]] = []
        for block in self.blocks:
            if block.dead:
                continue
            key = tuple(
                [
                    word >> digit.name[1] & 1 if digit.name[0] == "bit" else special(self.fields[digit.name[1]], word)
                    for digit in block.digits
                ]
            )
            entry = block.table.get(key)
            if entry is None:
                return None
            if key != block.base:
                both = zip(block.places, entry, strict=True)
                pieces += [(start, end, block.order, piece) for (start, end), piece in both]
        out: list[Part] = []
        at = 0
        for start, end, _, entry in sorted(pieces, key=lambda piece: piece[:3]):
            if start < at:
                return "overlap"
            out += [*self.parts[at:start], *entry]
            at = end
        out += self.parts[at:]
        text = ""
        for part in out:
            if isinstance(part, str):
                text += part
            elif text.endswith(" [") and self.fields[part].beside:
                text += f"{self.fields[part].raw(word) * (self.fields[part].scale or 1):#x}"
            else:
                text += self.fields[part].text(word)
        return text.rstrip()


@functools.lru_cache(maxsize=100000)
def _matching_of(parts: tuple[Part, ...], other: tuple[Part, ...]) -> dict[int, int]:
    matcher = difflib.SequenceMatcher(None, parts, other, autojunk=False)
    return {match.a + step: match.b + step for match in matcher.get_matching_blocks() for step in range(match.size)}


def _matching(parts: list[Part], other: tuple[Part, ...]) -> dict[int, int]:
    """Return which parts are found in another text, and where."""
    return _matching_of(tuple(parts), other)


class Split(Exception):  # noqa: N818 - not an error
    """The number of operands depends on these bits: `start` differs in them from the row's word, `home`."""

    def __init__(self, bits: int, home: int, start: int, why: object = None) -> None:
        super().__init__()
        self.bits, self.home, self.start, self.why = bits, home, start, why


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


class _Learner:
    """The steps of learning one row."""

    def __init__(self, region: Region, samples: list[int]) -> None:
        self.region, self.samples = region, samples
        self.random = random.Random(region.value)
        self.word = region.start & ~_CONTROL_MASK | CONTROL
        self.fields: list[Field] = []
        self.twice: set[int] = set()  # fields that are printed two times
        self.parts: list[Part] = []
        self.home = ""
        self.blocks: list[Block] = []

    def learn(self) -> Generator[list[int], list[str | None], Row]:
        yield from self._find_fields()
        self._find_digits()
        yield from self._pairs()
        row = Row(self.region, self.fields, self.parts, self.blocks)
        for _ in range(14):
            if not (yield from self._check(row)):
                break
        return row

    # Fields

    def _free(self) -> list[int]:
        return [bit for bit in FREE if not self.region.mask >> bit & 1]

    def _find_fields(self) -> Generator[list[int], list[str | None], None]:
        [text] = yield [self.word]
        if text is None:
            raise SystemExit(f"{self.region} starts with a word that nvdisasm refuses")
        if re.search(r"INF|NAN", text):  # of which one bit more or less shows nothing
            plain = self.word & ~(0xFFFFFFFF << 32) | 0x3FC00000 << 32
            [other] = yield [plain]
            if other is not None and not self.region.mask >> 32 & 0xFFFFFFFF:
                self.word, text = plain, other
        generic = False
        for _ in range(12):
            free = self._free()
            texts = yield [self.word ^ 1 << bit for bit in free]
            best = max(
                (numbers(lex(each)), -place)
                for place, each in enumerate([text, *texts])
                if place == 0 or (each is not None and each != text)
            )
            if best[0] > numbers(lex(text)):
                self.word ^= 1 << free[-best[1] - 1]
                text = texts[-best[1] - 1]
                continue
            tokens = lex(text)
            self._fields_of(tokens, dict(zip(free, texts, strict=True)), text)
            if generic:
                break
            generic = True
            word = yield from self._generic(tokens)
            if word == self.word:
                break
            self.word = word
            [text] = yield [word]
        yield from self._find_quiet()
        self.parts = self._abstract(text, self.word)
        self.home = text
        yield from self._find_beside()

    def _find_quiet(self) -> Generator[list[int], list[str | None], None]:
        """Ask whether this nvdisasm prints every NaN as quiet."""
        for one in self.fields:
            signalling = {"f32": 0x7F800001, "f16": 0x7C01}.get(one.form)
            if signalling:
                [text] = yield [one.put(self.word, signalling)]
                one.form += "q" if text and "QNAN" in text else ""

    def _find_beside(self) -> Generator[list[int], list[str | None], None]:
        """Ask whether an offset keeps its sign where the register before it is RZ, which is not printed."""
        for number, one in enumerate(self.fields):
            if one.kind != "H" or one.weights[-1] > 0 or number not in self.parts:
                continue
            before = self.parts[: self.parts.index(number)]
            bracket = before[len(before) - before[::-1].index("[") :] if "[" in before else []
            bases = [part for part in bracket if isinstance(part, int) and self.fields[part].kind == "R"]
            if bases:
                [text] = yield [one.put(self.fields[bases[0]].put(self.word, 255), 1 << len(one.bits) - 1)]
                one.beside = text is not None and "[0x" in text

    def _fields_of(self, tokens: list[Token], flips: dict[int, str | None], home: str) -> None:
        """Group the bits that change exactly one number, by number."""
        found: dict[int, list[tuple[int, int]]] = {}
        floats: dict[int, list[tuple[int, str]]] = {}
        twice: set[int] = set()
        for bit, text in flips.items():
            if text is None or text == home:
                continue
            other = lex(text)
            if len(other) != len(tokens):
                continue
            changed = [place for place, pair in enumerate(zip(tokens, other, strict=True)) if pair[0] != pair[1]]
            both = len(changed) == 2 and len({tokens[at] for at in changed}) == len({other[at] for at in changed}) == 1
            if both:  # printed twice
                twice.add(changed[0])
            if not (both or len(changed) == 1):
                continue
            if tokens[changed[0]][0] != other[changed[0]][0] or tokens[changed[0]][0] == "":
                continue
            kind, value = tokens[changed[0]]
            if kind == "F":
                floats.setdefault(changed[0], []).append((bit, str(other[changed[0]][1])))
                continue
            delta = int(other[changed[0]][1]) - int(value)
            weight = -delta if self.word >> bit & 1 else delta
            if abs(weight) & abs(weight) - 1 == 0:
                found.setdefault(changed[0], []).append((bit, weight))
        self.fields, self.twice = [], set()
        for place in sorted(found.keys() | floats.keys()):
            one = (
                self._float(tokens[place], floats[place])
                if place in floats
                else self._integer(tokens[place], found[place])
            )
            if one:
                self.twice |= {len(self.fields)} if place in twice else set()
                self.fields.append(one)

    def _float(self, token: Token, flips: list[tuple[int, str]]) -> Field | None:
        one = Field("F", tuple(sorted(bit for bit, _ in flips)))
        samples = [(one.value(self.word), str(token[1]))]
        samples += [(one.value(self.word ^ 1 << bit), text) for bit, text in flips]
        one.form = guess_form(samples, len(one.bits))
        return one if one.form else None

    def _integer(self, token: Token, bits: list[tuple[int, int]]) -> Field | None:
        bits.sort(key=lambda pair: (pair[1] < 0, abs(pair[1])))  # an integer's sign bit last
        one = Field(token[0], tuple(bit for bit, _ in bits), tuple(weight for _, weight in bits))
        whole = len({abs(weight) for weight in one.weights}) == len(bits)
        # A bit whose change hides the number is not found yet; the next, plainer, word shows it.
        reach = sum(abs(weight) for weight in one.weights)
        return one if whole and (one.value(self.word) ^ int(token[1])) & reach == 0 else None

    def _generic(self, tokens: list[Token]) -> Generator[list[int], list[str | None], int]:
        """Give every field a plain value that no other field has, as far as the operands stay what they are."""
        wishes = []
        used: set[tuple[str, int]] = set()
        for one in self.fields:
            if one.kind == "F":
                value = {"f16": 0x3E00, "bf16": 0x3FC0}.get(one.form, 0x3FC00000)
                wishes.append(one.put(0, value))
                continue
            if (value := self._plain(one, used)) is not None:
                wishes.append(value)
        words = []
        for wish, one in zip(wishes, self.fields, strict=False):
            mask = sum(1 << bit for bit in one.bits)
            words.append((mask, wish & mask))
        together = self.word
        for mask, value in words:
            together = together & ~mask | value
        texts = yield [together, *(self.word & ~mask | value for mask, value in words)]
        shape = [kind for kind, _ in tokens if kind]
        if texts[0] is not None and [kind for kind, _ in lex(texts[0]) if kind] == shape:
            return together
        word = self.word
        for (mask, value), text in zip(words, texts[1:], strict=True):
            if text is not None and [kind for kind, _ in lex(text) if kind] == shape:
                word = word & ~mask | value
        [text] = yield [word]
        return word if text is not None and [kind for kind, _ in lex(text) if kind] == shape else self.word

    def _plain(self, one: Field, used: set[tuple[str, int]]) -> int | None:
        size = len(one.bits)
        if one.kind in ("R", "UR"):
            choices: list[int] = [8 + 4 * step for step in range(12)]
        elif one.kind == "H":
            choices = [self.random.randrange(3, 1 << max(2, size - 1)) for _ in range(40)] if size > 1 else [1]
            choices = [each for each in choices if each & each - 1] or [3, 1]
        else:
            choices = list(range((1 << size) - 1)) or [0]
        for raw in choices:
            if raw >= 1 << size:
                continue
            word = one.put(0, raw)
            if (one.kind, one.value(word)) not in used:
                used.add((one.kind, one.value(word)))
                return word
        return one.put(0, self.word and special(one, self.word))

    def _abstract(self, text: str, word: int) -> list[Part]:
        """Cut a text and put field numbers for the numbers that stand for them, in the row's order of fields."""
        parts: list[Part] = []
        left = sorted([*range(len(self.fields)), *self.twice])
        for kind, value in lex(text):
            if not kind:
                parts.append(str(value))
                continue
            for number in left:
                one = self.fields[number]
                if one.kind == kind and (one.text(word) if kind == "F" else one.value(word)) == value:
                    parts.append(number)
                    left.remove(number)
                    break
            else:
                parts.append(str(value) if kind == "F" else number_text(kind, int(value)))
        return parts

    def _shape(self, parts: list[Part]) -> set[Part]:
        """Return the fields, and the numbers that are none, of an abstracted text."""
        fixed = [part for part in parts if isinstance(part, str) and lex(part)[:1] and lex(part)[0][0]]
        return {*(part for part in parts if isinstance(part, int)), *fixed}

    # Digits and blocks

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

    # Random words

    def _check(self, row: Row) -> Generator[list[int], list[str | None], bool]:
        """Compare random words, and the samples; merge what does not agree. Return whether anything changed."""
        row.blocks = self.blocks
        words = [self._draw() for _ in range(300)] + [word & ~_CONTROL_MASK | CONTROL for word in self.samples]
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


class TooLarge(Exception):  # noqa: N818 - not an error
    """A block has too many digits; the row must be split on one of them."""

    def __init__(self, digits: tuple[Digit, ...], home: int) -> None:
        super().__init__()
        self.digits, self.home = digits, home
