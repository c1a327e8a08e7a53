"""Learn the rows of one generation from the words that compilers emitted."""

from __future__ import annotations

import argparse
import pickle
import random
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

from adopt import adopted, control_codes
from learner import Ask, learn
from oracle import Oracle
from row import FREE, Region, Row
from text import lex, numbers
from words import FORM, by_form, closure, few, plain_control, shipped, words_of

from simtc.sass.decoder import texts
from simtc.sass.decoder.table import table

_SPLITS: Counter[int] = Counter()
_MOST_SPLITS = 40
_PASSES, _TRIED, _MORE = 2, 60000, 40  # passes after the first; words with changed bits a pass; new samples of a form
_MODIFIERS = FORM | sum(1 << bit for bit in range(72, 105))


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


def corrected(oracle: Oracle, rows: list[Row], samples: dict[int, list[int]], words: list[int]) -> list[Row]:
    """Learn again the forms that print a compiled word, or one with a few bits changed, not as nvdisasm does.

    The words that came out wrong are among their samples then. What comes out worse than before is not taken, and a row
    that is still wrong is given up; for compiled words without a row, narrow ones are learnt in the end.
    """
    forms = _grouped(rows)
    draw = random.Random(0)
    for _ in range(_PASSES):
        before = _wrong(oracle, forms, _trials(draw, oracle, forms, words))
        print(f"sm_{oracle.sm}: {sum(map(len, before.values()))} words of {len(before)} forms", file=sys.stderr)
        fresh = _again(oracle, before, samples, draw)
        after = _wrong(oracle, fresh, [word for bad in before.values() for word in bad])
        better = {form for form, bad in before.items() if form in fresh and len(after.get(form, ())) < len(bad)}
        for form, bad in before.items():
            print(f"  form {form & 0xFFF:#x}: {len(bad)} wrong, then {len(after.get(form, ()))}", file=sys.stderr)
        forms |= {form: fresh[form] for form in better}
        if not better:
            break
    _give_up(oracle, forms, _trials(draw, oracle, forms, words))
    return [*(row for kept in forms.values() for row in kept), *_narrow(oracle, forms, samples, words)]


def _grouped(rows: list[Row]) -> dict[int, list[Row]]:
    forms: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        forms[row.region.value & FORM].append(row)
    return forms


def _trials(draw: random.Random, oracle: Oracle, forms: dict[int, list[Row]], words: list[int]) -> list[int]:
    """Return the words of these forms, and many with changed bits, asked for together."""
    words = [word for word in words if word & FORM in forms]
    changed = [_changed(draw, draw.choice(words)) for _ in range(_TRIED)]
    tried = list(dict.fromkeys((*words, *changed)))
    oracle.ask(tried)
    return tried


def _again(
    oracle: Oracle, wrong: dict[int, list[int]], samples: dict[int, list[int]], draw: random.Random
) -> dict[int, list[Row]]:
    """Learn some forms with words that came out wrong among their samples."""
    regions = []
    for form, bad in sorted(wrong.items()):
        samples[form] += draw.sample(bad, min(_MORE, len(bad)))
        regions.append(_whole(oracle, form, samples[form]))
    _SPLITS.clear()
    return _grouped(run(oracle, regions, samples))


def _give_up(oracle: Oracle, forms: dict[int, list[Row]], words: list[int]) -> None:
    """Take out the rows that print anything which nvdisasm does not, and those that never came right."""
    bad = {id(row) for rows in forms.values() for row in rows if row.open}
    for form, wrong in _wrong(oracle, forms, words).items():
        for word in wrong:
            row = _row_of(forms[form], word)
            if row and row.text(word) is not None:
                print(f"given up: {word:#034x} {oracle.known[word]!r} {row.text(word)!r}", file=sys.stderr)
                bad.add(id(row))
    for form, rows in forms.items():
        forms[form] = [row for row in rows if id(row) not in bad]


