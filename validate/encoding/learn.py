"""Learn the rows of one generation from the words that compilers emitted."""

from __future__ import annotations

import argparse
import pickle
import random
import re
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

from adopt import adopted, control_codes
from elftools.elf.elffile import ELFFile
from oracle import CONTROL, Oracle
from row import _CONTROL_MASK, Ask, Region, Row, learn
from text import lex, numbers

_SPLITS: Counter[int] = Counter()
_MOST_SPLITS = 40
FORM = 0xFFF | 1 << 91


def words_of(folder: Path, *, plain: bool = True) -> set[int]:
    """Return the instruction words of every cubin below a folder, each with a plain control code if so wished."""
    words: set[int] = set()
    for path in sorted(folder.rglob("*.cubin")):
        with path.open("rb") as file:
            for section in ELFFile(file).iter_sections():
                if section.name.startswith(".text."):
                    code = section.data()
                    words |= {int.from_bytes(code[at : at + 16], "little") for at in range(0, len(code), 16)}
    return {word & ~_CONTROL_MASK | CONTROL for word in words} if plain else words


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


def closure(oracle: Oracle, words: set[int]) -> set[int]:
    """Add words of the forms that differ in where an operand comes from: bits 9 to 11, and 91."""
    few = {word for kept in by_form(oracle, words).values() for word in kept[:40]}
    for high in range(8):
        for uniform in (0, 1):
            words |= {word & ~(7 << 9 | 1 << 91) | high << 9 | uniform << 91 for word in few}
    return words


def run(
    oracle: Oracle,
    regions: list[Region],
    samples: dict[int, list[int]],
    cache: Path | None = None,
    out: Path | None = None,
) -> list[Row]:
    """Learn all regions together, so that nvdisasm is asked for many words at once."""
    rows: list[Row] = []
    waiting = [(learn(region, samples[region.start & FORM]), None) for region in regions]
    rounds, start = 0, time.time()
    while waiting:
        wanted = []
        for job, words in waiting:
            _advance(job, words, oracle, samples, rows, wanted)
        waiting = wanted
        rounds += 1
        oracle.ask([word for _, words in waiting for word in words])
        if rounds % 3 == 0:
            if out:
                out.write_bytes(pickle.dumps(rows))
            if cache and rounds % 6 == 0:
                cache.write_bytes(pickle.dumps(oracle.known))
            print(
                f"sm_{oracle.sm}: round {rounds}, {oracle.asked} words, {len(rows)} rows, {len(waiting)} left, "
                f"{time.time() - start:.0f} s",
                file=sys.stderr,
            )
    return rows


def _advance(
    job: Ask, words: list[int] | None, oracle: Oracle, samples: dict[int, list[int]], rows: list[Row], wanted: list
) -> None:
    """Feed a learner until it needs words that nvdisasm was not asked for, or is done."""
    try:
        words = next(job) if words is None else job.send([oracle.known[word] for word in words])
        while all(word in oracle.known for word in words):
            words = job.send([oracle.known[word] for word in words])
        wanted.append((job, words))
    except StopIteration as stop:
        if isinstance(stop.value, Row):
            rows.append(stop.value)
            return
        for region in stop.value:
            form = region.start & FORM
            _SPLITS[form] += 1
            if _SPLITS[form] > _MOST_SPLITS:
                if _SPLITS[form] == _MOST_SPLITS + 1:
                    print(f"form {form & 0xFFF:#x} is split too often; the rest of it is given up", file=sys.stderr)
                return
            _advance(learn(region, samples[region.start & FORM]), None, oracle, samples, rows, wanted)


def main() -> None:
    """Learn one generation and write its rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("sm", type=int)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--only", help="forms, in hexadecimal, with commas")
    parser.add_argument("--cache", type=Path, help="answers of nvdisasm, kept between runs")
    parser.add_argument("--from", dest="base", type=Path, help="rows of another generation, kept where they hold")
    parser.add_argument("--only-adopt", action="store_true", help="learn nothing that --from does not have")
    parser.add_argument("--closure", action="store_true", help="learn forms too that no compiler emitted")
    options = parser.parse_args()
    oracle = Oracle(options.tool, options.sm)
    if options.cache and options.cache.exists():
        oracle.known = pickle.loads(options.cache.read_bytes())
    start = time.time()
    words = words_of(options.corpus)
    own = {word & FORM for word in words_of(options.corpus / f"sm_{options.sm}")}
    if options.closure:
        own = {word & FORM for word in closure(oracle, words)}
    forms = {form: kept for form, kept in by_form(oracle, words).items() if form in own}
    print(len(words), "words", len(forms), "forms", round(time.time() - start), "s", file=sys.stderr)
    if options.only:
        wanted = {int(each, 16) for each in options.only.split(",")}
        forms = {form: kept for form, kept in forms.items() if form in wanted or form & 0xFFF in wanted}
    ready = adopted(oracle, options.base, forms) if options.base else {}
    print(len(ready), "forms taken over", round(time.time() - start), "s", file=sys.stderr)
    regions = []
    for form, kept in sorted(forms.items()):
        if form in ready or options.only_adopt:
            continue
        texts = oracle.ask(kept)
        first = max(zip(kept, texts, strict=True), key=lambda pair: numbers(lex(pair[1] or "")))[0]
        regions.append(Region(FORM, form, first))
    rows = run(oracle, regions, forms, options.cache, options.out)
    rows += [row for kept in ready.values() for row in kept]
    options.out.write_bytes(pickle.dumps(rows))
    codes = control_codes(oracle, rows)
    options.out.with_suffix(".control").write_bytes(pickle.dumps(codes))
    if options.cache:
        options.cache.write_bytes(pickle.dumps(oracle.known))
    left = [(row, each) for row in rows for each in row.open]
    print(
        len(rows),
        "rows",
        oracle.asked,
        "words asked",
        round(time.time() - start),
        "s;",
        len(left),
        "open",
        file=sys.stderr,
    )
    for row, (word, want, got) in left:
        print(f"{row.region.value:#034x} {word:#034x} {want!r} {got!r}")


if __name__ == "__main__":
    main()
