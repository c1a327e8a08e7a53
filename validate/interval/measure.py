"""How far sampled cycles are from those of all blocks, over launches drawn by chance: what an interval must cover.

python validate/interval/measure.py extend SEED COUNT   executes launches that the seed draws until there are so many
python validate/interval/measure.py refresh SEED        samples those that are there, anew after a change of sampling
python validate/interval/measure.py                     prints what the interval covers, by kind
python validate/interval/measure.py build               compiles streams.cu anew (NVRTC 12.8: simtc[compile])

Each launch takes some seconds, nearly all of them for all blocks; an interrupted run goes on behind the last one.
The seeds of the calibration decide how wide the interval is at least (WIDER in simtc/timing/sampling/doubt.py); those
of the check decide nothing: nothing may be changed for what they show, unless another seed takes their place.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from simtc.compiler import compile_source
from simtc.errors import SimtcError
from simtc.files import write_text
from simtc.sass import write_listing
from simtc.validate.drawn import Drawn, drawn
from simtc.validate.made import made_with
from simtc.validate.spread import CALIBRATION, CHECK, factor, read_spread, spread_text
from simtc.validate.streams import BUILT

HOME = Path(__file__).resolve().parent


def path_of(seed: int) -> Path:
    """Return the file of a seed's launches."""
    return HOME / f"{seed}.jsonl"


def sampled(one: Drawn) -> dict[str, Any]:
    """Sample a launch; nothing is extrapolated where fidelity sampled executes all of it anyway."""
    part = one.run("sampled").timing
    if part is None or not part.extrapolated:
        return {}
    doubts = {name: round(doubt, 6) for name, doubt in part.doubts.items()}
    note = next(note for note in part.notes if "waves of blocks" in note)
    return {"sampled": part.cycles, "doubts": doubts, "note": note}


def rows_of(seed: int) -> list[dict[str, Any]]:
    """Return the launches that are there."""
    if not path_of(seed).exists():
        head = {"schema": "simtc.interval/1", "seed": seed, **made_with()}
        write_text(path_of(seed), json.dumps(head) + "\n")
    return [json.loads(line) for line in path_of(seed).read_text(encoding="utf-8").splitlines()[1:]]


def extend(seed: int, count: int) -> None:
    """Execute launches of a seed until there are so many; they are sampled afterwards."""
    there = {row["launch"] for row in rows_of(seed)}
    with path_of(seed).open("a", encoding="utf-8") as file:
        for one in drawn(seed):
            if len(there) >= count:
                return
            if one.name in there:
                continue
            there.add(one.name)
            full = one.run("full").timing
            if full is None:
                raise SimtcError("a launch with timing has none")
            row = {"launch": one.name, "family": one.family, "full": full.cycles}
            file.write(json.dumps(row) + "\n")
            file.flush()


def refresh(seed: int) -> None:
    """Sample the launches of a seed; what all blocks take stays as it is."""
    rows = {row["launch"]: row for row in rows_of(seed)}
    for one in wanted(seed, set(rows)):
        part = sampled(one)
        rows[one.name] |= part
        if not part:  # all of it is executed anyway
            del rows[one.name]
    head = json.dumps({"schema": "simtc.interval/1", "seed": seed, **made_with()})
    write_text(path_of(seed), "\n".join([head, *map(json.dumps, rows.values())]) + "\n")


def wanted(seed: int, names: set[str]) -> Iterator[Drawn]:
    """Yield the launches of these names."""
    for one in drawn(seed):
        if one.name in names:
            names.remove(one.name)
            yield one
        if not names:
            return


def build() -> None:
    """Compile the kernels of streams.cu for every generation."""
    for sm, board in zip(BUILT, ("v100_sxm2", "t4", "a100_sxm", "h200"), strict=True):
        text = write_listing(compile_source(HOME / "streams.cu", device=board))
        write_text(HOME / f"streams_sm_{sm}.sass", text.replace(f"{HOME}/", ""))


def main(words: list[str]) -> int:
    """Do what the words say."""
    match words:
        case ["extend", seed, count] if seed.isdecimal() and count.isdecimal():
            extend(int(seed), int(count))
        case ["refresh", seed] if seed.isdecimal():
            refresh(int(seed))
        case ["build"]:
            build()
        case []:
            print(f"calibrated factor {factor(read_spread(HOME, CALIBRATION)):.2f}")
            for name, seeds in (("calibration", CALIBRATION), ("check", CHECK)):
                print(spread_text(name, read_spread(HOME, seeds)))
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