def _narrow(oracle: Oracle, forms: dict[int, list[Row]], samples: dict[int, list[int]], words: list[int]) -> list[Row]:
    """Learn the compiled words that no row has, each with its modifiers, bits 72 and up, as they are."""
    regions: dict[int, Region] = {}
    for word in words:
        row = _row_of(forms.get(word & FORM, []), word)
        text = oracle.ask([word])[0]
        if text is not None and (row is None or row.text(word) != text):
            regions.setdefault(word & _MODIFIERS, Region(_MODIFIERS, word & _MODIFIERS, word))
    print(f"sm_{oracle.sm}: {len(regions)} narrow rows", file=sys.stderr)
    _SPLITS.clear()
    rows = run(oracle, list(regions.values()), samples)
    for row in rows:
        if row.open:
            print(f"a narrow row does not come right: {row.open[0]}", file=sys.stderr)
    return [row for row in rows if not row.open]


def _richness(pair: tuple[int, str | None]) -> int:
    return numbers(lex(pair[1] or ""))


def _changed(draw: random.Random, word: int) -> int:
    """Return a word with one to four of its bits changed, none of form, control code or reuse flags."""
    for _ in range(draw.choice((1, 1, 2, 3, 4))):
        word ^= 1 << draw.choice(FREE[:-3])
    return word


def _wrong(oracle: Oracle, forms: dict[int, list[Row]], words: list[int]) -> dict[int, list[int]]:
    """Return by form the words that its rows do not print as nvdisasm does."""
    found: dict[int, list[int]] = defaultdict(list)
    for word in words:
        form = word & FORM
        row = _row_of(forms.get(form, []), word)
        if (row.text(word) if row else None) != oracle.known[word]:
            found[form].append(word)
    return found


def _row_of(rows: list[Row], word: int) -> Row | None:
    return next((row for row in rows if row.region.holds(word)), None)


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


def added(oracle: Oracle, words: list[int]) -> list[Row]:
    """Learn the compiled words that the table does not print: whole forms that it lacks, narrow rows of the others."""
    [own] = texts([b"".join(word.to_bytes(16, "little") for word in words)], oracle.sm)
    has = {row.value & FORM for row in table(oracle.sm)}
    missing = [word for word, mine, said in zip(words, own, oracle.ask(words), strict=True) if said and not mine]
    forms = by_form(oracle, {word for word in missing if word & FORM not in has})
    print(f"sm_{oracle.sm}: {len(missing)} words, {len(forms)} new forms", file=sys.stderr)
    samples: dict[int, list[int]] = defaultdict(list, forms)
    rows = run(oracle, [_whole(oracle, form, kept) for form, kept in sorted(forms.items())], samples)
    found = _grouped(rows)
    _give_up(oracle, found, _trials(random.Random(0), oracle, found, missing) if found else [])
    kept = [row for rows in found.values() for row in rows]
    return [*kept, *_narrow(oracle, found, samples, missing)]


def write(oracle: Oracle, rows: list[Row], out: Path) -> None:
    """Write the rows, and the control codes that each may have."""
    out.write_bytes(pickle.dumps(rows))
    out.with_suffix(".control").write_bytes(pickle.dumps(control_codes(oracle, rows)))


def _whole(oracle: Oracle, form: int, words: list[int]) -> Region:
    return Region(FORM, form, max(zip(words, oracle.ask(words), strict=True), key=_richness)[0])


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
    parser.add_argument("--add", action="store_true", help="learn only compiled words that the table does not have")
    parser.add_argument("--closure", action="store_true", help="learn forms too that no compiler emitted")
    options = parser.parse_args()
    oracle = Oracle(options.tool, options.sm)
    if options.cache and options.cache.exists():
        oracle.known = pickle.loads(options.cache.read_bytes())
    start = time.time()
    mine = words_of(options.corpus / f"sm_{options.sm}") | {plain_control(word) for word in shipped(options.sm)}
    if options.add:
        write(oracle, added(oracle, sorted(mine)), options.out)
        return
    own = {word & FORM for word in mine}
    words = mine | few(words_of(options.corpus), own)
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
        regions.append(_whole(oracle, form, kept))
    rows = run(oracle, regions, forms, options.cache, options.out)
    rows += [row for kept in ready.values() for row in kept]
    if not options.only_adopt:
        rows = corrected(oracle, rows, forms, sorted(mine))
    write(oracle, rows, options.out)
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
