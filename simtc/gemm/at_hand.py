"""The machine code of a kernel whose listing does not ship: made by the nvcc at hand."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from simtc.compiler.nvcc import FLAGS, Nvcc, find_nvcc
from simtc.errors import BadInputError
from simtc.gemm.family import Compiled
from simtc.isa import Kernel
from simtc.resources import folder
from simtc.sass import load

__all__ = ["can_compile", "program_of"]

_FIRST_SM = 75  # that CUDA 13 still compiles for


def can_compile(sm: int) -> bool:
    """Tell whether there is an nvcc for a generation."""
    return sm >= _FIRST_SM and find_nvcc() is not None


def program_of(one: Compiled) -> Kernel:
    """Read a kernel's listing; where none ships, compile its source.

    Raises:
        BadInputError: no listing ships, and no compiler is at hand.
        MissingToolError: there is no nvdisasm to read what the compiler made.

    Example:
        >>> from simtc.gemm.registry import family
        >>> made = family("wmma_gemm").configured("sm_75", {"types": "s8"})
        >>> program_of(made.compiled()).sm
        75

    """
    if one.ships:
        return one.kernel()
    if not can_compile(one.sm):
        least = f"CUDA 13's nvcc compiles for sm_{_FIRST_SM} and later" if one.sm < _FIRST_SM else "no nvcc is on PATH"
        raise BadInputError(
            f"{one.name} ships no listing for sm_{one.sm}, and {least}. Try: --fidelity analytic, or a version that "
            f"ships: {', '.join(sorted(path.stem for path in _neighbours(one)))[:400]}"
        )
    return _compiled(one)


def _neighbours(one: Compiled) -> list[Path]:
    return list((folder("kernels") / one.listing).parent.glob("*.sass"))


@lru_cache(maxsize=64)
def _compiled(one: Compiled) -> Kernel:
    source = folder("kernels") / one.source
    tool = Nvcc(find_nvcc() or "nvcc")
    flags = (f"-arch=sm_{one.sm}", *FLAGS, *one.definitions)
    text = source.read_text(encoding="utf-8")
    return load(tool.cubin(text, source, flags, [source.parent / "include"], name=one.name))[one.name]
