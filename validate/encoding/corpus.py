"""Compile what the encodings are learnt from: every source of the project, for every generation, into FOLDER.

    python validate/encoding/corpus.py FOLDER --cuda12 SITE_PACKAGES [--more GLOB ...]

Needs nvcc 13 for sm_75 and later and, for sm_70, NVRTC 12.8 (kernels/build.py says where from); no GPU. A source that
a generation cannot compile is passed over and named. `--more` adds sources of your own, for example kernels made of
CUTLASS templates, whose text and code stay outside the repository.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from simtc.numerics import instructions
from simtc.resources import folder
from simtc.validate.campaigns.layouts import ReadCase
from simtc.validate.chip import Chip
from simtc.validate.ptx import family, mma_ptx, target, wgmma_ptx, wmma_ptx
from simtc.validate.validate import campaign_settings, cases_of

SMS = (70, 75, 80, 86, 87, 89, 90)
_ROOTS = (folder("kernels"), folder("validate") / "microbench", folder("validate") / "distances")
_FIRST_OF_PTX = 75  # that nvcc 13 assembles for
_NAMES = re.compile(r"\b(?:probe|tile)\b")  # what every probe defines
_PROBES = {"mma": mma_ptx, "wmma": wmma_ptx, "wgmma": wgmma_ptx}
_SEED, _BATCH, _BATCHES = 16, 16, 5


def main() -> None:
    """Compile everything that is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cuda12", type=Path, required=True)
    parser.add_argument("--more", type=Path, nargs="*", default=[])
    parser.add_argument("--sm", type=int, nargs="*", default=SMS)
    parser.add_argument("--include", nargs="*", default=[])
    options = parser.parse_args()
    build = _module(folder("kernels") / "build.py")
    with tempfile.TemporaryDirectory() as scratch:
        sources = [*_shipped(), *_campaign(Path(scratch)), *_generated(Path(scratch)), *options.more]
        for sm in options.sm:
            for source in [*sources, *_probes(Path(scratch), sm)]:
                target = options.folder / f"sm_{sm}" / f"{source.stem}.cubin"
                if not target.exists():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    _compile(source, sm, target, options, build)


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    sys.path.append(str(path.parent))  # its own imports lie beside it
    spec.loader.exec_module(module)
    return module


def _shipped() -> Iterator[Path]:
    for root in _ROOTS:
        yield from sorted(root.glob("*.cu"))
    yield folder("validate") / "opcodes" / "mufu.cu"
    yield from sorted((Path(__file__).parents[2] / "tests").rglob("*.cu"))


def _campaign(scratch: Path) -> Iterator[Path]:
    """Write the opcode campaign, one file a kernel: an operation that a generation lacks then costs one kernel only."""
    table = _module(folder("validate") / "opcodes" / "table.py")
    parts = table.source().split('extern "C" __global__')
    for number, body in enumerate(parts[1:]):
        path = scratch / f"opcodes{number:02d}.cu"
        path.write_text(parts[0] + 'extern "C" __global__' + body)
        yield path


def _generated(scratch: Path) -> Iterator[Path]:
    """Write the first kernels that validate/distances makes from its seed, a few a file."""
    generate = _module(folder("validate") / "distances" / "generate.py")
    for number in range(_BATCHES):
        path = scratch / f"generated{number:02d}.cu"
        path.write_text(generate.source(_SEED, range(number * _BATCH, (number + 1) * _BATCH)))
        yield path


def _probes(scratch: Path, sm: int) -> Iterator[Path]:
    """Write the kernels of the campaigns `numerics` and `layouts`, one for each matrix instruction and load, as PTX."""
    if sm < _FIRST_OF_PTX:
        return
    parts: dict[str, list[str]] = {}
    for found in instructions(Chip(sm).arch).values():
        parts.setdefault(target(found, sm), []).append(_PROBES[family(found)](found, sm))
    for case in cases_of("layouts", campaign_settings("layouts"), sm):
        if isinstance(case, ReadCase):
            parts.setdefault(case.target, []).append(case.ptx)
    for goal, texts in parts.items():
        heads = {tuple(text.splitlines()[:3]) for text in texts}
        path = scratch / f"probes_{goal}.ptx"
        bodies = ("\n".join(text.splitlines()[3:]) for text in texts)
        named = (_NAMES.sub(rf"\g<0>{number}", body) for number, body in enumerate(bodies))
        path.write_text("\n".join([*max(heads), *named]))
        yield path


def _compile(source: Path, sm: int, target: Path, options: argparse.Namespace, build: ModuleType) -> None:
    includes = [str(_ROOTS[0] / "include"), str(source.parent), *options.include]
    if sm < 75:
        build._HERE = source.parent
        try:
            target.write_bytes(build._nvrtc(source.name, sm, (), options.cuda12))
        except SystemExit as error:
            print("passed over", source.name, sm, str(error).splitlines()[1:3], file=sys.stderr)
        return
    goal = source.stem.partition("probes_")[2] or f"sm_{sm}"
    command = ["nvcc", "-cubin", f"-arch={goal}", "-std=c++17", "-w", *(f"-I{path}" for path in includes)]
    run = subprocess.run([*command, "-o", str(target), str(source)], capture_output=True, text=True, check=False)
    if run.returncode:
        print("passed over", source.name, sm, run.stderr.splitlines()[:2], file=sys.stderr)


if __name__ == "__main__":
    main()
