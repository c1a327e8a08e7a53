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

from oracle import RELATIVE, Oracle
from trials import mutated
from words import FORM, mnemonic, shipped, words_of

from simtc.sass.decoder import texts

_CONSIDERED = 5000  # compiled words, of which some are recorded
_CAPTURED, _CAPTURED_MUTATED = 1, 800  # compiled words of a form and mnemonic; mutated words of a generation
_TARGET = re.compile(r"`?\(?(-?0x[0-9a-f]+)\)?\Z")


def compare(oracle: Oracle, words: list[int], what: str) -> Counter[str]:
    """Print and return how many words come out how: equal, both refuse, only simtc refuses, wrong."""
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
                counts["wrong"] += 1
                wrong.append((word, mine, theirs))
    print(f"sm_{oracle.sm}, {what}: {len(words)} words: {dict(counts)}")
    for word, mine, theirs in wrong[:30]:
        print(f"  {word:#034x} simtc {mine!r} nvdisasm {theirs!r}")
    for word, theirs in refused[:8] if what != "mutated" else ():
        print(f"  {word:#034x} nvdisasm {theirs!r}")
    return counts


def texts_alone(words: list[int], sm: int) -> list[str | None]:
    """Decode words with their code addresses counted from the instruction's end, as the oracle has them."""
    [found] = texts([b"".join(word.to_bytes(16, "little") for word in words)], sm)
    return [from_end(text, 16 * place) if text and RELATIVE.match(text) else text for place, text in enumerate(found)]


def from_end(text: str, address: int) -> str:
    """Put the distance from an instruction's end for the address of its target."""
    return _TARGET.sub(lambda match: f"{int(match[1], 16) - address - 16:#x}", text)


def capture(corpus: Path, tools: dict[int, str], target: Path) -> None:
    """Write, for the tests, compiled words of each form and mnemonic and mutated ones, with what nvdisasm prints."""
    found: dict[tuple[int, str], list[str]] = {}
    for sm, tool in tools.items():
        oracle = Oracle(tool, sm)
        words = sorted({*shipped(sm), *words_of(corpus / f"sm_{sm}", plain=False)})
        random.Random(0).shuffle(words)
        del words[_CONSIDERED:]
        seen: Counter[tuple[int, str]] = Counter()
        kept = []
        for word, text in zip(words, oracle.ask(words), strict=True):
            key = (word & FORM, mnemonic(text or ""))
            seen[key] += 1
            kept += [word] if text and seen[key] <= _CAPTURED else []
        kept = list(dict.fromkeys(kept + mutated(kept, _CAPTURED_MUTATED, seed=2)))
        for word, text in zip(kept, oracle.ask(kept), strict=True):
            found.setdefault((word, _alone(text)), []).append(str(sm))
    lines = [f"{','.join(sms)}\t{word:032x}\t{text}" for (word, text), sms in sorted(found.items())]
    target.write_bytes(lzma.compress("\n".join(lines).encode(), preset=9))
    print(f"{target}: {len(lines)} words")


def _alone(text: str | None) -> str:
    """Return what is printed of a word that is all the code there is, at address 0."""
    if text is None:
        return ""
    if not RELATIVE.match(text):
        return " ".join(text.split())
    address = 16 + int(_TARGET.search(text)[1], 16)
    return _TARGET.sub(f"`({address:#x})" if address == 0 else f"{address:#x}", " ".join(text.split()))


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
    wrong = compare(oracle, words, "shipped listings")["wrong"] if words else 0
    if options.corpus:
        more = words_of(options.corpus / f"sm_{options.sm}", plain=False)
        wrong += compare(oracle, sorted(more), "compiled")["wrong"]
        words = sorted({*words, *more})
    if options.mutated:
        wrong += compare(oracle, mutated(words, options.mutated), "mutated")["wrong"]
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
