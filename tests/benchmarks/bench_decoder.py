"""The decoder: instructions a second, and the time to load a large cubin, beside nvdisasm where there is one.

python tests/benchmarks/bench_decoder.py [FILE.cubin]

The decoder alone is timed on every listing of sm_80; a cubin is loaded where one is named.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from simtc.errors import SimtcError
from simtc.resources import folder
from simtc.sass import load
from simtc.sass.decoder import texts
from simtc.sass.disassembler import disassemble
from simtc.sass.elf import read_cubin
from simtc.sass.text import parse_instruction

_ASKED_RATE, _ASKED_SECONDS = 200_000, 2.0


def shipped_codes(sm: int) -> list[bytes]:
    """Return the code of every shipped kernel of a generation."""
    kernels = [
        kernel
        for root in (folder("kernels"), folder("validate"))
        for path in sorted(root.rglob(f"sm_{sm}/*.sass"))
        for kernel in load(path).values()
    ]
    return [b"".join(one.encoding.to_bytes(16, "little") for one in kernel.instructions) for kernel in kernels]


def decoding(codes: list[bytes], sm: int) -> None:
    """Time the decoder alone, each kernel once, then parsing as `load` does."""
    count = sum(map(len, codes)) // 16
    texts(codes[:1], sm)  # the table is read once
    start = time.process_time()
    found = texts(codes, sm)
    took = time.process_time() - start
    print(f"decoding {count:,} instructions of sm_{sm}: {count / took:,.0f} a second (asked: {_ASKED_RATE:,})")
    lines = [text for code in found for text in code if text]
    start = time.process_time()
    for place, text in enumerate(lines):
        parse_instruction(text, address=16 * place)
    print(f"parsing: {len(lines) / (time.process_time() - start):,.0f} instructions a second")


def loading(path: Path) -> None:
    """Time `simtc.load` on one cubin, in this process and in a fresh one, and nvdisasm: processor time of each."""
    data = path.read_bytes()
    images = read_cubin(data, str(path))
    count = sum(len(image.code) // 16 for image in images)
    print(f"{path.name}: {len(data):,} bytes, {count:,} instructions (asked: {_ASKED_SECONDS} s)")
    start = _processor_seconds()
    load(path)
    _say("simtc.load", _processor_seconds() - start, count)
    start = _processor_seconds()
    subprocess.run(
        [sys.executable, "-c", "from simtc.cli import main; main()", "sass", str(path)],
        stdout=subprocess.DEVNULL,
        check=True,
    )
    _say("simtc sass FILE, from the start of the process", _processor_seconds() - start, count)
    start = _processor_seconds()
    try:
        disassemble(data, images[0].sm)
        _say("nvdisasm, and reading what it prints", _processor_seconds() - start, count)
    except SimtcError as error:
        print(f"  nvdisasm: {error}")


def _processor_seconds() -> float:
    """Return what this process and its children have used."""
    return sum(os.times()[:4])


def _say(what: str, seconds: float, count: int) -> None:
    print(f"  {what}: {seconds:.2f} s, {count / seconds:,.0f} instructions a second")


if __name__ == "__main__":
    decoding(shipped_codes(80), 80)
    for name in sys.argv[1:]:
        loading(Path(name))
