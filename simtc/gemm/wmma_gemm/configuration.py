"""One kernel of the family: a type pair, a shape, the transposes, and the generation it is compiled for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.gemm.family import Compiled, Configured, Dim3, Verdict
from simtc.gemm.problem import Problem, Shape
from simtc.gemm.wmma_gemm.pairs import TRANSPOSES, Pair, pair_named
from simtc.results.prediction import Prediction

if TYPE_CHECKING:
    import numpy as np

    from simtc.isa import Kernel

__all__ = ["WARPS", "WmmaGemm"]

WARPS = 4  # of a block along the rows of C, and along its columns
SOURCE = "wmma_gemm.cu"


@dataclass(frozen=True, slots=True, kw_only=True)
class WmmaGemm(Configured):
    """A kernel of kernels/wmma_gemm.cu.

    With `as_printed` it is launched with the leading dimensions that the document has, k of A and n of B, which are
    right where nothing is transposed or all matrices are square.

    Example:
        >>> one = WmmaGemm(types="s8", shape=(16, 16, 16), transpose="nt", sm=80)
        >>> one.name, one.tile, one.block_dim
        ('wmma_gemm_s8_m16n16k16_nt', (64, 64, 16), (32, 4, 4))

    """

    types: str
    shape: Shape
    transpose: str
    sm: int
    as_printed: bool = False

    @property
    def pair(self) -> Pair:
        """The types."""
        return pair_named(self.types)

    @property
    def name(self) -> str:
        """wmma_gemm_TYPES_SHAPE_TRANSPOSE."""
        m, n, k = self.shape
        return f"wmma_gemm_{self.types}_m{m}n{n}k{k}_{self.transpose}"

    @property
    def multiple(self) -> Shape:
        """Whole tiles: a warp whose tile lies outside C leaves."""
        return self.shape

    @property
    def tile(self) -> Shape:
        """Sixteen warps' tiles."""
        m, n, k = self.shape
        return WARPS * m, WARPS * n, k

    @property
    def block_dim(self) -> Dim3:
        """A warp along x, four of them along y and z."""
        return 32, WARPS, WARPS

    def problem(self, sizes: Mapping[str, Any]) -> Problem:
        """Return the problem of given sizes, in the pair's types."""
        a, b = ("col" if turned == "t" else "row" for turned in self.transpose)
        made = Problem(**sizes, types=self.pair.types, majors=(a, b, "row"))
        if made.batch:
            raise BadInputError(f"batch {made.batch}: wmma_gemm computes one product")
        if made.ldc != made.ldd:
            raise BadInputError(
                f"ldc {made.ldc}, ldd {made.ldd}: wmma_gemm writes D over C, with one leading dimension"
            )
        return made

    def grid_dim(self, problem: Problem) -> Dim3:
        """Return blocks along m, then along n."""
        m, n, _ = self.tile
        return -(-problem.m // m), -(-problem.n // n), 1

    def to_dict(self) -> dict[str, Any]:
        """Return the choices as JSON types."""
        m, n, k = self.tile
        return {
            "block": [m, n, k],
            "warp": list(self.shape),
            "instr": self.pair.mma(self.shape),
            "types": self.types,
            "transpose": self.transpose,
            "built_for": f"sm_{self.sm}",
        }

    def arguments(self, problem: Problem, arrays: Mapping[str, np.ndarray]) -> list[Any]:
        """Return the arguments of a launch, which writes D over a copy of C."""
        import numpy as np  # noqa: PLC0415 - closed forms start without it

        from simtc.gemm.wmma_gemm.document import printed_leading  # noqa: PLC0415
        from simtc.gemm.wmma_gemm.reference import scale  # noqa: PLC0415

        arrays["D"][...] = arrays["C"]
        lda, ldb = problem.leading("A"), problem.leading("B")
        if self.as_printed:
            lda, ldb = printed_leading(problem)
        sizes = [problem.m, problem.n, problem.k, lda, ldb, problem.leading("D")]
        scales = [scale(self.pair, value).tobytes() for value in (problem.alpha, problem.beta)]
        return [arrays["A"], arrays["B"], arrays["D"], *(np.int32(size) for size in sizes), *scales]

    def reference(self, problem: Problem, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return D, bit for bit."""
        from simtc.gemm.wmma_gemm.reference import reference  # noqa: PLC0415 - as above

        return reference(self, problem, arrays)

    def closed_form(self, problem: Problem, device: Device) -> Prediction:
        """Predict from what each resource would take alone."""
        from simtc.gemm.wmma_gemm.closed_form import predict  # noqa: PLC0415 - it is made of configurations

        return predict(self, problem, device)

    def compiled(self) -> Compiled:
        """Return how its listing is compiled: one listing a pair and generation."""
        return Compiled(
            source=SOURCE,
            name=self.name,
            sm=self.sm,
            listing=f"wmma_gemm/sm_{self.sm}/{self.types}.sass",
            definitions=(f"-DPAIR={self.types}",),
        )

    def program(self) -> Kernel:
        """Read the listing."""
        return self.compiled().kernel()

    @property
    def pad_to(self) -> Shape:
        """Four tiles each way, and four steps."""
        m, n, k = self.shape
        return WARPS * m, WARPS * n, WARPS * k

    def draw(self, problem: Problem, seed: int) -> dict[str, np.ndarray]:
        """Return whole numbers from 0 to 15."""
        from simtc.gemm.wmma_gemm.document import draw  # noqa: PLC0415 - as above

        return draw(problem, seed)

    def table(self, problem: Problem, whole: Problem) -> list[tuple[str, str]]:
        """Return what the document's program prints before it runs."""
        from simtc.gemm.wmma_gemm.document import table  # noqa: PLC0415 - as above

        return table(self, problem, whole)

    def verdicts(self, problem: Problem, arrays: Mapping[str, np.ndarray], D: np.ndarray) -> list[Verdict]:
        """Judge by the document's rule, and by exact arithmetic."""
        from simtc.gemm.wmma_gemm.document import verdicts  # noqa: PLC0415 - as above

        return verdicts(self, problem, arrays, D)

    def neighbours(self) -> Iterator[tuple[str, Configured | str]]:
        """Yield the pair's other shapes, and the other transposes."""
        for shape in self.pair.shapes:
            if shape != self.shape:
                yield f"--shape {'x'.join(map(str, shape))}", self._with(shape=shape)
        for transpose in TRANSPOSES:
            if transpose != self.transpose:
                yield f"--transpose {transpose}", self._with(transpose=transpose)

    def _with(self, **changes: Any) -> WmmaGemm:
        same = {name: getattr(self, name) for name in ("types", "shape", "transpose", "sm", "as_printed")}
        return WmmaGemm(**same | changes)
