"""One kernel of the four families: how it is blocked, its transposes, and the generation it is compiled for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.gemm.family import Compiled, Configured, Dim3
from simtc.gemm.problem import Problem, Shape
from simtc.gemm.simt.blocking import Blocking
from simtc.gemm.simt.numbers import METHODS, Method, Numbers
from simtc.results.prediction import Prediction

if TYPE_CHECKING:
    import numpy as np

    from simtc.isa import Kernel

__all__ = ["BUILT", "OPERATIONS", "SimtGemm", "shipped_blockings"]

BUILT = (70, 75, 80, 90)  # generations with listings
OPERATIONS = ("n", "t", "c")  # as the complex kernels number them: as it is, transposed, conjugate transposed
_REGISTER, _OLDER = (16, 16), (16, 4)


def shipped_blockings(numbers: Numbers) -> tuple[Blocking, ...]:
    """Return the blockings that listings ship of.

    Example:
        >>> from simtc.gemm.simt.numbers import numbers_named
        >>> [one.block for one in shipped_blockings(numbers_named("sgemm"))]
        [(96, 96, 16), (64, 64, 16), (64, 16, 16)]

    """
    square = Blocking(kind="register", block=(64, 64, 16), threads=_REGISTER)
    if numbers.is_complex:
        return (square,)
    older = Blocking(kind="shared", block=(64, 16, 16), threads=_OLDER)
    return (*([replace(square, block=(96, 96, 16))] if numbers.real == "f32" else []), square, older)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimtGemm(Configured):
    """A kernel of kernels/simt_gemm.cu, gemm_volkov.cu or gemm_m3.cu; matrices lie by columns, as BLAS has them.

    Example:
        >>> from simtc.gemm.simt.numbers import numbers_named
        >>> sgemm = numbers_named("sgemm")
        >>> one = SimtGemm(numbers=sgemm, blocking=shipped_blockings(sgemm)[0], transpose="nt", method="real", sm=75)
        >>> one.name, one.tile, one.block_dim
        ('simt_gemm_f32_r6_nt', (96, 96, 16), (16, 16, 1))

    """

    uses_tensor_cores: ClassVar[bool] = False
    numbers: Numbers
    blocking: Blocking
    transpose: str
    method: str
    sm: int

    @property
    def how(self) -> Method:
        """How the product is made of real ones."""
        return METHODS[self.method]

    @property
    def name(self) -> str:
        """The entry function's, or what it would be; of complex kernels, which take any transposes, with them."""
        real = self.numbers.real
        if self.numbers.is_complex:
            return f"gemm_{self.method}_{real}_{self.transpose}"
        if self.blocking.kind == "shared":
            return f"gemm_volkov_{real}_{self.transpose}"
        return f"simt_gemm_{real}_r{self.blocking.each[0]}_{self.transpose}"

    @property
    def multiple(self) -> Shape:
        """Any size: what lies outside is taken for 0, and not stored."""
        return 1, 1, 1

    @property
    def tile(self) -> Shape:
        """A block's."""
        return self.blocking.block

    @property
    def block_dim(self) -> Dim3:
        """16 x 16 threads, or all along x."""
        return (*self.blocking.threads, 1) if self.blocking.kind == "register" else (self.blocking.count, 1, 1)

    def problem(self, sizes: Mapping[str, Any]) -> Problem:
        """Return the problem of given sizes, in the family's types."""
        a, b = ("row" if one in "tc" else "col" for one in self.transpose)
        made = Problem(**sizes, types=".".join([self.numbers.element] * 4), majors=(a, b, "col"))
        if made.batch:
            raise BadInputError(f"batch {made.batch}: {self.numbers.family} computes one product")
        return made

    def grid_dim(self, problem: Problem) -> Dim3:
        """Return blocks along m, then along n."""
        m, n, _ = self.tile
        return -(-problem.m // m), -(-problem.n // n), 1

    def to_dict(self) -> dict[str, Any]:
        """Return the choices as JSON types."""
        made = {**self.blocking.to_dict(), "instr": {"f32": "FFMA", "f64": "DFMA"}[self.numbers.real]}
        made |= {"complex": self.method} if self.numbers.is_complex else {}
        return made | {"transpose": self.transpose} | ({"built_for": f"sm_{self.sm}"} if self.sm in BUILT else {})

    def arguments(self, problem: Problem, arrays: Mapping[str, np.ndarray]) -> list[Any]:
        """Return the arguments of a launch."""
        import numpy as np  # noqa: PLC0415 - closed forms start without it

        sizes = [problem.m, problem.n, problem.k, *(problem.leading(name) for name in "ABCD")]
        operations = [OPERATIONS.index(one) for one in self.transpose] if self.numbers.is_complex else []
        return [
            *(arrays[name] for name in "ABCD"),
            *(np.int32(one) for one in (*sizes, *operations)),
            *(self.scalar(value).tobytes() for value in (problem.alpha, problem.beta)),
        ]

    def scalar(self, value: complex) -> np.ndarray:
        """Return alpha or beta in the family's type."""
        import numpy as np  # noqa: PLC0415 - as above

        from simtc.gemm.operands import DTYPES  # noqa: PLC0415

        given = complex(value)
        return np.asarray(given if self.numbers.is_complex else given.real).astype(DTYPES[self.numbers.element])

    def reference(self, problem: Problem, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return D, bit for bit: chains of fused multiply-adds along k, and the epilogue."""
        from simtc.gemm.simt.reference import reference  # noqa: PLC0415 - as above

        return reference(self, problem, arrays)

    def closed_form(self, problem: Problem, device: Device) -> Prediction:
        """Predict from what each resource would take alone."""
        from simtc.gemm.simt.closed_form import predict  # noqa: PLC0415 - it is made of configurations

        return predict(self, problem, device)

    def compiled(self) -> Compiled:
        """Return how its listing is compiled: one listing a source, blocking, type and generation."""
        numbers = self.numbers
        definitions: tuple[str, ...] = (f"-DREAL={self.numbers.c_type}",)
        source, listing = f"gemm_volkov_{numbers.real}", "gemm_volkov"
        if numbers.is_complex:
            source, listing = f"gemm_m3_{numbers.real}", "gemm_m3"
        elif self.blocking.kind == "register":
            each = self.blocking.each[0]
            source, listing = f"simt_gemm_{numbers.real}_r{each}", "simt_gemm"
            definitions = (*definitions, f"-DPER={each}")
        return Compiled(
            source=f"{listing}.cu",
            name=self.name.removesuffix(f"_{self.transpose}") if numbers.is_complex else self.name,
            sm=self.sm,
            listing=f"simt_gemm/sm_{self.sm}/{source}.sass",
            definitions=definitions,
        )

    def program(self) -> Kernel:
        """Read the listing."""
        why = self.not_executed()
        if why:
            raise BadInputError(why)
        return self.compiled().kernel()

    def not_executed(self) -> str | None:
        """Say why closed forms know it and no program does."""
        if self.sm not in BUILT:
            return f"{self.name}: the machine code and the clock of sm_{self.sm} are not known, only its closed forms"
        if self.blocking not in shipped_blockings(self.numbers):
            blocks = ", ".join(",".join(map(str, one.block)) for one in shipped_blockings(self.numbers))
            return f"{self.name} in blocks of {','.join(map(str, self.tile))}: listings ship of {blocks}"
        return None

    def neighbours(self) -> Iterator[tuple[str, Configured | str]]:
        """Yield the other blockings that ship, the other methods, and the other transposes."""
        for blocking in shipped_blockings(self.numbers):
            if blocking == self.blocking:
                continue
            change = f"--blocking {blocking.kind} --block {','.join(map(str, blocking.block))}"
            if blocking.kind == "shared" and self.transpose[0] != "n":
                yield change, "a row of D a thread is coalesced where A is not transposed"
            else:
                yield change, replace(self, blocking=blocking)
        for method in self.numbers.methods:
            if method != self.method:
                yield f"--complex {method}", replace(self, method=method)
