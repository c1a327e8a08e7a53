"""Twins: configurations of simtc.gemm.hgemm as the CUDA compiler makes them out of kernels/hgemm_template.cu."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

import numpy as np

from simtc.arch import ALIASES
from simtc.errors import BadInputError, unknown
from simtc.gemm.family import Compiled
from simtc.gemm.hgemm.configuration import Configuration
from simtc.isa import Kernel
from simtc.resources import folder

__all__ = ["TEMPLATE", "arguments", "compiled_twin", "definitions", "twin", "twin_generations", "twin_name", "twins"]

TEMPLATE = "hgemm_template.cu"


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
    return configuration.name.rpartition("_sts")[0]


def definitions(configuration: Configuration) -> tuple[str, ...]:
    """Return the compiler's -D flags that make the template a configuration's twin.

    Raises:
        BadInputError: the template has no such kernel.

    Example:
        >>> definitions(twins("turing")[0])[:4]
        ('-DNAME=hgemm_256x256x32_128x64x8_pad_lds_f16_1buf', '-DBLOCK_M=256', '-DBLOCK_N=256', '-DBLOCK_K=32')

    """
    if (
        configuration.sm_number < 75
        or configuration.asynchronous
        or (configuration.epilogue != "none" or configuration.transpose != "tn" or configuration.split_k != 1)
    ):
        raise BadInputError(
            f"{configuration.name} has no twin: {TEMPLATE} is for sm_75 and later and has two stages at most, "
            "and no other epilogue or transpose than none and tn"
        )
    sizes = {
        f"{what.upper()}_{axis}": size
        for what in ("block", "warp")
        for axis, size in zip("MNK", getattr(configuration, what), strict=True)
    }
    values = {"NAME": twin_name(configuration), **sizes, "STAGES": configuration.stages}
    flags = [f"-D{name}={value}" for name, value in values.items()]
    flags.append(f"-DLAYOUT={configuration.layout.upper()}")
    flags += ["-DLDSM"] * (configuration.fragment_loads == "ldsm")
    flags += ["-DSUM_F32"] * (configuration.accumulator == "f32")
    return tuple(flags)


def compiled_twin(configuration: Configuration) -> Compiled:
    """Return how a configuration's twin is compiled, and where its listing stands.

    Raises:
        BadInputError: the template has no such kernel.

    """
    name = twin_name(configuration)
    return Compiled(
        source=TEMPLATE,
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


def arguments(
    A: np.ndarray,
    B: np.ndarray,
    D: np.ndarray,
    C: np.ndarray | None = None,
    alpha: float = 1.0,
    beta: float = 0.0,
) -> list[Any]:
    """Return the arguments of a generated program and of its twin alike; with C, of one that has an epilogue.

    Args:
        A: (m, k) float16, or (k, m) where it is not transposed in BLAS' words.
        B: (n, k) float16: the columns of B, one after another; or (k, n) where it is.
        D: (m, n) float16 or float32, for the result.
        C: (m, n) in D's type.
        alpha: the product's factor, rounded to D's type.
        beta: C's, likewise.

    """
    (m, n), k = D.shape, A.size // D.shape[0]
    plain = [A, B, D, np.int32(m), np.int32(n), np.int32(k)]
    if C is None:
        return plain
    scales = [np.full(4 // D.itemsize, value, D.dtype).tobytes() for value in (alpha, beta)]
    return [*plain, C, *scales]
