"""Compare simtc's decoder with nvdisasm: every shipped word, every compiled word, and words with bits changed.

    python validate/encoding/check.py SM --tool NVDISASM [--corpus FOLDER] [--mutated 200000]

A word must be printed alike or refused by both; where only simtc refuses, it is counted. Exit status 1 where simtc
prints anything else than nvdisasm does.
"""

from __future__ import annotations

import argparse
import lzma
import random
import re
from collections import Counter
from pathlib import Path

from decode import texts
from learn import FORM, mnemonic, words_of
from oracle import RELATIVE, Oracle

from simtc.resources import folder
from simtc.sass import load

_TARGET = re.compile(r"`?\(?(-?0x[0-9a-f]+)\)?\Z")


def shipped(sm: int) -> set[int]:
    """Return every word of the listings of a generation."""
    words = set()
    for root in (folder("kernels"), folder("validate")):
        for path in root.rglob(f"sm_{sm}/*.sass"):
            for kernel in load(path).values():
                words |= {instruction.encoding for instruction in kernel.instructions}
    return words


def compare(oracle: Oracle, words: list[int], what: str) -> int:
    """Print how many words come out how; return how many are wrong."""
    counts: Counter[str] = Counter()
    wrong, refused = [], []
    for at in range(0, len(words), 50000):
        part = words[at : at + 50000]
        for word, mine, theirs in zip(part, texts_alone(part, oracle.sm), oracle.ask(part), strict=True):
            if mine == (None if theirs is None else " ".join(theirs.split())):
                counts["both refuse" if mine is None else "equal"] += 1
            elif mine is None:
                counts["only simtc refuses"] += 1
                refused.append((word, theirs))
            else:
                counts["WRONG"] += 1
                wrong.append((word, mine, theirs))
    print(f"sm_{oracle.sm}, {what}: {len(words)} words: {dict(counts)}")
    for word, mine, theirs in wrong[:30]:
        print(f"  {word:#034x} simtc {mine!r} nvdisasm {theirs!r}")
    for word, theirs in refused[:8] if what != "mutated" else ():
        print(f"  {word:#034x} nvdisasm {theirs!r}")
    return len(wrong)


def texts_alone(words: list[int], sm: int) -> list[str | None]:
    """Decode words with their code addresses counted from the instruction's end, as the oracle has them."""
    return [
        text if text is None or not RELATIVE.match(text) else from_end(text, 16 * place)
        for place, text in enumerate(texts(words, sm))
    ]


def from_end(text: str, address: int) -> str:
    """Put the distance from an instruction's end for the address of its target."""
    return _TARGET.sub(lambda match: f"{int(match[1], 16) - address - 16:#x}", text)


def mutated(words: list[int], count: int) -> list[int]:
    """Return words with one to four bits changed, anywhere in the 128."""
    draw = random.Random(1)
    found = []
    for _ in range(count):
        word = draw.choice(words)
        for _ in range(draw.choice((1, 1, 2, 3, 4))):
            word ^= 1 << draw.randrange(128)
        found.append(word)
    return found


def capture(corpus: Path, tools: dict[int, str], target: Path) -> None:
    """Write words of each form and mnemonic, and what nvdisasm prints of them, for the tests."""
    found: dict[tuple[int, str], list[str]] = {}
    for sm, tool in tools.items():
        oracle = Oracle(tool, sm)
        words = sorted({*shipped(sm), *words_of(corpus / f"sm_{sm}", plain=False)})
        random.Random(0).shuffle(words)
        seen: Counter[tuple[int, str]] = Counter()
        for word, text in zip(words, oracle.ask(words), strict=True):
            key = (word & FORM, mnemonic(text or ""))
            seen[key] += 1
            if text and seen[key] <= 2:
                marked = _TARGET.sub(r"~\1", text) if RELATIVE.match(text) else text
                found.setdefault((word, " ".join(marked.split())), []).append(str(sm))
    lines = [f"{','.join(sms)}\t{word:032x}\t{text}" for (word, text), sms in sorted(found.items())]
    target.write_bytes(lzma.compress("\n".join(lines).encode(), preset=9))


def main() -> None:
    """Compare and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sm", type=int)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--capture", type=Path, help="write words and nvdisasm's texts for the tests, of SM and --also")
    parser.add_argument("--also", nargs="*", default=[], help="SM=NVDISASM")
    parser.add_argument("--mutated", type=int, default=200000)
    options = parser.parse_args()
    if options.capture:
        others = dict(each.split("=", 1) for each in options.also)
        tools = {options.sm: options.tool} | {int(sm): tool for sm, tool in others.items()}
        capture(options.corpus, tools, options.capture)
        return
    oracle = Oracle(options.tool, options.sm)
    words = sorted(shipped(options.sm))
    wrong = compare(oracle, words, "shipped listings") if words else 0
    if options.corpus:
        more = words_of(options.corpus / f"sm_{options.sm}", plain=False)
        wrong += compare(oracle, sorted(more), "compiled")
        words = sorted({*words, *more})
    if options.mutated:
        wrong += compare(oracle, mutated(words, options.mutated), "mutated")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
