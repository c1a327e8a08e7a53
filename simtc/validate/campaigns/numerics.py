"""Campaign `numerics`: every matrix instruction of the chip, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simtc.gpu import Code, Gpu
from simtc.gpu.compile import assemble
from simtc.isa import Kernel, Parameter
from simtc.numerics import Instruction, format_named, instructions
from simtc.numerics.multiply import mma
from simtc.validate.case import Case, Skip
from simtc.validate.chip import Chip
from simtc.validate.inputs import as_operand, operands
from simtc.validate.pack import core_matrices, pack, pack_memory, unpack, unpack_memory
from simtc.validate.ptx import family, fragment_of, matrix_bytes, mma_ptx, target, wgmma_ptx, wmma_ptx

__all__ = ["MmaCase", "cases", "multiply_on", "probe", "probe_code"]

_SOURCES = {"mma": mma_ptx, "wmma": wmma_ptx, "wgmma": wgmma_ptx}


@dataclass(frozen=True)
class MmaCase:
    """One instruction on one distribution: D as (products, M, N)."""

    found: Instruction
    distribution: str
    count: int
    seed: int

    @property
    def name(self) -> str:
        """INSTRUCTION/DISTRIBUTION."""
        return f"{self.found.name}/{self.distribution}"

    @cached_property
    def _operands(self) -> list[NDArray[Any]]:
        return operands(self.found, self.distribution, self.count, self.seed)

    def inputs(self) -> Mapping[str, NDArray[Any]]:
        """Return the bit patterns of A, B and C."""
        return dict(zip("ABC", self._operands, strict=True))

    def run(self, gpu: Gpu) -> NDArray[Any]:
        """Multiply on the GPU."""
        return multiply_on(gpu, self.found, *self._operands)

    def expect(self) -> NDArray[Any]:
        """Multiply with simtc."""
        forms = (format_named(self.found.a), format_named(self.found.b), format_named(self.found.c))
        A, B, C = (as_operand(x, form) for x, form in zip(self._operands, forms, strict=True))
        return mma(self.found.name, A, B, C, arch=self.found.arch)

    def show(self, place: tuple[int, ...]) -> str:
        """Name the product, the row of A, the column of B and the element of C."""
        product, row, col = place
        A, B, C = self._operands
        a, b = (" ".join(f"{int(x):x}" for x in part) for part in (A[product, row], B[product, :, col]))
        return f"A row {a}; B column {b}; C {int(C[product, row, col]):x}"


def multiply_on(gpu: Gpu, found: Instruction, A: NDArray[Any], B: NDArray[Any], C: NDArray[Any]) -> NDArray[Any]:
    """Return D (count, M, N) of patterns as the GPU's instruction computes it, as unsigned integers of D's width."""
    code = probe(found, gpu.description.sm)
    form = format_named(found.d)
    kind = family(found)
    if kind == "wmma":
        widths = [format_named(x).bits for x in (found.a, found.b, found.c)]
        args = [pack_memory(x, width) for x, width in zip((A, B.swapaxes(1, 2), C), widths, strict=True)]
        out = np.zeros((len(A), matrix_bytes(found, "d")), np.uint8)
        gpu.launch(code, len(A), 32, [*args, out])
        return unpack_memory(out, form.bits, (found.m, found.n)).astype(f"uint{form.bits}")
    pairs = _per_warp(found)
    args = [_packed(found, x, matrix, pairs) for x, matrix in zip("ac", (A, C), strict=True)]
    b = core_matrices(B, format_named(found.b).bits) if kind == "wgmma" else _packed(found, "b", B, pairs)
    shape = fragment_of(found, "d")
    words = shape.count if form.bits == 64 else shape.registers
    out = np.zeros((len(A) // pairs, words, shape.lanes), np.uint64 if form.bits == 64 else np.uint32)
    gpu.launch(code, len(out), shape.lanes, [args[0], b, args[1], out])
    parts = [unpack(_held(found, "d", q, pairs), out) for q in range(pairs)]
    return np.stack(parts, axis=1).reshape(len(A), found.m, found.n).astype(f"uint{form.bits}")


def _per_warp(found: Instruction) -> int:
    """Return the products of one instruction: Volta's m8n8k4 is executed by four quad pairs at once."""
    return 1 if fragment_of(found, "d").quad_pair is None else 4


def _held(found: Instruction, operand: str, quad_pair: int, pairs: int) -> Any:
    return fragment_of(found, operand, quad_pair if pairs > 1 else None)


def _packed(found: Instruction, operand: str, matrices: NDArray[Any], pairs: int) -> NDArray[Any]:
    if pairs == 1:
        return pack(fragment_of(found, operand), matrices)
    parts = [pack(_held(found, operand, q, pairs), matrices[q::pairs]) for q in range(pairs)]
    return np.asarray(np.bitwise_or.reduce(parts))


def probe(found: Instruction, sm: int) -> Code:
    """Return the kernel that executes one instruction once for each product."""
    image, toolkit = assemble(_SOURCES[family(found)](found, sm), target(found, sm))
    return probe_code(image, toolkit, sm, 4)


def probe_code(image: bytes, toolkit: str, sm: int, pointers: int) -> Code:
    """Return a kernel named probe whose parameters are pointers."""
    parameters = tuple(Parameter(offset=8 * i, size=8) for i in range(pointers))
    kernel = Kernel(name="probe", sm=sm, instructions=(), parameters=parameters)
    return Code(kernel=kernel, image=image, toolkit=toolkit)


def cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[Case | Skip]:
    """Yield every instruction of an architecture on every distribution that suits it."""
    for found in instructions(chip.arch).values():
        kinds = settings["distributions" if format_named(found.a).is_float else "integer_distributions"]
        if family(found) == "wgmma" and found.n not in settings["wgmma_n"]:
            kinds = settings["wgmma_other"]
        for distribution in kinds:
            yield MmaCase(found, distribution, _count(found, settings["products"]), settings["seed"])


def _count(found: Instruction, products: int) -> int:
    """Return fewer products of a large instruction: its one D has as many elements as many small ones."""
    return max(2, min(products, products * 4096 // (found.m * found.n * found.k)))
