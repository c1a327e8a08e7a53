"""Write the learnt rows of some generations into the table that simtc reads: simtc/sass/decoder/rows.jsonl.

    python validate/encoding/write.py 70=rows_70.pkl 80+=more_80.pkl ...

Rows that are the same in several generations are written once. Rows of a generation stay that is not named, or named
with +=.
"""

from __future__ import annotations

import json
import pickle
import re
import sys
from collections import Counter
from pathlib import Path

from row import Block, Digit, Row
from text import Field

TABLE = Path(__file__).resolve().parents[2] / "simtc" / "sass" / "decoder" / "rows.jsonl"
_NAMES = "abcdefghijklmnopqrstuvwxyz"
Classes = tuple[frozenset[int], frozenset[int]]


def ranges(bits: list[int]) -> str:
    """Write bits, the lowest first, as ranges."""
    runs: list[list[int]] = []
    for bit in bits:
        if runs and runs[-1][1] + 1 == bit:
            runs[-1][1] = bit
        else:
            runs.append([bit, bit])
    return ",".join(str(low) if low == high else f"{low}:{high}" for low, high in runs)


def runs(codes: frozenset[int]) -> list[list[int]]:
    """Return numbers as runs, each with its first and last."""
    found: list[list[int]] = []
    for code in sorted(codes):
        if found and found[-1][1] + 1 == code:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def field_text(one: Field, *, relative: bool) -> str:
    """Write one field: its kind, how its bits are to be read, and the bits."""
    if one.kind == "F":
        return f"{one.form} {ranges(list(one.bits))}"
    kind = "T" if relative else one.kind
    if one.inverted:
        return f"{kind}~ {ranges(list(one.bits))}"
    signed = "b" if one.beside else "s" if one.weights[-1] < 0 else ""
    scale = abs(one.weights[0])
    if [abs(weight) for weight in one.weights] != [scale << place for place in range(len(one.bits))]:
        raise SystemExit(f"no way to write {one}")
    return f"{kind}{signed}{'' if scale == 1 else f'*{scale}'} {ranges(list(one.bits))}"


def order(digit: Digit) -> tuple[bool, int]:
    """Sort bits from the highest to the lowest, then fields."""
    return digit.name[0] == "field", -digit.name[1] if digit.name[0] == "bit" else digit.name[1]


def canonical(row: Row) -> dict[str, object]:
    """Return a row as the table has it, whatever word it was learnt from."""
    match = {bit: row.region.value >> bit & 1 for bit in range(12, 128) if row.region.mask >> bit & 1 and bit != 91}
    slots: list[tuple[int, int, int, str]] = []
    blocks: dict[str, dict[str, object]] = {}
    shown: list[Block] = []
    for block in row.blocks:
        legal = [key for key, entry in block.table.items() if entry is not None]
        if not block.places and len(legal) == len(block.table):
            continue
        if not block.places and len(legal) == 1 and all(digit.name[0] == "bit" for digit in block.digits):
            match |= {digit.name[1]: state for digit, state in zip(block.digits, legal[0], strict=True)}
            continue
        shown.append(block)
    shown.sort(key=lambda block: (block.places or ((999, 999),), block.order))
    for block, name in zip(shown, _NAMES, strict=False):
        places = sorted(range(len(block.digits)), key=lambda place: order(block.digits[place]))
        table = {}
        for key, entry in sorted(block.table.items(), key=lambda item: [item[0][place] for place in places]):
            absolute = any(".ABS" in str(part) for piece in entry or () for part in piece)
            if entry is not None and not (absolute and is_relative(row)):  # an absolute target is no distance
                states = "".join(str(key[place]) for place in places)
                table[states] = ["".join(map(part_text, piece)) for piece in entry]
        digits = [block.digits[place] for place in places]
        of = " ".join(f"{'' if digit.name[0] == 'bit' else 'f'}{digit.name[1]}" for digit in digits)
        blocks[name] = {"of": of, "is": table}
        for number, (start, end) in enumerate(block.places):
            slot = name if len(block.places) == 1 else f"{name}{number}"
            slots.append((start, end, block.order, slot))
    if len(shown) > len(_NAMES):
        raise SystemExit(f"too many blocks in {row.region}")
    out, at = [], 0
    for start, end, _, slot in sorted(slots):
        if start < at:
            raise SystemExit(f"{row.region}: pieces overlap")
        out += [*map(part_text, row.parts[at:start]), f"{{{slot}}}"]
        at = end
    out += map(part_text, row.parts[at:])
    text = "".join(out)
    name = re.search(r"(?:^|[ }])([A-Z][A-Z0-9_]+)", "".join(map(str, row.parts)).split("@0 ")[-1])
    relative = name is not None and is_relative(row)
    last = max((part for part in row.parts if isinstance(part, int)), default=-1)
    fields = [field_text(one, relative=relative and number == last) for number, one in enumerate(row.fields)]
    bits = " ".join(f"{bit}={value}" for bit, value in sorted(match.items()))
    form = f"{row.region.value & 0xFFF:#05x}{' u' if row.region.value >> 91 & 1 else ''}"
    return {
        "opcode": name[1] if name else "?", "match": f"{form} {bits}".strip(), "text": text, "fields": fields,
        "blocks": blocks,
    }  # fmt: skip


