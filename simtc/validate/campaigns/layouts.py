"""Campaign `layouts`: where every element of a fragment lies, read back from the chip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simtc.errors import BadInputError
from simtc.gpu import Gpu
from simtc.gpu.compile import assemble
from simtc.layout import fragment, ldmatrix
from simtc.numerics import Instruction, format_named, instructions
from simtc.numerics.multiply import mma
from simtc.validate.campaigns.numerics import multiply_on, probe_code
from simtc.validate.case import Case, Skip
from simtc.validate.chip import Chip
from simtc.validate.inputs import as_operand, draw
from simtc.validate.pack import pack, pack_memory
from simtc.validate.ptx import family, fragment_of, ldmatrix_ptx, wmma_load_ptx

__all__ = ["cases"]


@dataclass(frozen=True, kw_only=True)
class ReadCase:
    """Matrices of indices through a load, and the registers that came: (planes, registers, lanes)."""

    name: str
    ptx: str = field(repr=False)
    target: str
    matrices: NDArray[Any] = field(repr=False)  # (planes, bytes) uint8
    registers: NDArray[Any] = field(repr=False)  # expected, (planes, registers, lanes)

    def inputs(self) -> Mapping[str, NDArray[Any]]:
        """Return the bytes of the matrices."""
        return {"matrices": self.matrices}

    def run(self, gpu: Gpu) -> NDArray[Any]:
        """Return the registers that the chip fills."""
        image, toolkit = assemble(self.ptx, self.target)
        out = np.zeros_like(self.registers)
        gpu.launch(probe_code(image, toolkit, gpu.description.sm, 2), len(out), 32, [self.matrices, out])
        return out

    def expect(self) -> NDArray[Any]:
        """Return the registers as simtc.layout fills them."""
        return self.registers

    def show(self, place: tuple[int, ...]) -> str:
        """Name the register and the lane."""
        plane, register, lane = place
        return f"bits {plane}, register {register} of lane {lane}"


@dataclass(frozen=True, kw_only=True)
class OneHotCase:
    """One place at a time of A (or of B) holds a one: (places, M, N) of D."""

    found: Instruction
    operand: str
    seed: int

    @property
    def name(self) -> str:
        """INSTRUCTION/a or INSTRUCTION/b."""
        return f"{self.found.name}/{self.operand}"

    def _operands(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        found = self.found
        rows, cols = found.shapes[self.operand.upper()]
        form = format_named(getattr(found, self.operand))
        other = "b" if self.operand == "a" else "a"
        places = rows * cols
        one = form.bias << form.fraction_bits if form.is_float else 1
        hot = (np.eye(places, dtype=np.uint64) * np.uint64(one)).reshape(places, rows, cols)
        rng = np.random.Generator(np.random.PCG64([self.seed, found.m, found.n, found.k]))
        cold = draw(format_named(getattr(found, other)), found.shapes[other.upper()], "narrow", rng)
        fixed = np.broadcast_to(cold, (places, *cold.shape)).copy()
        nothing = np.zeros((places, found.m, found.n), np.uint64)
        return (hot, fixed, nothing) if self.operand == "a" else (fixed, hot, nothing)

    def inputs(self) -> Mapping[str, NDArray[Any]]:
        """Return the bit patterns of A, B and C."""
        return dict(zip("ABC", self._operands(), strict=True))

    def run(self, gpu: Gpu) -> NDArray[Any]:
        """Multiply on the GPU."""
        return multiply_on(gpu, self.found, *self._operands())

    def expect(self) -> NDArray[Any]:
        """Multiply with simtc, which knows nothing of registers."""
        forms = [format_named(x) for x in (self.found.a, self.found.b, self.found.c)]
        A, B, C = (as_operand(x, form) for x, form in zip(self._operands(), forms, strict=True))
        return mma(self.found.name, A, B, C, arch=self.found.arch)

    def show(self, place: tuple[int, ...]) -> str:
        """Name the element that holds the one, and its register."""
        row, col = divmod(place[0], self.found.shapes[self.operand.upper()][1])
        holder = fragment_of(self.found, self.operand).holders(row, col)[0]
        return f"one at {self.operand}[{row}, {col}], {holder}"


def _planes(rows: int, cols: int, width: int) -> NDArray[Any]:
    """Return element numbers (planes, rows, cols), each plane holding the next `width` bits of them."""
    numbers = np.arange(rows * cols, dtype=np.uint64).reshape(rows, cols)
    count = -(-int(rows * cols - 1).bit_length() // min(width, 32))
    shifts = np.arange(count, dtype=np.uint64)[:, None, None] * np.uint64(min(width, 32))
    return np.asarray(numbers >> shifts & np.uint64((1 << min(width, 32)) - 1))


def _wmma_loads(arch: str, sm: int) -> Iterator[Case]:
    """Yield every shape, operand, type and major of wmma.load once."""
    seen = set()
    for found in instructions(arch).values():
        if family(found) != "wmma":
            continue
        shape = found.name.split(".")[1]
        for operand, major in ((x, y) for x in "abc" for y in ("row", "col")):
            name = f"wmma.load.{operand}.{major}.{shape}.{getattr(found, operand)}"
            if name in seen:
                continue
            seen.add(name)
            try:
                held = fragment(
                    found.name, operand=operand, arch=arch, view="api", major=None if operand == "c" else major
                )
            except BadInputError:
                continue  # types narrower than a byte have one major
            planes = _planes(held.rows, held.cols, held.width)
            memory = planes if major == "row" else planes.swapaxes(1, 2)
            yield ReadCase(
                name=name, ptx=wmma_load_ptx(found, operand, major, sm), target=f"sm_{sm}",
                matrices=pack_memory(memory, held.width), registers=pack(held, planes),
            )  # fmt: skip


def _ldmatrix(sm: int) -> Iterator[Case]:
    """Yield ldmatrix in its six forms."""
    numbers = np.arange(4 * 64, dtype=np.uint64).reshape(4, 8, 8)
    for count, trans in ((c, t) for c in (1, 2, 4) for t in (False, True)):
        moves = ldmatrix(count, trans=trans)
        registers = np.zeros((1, count, 32), np.uint32)
        for (matrix, row, col), value in np.ndenumerate(numbers[:count]):
            holder = moves.holder(matrix, row, col)
            registers[0, holder.register, holder.lane] |= np.uint32(int(value) << 16 * holder.half)
        yield ReadCase(
            name=f"ldmatrix.x{count}{'.trans' if trans else ''}", ptx=ldmatrix_ptx(count, sm, trans=trans),
            target=f"sm_{sm}", matrices=pack_memory(numbers.reshape(1, -1), 16), registers=registers,
        )  # fmt: skip


def cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[Case | Skip]:
    """Yield wmma's loads, ldmatrix, and mma's operands one place at a time."""
    arch, sm = chip.arch, chip.sm
    yield from _wmma_loads(arch, sm)
    if sm >= 75:
        yield from _ldmatrix(sm)
    else:
        yield Skip(name="ldmatrix", reason=f"sm_{sm} has none: it came with sm_75")
    for found in instructions(arch).values():
        if family(found) == "mma" and not found.name.endswith(".satfinite"):
            for operand in "ab":
                yield OneHotCase(found=found, operand=operand, seed=settings["seed"])
