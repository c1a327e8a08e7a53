"""The family `hgemm_batched`: batches of half-precision products, tuned as MAGMA tunes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from simtc.arch import Device
from simtc.arch.generation import ALIASES
from simtc.errors import BadInputError
from simtc.gemm.family import Compiled, Configured, Family, Option, Refused
from simtc.gemm.hgemm_batched.choose import BUILT, chosen, made_with, space
from simtc.gemm.hgemm_batched.configuration import PADS, TRANSPOSES
from simtc.gemm.hgemm_batched.shipped import shipped
from simtc.gemm.hgemm_batched.space import tiling_of
from simtc.gemm.hgemm_batched.tiling import SHAPES
from simtc.gemm.problem import Problem

__all__ = ["FAMILY", "Batched"]

_SHAPES = ", ".join("x".join(map(str, shape)) for shape in SHAPES)
OPTIONS = (
    Option(name="version", kind="int", help="MAGMA's number of a configuration, 1 to 8229", default="MAGMA's choice"),
    Option(name="dim", kind="str", help="DIM_X x DIM_Y, threads that read and write", default="MAGMA's choice"),
    Option(name="block", kind="shape", help="BLK_M, BLK_N, BLK_K: tile of a thread block", default="MAGMA's choice"),
    Option(name="shape", kind="str", help=f"of the matrix instruction: {_SHAPES}", default="MAGMA's choice"),
    Option(name="transpose", kind="str", help=f"of A and B, as BLAS says: {', '.join(TRANSPOSES)}", default="nn"),
    Option(name="layout", kind="str", help=f"of shared memory: {', '.join(PADS)}", default="none"),
)
_ACCUMULATOR = Option(name="accumulator", kind="str", help="type of the sums: f16, f32", default="f16")


class Batched(Family):
    """Batched GEMM over one plane of numbers or two."""

    name = "hgemm_batched"
    summary = "batches of small f16 products, eight tuning parameters, as MAGMA has them"
    example = "-m 32 -n 32 -k 32 --batch 1000 --device v100_pcie --version 4019"
    options: ClassVar[tuple[Option, ...]] = (*OPTIONS, _ACCUMULATOR)
    planes: ClassVar[int] = 1

    def problem(self, sizes: Mapping[str, Any], choices: Mapping[str, Any]) -> Problem:
        """Return the problem of given sizes: matrices by columns, D over C."""
        return made_with(tiling_of(1), BUILT[0], self.planes, choices).problem(sizes)

    def configure(self, problem: Problem, device: Device, choices: Mapping[str, Any]) -> Configured:
        """Return the kernel of the version or parameters that are named, else of MAGMA's version."""
        return chosen(problem, device, self.planes, choices)

    def space(self, problem: Problem, device: Device, choices: Mapping[str, Any]) -> Iterator[Configured | Refused]:
        """Yield the space in the order of MAGMA's version numbers."""
        return space(problem, device, self.planes, choices)

    def configured(self, arch: str, choices: Mapping[str, Any]) -> Configured:
        """Return the kernel of a version."""
        if "version" not in choices:
            raise BadInputError(f"{self.name} apart from a problem needs its version. Try: --version 4019")
        sm = int(ALIASES.get(arch, arch).removeprefix("sm_"))
        return made_with(tiling_of(choices["version"]), sm, self.planes, choices)

    def compilations(self) -> Iterator[Compiled]:
        """Yield what ships."""
        for sm in BUILT:
            yield from (made.compiled() for made in shipped(sm, self.planes))


FAMILY = Batched()
