"""Mutated listings and cubins, executed at every fidelity and with checks: only results and simtc errors may come out.

    python tests/fuzz.py listings --count 20000 --bounds
    python tests/fuzz.py cubins --count 20000 --bounds --jobs 2
    python tests/fuzz.py listings --first 1234 --count 1      one case, with the traceback of what it raises

Cases run in processes of their own: one that a case ends, or that a case keeps for minutes, is named and started
again behind it. With --bounds numba checks every index, so that an access outside an array raises an error instead of
ending the process or passing unseen; that code is kept in a cache of its own.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import traceback
import warnings
from collections import Counter
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np

from simtc.errors import SimtcError
from simtc.resources import folder
from simtc.run.launch import launch
from simtc.sass import load, parse_listing

cubins = import_module("simtc.sass.cubins")  # whose disassemble is replaced
HERE = Path(__file__).resolve().parent
DEVICES = {70: "v100_sxm2", 75: "t4", 80: "a100_sxm", 90: "h200"}
MODES = {
    "values": {},
    "checked": {"check": True},
    "full": {"timing": True},
    "sampled": {"timing": True, "fidelity": "sampled"},
}
SECONDS = 300  # that a case may take, on a busy machine
LONGEST = 160  # instructions of a kernel to begin with
REAL = 16  # one cubin of so many goes through nvdisasm itself, which takes longer than all the rest
CODE = re.compile(r"([0-9a-f]{4,})  ([0-9a-f]{16}) ([0-9a-f]{16})  (\S+)\s+(.*)")
REGISTER = re.compile(r"\b(U?R)(\d+|Z)\b|\b(U?P)(\d|T)\b|\bB(\d+)\b|\bSB(\d)\b")
NUMBER = re.compile(r"-?0x[0-9a-f]+\b")
NUMBERS = [
    "0x0",
    "0x1",
    "-0x1",
    "0x3",
    "0x10",
    "0x1f",
    "0x20",
    "0x21",
    "0x40",
    "0xff",
    "0xfff",
    "0x10000",
    "0xffffffff",
]
MODIFIERS = [
    "64", "128", "U8", "S16", "E", "CTA", "STRONG", "SYS", "X4", "reuse", "HI", "WIDE", "X", "RZ", "FTZ", "ARV", "RED",
    "SYNC", "POPC", "F32", "F16", "BF16", "ALL", "ANY", "IDX", "UP", "CLEAR", "CONV", "DIV", "NODEC",
]  # fmt: skip


@cache
def pool():
    """Return the listings to begin with, as the lines before the code of each kernel, and those of its code."""
    paths = [*sorted((folder("kernels") / "listings").rglob("*.sass")), *sorted(HERE.glob("machine/data/*.sass"))]
    found, own = [], []
    for path in paths:
        for text in path.read_text().split("\n.kernel ")[1:]:
            head, code = text.split("\n.code\n")
            lines = [line for line in code.split("\n") if CODE.match(line)]
            if len(lines) <= LONGEST:
                (own if HERE in path.parents else found).append((f".kernel {head}", lines))
    return [*found, *own * (4 * len(found) // len(own))]  # four times as many small ones, of barriers and divergence


def another(rng, match):
    """Return another register, predicate, convergence barrier or scoreboard."""
    vector, _, predicate, _, barrier, _ = match.groups()
    if vector:
        return vector + rng.choice(["Z", *map(str, range(12)), "61", "254"])
    if predicate:
        return predicate + rng.choice("0123456T")
    return f"B{rng.randrange(16)}" if barrier else f"SB{rng.randrange(8)}"


def replaced(rng, pattern, text, by):
    """Replace one place where a pattern matches, or nothing."""
    places = list(pattern.finditer(text))
    if not places:
        return text
    one = rng.choice(places)
    return text[: one.start()] + by(one) + text[one.end() :]


def changed_text(rng, text, others):
    """Change an instruction: registers, numbers, branch targets, order of operands, guard, opcode, modifiers."""
    what = rng.randrange(8)
    if what < 2:
        return replaced(rng, REGISTER, text, lambda match: another(rng, match))
    if what == 2:
        return replaced(rng, NUMBER, text, lambda _: rng.choice([*NUMBERS, hex(16 * rng.randrange(LONGEST))]))
    head, _, rest = text.partition(" ") if not text.startswith("@") else text.partition(" ")[2].partition(" ")
    guard = text.partition(" ")[0] + " " if text.startswith("@") else ""
    if what == 3:
        operands = rest.split(", ")
        rng.shuffle(operands)
        return f"{guard}{head} {', '.join(operands)}".rstrip()
    if what == 4:
        return f"{rng.choice(['', '@P0 ', '@!P0 ', '@P1 ', '@PT ', '@!PT ', '@UP0 '])}{head} {rest}".rstrip()
    if what == 5:
        other = CODE.match(rng.choice(others))[5]
        return f"{guard}{other.split(' ')[-1 if ' ' not in other else 0].lstrip('@')} {rest}".rstrip()
    if what == 6:
        parts = head.split(".")
        if len(parts) > 1 and rng.randrange(2):
            parts.pop(rng.randrange(1, len(parts)))
        else:
            parts.insert(rng.randint(1, len(parts)), rng.choice(MODIFIERS))
        return f"{guard}{'.'.join(parts)} {rest}".rstrip()
    return CODE.match(rng.choice(others))[5]  # another instruction


def mutated_listing(rng):
    """Return a listing of one kernel with up to four of its lines changed, dropped, doubled or moved."""
    head, lines = rng.choice(pool())
    lines = list(lines)
    others = lines if rng.randrange(2) else rng.choice(pool())[1]
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(lines))
        what, match = rng.randrange(10), CODE.match(lines[at])
        if what == 0:
            del lines[at]
        elif what == 1:
            lines.insert(rng.randrange(len(lines)), lines[at])
        elif what < 4:  # control code: stall, yield, scoreboards, wait mask, reuse
            word = f"{int(match[3], 16) ^ 1 << rng.randrange(41, 62):016x}"
            lines[at] = lines[at].replace(match[3], word, 1)
        else:
            lines[at] = lines[at][: match.start(5)] + changed_text(rng, match[5], others)
        if not lines:
            break
    if rng.randrange(20):  # addresses follow one another, as the reader wants them
        lines = [f"{16 * place:04x}{line[line.index(' ') :]}" for place, line in enumerate(lines)]
    if rng.randrange(10) == 0:  # a directive
        rows = head.split("\n")
        rows[rng.randrange(len(rows))] = rng.choice([
            ".registers 8", ".registers 255", ".local_bytes 64", ".shared_bytes 16", ".parameter 0x0 8", ".barriers 1",
        ])  # fmt: skip
        head = "\n".join(rows)
    return "\n".join(["simtc-listing 1", "", head, ".code", *lines, ".end", ""])


@cache
def originals():
    """Return the cubins to begin with, and the instructions of each kernel of theirs as nvdisasm prints them."""
    traps = [HERE / "sass/data" / f"traps_sm{sm}.cubin" for sm in (75, 90)]
    paths = [*sorted((HERE / "run/data").glob("*.cubin")), *traps]
    texts = {}
    for path in paths:
        for name, kernel in load(path).items():
            texts[name, kernel.sm] = [i.text for i in kernel.instructions]
    return [path.read_bytes() for path in paths], texts


def mutated_cubin(rng):
    """Return a cubin with bytes flipped, a stretch overwritten, or its end missing."""
    data = bytearray(rng.choice(originals()[0]))
    tables = int.from_bytes(data[40:48], "little")
    for _ in range(rng.choice([1, 1, 2, 3, 8])):
        what, first = rng.randrange(8), rng.randrange(len(data))
        if what == 0:
            first = rng.randrange(64)  # the ELF header
        elif what < 3:
            first = rng.randrange(min(tables, len(data) - 1), len(data))  # the table of sections
        if what == 3:
            start, size = rng.randrange(len(data)), rng.choice([1, 2, 4, 8, 16, 64])
            data[first : first + size] = data[start : start + size]
        elif what == 4:
            data[first : first + 4] = rng.choice([0, 1, 1 << 31, (1 << 32) - 1, 255, 1 << 16]).to_bytes(4, "little")
        else:
            data[first] ^= 1 << rng.randrange(8) if rng.randrange(2) else rng.randrange(256)
    return bytes(data[: rng.randrange(len(data))]) if rng.randrange(20) == 0 else bytes(data)


def stand_in(cubin, sm):
    """Say of each word what nvdisasm said of the one in its place, under the guard that it has now."""
    _, texts = originals()
    found = {}
    for image in cubins.read_cubin(cubin, "cubin"):
        lines = texts.get((image.name, sm)) or next(iter(texts.values()))
        found[image.name] = []
        for at in range(0, len(image.code), 16):
            word, text = int.from_bytes(image.code[at : at + 16], "little"), lines[at // 16 % len(lines)]
            guard = f"@{'!' * (word >> 15 & 1)}P{word >> 12 & 7} ".replace("@P7 ", "").replace("P7", "PT")
            plain = text.partition(" ")[2] if text.startswith("@") else text
            found[image.name].append(cubins.Line(address=at, text=guard + plain, word=word, source=None))
    return found


def kernels_of(kind, seed, rng):
    """Return the kernels of one mutated file."""
    if kind == "listings":
        return list(parse_listing(mutated_listing(rng)).values())
    originals()
    asked = cubins.disassemble
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(mutated_cubin(rng))
        file.flush()
        try:
            cubins.disassemble = asked if seed % REAL == 0 else stand_in
            return list(load(file.name).values())
        finally:
            cubins.disassemble = asked


def arguments(rng, kernel):
    """Return something for every parameter: buffers that hold small numbers, and sizes."""
    out = []
    for parameter in kernel.parameters:
        if parameter.size == 8:
            out.append(np.arange(2048, dtype=np.uint32) % rng.choice([2, 64, 1 << 20]))
        elif parameter.size == 4:
            out.append(np.int32(rng.choice([0, 1, 16, 16, 16, 33, -1])))
        else:
            out.append(bytes(min(parameter.size, 1 << 16)))
    return out


def run(kind, seed):
    """Run one case; yield (mode, what came out) for each way to run it."""
    rng = random.Random(seed)  # noqa: S311 - chance, not secrecy
    try:
        kernels = kernels_of(kind, seed, rng)
    except SimtcError as error:
        yield "read", type(error).__name__
        return
    kernel = rng.choice(kernels)
    shape = rng.choice([1, 2, 3]), rng.choice([32, 33, 64, 96, 128]), arguments(rng, kernel)
    shared = rng.choice([0, 0, 1024, 40000])
    for mode, options in MODES.items():
        args = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in shape[2]]
        try:
            launch(
                kernel, *shape[:2], args, shared_bytes=shared, device=DEVICES.get(kernel.sm, "t4"), threads=2,
                instruction_limit=1500, launch_limit=20_000, **options,
            )  # fmt: skip
            yield mode, "result"
        except SimtcError as error:
            yield mode, type(error).__name__
            for before, after in zip(shape[2], args, strict=True):
                if isinstance(after, np.ndarray) and not np.array_equal(before, after):
                    raise AssertionError("a launch that failed has written to its arguments") from None


def sample_everything():
    """Let the sampled clock sample small launches too, which it would execute whole."""
    from simtc.timing.sampling import portion, survey  # noqa: PLC0415

    portion._SMALL = 0  # noqa: SLF001
    if hasattr(survey, "_LIMIT"):
        survey._LIMIT = 20_000  # noqa: SLF001 - an endless loop of a listing is no reason to wait


def work(kind, first, count):
    """Run cases in this process, and print each one's number before it and what came out after it."""
    warnings.simplefilter("error")
    sample_everything()
    if kind == "cubins":
        originals()
    for seed in range(first, first + count):
        print(f"at {seed}", flush=True)
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        mode = "read"
        try:
            for mode, what in run(kind, seed):
                print(f"got {mode} {what}")
        except Exception:  # noqa: BLE001 - what this looks for
            print(f"bad {seed} after {mode}: {traceback.format_exc(limit=-4)!r}", flush=True)
        faulthandler.cancel_dump_traceback_later()


