# ruff: noqa: INP001 - a script beside its data, not a package
"""Compile every kernel of kernels.toml for every generation it names, and write (or --check) its listing.

    python kernels/build.py                 regenerate listings/sm_XX/*.sass, and every family's
    python kernels/build.py --check         exit 1 where a listing differs from what the sources give
    python kernels/build.py --only wmma_tiled --sm 75
    python kernels/build.py --only hgemm

Tools, none of which needs a GPU:

    sm_75 and later   nvcc 13 (--nvcc or $NVCC, else on PATH or in /usr/local/cuda/bin), nvdisasm 13 (simtc[sass])
    sm_70             which CUDA 13 dropped: NVRTC 12.8 and its headers, nvdisasm 12.8. In an environment of its own:
                          pip install nvidia-cuda-nvrtc-cu12==12.8.93 nvidia-cuda-nvcc-cu12==12.8.93 \
                              nvidia-cuda-runtime-cu12==12.8.90 triton==3.5.0
                      and its site-packages as --cuda12 or $SIMTC_CUDA12

The listings in the repository were made by nvcc 13.0.88 and NVRTC 12.8.93; another version gives other code.
"""

from __future__ import annotations

import argparse
import ctypes
import difflib
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from simtc.errors import SimtcError
from simtc.gemm.registry import families
from simtc.isa import Instruction, Kernel, Program
from simtc.sass import load, write_listing

_HERE = Path(__file__).resolve().parent
_FLAGS = ("-std=c++17", "-lineinfo")


def main() -> None:
    """Build or check the listings that the command line asks for."""
    options = _options()
    differ = 0
    for target, (source, sm, flags) in _jobs(options.only).items():
        if options.sm not in (None, sm):
            continue
        text = _listing(source, sm, flags, options)
        old = target.read_text() if target.exists() else ""
        differ += text != old
        print(f"{'same   ' if text == old else 'differs'} {target.relative_to(_HERE)}")  # noqa: T201 - a script
        if options.check:
            sys.stdout.writelines(list(difflib.unified_diff(old.splitlines(True), text.splitlines(True)))[:20])
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
    raise SystemExit(1 if options.check and differ else 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a listing differs")
    parser.add_argument("--only", help="one kernel or source of kernels.toml, or one family")
    parser.add_argument("--sm", type=int, help="one generation, such as 75")
    parser.add_argument("--nvcc", default=os.environ.get("NVCC"), help="nvcc 13")
    parser.add_argument("--cuda12", default=os.environ.get("SIMTC_CUDA12"), help="site-packages with CUDA 12.8's tools")
    return parser.parse_args()


def _jobs(only: str | None) -> dict[Path, tuple[str, int, tuple[str, ...]]]:
    """Return source, generation and further flags of each listing."""
    jobs: dict[Path, tuple[str, int, tuple[str, ...]]] = {}
    table = tomllib.loads((_HERE / "kernels.toml").read_text())
    for name in table:
        kernel = _with_inherited(name, table)
        if only in (None, name, kernel["source"], Path(kernel["source"]).stem):
            for sm in kernel["sms"]:
                target = _HERE / "listings" / f"sm_{sm}" / f"{Path(kernel['source']).stem}.sass"
                jobs[target] = (kernel["source"], sm, ())
    for family in families():
        if only in (None, family.name):
            for one in family.compilations():
                jobs[_HERE / one.listing] = (one.source, one.sm, one.definitions)
    return dict(sorted(jobs.items()))


def _with_inherited(name: str, table: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    own = table[name]
    return (_with_inherited(own["like"], table) if "like" in own else {}) | own


def _listing(source: str, sm: int, flags: Sequence[str], options: argparse.Namespace) -> str:
    with tempfile.TemporaryDirectory() as scratch:
        cubin = Path(scratch) / "kernel.cubin"
        if sm < 75:
            cubin.write_bytes(_nvrtc(source, sm, flags, _cuda12(options.cuda12)))
            program = _load_with(
                cubin, {"SIMTC_NVDISASM": str(_cuda12(options.cuda12) / "triton/backends/nvidia/bin/nvdisasm")}
            )
        else:
            nvcc = options.nvcc or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
            command = [nvcc, "-cubin", f"-arch=sm_{sm}", *_FLAGS, *flags, "-Iinclude", "-o", str(cubin), source]
            subprocess.run(command, cwd=_HERE, check=True)  # noqa: S603 - the compiler that the user named
            program = _load_with(cubin, {})
    return write_listing(_relative(program))


def _load_with(cubin: Path, environment: Mapping[str, str]) -> Program:
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        return load(cubin)
    finally:
        os.environ.clear()
        os.environ.update(before)


def _cuda12(given: str | None) -> Path:
    if not given:
        raise SystemExit("sm_70 needs CUDA 12.8's tools: see --help, then --cuda12 SITE_PACKAGES")
    return Path(given)


def _relative(program: Program) -> Program:
    """Name sources relative to this folder, so that a listing is the same whoever made it."""
    kernels = {name: _relative_kernel(kernel) for name, kernel in sorted(program.items())}
    return replace(program, kernels=kernels)


def _relative_kernel(kernel: Kernel) -> Kernel:
    return replace(kernel, instructions=tuple(_relative_instruction(i) for i in kernel.instructions))


def _relative_instruction(instruction: Instruction) -> Instruction:
    if instruction.source is None:
        return instruction
    file, line = instruction.source
    return replace(instruction, source=(Path(file).resolve().relative_to(_HERE).as_posix(), line))


def _nvrtc(source: str, sm: int, more: Sequence[str], packages: Path) -> bytes:
    """Compile with NVRTC, through its C interface."""
    library = ctypes.CDLL(str(packages / "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"))
    includes = [_HERE / "include", *(packages / "nvidia" / part / "include" for part in ("cuda_runtime", "cuda_nvcc"))]
    flags = [f"-arch=sm_{sm}", *_FLAGS, *more, *(f"-I{path}" for path in includes)]
    program = ctypes.c_void_p()
    code = (_HERE / source).read_bytes()
    _ok(library.nvrtcCreateProgram(ctypes.byref(program), code, str(_HERE / source).encode(), 0, None, None), source)
    arguments = (ctypes.c_char_p * len(flags))(*(flag.encode() for flag in flags))
    failed = library.nvrtcCompileProgram(program, len(flags), arguments)
    if failed:
        raise SystemExit(f"NVRTC cannot compile {source}:\n{_fetch(library, program, 'ProgramLog').decode()}")
    return _fetch(library, program, "CUBIN")


def _fetch(library: ctypes.CDLL, program: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    _ok(library[f"nvrtcGet{what}Size"](program, ctypes.byref(size)), what)
    buffer = ctypes.create_string_buffer(size.value)
    _ok(library[f"nvrtcGet{what}"](program, buffer), what)
    return buffer.raw


def _ok(status: int, what: str) -> None:
    if status:
        raise SystemExit(f"NVRTC failed with status {status} at {what}")


if __name__ == "__main__":
    try:
        main()
    except SimtcError as problem:
        raise SystemExit(f"build.py: {problem}") from None
