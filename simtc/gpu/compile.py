"""Compile CUDA C++ and PTX for the GPU at hand, and keep what was compiled."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from simtc.errors import BadInputError, MissingToolError
from simtc.files import replacing
from simtc.gpu.code import Code, codes_of
from simtc.resources import folder

if TYPE_CHECKING:
    from simtc.gpu.gpu import Gpu

__all__ = ["assemble", "compile_one", "compile_shipped", "compile_source", "find_nvcc", "nvcc_version"]

FLAGS = ("-std=c++17", "-lineinfo")  # as the shipped listings were made


def find_nvcc() -> str | None:
    """Return nvcc: $NVCC, the one on PATH, or that of $CUDA_HOME, $CUDA_ROOT or /usr/local/cuda."""
    given = os.environ.get("NVCC") or shutil.which("nvcc")
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_ROOT"), "/usr/local/cuda"]
    places = [Path(home) / "bin" / "nvcc" for home in homes if home]
    return given or next((str(place) for place in places if place.exists()), None)


@cache
def nvcc_version(nvcc: str) -> str:
    """Return what nvcc calls itself, such as "nvcc 13.0.88".

    Raises:
        MissingToolError: it cannot be run.

    """
    try:
        text = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False).stdout  # noqa: S603
    except OSError as error:
        raise MissingToolError(f"{nvcc} cannot be run ({error.strerror}). Try: NVCC=/path/to/nvcc simtc ...") from None
    match = re.search(r"V(\d+\.\d+\.\d+)", text)
    return f"nvcc {match[1]}" if match else "nvcc"


def compile_source(path: Path, gpu: Gpu, *, definitions: tuple[str, ...] = ()) -> dict[str, Code]:
    """Compile a .cu file for the GPU at hand with nvcc, else with the backend's NVRTC.

    Raises:
        BadInputError: the source does not compile; with the compiler's first words.
        MissingToolError: there is neither compiler.

    """
    include, name = path.parent / "include", path.name
    headers = [*sorted(include.glob("*.cuh")), *sorted(path.parent.glob("*.cuh"))]
    text = path.read_text(encoding="utf-8")
    sm = f"sm_{gpu.description.sm}"
    everything = "".join([text, *(header.read_text(encoding="utf-8") for header in headers)])
    nvcc = find_nvcc()
    if nvcc:
        flags = ("-cubin", f"-arch={sm}", *FLAGS, *definitions)
        cubin = _cached(nvcc_version(nvcc), (*flags, everything), lambda: _nvcc(nvcc, path, (*flags, f"-I{include}")))
        return codes_of(cubin, name, nvcc_version(nvcc))
    roots = [os.environ.get(key) for key in ("CUDA_HOME", "CUDA_ROOT", "CUDA_PATH")]
    includes = [f"-I{include}", *(f"-I{root}/include" for root in roots if root)]
    made = gpu.driver.nvrtc(text, name, (f"-arch={sm}", *FLAGS, *definitions, f"-I{path.parent}", *includes))
    if made is None:
        raise MissingToolError(
            f"no nvcc was found to compile {name} with. Try: NVCC=/path/to/nvcc simtc ..., or --backend cupy"
        )
    return codes_of(made[0], name, f"NVRTC {made[1]}")


def compile_shipped(source: str, gpu: Gpu) -> dict[str, Code]:
    """Compile one of the sources that ship with simtc, such as "wmma_tiled.cu", for the GPU at hand."""
    return compile_source(folder("kernels") / source, gpu)


def compile_one(source: str, name: str, gpu: Gpu, *, definitions: tuple[str, ...] = ()) -> Code:
    """Compile one kernel of a source that ships with simtc, as -D flags make it, for the GPU at hand."""
    return compile_source(folder("kernels") / source, gpu, definitions=definitions)[name]


def assemble(ptx: str, target: str) -> tuple[bytes, str]:
    """Return PTX as a cubin and what made it; where there is no nvcc, the PTX itself, for the driver to compile.

    Raises:
        BadInputError: ptxas refuses it.

    """
    nvcc = find_nvcc()
    if nvcc is None:
        return ptx.encode(), ""

    def build() -> bytes:
        with tempfile.TemporaryDirectory() as scratch:
            source = Path(scratch) / "kernel.ptx"
            source.write_text(ptx, encoding="utf-8")
            return _nvcc(nvcc, source, ("-cubin", f"-arch={target}"))

    return _cached(nvcc_version(nvcc), (target, ptx), build), nvcc_version(nvcc)


def _nvcc(nvcc: str, source: Path, flags: tuple[str, ...]) -> bytes:
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "kernel.cubin"
        command = [nvcc, *flags, "-o", str(out), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - the user's compiler
        if done.returncode:
            why = (done.stderr or done.stdout).replace(str(source), source.name).strip().splitlines()
            raise BadInputError(f"nvcc cannot compile {source.name}: {' '.join(why[:3])[:300]}")
        return out.read_bytes()


def _cached(toolkit: str, parts: tuple[str, ...], build: Callable[[], bytes]) -> bytes:
    key = hashlib.sha256("\0".join((toolkit, *parts)).encode()).hexdigest()[:32]
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "simtc" / "cubin"
    kept = home / f"{key}.cubin"
    if kept.is_file():
        return kept.read_bytes()
    cubin = build()
    home.mkdir(parents=True, exist_ok=True)
    with replacing(kept) as file:
        file.write(cubin)
    return cubin