def watch(kind, first, count, env, found, bad):
    """Run cases in processes of their own, one after another."""
    end = first + count
    while first < end:
        command = [sys.executable, "-X", "faulthandler", __file__, kind, "--first", str(first), "--count",
                   str(end - first), "--here"]  # fmt: skip
        with tempfile.TemporaryFile("w+") as said:
            child = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=said, text=True)
            last = first - 1
            for line in child.stdout:
                word, _, rest = line.strip().partition(" ")
                if word == "at":
                    last = int(rest)
                elif word == "got":
                    found[rest] += 1
                elif word == "bad":
                    bad.append(rest)
            if child.wait():
                said.seek(0)
                bad.append(f"{last} ended its process ({child.returncode}): {said.read()[-1500:]!r}")
        first = last + 1 if last >= first else end


def main():
    """Run the cases, and say what came out of them; exit 1 where that is anything but results and simtc errors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["listings", "cubins"])
    parser.add_argument("--first", type=int, default=0, help="the first case's number, from which all else follows")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--bounds", action="store_true", help="with numba's bounds checks (the first time: minutes)")
    parser.add_argument("--here", action="store_true", help="in this process")
    options = parser.parse_args()
    if options.here:
        work(options.kind, options.first, options.count)
        return 0
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [str(HERE.parent), os.environ.get("PYTHONPATH")]))}
    if options.bounds:
        home = Path(env.get("SIMTC_CACHE_DIR") or Path.home() / ".cache/simtc")
        env |= {"NUMBA_BOUNDSCHECK": "1", "SIMTC_CACHE_DIR": str(home.with_name(f"{home.name}-bounds"))}
    found, bad, threads = Counter(), [], []
    each = -(-options.count // options.jobs)
    for start in range(0, options.count, each):
        size = min(each, options.count - start)
        args = (options.kind, options.first + start, size, env, found, bad)
        threads.append(threading.Thread(target=watch, args=args))
        threads[-1].start()
    for thread in threads:
        thread.join()
    for what, times in sorted(found.items()):
        print(f"{what:<28}{times:>8,}")
    print(f"{options.count:,} {options.kind}: {len(bad)} that gave neither a result nor a simtc error", *bad, sep="\n")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
