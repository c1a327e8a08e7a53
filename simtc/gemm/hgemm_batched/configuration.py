"""One kernel of the family: its tuning parameters, transposes, types, and the generation it is compiled for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.gemm.family import Compiled, Configured, Dim3
from simtc.gemm.hgemm_batched.space import version_of
from simtc.gemm.hgemm_batched.tiling import Tiling
from simtc.gemm.problem import Problem, Shape
from simtc.results.prediction import Prediction

if TYPE_CHECKING:
    import numpy as np

    from simtc.isa import Kernel

__all__ = ["PADS", "TRANSPOSES", "BatchedGemm"]

TRANSPOSES = ("nn", "nt", "tn", "tt")
PADS = {"none": 0, "pad": 8}  # halves after each column in shared memory
_SOURCE = "hgemm_batched.cu"
_GRID_Z = 65535


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchedGemm(Configured):
    """A kernel of kernels/hgemm_batched.cu; with two planes, of complex numbers.

    Example:
        >>> one = BatchedGemm(tiling=Tiling(block=(32, 32, 32), shape=(32, 8, 16), dim=(16, 4)), sm=75)
        >>> one.name, one.block_dim, one.dynamic_shared_bytes
        ('hgemm_batched_16x4_32x32x32_m32n8k16_nn', (64, 1, 1), 6144)

    """

    tiling: Tiling
    sm: int
    transpose: str = "nn"
    accumulator: str = "f16"
    layout: str = "none"
    planes: int = 1

    @property
    def name(self) -> str:
        """The family, the parameters, the transposes, and what is not as released."""
        options = [self.transpose] + ["f32"] * (self.accumulator == "f32") + ["pad"] * (self.layout == "pad")
        return "_".join([self.family, self.tiling.name, *options])

    @property
    def family(self) -> str:
        """The family's name."""
        return "hcgemm_batched" if self.planes == 2 else "hgemm_batched"

    @property
    def instruction(self) -> str:
        """The matrix instruction, as simtc.mma names it."""
        m, n, k = self.tiling.shape
        return f"wmma.m{m}n{n}k{k}.{self.accumulator}.f16.f16.{self.accumulator}"

    @property
    def multiple(self) -> Shape:
        """Any size: what lies outside a matrix is read as zero and not written."""
        return 1, 1, 1

    @property
    def tile(self) -> Shape:
        """BLK_M, BLK_N, BLK_K."""
        return self.tiling.block

    @property
    def block_dim(self) -> Dim3:
        """All threads along x; the kernel regroups them."""
        return self.tiling.threads, 1, 1

    @property
    def dynamic_shared_bytes(self) -> int:
        """C, A and B side by side."""
        return self.tiling.shared_bytes(
            planes=self.planes,
            sum_bytes=4 if self.accumulator == "f32" else 2,
            pad=PADS[self.layout],
            transpose=self.transpose,
        )

    def problem(self, sizes: Mapping[str, Any]) -> Problem:
        """Return the problem of given sizes: matrices by columns, D over C."""
        kind = "c32" if self.planes == 2 else "f16"
        a, b = ("row" if turned == "t" else "col" for turned in self.transpose)
        made = Problem(**sizes, types=".".join([kind] * 4), majors=(a, b, "col"))
        if made.ldc != made.ldd:
            raise BadInputError(
                f"ldc {made.ldc}, ldd {made.ldd}: {self.family} writes D over C, with one leading dimension"
            )
        if made.products > _GRID_Z:
            raise BadInputError(
                f"batch {made.products:,}: one launch takes {_GRID_Z:,} products, which the grid has along z. "
                f"Try: --batch {_GRID_Z}, and the rest in launches of their own"
            )
        return made

    def grid_dim(self, problem: Problem) -> Dim3:
        """Return blocks along m, along n, and one for each product."""
        m, n, _ = self.tile
        return -(-problem.m // m), -(-problem.n // n), problem.products

    def to_dict(self) -> dict[str, Any]:
        """Return the choices as JSON types."""
        return {
            "block": list(self.tiling.block),
            "shape": "x".join(map(str, self.tiling.shape)),
            "dim": "x".join(map(str, self.tiling.dim)),
            "version": version_of(self.tiling),
            "warps": self.tiling.warps,
            "instr": self.instruction,
            "transpose": self.transpose,
            "accumulator": self.accumulator,
            "layout": self.layout,
            "built_for": f"sm_{self.sm}",
        }

    def arguments(self, problem: Problem, arrays: Mapping[str, np.ndarray]) -> list[Any]:
        """Return the arguments of a launch, which writes D over a copy of C: arrays of pointers, one a product."""
        from simtc.gemm.batch import arguments  # noqa: PLC0415 - closed forms start without numpy

        return arguments(problem, arrays, sizes=[problem.m, problem.n, problem.k], planes=self.planes)

    def reference(self, problem: Problem, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return D, bit for bit."""
        from simtc.gemm.hgemm_batched.reference import reference  # noqa: PLC0415 - as above

        return reference(self, problem, arrays)

    def closed_form(self, problem: Problem, device: Device) -> Prediction:
        """Predict from what each resource would take alone."""
        from simtc.gemm.hgemm_batched.closed_form import predict  # noqa: PLC0415 - it is made of configurations

        return predict(self, problem, device)

    def compiled(self) -> Compiled:
        """Return how its listing is compiled: one kernel a listing."""
        words = {
            "NAME": self.name,
            **dict(zip(("DIM_X", "DIM_Y"), self.tiling.dim, strict=True)),
            **dict(zip(("BLK_M", "BLK_N", "BLK_K"), self.tiling.block, strict=True)),
            **dict(zip(("TC_M", "TC_N", "TC_K"), self.tiling.shape, strict=True)),
            "TRANS_A": int(self.transpose[0] == "t"),
            "TRANS_B": int(self.transpose[1] == "t"),
            "SUM": "float" if self.accumulator == "f32" else "half",
            "PAD": PADS[self.layout],
            "PLANES": self.planes,
        }
        return Compiled(
            source=_SOURCE,
            name=self.name,
            sm=self.sm,
            listing=f"{self.family}/sm_{self.sm}/{self.name}.sass",
            definitions=tuple(f"-D{word}={value}" for word, value in words.items()),
            dynamic_shared_bytes=self.dynamic_shared_bytes,
        )

    def program(self) -> Kernel:
        """Read the listing; where none ships, compile with the nvcc at hand."""
        from simtc.gemm.at_hand import program_of  # noqa: PLC0415 - closed forms start without its readers

        return program_of(self.compiled())

    def not_executed(self) -> str | None:
        """Say why there is no program of it here: no listing ships, and no compiler can make it."""
        from simtc.gemm.at_hand import can_compile  # noqa: PLC0415 - as above

        if self.compiled().ships or can_compile(self.sm):
            return None
        return f"no listing ships for sm_{self.sm}, and no compiler at hand makes one"

    def neighbours(self) -> Iterator[tuple[str, Configured | str]]:
        """Yield what differs in one choice and has a listing: the others are told to be compiled."""
        for transpose in TRANSPOSES:
            if transpose != self.transpose:
                yield f"--transpose {transpose}", replace(self, transpose=transpose)
        other = "pad" if self.layout == "none" else "none"
        yield f"--layout {other}", replace(self, layout=other)
