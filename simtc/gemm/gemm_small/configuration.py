"""One kernel of the family: a size, real or complex, packed or not, and the generation it is compiled for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.gemm.family import Compiled, Configured, Dim3
from simtc.gemm.problem import Problem, Shape
from simtc.results.prediction import Prediction

if TYPE_CHECKING:
    import numpy as np

    from simtc.isa import Kernel

__all__ = ["LARGEST", "PACKED", "GemmSmall"]

LARGEST = 32
PACKED = 8  # N up to which an instruction has room for two problems
_THREADS = 128  # of a block, about, while N is small
_ALONG_Z = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class GemmSmall(Configured):
    """A kernel of kernels/gemm_small.cu.

    Example:
        >>> one = GemmSmall(size=4, sm=70)
        >>> one.name, one.block_dim, one.together
        ('gemm_small_4', (4, 4, 8), 8)

    """

    size: int
    sm: int
    planes: int = 1
    packed: bool = False

    @property
    def name(self) -> str:
        """gemm_small_N, of complex numbers gemm_small_complex_N, packed gemm_small_packed_N."""
        kind = "packed_" if self.packed else "complex_" if self.planes == 2 else ""
        return f"gemm_small_{kind}{self.size}"

    @property
    def multiple(self) -> Shape:
        """Its own size alone."""
        return self.size, self.size, self.size

    @property
    def tile(self) -> Shape:
        """The whole product."""
        return self.size, self.size, self.size

    @property
    def together(self) -> int:
        """Problems of a block."""
        if self.packed:
            return 16 // self.size
        return min(_ALONG_Z, max(1, _THREADS // self.size**2))

    @property
    def block_dim(self) -> Dim3:
        """A thread for each element of C; packed, a warp."""
        return (32, 1, 1) if self.packed else (self.size, self.size, self.together)

    def problem(self, sizes: Mapping[str, Any]) -> Problem:
        """Return the problem of given sizes: square matrices by columns, D over C."""
        kind = "c32" if self.planes == 2 else "f16"
        made = Problem(**sizes, types=".".join([kind] * 4), majors=("col", "col", "col"))
        if (made.m, made.n, made.k) != self.multiple:
            raise BadInputError(
                f"{made.m} x {made.n} x {made.k}: gemm_small takes square matrices of 1 to {LARGEST}, packed of 1 to "
                f"{PACKED}. Try: simtc simulate gemm_small -m 8 -n 8 -k 8 --batch 10000"
            )
        if made.ldc != made.ldd:
            raise BadInputError(
                f"ldc {made.ldc}, ldd {made.ldd}: gemm_small writes D over C, with one leading dimension"
            )
        return made

    def grid_dim(self, problem: Problem) -> Dim3:
        """Return blocks along the batch."""
        return -(-problem.products // self.together), 1, 1

    def to_dict(self) -> dict[str, Any]:
        """Return the choices as JSON types."""
        return {
            "block": list(self.tile),
            "types": "c32" if self.planes == 2 else "f16",
            "packed": self.packed,
            "problems_per_block": self.together,
            "built_for": f"sm_{self.sm}",
        }

    def arguments(self, problem: Problem, arrays: Mapping[str, np.ndarray]) -> list[Any]:
        """Return the arguments of a launch, which writes D over a copy of C: arrays of pointers, one a product."""
        from simtc.gemm.batch import arguments  # noqa: PLC0415 - closed forms start without numpy

        return arguments(problem, arrays, sizes=[problem.products], planes=self.planes)

    def reference(self, problem: Problem, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return D, bit for bit."""
        from simtc.gemm.gemm_small.reference import reference  # noqa: PLC0415 - as above

        return reference(self, problem, arrays)

    def closed_form(self, problem: Problem, device: Device) -> Prediction:
        """Predict from what each resource would take alone."""
        from simtc.gemm.gemm_small.closed_form import predict  # noqa: PLC0415 - it is made of configurations

        return predict(self, problem, device)

    def compiled(self) -> Compiled:
        """Return how its listing is compiled: one of real numbers, one of complex ones."""
        return Compiled(
            source="gemm_small.cu",
            name=self.name,
            sm=self.sm,
            listing=f"gemm_small/sm_{self.sm}/{'complex' if self.planes == 2 else 'real'}.sass",
            definitions=(f"-DPLANES={self.planes}",),
        )

    def program(self) -> Kernel:
        """Read the listing."""
        return self.compiled().kernel()

    def neighbours(self) -> Iterator[tuple[str, Configured | str]]:
        """Yield the packed kernel."""
        if self.planes == 1 and self.size <= PACKED and not self.packed:
            yield "--packed", replace(self, packed=True)