def part_text(part: str | int) -> str:
    """Write a piece of text, fields as their number in braces."""
    if isinstance(part, int):
        return f"{{{part}}}"
    return part.replace("{", "<").replace("}", ">")


def is_relative(row: Row) -> bool:
    """Tell whether the row's last number is a code address."""
    from oracle import RELATIVE

    text = "".join("P0" if part == 0 else str(part) for part in row.parts)
    return bool(RELATIVE.match(text))


def made(row: Row, codes: Classes) -> dict[str, object]:
    """Return a row as the table has it, its control codes still spelt out."""
    found = canonical(row)
    blocks = {
        name: {
            "of": block["of"],
            "is": {key: value[0] if len(value) == 1 else value for key, value in block["is"].items()},
        }
        for name, block in found.pop("blocks").items()
    }
    return found | {"control": codes} | blocks


def kept(sms: set[int]) -> list[tuple[dict[str, object], int]]:
    """Return the rows that the table has of other generations, each with one of them."""
    if not TABLE.exists():
        return []
    head, *rows = map(json.loads, TABLE.read_text().splitlines())
    classes = {
        name: (numbers(entry["stall_yield_reuse"]), numbers(entry["barriers"]))
        for name, entry in head["control"].items()
    }
    return [
        ({key: value for key, value in row.items() if key != "sm"} | {"control": classes[row["control"]]}, sm)
        for row in rows
        for sm in row["sm"]
        if sm not in sms
    ]


def numbers(spans: list[list[int]]) -> frozenset[int]:
    """Return what `runs` wrote."""
    return frozenset(code for low, high in spans for code in range(low, high + 1))


def main() -> None:
    """Write the table, a row a line."""
    given = dict(argument.split("=", 1) for argument in sys.argv[1:])
    entries = kept({int(sm) for sm in given if not sm.endswith("+")})
    for sm, path in given.items():
        control = pickle.loads(Path(path).with_suffix(".control").read_bytes())
        for row, codes in zip(pickle.loads(Path(path).read_bytes()), control, strict=True):
            if row.open or not all(codes):
                print("not written:", sm, canonical(row)["match"], canonical(row)["text"], file=sys.stderr)
            else:
                entries.append((made(row, codes), int(sm.rstrip("+"))))
    save(entries)


def save(entries: list[tuple[dict[str, object], int]]) -> None:
    """Write rows, each with one of its generations, as the table."""
    found: dict[str, tuple[dict[str, object], set[int]]] = {}
    for entry, sm in entries:
        key = json.dumps(entry | {"control": [sorted(codes) for codes in entry["control"]]}, sort_keys=True)
        found.setdefault(key, (entry, set()))[1].add(sm)
    used = Counter(entry["control"] for entry, _ in found.values())
    names = {codes: f"c{number}" for number, (codes, _) in enumerate(used.most_common())}
    classes = {
        name: {"stall_yield_reuse": runs(codes), "barriers": runs(barriers)}
        for (codes, barriers), name in names.items()
    }
    rows = [
        {"opcode": entry["opcode"], "sm": sorted(sms)} | entry | {"control": names[entry["control"]]}
        for entry, sms in found.values()
    ]
    rows.sort(key=lambda row: (row["opcode"], row["match"], row["sm"]))
    TABLE.write_text("".join(json.dumps(line) + "\n" for line in ({"control": classes}, *rows)))
    print(len(rows), "rows", TABLE.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
