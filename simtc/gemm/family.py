"""What a family of GEMM kernels is: the protocol that every other room works through.

A family lives in a folder of simtc/gemm, whose module `family` holds it as FAMILY. `simtc.gemm.registry` finds it, and
with it `simtc.simulate`, the command line, the explorer and the campaigns do.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from simtc.arch import Device
from simtc.errors import BadInputError, unknown
from simtc.gemm.problem import Problem, Shape
from simtc.resources import folder
from simtc.results.prediction import Prediction

if TYPE_CHECKING:
    import numpy as np

    from simtc.isa import Kernel

__all__ = ["Compiled", "Configured", "Dim3", "Family", "Option", "Refused", "Verdict"]

Dim3 = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A choice that a family takes, as `simulate` and the command line name it: `sts_interleave` is --sts-interleave.

    Where several families take an option of one name, it is of one kind.
    """

    name: str
    kind: str  # shape (three sizes m, n, k), int, float, str or flag
    help: str
    default: str = ""  # as help shows it

    def __post_init__(self) -> None:
        if self.kind not in ("shape", "int", "float", "str", "flag"):
            raise unknown("kind of option", self.kind, ("shape", "int", "float", "str", "flag"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """What the CUDA compiler makes of a source: how to compile it anew, and the listing that ships."""

    source: str  # beside kernels/kernels.toml
    name: str  # the entry function's
    sm: int
    listing: str  # below kernels/
    definitions: tuple[str, ...] = ()  # -D flags
    dynamic_shared_bytes: int = 0  # to ask for at launch

    @property
    def ships(self) -> bool:
        """Tell whether the listing is there."""
        return (folder("kernels") / self.listing).exists()

    def kernel(self) -> Kernel:
        """Read the listing.

        Raises:
            BadInputError: it does not ship.

        """
        from simtc.gemm.listing import shipped_kernel  # noqa: PLC0415 - closed forms start without its readers

        return shipped_kernel(self.listing, self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A configuration of a family's space that a constraint prunes."""

    name: str  # what would tell it from the others: its kernel's name, or its choices
    rule: str  # the constraint in words, the same for every configuration that it prunes: they are counted by it


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a rule says of a result."""

    rule: str
    correct: bool
    note: str


class Configured(ABC):
    """A kernel of a family with every choice made, for one generation: how it is launched, and what to expect of it."""

    __slots__ = ()
    uses_tensor_cores: ClassVar[bool] = True  # whose load lowers the clock of some boards

    @property
    @abstractmethod
    def name(self) -> str:
        """The kernel's name."""

    @property
    @abstractmethod
    def multiple(self) -> Shape:
        """What m, n and k must be multiples of; simtc pads a problem with zeros up to it."""

    @property
    @abstractmethod
    def tile(self) -> Shape:
        """What one thread block works on: rows and columns of D, and the depth of an iteration."""

    @property
    @abstractmethod
    def block_dim(self) -> Dim3:
        """Threads of a block along x, y and z."""

    @abstractmethod
    def problem(self, sizes: Mapping[str, Any]) -> Problem:
        """Return the problem of given sizes that it computes: see Family.problem."""

    @abstractmethod
    def grid_dim(self, problem: Problem) -> Dim3:
        """Return the blocks of a launch along x, y and z, for a padded problem."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the choices as JSON types, in the words of cuBLAS' users: `block`, `warp`, `instr`, `stages`, ..."""

    @abstractmethod
    def closed_form(self, problem: Problem, device: Device) -> Prediction:
        """Predict from closed forms alone, at once."""

    @abstractmethod
    def arguments(self, problem: Problem, arrays: Mapping[str, np.ndarray]) -> list[Any]:
        """Return the arguments of a launch: `arrays` are A, B, C and D as a padded problem stores them."""

    @abstractmethod
    def reference(self, problem: Problem, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return D (..., m, n) as it must come out, bit for bit: a chain of simtc.mma, and the epilogue."""

    @abstractmethod
    def program(self) -> Kernel:
        """Return what simtc executes: the generated program where the family has a generator, else the listing.

        Raises:
            BadInputError: there is none.

        """

    @property
    def dynamic_shared_bytes(self) -> int:
        """Dynamic shared memory that a launch of `program` asks for."""
        return 0

    def compiled(self) -> Compiled:
        """Return what the CUDA compiler makes of it: of a family with a generator, the twin.

        Raises:
            BadInputError: no source makes it.

        """
        raise BadInputError(f"{self.name} has no CUDA source")

    @property
    def pad_to(self) -> Shape:
        """What the family's own host code pads m, n and k to; at least `multiple`."""
        return self.multiple

    def draw(self, problem: Problem, seed: int) -> dict[str, np.ndarray]:
        """Return A, B and C to multiply, of a standard normal or of uniform integers, and D of zeros."""
        from simtc.gemm.operands import drawn  # noqa: PLC0415 - closed forms start without numpy

        return drawn(problem, seed)

    def table(self, problem: Problem, whole: Problem) -> list[tuple[str, str]]:
        """Return what the family's own host code prints of a problem and of what it is padded to: label and value."""
        grid, block = self.grid_dim(whole), self.block_dim
        return [
            ("operations", f"{problem.flops:,}, {problem.arithmetic_intensity:.2f} a byte"),
            ("padded", f"{whole.m} x {whole.n} x {whole.k}"),
            ("launch", f"grid {' x '.join(map(str, grid))}, block {' x '.join(map(str, block))}"),
        ]

    def verdicts(self, problem: Problem, arrays: Mapping[str, np.ndarray], D: np.ndarray) -> list[Verdict]:
        """Judge a result: D (..., m, n), of A, B and C as the problem stores them; what was padded, of zeros around."""
        from simtc.gemm.operands import bits, embedded  # noqa: PLC0415 - as above

        whole = problem.padded(self.multiple)
        expected = self.reference(whole, arrays if whole is problem else embedded(problem, whole, arrays))
        off = int((bits(expected[..., : problem.m, : problem.n]) != bits(D)).sum())
        return [Verdict(rule="the instruction's own bits", correct=not off, note=f"{off} of {D.size} elements differ")]

    def not_executed(self) -> str | None:
        """Say why closed forms know it and no program does; None where one does."""
        return None

    def neighbours(self) -> Iterator[tuple[str, Configured | str]]:
        """Yield what differs in one choice, as the command line writes it: the kernel, or why it cannot be made."""
        yield from ()


class Family(ABC):
    """A family of kernels: its problems, its choices, and the kernels that come of them."""

    name: ClassVar[str]
    summary: ClassVar[str]  # one line
    example: ClassVar[str]  # what to type after `simtc simulate NAME`
    options: ClassVar[tuple[Option, ...]] = ()

    def scales(self, choices: Mapping[str, Any]) -> tuple[float, float]:  # noqa: ARG002 - a family may look at them
        """Return alpha and beta where nobody chose them."""
        return 1.0, 0.0

    @abstractmethod
    def problem(self, sizes: Mapping[str, Any], choices: Mapping[str, Any]) -> Problem:
        """Return the problem of given sizes.

        Args:
            sizes: fields of Problem that belong to no family: m, n, k, batch, alpha, beta, leading dimensions.
            choices: some of `options`, of which the family takes types and majors.

        Raises:
            BadInputError: sizes or choices that no kernel of the family is for.

        """

    @abstractmethod
    def configure(self, problem: Problem, device: Device, choices: Mapping[str, Any]) -> Configured:
        """Return the kernel for a problem on a board; what is not chosen is what closed forms find fastest.

        Raises:
            BadInputError: what was asked for cannot be made, or the board cannot run it; names the nearest that can.

        """

    def space(self, problem: Problem, device: Device, choices: Mapping[str, Any]) -> Iterator[Configured | Refused]:
        """Yield every configuration for a problem on a board, in the family's order, and what constraints prune.

        What `choices` name is kept as it is: every configuration has it. Without a space of its own a family has one
        configuration, that of `configure`.

        Raises:
            BadInputError: choices that mean nothing, or a board that runs none of the family.

        """
        yield self.configure(problem, device, choices)

    def twins(self, arch: str) -> tuple[Configured, ...]:  # noqa: ARG002 - what the families that have some ask for
        """Return the kernels of a generation that have both a generated program and a listing that ships."""
        return ()

    def programs(self, device: Device) -> tuple[Configured, ...]:  # noqa: ARG002 - as above
        """Return every kernel that ships for a board, of a family that has no generator."""
        return ()

    def compilations(self) -> Iterator[Compiled]:
        """Yield what kernels/build.py compiles: every listing that ships, with one of its kernels at least."""
        yield from ()

    def configured(self, arch: str, choices: Mapping[str, Any]) -> Configured:  # noqa: ARG002 - as above
        """Return the kernel of choices that leave nothing open, for a generation.

        Raises:
            BadInputError: it cannot be made.

        """
        raise BadInputError(f"{self.name} has no configurations apart from a problem")

    def accepted(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the choices that were made: the entries that are not None.

        Raises:
            BadInputError: an entry that the family does not take, or a shape without its three sizes.

        """
        kinds = {option.name: option.kind for option in self.options}
        for name, value in given.items():
            if name not in kinds:
                raise unknown(
                    f"choice of {self.name}", name, list(kinds), then=f"simtc simulate {self.name} {self.example}"
                )
            sizes = value if isinstance(value, list | tuple) else ()
            if kinds[name] == "shape" and value is not None and len(sizes) != 3:
                raise BadInputError(f"{name} {value!r} of {self.name}: three sizes m, n, k, such as (64, 64, 32)")
        return {name: value for name, value in given.items() if value is not None}
