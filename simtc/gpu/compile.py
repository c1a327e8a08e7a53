"""Compile CUDA C++ and PTX for the GPU at hand, and keep what was compiled."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from simtc.compiler.nvcc import FLAGS, Nvcc, find_nvcc, nvcc_version
from simtc.errors import MissingToolError
from simtc.gpu.code import Code, codes_of
from simtc.resources import folder

if TYPE_CHECKING:
    from simtc.gpu.gpu import Gpu

__all__ = ["assemble", "compile_one", "compile_shipped", "compile_source", "find_nvcc", "nvcc_version"]

_PTX = "kernel.ptx"  # the name of PTX, which is no file


def compile_source(path: Path, gpu: Gpu, *, definitions: tuple[str, ...] = ()) -> dict[str, Code]:
    """Compile a .cu file for the GPU at hand with nvcc, else with the backend's NVRTC.

    Raises:
        BadInputError: the source does not compile; with the compiler's first words.
        MissingToolError: there is neither compiler.

    """
    include, name = path.parent / "include", path.name
    text, sm, nvcc = path.read_text(encoding="utf-8"), f"sm_{gpu.description.sm}", find_nvcc()
    if nvcc:
        tool = Nvcc(nvcc)
        cubin = tool.cubin(text, path, (f"-arch={sm}", *FLAGS, *definitions), [include])
        return codes_of(cubin.read_bytes(), name, tool.version)
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

    tool = Nvcc(nvcc)
    return tool.cubin(ptx, Path(_PTX), (f"-arch={target}",)).read_bytes(), tool.version
