"""Keep of a generation's rows, which were learnt on another, what its own nvdisasm agrees with.

    python validate/encoding/restrict.py FOLDER SM --tool NVDISASM

Bits that mean nothing on the one may mean something on the other: each bit that no row reads is changed alone in a
compiled word, and where the text is another then, the row holds only for the bit as it was. A row that prints any of
20,000 words with changed bits wrongly even so is taken out for this generation.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from check import texts_alone
from learn import _changed, plain_control, shipped, words_of
from oracle import Oracle
from row import FREE
from write import kept, save

from simtc.sass.decoder.table import Encoding, table

_COMPILED, _TRIED = 4000, 20000


def main() -> None:
    """Restrict the rows of one generation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("sm", type=int)
    parser.add_argument("--tool", required=True)
    options = parser.parse_args()
    oracle = Oracle(options.tool, options.sm)
    mine = words_of(options.corpus / f"sm_{options.sm}") | {plain_control(word) for word in shipped(options.sm)}
    words = sorted(mine)
    draw = random.Random(3)
    changed = [_changed(draw, draw.choice(words)) for _ in range(_TRIED)]
    words = list(dict.fromkeys([*draw.sample(words, min(len(words), _COMPILED)), *changed]))
    own = texts_alone(words, options.sm)
    said = oracle.ask(words)
    wrong = [word for word, ours, theirs in zip(words, own, said, strict=True) if ours and ours != _plain(theirs)]
    rows = list(table(options.sm))
    bad = [row for row in rows if any(word & row.mask == row.value for word in wrong)]
    right = [word for word, ours, theirs in zip(words, own, said, strict=True) if ours and ours == _plain(theirs)]
    fixed = {_key(row): _bits(oracle, row, right) for row in bad}
    entries = []
    for entry, sm in kept(set()):
        bits = fixed.get((entry["match"], entry["text"]), {}) if sm == options.sm else {}
        if bits is None or (bits and any(_holds(entry, bits, row, wrong) for row in bad)):
            print("taken out", sm, entry["match"], entry["text"])
            continue
        if bits:
            print("restricted", sm, entry["match"], bits)
        entries.append((entry | ({"match": _match(entry["match"], bits)} if bits else {}), sm))
    save(entries)
    print(f"sm_{options.sm}: {len(words)} words, {len(wrong)} were wrong, {len(bad)} of {len(rows)} rows changed")


def _plain(text: str | None) -> str | None:
    return None if text is None else " ".join(text.split())


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


def _bits(oracle: Oracle, row: Encoding, right: list[int]) -> dict[int, int] | None:
    """Return the unread bits that must stay as in words that come out right; None where there is no such word."""
    home = next((word for word in right if word & row.mask == row.value), None)
    if home is None:
        return None
    read = {bit for one in row.fields for bit in one.bits} | {bit for block in row.blocks for bit in block.bits}
    free = [bit for bit in FREE[:-3] if not row.mask >> bit & 1 and bit not in read]
    text, *others = oracle.ask([home, *(home ^ 1 << bit for bit in free)])
    return {bit: home >> bit & 1 for bit, other in zip(free, others, strict=True) if other != text} or None


def _holds(entry: dict[str, object], bits: dict[int, int], row: Encoding, wrong: list[int]) -> bool:
    """Tell whether a wrong word is still the row's when these bits are fixed."""
    if _key(row) != (entry["match"], entry["text"]):
        return False
    mask = row.mask | sum(1 << bit for bit in bits)
    value = row.value | sum(state << bit for bit, state in bits.items())
    return any(word & mask == value for word in wrong)


def _match(match: str, bits: dict[int, int]) -> str:
    form, *rest = match.split()
    upper = ["u"] if "u" in rest else []
    pairs = [part.split("=") for part in rest if part != "u"] + [[str(bit), str(state)] for bit, state in bits.items()]
    return " ".join([form, *upper, *(f"{bit}={state}" for bit, state in sorted(pairs, key=lambda pair: int(pair[0])))])


if __name__ == "__main__":
    main()
