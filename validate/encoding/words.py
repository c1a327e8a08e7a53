"""The words to learn from: those that compilers emitted, and others of the same forms."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from pathlib import Path

from elftools.elf.elffile import ELFFile
from oracle import CONTROL, Oracle
from row import CONTROL_MASK
from text import lex

from simtc.resources import folder

__all__ = ["FORM", "by_form", "closure", "few", "mnemonic", "plain_control", "shipped", "words_of"]

FORM = 0xFFF | 1 << 91
_TESTS = Path(__file__).resolve().parents[2] / "tests"
_LISTED = re.compile(r"^[0-9a-f]{4,8}  ([0-9a-f]{16}) ([0-9a-f]{16})  ", re.MULTILINE)
_OTHERS = 150  # words a form that other generations' compilers emitted


def words_of(folder: Path, *, plain: bool = True) -> set[int]:
    """Return the instruction words of every cubin below a folder, each with a plain control code if so wished."""
    words: set[int] = set()
    for path in sorted(folder.rglob("*.cubin")):
        with path.open("rb") as file:
            for section in ELFFile(file).iter_sections():
                if section.name.startswith(".text."):
                    code = section.data()
                    words |= {int.from_bytes(code[at : at + 16], "little") for at in range(0, len(code), 16)}
    return {plain_control(word) for word in words} if plain else words


def plain_control(word: int) -> int:
    """Put the control code that is legal with every opcode."""
    return word & ~CONTROL_MASK | CONTROL


def shipped(sm: int) -> set[int]:
    """Return every word of the listings of a generation, the tests' among them."""
    words = set()
    for root in (folder("kernels"), folder("validate"), _TESTS):
        for path in root.rglob("*.sass"):
            for part in path.read_text().split("\n.kernel ")[1:]:
                if f"\n.sm {sm}\n" in part:
                    words |= {int(high + low, 16) for low, high in _LISTED.findall(part)}
    return words


def mnemonic(text: str) -> str:
    """Return an instruction's opcode with its modifiers."""
    return re.sub(r"^@!?U?P[\dT] ", "", text).split(" ")[0]


def by_form(oracle: Oracle, words: set[int]) -> dict[int, list[int]]:
    """Group the words that this generation has by form, a few of each mnemonic and kind of operands."""
    order = sorted(words)
    random.Random(0).shuffle(order)
    forms: dict[int, dict[tuple[object, ...], list[int]]] = defaultdict(lambda: defaultdict(list))
    for word, text in zip(order, oracle.ask(order), strict=True):
        if text is not None:
            key = (mnemonic(text), *(kind for kind, _ in lex(text) if kind))
            kept = forms[word & FORM][key]
            if len(kept) < 4:
                kept.append(word)
    return {form: [word for kept in groups.values() for word in kept] for form, groups in forms.items()}


def few(words: set[int], forms: set[int]) -> set[int]:
    """Return some words of each of these forms, as other generations have them."""
    order = sorted(word for word in words if word & FORM in forms)
    random.Random(0).shuffle(order)
    seen: Counter[int] = Counter()
    return {word for word in order if (seen.update((word & FORM,)) or seen[word & FORM]) <= _OTHERS}


def closure(oracle: Oracle, words: set[int]) -> set[int]:
    """Add words of the forms that differ in where an operand comes from: bits 9 to 11, and 91."""
    few = {word for kept in by_form(oracle, words).values() for word in kept[:40]}
    for high in range(8):
        for uniform in (0, 1):
            words |= {word & ~(7 << 9 | 1 << 91) | high << 9 | uniform << 91 for word in few}
    return words
