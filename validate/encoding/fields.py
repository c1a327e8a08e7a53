"""The first step of learning a row: its fields, the bits whose change adds a power of two to one printed number."""

from __future__ import annotations

import random
import re
from collections.abc import Generator

from oracle import CONTROL
from row import CONTROL_MASK, FREE, Block, Part, Region, special
from text import Field, Token, guess_form, lex, number_text, numbers

__all__ = ["Fields"]


class Fields:
    """A row whose fields are being found."""

    def __init__(self, region: Region, samples: list[int]) -> None:
        self.region, self.samples = region, samples
        self.random = random.Random(region.value)
        self.word = region.start & ~CONTROL_MASK | CONTROL
        self.fields: list[Field] = []
        self.twice: set[int] = set()  # fields that are printed two times
        self.parts: list[Part] = []
        self.home = ""
        self.blocks: list[Block] = []

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
