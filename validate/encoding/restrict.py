"""Keep of a generation's rows what its own nvdisasm agrees with, when words with changed bits are asked for.

    python validate/encoding/restrict.py FOLDER SM --tool NVDISASM [--tried 100000] [--seed 3]

Rows may be learnt on another generation, and bits that mean nothing on the one may mean something on the other; or no
sample showed what a bit does. Of a row that prints a word wrongly, a bit that it does not read is fixed, if with this
bit changed the word comes out right; or the word's control code is taken from the row's, if with a plain one it does.
Where neither helps, the row is taken out for this generation, for `learn.py --add` to learn anew.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

from check import mutated, texts_alone
from learn import plain_control, shipped, words_of
from oracle import CONTROL, Oracle
from row import FREE
from write import kept, save

from simtc.sass.decoder.table import Encoding, table

_BARRIERS = 0x3F << 110
Mend = tuple[str, int, int]  # bit and value; or control, which code, and 0 for stall, yield and reuse, 1 for barriers


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
    compiled = sorted(words_of(options.corpus / f"sm_{options.sm}", plain=False) | shipped(options.sm))
    words = list(dict.fromkeys(mutated(compiled, options.tried, options.seed)))
    wrong = [word for word in words_apart(oracle, words) if word is not None]
    mends: dict[tuple[str, str], list[Mend | None]] = defaultdict(list)
    for word in wrong:
        row = _row_of(options.sm, word)
        mends[_key(row)].append(_mend(oracle, row, word))
    entries = []
    for entry, sm in kept(set()):
        found = mends.get((entry["match"], entry["text"]), []) if sm == options.sm else []
        if None in found:
            print("taken out", sm, entry["match"], entry["text"])
            continue
        for one in found:
            print("restricted", sm, entry["match"], entry["text"][:40], one)
            entry = _mended(entry, one)  # noqa: PLW2901
        entries.append((entry, sm))
    if mends:
        save(entries)
    print(f"sm_{options.sm}: {len(words)} words, {len(wrong)} wrong, of {len(mends)} rows")


def words_apart(oracle: Oracle, words: list[int]) -> list[int | None]:
    """Return the words that simtc prints otherwise than nvdisasm, None for the others: right, or refused by simtc."""
    own, said = texts_alone(words, oracle.sm), oracle.ask(words)
    return [
        word if ours is not None and ours != (theirs and " ".join(theirs.split())) else None
        for word, ours, theirs in zip(words, own, said, strict=True)
    ]


def _row_of(sm: int, word: int) -> Encoding:
    """Return the row that printed a word: of several that match, the last."""
    rows = table(sm).of(word & 0xFFF | (word >> 91 & 1) << 12)
    return [row for row in rows if word & row.mask == row.value][-1]


def _mend(oracle: Oracle, row: Encoding, word: int) -> Mend | None:
    """Return what keeps a row from printing a word wrongly, None if nothing does."""
    plain = plain_control(word)
    if words_apart(oracle, [plain]) == [None]:
        only_barriers = word & _BARRIERS | plain & ~_BARRIERS
        if words_apart(oracle, [only_barriers]) != [None]:
            return "control", word >> 110 & 63, 1
        return "control", word >> 105 & 31 | (word >> 122 & 7) << 5, 0
    read = {bit for one in row.fields for bit in one.bits} | {bit for block in row.blocks for bit in block.bits}
    free = [bit for bit in FREE[:-3] if not row.mask >> bit & 1 and bit not in read]
    changed = [plain ^ 1 << bit for bit in free]
    printed = texts_alone(changed, oracle.sm)
    apart = words_apart(oracle, changed)
    good = [bit for bit, text, bad in zip(free, printed, apart, strict=True) if text is not None and bad is None]
    usual = [bit for bit in good if (word ^ CONTROL) >> bit & 1]  # what is fixed is a bit that nobody set
    chosen = usual or good
    return ("bit", chosen[0], ~word >> chosen[0] & 1) if chosen else None


def _mended(entry: dict[str, object], mend: Mend) -> dict[str, object]:
    what, number, value = mend
    if what == "bit":
        return entry | {"match": _match(entry["match"], {number: value})}
    codes = list(entry["control"])
    codes[value] -= {number}
    return entry | {"control": tuple(codes)}


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
