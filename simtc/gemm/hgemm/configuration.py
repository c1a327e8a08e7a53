"""Configuration: tile sizes and choices that a kernel can be made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.gemm.family import Compiled, Configured, Dim3
from simtc.gemm.hgemm.fits import require
from simtc.gemm.hgemm.problem import hgemm_problem, is_strided
from simtc.gemm.hgemm.tiles import Shape, Tiles
from simtc.gemm.problem import Problem
from simtc.results.prediction import Prediction

if TYPE_CHECKING:
    import numpy as np

    from simtc.isa import Kernel

__all__ = ["Configuration"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration(Tiles, Configured):
    """A GEMM kernel that fits its generation; the fields are those of Tiles.

    Raises:
        BadInputError: it does not fit; says why, and names the nearest that does.

    Example:
        >>> yan = Configuration(block=(256, 256, 32), warp=(128, 64, 8))
        >>> yan.threads, yan.shared_bytes, yan.interleave
        (256, 36864, 5)
        >>> Configuration(block=(256, 256, 64), warp=(128, 64, 8))  # doctest: +NORMALIZE_WHITESPACE
        Traceback (most recent call last):
        simtc.errors.BadInputError: block 256,256,64, warp 128,64,8: one stage takes 73728 bytes of shared memory
        (8192 of them padding), and sm_75 gives a block 65536; the nearest that fits: --block 256,256,32
        --warp 128,64,8

    """

    def __post_init__(self) -> None:
        require(self)

    @property
    def multiple(self) -> Shape:
        """Whole blocks: generated kernels have no bounds to check."""
        return self.block

    @property
    def tile(self) -> Shape:
        """The block's tile."""
        return self.block

    @property
    def block_dim(self) -> Dim3:
        """All threads along x."""
        return self.threads, 1, 1

    def problem(self, sizes: Mapping[str, Any]) -> Problem:
        """Return the problem of given sizes, with the configuration's types and majors."""
        made = hgemm_problem(sizes, self.accumulator, self.transpose, self.types)
        if is_strided(made) and not self.strided:
            raise BadInputError(
                f"{self.name} computes one product of matrices without gaps: batch {made.batch} and leading dimensions "
                "take a configuration that is strided. Try: Configuration(..., strided=True)"
            )
        return made

    def grid_dim(self, problem: Problem) -> Dim3:
        """Return blocks along n, then along m, and one for each product."""
        return (*self.grid(problem.m, problem.n)[:2], problem.products)

    def closed_form(self, problem: Problem, device: Device) -> Prediction:
        """Predict what each resource would take, composed over waves."""
        from simtc.gemm.hgemm.closed_form import predict  # noqa: PLC0415 - it is made of configurations

        return predict(
            self, device, m=problem.m, n=problem.n, k=problem.k, beta=problem.beta != 0, products=problem.products,
            leading=(problem.leading("A"), problem.leading("B")),
        )  # fmt: skip

    def arguments(self, problem: Problem, arrays: Mapping[str, np.ndarray]) -> list[Any]:
        """Return the arguments of the generated program, and of its twin."""
        from simtc.gemm.hgemm.arguments import arguments_of  # noqa: PLC0415 - closed forms start without numpy

        return arguments_of(self, problem, arrays)

    def reference(self, problem: Problem, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return D, bit for bit."""
        from simtc.gemm.hgemm.reference import reference  # noqa: PLC0415 - as above

        return reference(self, problem, arrays)

    def program(self) -> Kernel:
        """Generate the program."""
        from simtc.gemm.hgemm.generate import generate  # noqa: PLC0415 - as above

        return generate(self)

    def compiled(self) -> Compiled:
        """Return the twin: the template, compiled for these choices."""
        from simtc.gemm.hgemm.twin import compiled_twin  # noqa: PLC0415 - as above

        return compiled_twin(self)

    def not_executed(self) -> str | None:
        """Say what of the choices codegen does not write."""
        return self.not_generated

    def neighbours(self) -> Iterator[tuple[str, Configured | str]]:
        """Yield a size doubled or halved, another layout, load or number of stages."""
        from simtc.gemm.hgemm.neighbours import neighbours  # noqa: PLC0415 - it is made of configurations

        yield from neighbours(self)
