"""Compile many kernels, and write down how near the compiler puts each class of reader to each class of result.

    python validate/distances/census.py --work DIR --cuda12 SITE_PACKAGES --cutlass INCLUDE [--sm 80] [--batches 8]

No GPU is needed. The kernels are those of kernels/listings and beside this file, ones that generate.py makes from a
seed, CUB's, libcu++'s and CUTLASS's device code over several types (library.py). DIR keeps cubins and counts, so that
a run that was interrupted goes on. The result is sm_XX.toml beside this file, one for each generation.

Tools: nvcc 13 on PATH and nvdisasm 13 (simtc[sass]); for sm_70 NVRTC and nvdisasm 12.8, as kernels/build.py says;
CUTLASS's headers are in the source folder of PyPI's nvidia-cutlass 4.2.0.0.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from generate import source
from library import cub_sources, cutlass_sources

from simtc.errors import SimtcError
from simtc.sass import load
from simtc.sass.distances import Seen, census

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parent.parent
_SEED, _BATCH = 16, 40
_SMS = (70, 75, 80, 86, 87, 89, 90)
_LEAST = {"attention": 80, "calls": 70}  # generation of the sources beside this file
_NVRTC = 75  # older generations are compiled with it


def main() -> None:
    """Count what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder for sources, cubins and counts")
    parser.add_argument("--cuda12", type=Path, required=True, help="site-packages with CUDA 12.8's tools")
    parser.add_argument("--cutlass", type=Path, required=True, help="CUTLASS's include folder")
    parser.add_argument("--sm", type=int, choices=_SMS, help="one generation only")
    parser.add_argument("--batches", type=int, default=8, help=f"of {_BATCH} generated kernels")
    options = parser.parse_args()
    for sm in _SMS if options.sm is None else (options.sm,):
        _count_generation(sm, options)


def _count_generation(sm: int, options: argparse.Namespace) -> None:
    total: dict[str, dict[str, Seen]] = {}
    kernels = instructions = 0
    names = []
    for name, path in _compiled(sm, options):
        counts = _counted(path, sm, options)
        names.append(name)
        kernels += counts["kernels"]
        instructions += counts["instructions"]
        for made, readers in counts["pairs"].items():
            for read, (cycles, at_least, times, texts) in readers.items():
                seen = Seen(cycles=cycles, at_least=at_least, times=times, texts=set(texts))
                total.setdefault(made, {}).setdefault(read, Seen()).join(seen)
    compiler = "NVRTC 12.8.93" if sm < _NVRTC else f"nvcc {_nvcc_version()}"
    lines = [
        "# Made by census.py: how near to a class of result compiled code reads it (classes: simtc/isa/dependence.py).",
        "# Each entry: the fewest cycles between the two issues; times so few; different such pairs of instructions,",
        "# at most 100; times in all, up to 40 cycles. What a scoreboard guards is not counted.",
        f"sm = {sm}",
        "",
        "[evidence]",
        f'compiler = "{compiler}"',
        f"seed = {_SEED}",
        f"kernels = {kernels}",
        f"instructions = {instructions}",
        f"files = {json.dumps(names)}",
    ]
    for made, readers in sorted(total.items()):
        lines += ["", f'[cycles."{made}"]']
        lines += [
            f'"{read}" = [{s.cycles}, {s.at_least}, {len(s.texts)}, {s.times}]' for read, s in sorted(readers.items())
        ]
    (_HERE / f"sm_{sm}.toml").write_text("\n".join(lines) + "\n")
    print(f"sm_{sm}: {kernels} kernels, {instructions} instructions")


def _nvcc() -> str:
    return shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"


def _nvcc_version() -> str:
    said = subprocess.run([_nvcc(), "--version"], capture_output=True, text=True, check=True).stdout  # noqa: S603
    found = re.search(r"V([\d.]+)", said)
    return found[1] if found else "?"


def _compiled(sm: int, options: argparse.Namespace) -> Iterator[tuple[str, Path]]:
    """Yield the name and file of everything compiled for a generation; what does not compile for it is left out."""
    for path in sorted((_ROOT / "kernels" / "listings" / f"sm_{sm}").glob("*.sass")):
        yield f"{path.stem}.cu", path
    sources = [(path.stem, path.read_text(), ()) for path in sorted(_HERE.glob("*.cu")) if sm >= _LEAST[path.stem]]
    sources += [(f"soup{b}", source(_SEED, range(b * _BATCH, (b + 1) * _BATCH)), ()) for b in range(options.batches)]
    if sm >= _NVRTC:  # the headers need a host compiler
        sources += [(name, text, ()) for name, text in cub_sources()]
        include = (f"-I{options.cutlass}",)
        sources += [
            (name, text, include) for least, name, text in cutlass_sources() if sm == least or (sm, least) == (90, 80)
        ]
    for name, text, flags in sources:
        path = _cubin(name, text, sm, flags, options)
        if path is not None:
            yield name, path


def _cubin(name: str, text: str, sm: int, flags: tuple[str, ...], options: argparse.Namespace) -> Path | None:
    cubin = options.work / "bin" / f"{name}.sm_{sm}.cubin"
    if cubin.exists():
        return cubin
    cubin.parent.mkdir(parents=True, exist_ok=True)
    path = options.work / f"{name}.cu"
    path.write_text(text)
    half = cubin.with_suffix(".part")
    if sm < _NVRTC:
        sys.path.insert(0, str(_ROOT / "kernels"))
        import build  # noqa: PLC0415 - the script that compiles the shipped kernels; it needs all of simtc

        half.write_bytes(build._nvrtc(str(path), sm, options.cuda12))  # noqa: SLF001 - a script of ours
    else:
        command = [_nvcc(), "-std=c++17", "-w", f"-arch=sm_{sm}", *flags, "-cubin", "-o", half, path]
        done = subprocess.run(command, check=False)  # noqa: S603 - the user's own compiler
        if done.returncode:
            print(f"{name} does not compile for sm_{sm}")
            return None
    half.rename(cubin)
    return cubin


def _counted(path: Path, sm: int, options: argparse.Namespace) -> dict:
    """Return the counts of one file, from an earlier run where there was one."""
    kept = options.work / "seen" / f"{path.stem}{'' if path.suffix == '.cubin' else f'.listing.sm_{sm}'}.json"
    if kept.exists():
        return json.loads(kept.read_text())
    kept.parent.mkdir(parents=True, exist_ok=True)
    if sm < _NVRTC:
        os.environ["SIMTC_NVDISASM"] = str(options.cuda12 / "triton/backends/nvidia/bin/nvdisasm")
    else:
        os.environ.pop("SIMTC_NVDISASM", None)
    kernels = list(load(path).values())
    pairs: dict[str, dict[str, list]] = {}
    for (made, read), seen in census(kernels).items():
        pairs.setdefault(made, {})[read] = [seen.cycles, seen.at_least, seen.times, sorted(seen.texts)]
    counts = {"kernels": len(kernels), "instructions": sum(len(k.instructions) for k in kernels), "pairs": pairs}
    half = kept.with_suffix(".part")
    half.write_text(json.dumps(counts))
    half.rename(kept)
    return counts


if __name__ == "__main__":
    try:
        main()
    except SimtcError as problem:
        raise SystemExit(f"census.py: {problem}") from None
