"""Twins: configurations of simtc.gemm.hgemm as the CUDA compiler makes them out of CUDA C++ in kernels/.

hgemm_template.cu has one product of f16 matrices, k side by side, in sizes that are powers of two: its machine code was
timed on chips. hgemm_general.cu has everything else.
"""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from simtc.arch import ALIASES
from simtc.errors import BadInputError, unknown
from simtc.gemm.family import Compiled
from simtc.gemm.hgemm.configuration import Configuration
from simtc.gemm.hgemm.pieces import copier_limits
from simtc.isa import Kernel
from simtc.resources import folder

__all__ = ["GENERAL", "TEMPLATE", "compiled_twin", "definitions", "twin", "twin_generations", "twin_name", "twins"]

TEMPLATE, GENERAL = "hgemm_template.cu", "hgemm_general.cu"
_PLAIN = {"transpose": "tn", "epilogue": "none", "types": "f16", "strided": False, "asynchronous": False}


def twin_generations() -> tuple[str, ...]:
    """Return the generations with twins."""
    return tuple(_table())


@cache
def twins(arch: str) -> tuple[Configuration, ...]:
    """Return the configurations of a generation whose twins ship as listings.

    Raises:
        BadInputError: none do.

    Example:
        >>> twins("turing")[0] == Configuration(block=(256, 256, 32), warp=(128, 64, 8))
        True

    """
    table = _table()
    name = next((alias for alias, sm in ALIASES.items() if arch in (alias, sm)), arch)
    if name not in table:
        raise unknown("generation with twins", arch, table)
    listed: list[dict[str, Any]] = [
        {key: tuple(v) if isinstance(v, list) else v for key, v in one.items()} for one in table[name]
    ]
    return tuple(Configuration(arch=name, **one) for one in listed)


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((folder("kernels") / "twins.toml").read_text(encoding="utf-8"))


def twin_name(configuration: Configuration) -> str:
    """Return the name of a configuration's twin: the compiler decides how STS are interleaved.

    Example:
        >>> twin_name(twins("turing")[0])
        'hgemm_256x256x32_128x64x8_pad_lds_f16_1buf'

    """
    return configuration.name.removesuffix(f"_sts{configuration.interleave}")


def definitions(configuration: Configuration) -> tuple[str, ...]:
    """Return the compiler's -D flags that make the template a configuration's twin.

    Raises:
        BadInputError: the template has no such kernel.

    Example:
        >>> definitions(twins("turing")[0])[:4]
        ('-DNAME=hgemm_256x256x32_128x64x8_pad_lds_f16_1buf', '-DBLOCK_M=256', '-DBLOCK_N=256', '-DBLOCK_K=32')

    """
    if configuration.sm_number < 75 or configuration.split_k != 1:
        raise BadInputError(f"{configuration.name} has no twin: {GENERAL} is for sm_75 and later, and does not split k")
    sizes = {
        f"{what.upper()}_{axis}": size
        for what in ("block", "warp")
        for axis, size in zip("MNK", getattr(configuration, what), strict=True)
    }
    values = {"NAME": twin_name(configuration), **sizes, "STAGES": configuration.stages}
    flags = [f"-D{name}={value}" for name, value in values.items()]
    flags.append(f"-DLAYOUT={configuration.layout.upper()}")
    flags += ["-DLDSM"] * (configuration.fragment_loads == "ldsm")
    words = {
        "SUM_F32": configuration.accumulator == "f32",
        "BF16": configuration.types == "bf16",
        "TURNED_A": configuration.turned[0],
        "TURNED_B": configuration.turned[1],
        "ASYNC": configuration.asynchronous,
        "STRIDED": configuration.strided,
        configuration.epilogue.upper(): configuration.epilogue != "none",
    }
    flags += [f"-D{word}" for word, holds in words.items() if holds]
    return tuple(flags)


def _source(configuration: Configuration) -> str:
    """Return the source that a configuration's twin is made of."""
    even = not any(size & size - 1 for size in (*configuration.block, *configuration.warp))
    plain = all(getattr(configuration, name) == value for name, value in _PLAIN.items())
    return TEMPLATE if even and plain and not copier_limits(configuration) else GENERAL


def compiled_twin(configuration: Configuration) -> Compiled:
    """Return how a configuration's twin is compiled, and where its listing stands.

    Raises:
        BadInputError: the template has no such kernel.

    """
    name = twin_name(configuration)
    return Compiled(
        source=_source(configuration),
        name=name,
        sm=configuration.sm_number,
        listing=f"twins/{configuration.sm.name}/{name}.sass",
        definitions=definitions(configuration),
        dynamic_shared_bytes=configuration.shared_bytes,
    )


def twin(configuration: Configuration) -> Kernel:
    """Read the listing of a configuration's twin; a launch takes `configuration.shared_bytes` of dynamic shared memory.

    Raises:
        BadInputError: it does not ship.

    """
    found = compiled_twin(configuration)
    if not found.ships:
        sm = configuration.sm.name
        raise BadInputError(
            f"the twin {found.name} does not ship for {sm}: add it to kernels/twins.toml, then build.py"
        )
    return found.kernel()
