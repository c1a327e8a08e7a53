"""What follows from the choices that determine a GEMM kernel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import ceil, lcm
from typing import Any

from simtc import arch
from simtc.analytic.occupancy import Occupancy, occupancy
from simtc.arch import Device
from simtc.arch.generation import Sm
from simtc.gemm.codegen.instruction import MatrixInstruction, matrix_instruction
from simtc.gemm.hgemm.choices import Choices
from simtc.gemm.hgemm.pieces import copy_rows
from simtc.gemm.hgemm.registers import allocate
from simtc.gemm.problem import Shape
from simtc.layout.tile import Tile

__all__ = ["CHUNK", "ELEMENT_BYTES", "Shape", "Tiles"]

CHUNK = 8  # halves in 16 bytes: what LDG.128 and STS.128 move for a lane
ELEMENT_BYTES = {"f16": 2, "f32": 4}

_sm = cache(arch.sm)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiles(Choices):
    """The choices of a kernel, unchecked, and what follows from them."""

    @property
    def sm(self) -> Sm:
        """The constants of the generation."""
        return _sm(self.arch)

    @property
    def sm_number(self) -> int:
        """The generation as Kernel.sm has it."""
        return int(self.sm.name.removeprefix("sm_"))

    @property
    def instruction(self) -> MatrixInstruction:
        """The matrix instruction of the generation, with its registers."""
        return matrix_instruction(self.sm_number, self.accumulator, self.types)

    @property
    def fragment_loads(self) -> str:
        """How fragments are read: as asked, or lds up to Turing (as Yan et al.) and ldsm after it."""
        return self.loads or ("lds" if self.sm_number < 80 else "ldsm")

    @property
    def shared_load(self) -> str:
        """The instruction that reads fragments, as arch names it."""
        if self.fragment_loads == "ldsm":
            return "LDSM.4"
        return "LDS.32" if self.sm_number >= 75 else "LDS.128"

    @property
    def not_generated(self) -> str | None:
        """Why codegen writes no program of these choices, which closed forms know."""
        if any(self.turned) and self.sm_number < 75:
            return f"transpose {self.transpose}: {self.sm.name} has no LDSM to turn fragments with"
        if self.split_k != 1:
            return f"split_k {self.split_k}: generated kernels do not split k; closed forms do"
        return None

    @property
    def asynchronous(self) -> bool:
        """Tell whether tiles go to shared memory by LDGSTS, without passing through registers."""
        return self.copies_by == "ldgsts"

    @property
    def copies_by(self) -> str:
        """How shared memory is filled: as asked, or as few stages as ldg serves by ldg."""
        return self.copy or ("ldg" if self.stages <= 2 else "ldgsts")

    @property
    def ahead(self) -> int:
        """Tiles between the one that is multiplied and the one whose copy starts meanwhile."""
        return self.stages - 1 if self.asynchronous else 1

    @property
    def warps(self) -> tuple[int, int]:
        """Warps along m and n."""
        return self.block[0] // self.warp[0], self.block[1] // self.warp[1]

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return 32 * self.warps[0] * self.warps[1]

    @property
    def row_registers(self) -> int:
        """Registers of a lane that hold one row of D."""
        m, n, _ = self.units
        rows = 1 << sum(row > 0 for row, _ in self.instruction.d.elements)
        return m * n * self.instruction.d.registers // (m * rows)

    @property
    def k_steps(self) -> int:
        """Warp tiles that a block tile has along k: each has its own set of fragments."""
        return self.block[2] // self.warp[2]

    @property
    def bodies(self) -> int:
        """Iterations that are written one after another, each with its own buffer and set of first fragments."""
        return lcm(self.stages, 1 + self.k_steps % 2)

    @property
    def units(self) -> tuple[int, int, int]:
        """Matrix instructions (on Volta: sets of STEPs) of one k step along m, n and k."""
        m, n, k = self.instruction.shape
        return self.warp[0] // m, self.warp[1] // n, self.warp[2] // k

    @property
    def step_units(self) -> int:
        """Matrix instructions of one k step."""
        m, n, k = self.units
        return m * n * k

    @property
    def turned(self) -> tuple[bool, bool]:
        """Tell of A and of B whether their rows in memory, and in shared memory, go along m and n instead of k."""
        return self.transpose[0] == "n", self.transpose[1] == "t"

    @property
    def tiles(self) -> tuple[Tile, Tile]:
        """The tiles of A and of B (transposed: n rows of k) in shared memory.

        `pad` adds 8 halves after every 128 bytes: at the paper's block k of 32, after every second row.
        """
        shapes = self.extent(0), self.extent(1)
        a, b = (Tile(rows=rows, cols=cols, layout=self.layout, pad_every=max(1, 64 // cols)) for rows, cols in shapes)
        return a, b

    def extent(self, which: int) -> tuple[int, int]:
        """Return the rows and columns of A's (0) or B's tile in shared memory."""
        size, k = self.block[which], self.block[2]
        return (k, size) if self.turned[which] else (size, k)

    @property
    def buffer_bytes(self) -> int:
        """Shared memory of one stage."""
        return sum(tile.shared_bytes for tile in self.tiles)

    @property
    def shared_bytes(self) -> int:
        """Shared memory of a block."""
        return self.stages * self.buffer_bytes

    @property
    def copy_bytes(self) -> int:
        """Bytes of A and B that a block copies to shared memory in one iteration."""
        m, n, k = self.block
        return 2 * (m + n) * k

    @property
    def registers(self) -> int:
        """Registers of a thread."""
        return allocate(self).total

    def occupancy(self, device: Device) -> Occupancy:
        """Return how many blocks an SM of a board holds."""
        return occupancy(device, threads=self.threads, registers=self.registers, shared_bytes=self.shared_bytes)

    @property
    def deals(self) -> bool:
        """Tell whether D's columns are dealt to pairs of matrix instructions, four neighbours to a lane.

        A lane holds two neighbours of a row of D. As halves they are 4 bytes, and four lanes' are half a sector of
        global memory. So two instructions side by side take columns 0, 1, 4, 5, ... and 2, 3, 6, 7, ...: together a
        lane's are 8 bytes, and its quad's a sector. Where B's columns stand in shared memory decides it. Eight lanes of
        an STS.128 fill whole lines of it with two columns of 32 or more, but not with four of 16, dealt apart.
        """
        fits = self.units[1] % 2 == 0 and self.block[2] >= 32 and not self.turned[1]
        return self.accumulator == "f16" and self.sm_number >= 75 and fits

    def shared_row(self, which: int, row: int) -> int:
        """Return the row of its shared-memory tile in which a row of A (0) or a column of B (1) stands."""
        return row & ~0xE | (row & 2) << 2 | (row & 12) >> 1 if which and self.deals else row

    def column(self, place: int) -> int:
        """Return the column of D that stands at a row of B's shared-memory tile: the inverse of shared_row."""
        return place & ~0xE | (place & 8) >> 2 | (place & 6) << 1 if self.deals else place

    @property
    def copies(self) -> tuple[int, int]:
        """LDG.128 and STS.128 (or LDGSTS.128) that a thread executes for a tile of A and for one of B."""
        a, b = (-(-self.extent(which)[0] // max(copy_rows(self, which), 1)) for which in (0, 1))
        return a, b

    def warp_bits(self, axis: int) -> dict[int, int]:
        """Return the rows (axis 0: of A, 1: of B) that bits of a thread's number add for its warp.

        None do where a power of two of warps does not lie before them, or they are no power of two themselves.
        """
        along_m, along_n = self.warps
        if along_m & along_m - 1 or (axis and along_n & along_n - 1):
            return {}
        first, last = (
            (5, 5 + along_m.bit_length() - 1)[axis],
            4 + along_m.bit_length() + axis * (along_n.bit_length() - 1),
        )
        return {bit: self.warp[axis] << bit - first for bit in range(first, last)}

    @property
    def load_depth(self) -> int:
        """Elements along k that a fragment load covers."""
        return CHUNK if self.fragment_loads == "lds" else max(CHUNK, self.instruction.shape[2])

    def load_rows(self, which: int) -> int:
        """Return the rows (columns of B) that one LDSM of A's (0) or B's fragments covers: four matrices at most."""
        matrices_along_k = max(self.instruction.shape[2] // CHUNK, 1)
        return min(self.warp[which], 4 // matrices_along_k * CHUNK)

    @property
    def interval_cycles(self) -> int:
        """Cycles of a matrix instruction's unit on its sub-core's tensor pipe."""
        return self.instruction.steps * self.sm.tensor[self.instruction.constants].issue_interval_cycles

    def spacing(self, cpi_cycles: float) -> int:
        """Return how many HMMAs must lie between two memory instructions of that CPI: equation 6 of Yan et al.

        While a sub-core computes, all of them send their memory instructions through one path.
        """
        return ceil(self.sm.limits.sub_cores * cpi_cycles / self.interval_cycles)

    @property
    def sts_room(self) -> int:
        """HMMAs that the STS.128 of an iteration can be spread over.

        One buffer is free only in the last k step, when its last fragments have been read; with two, from the middle of
        the iteration on, when the loads have arrived.
        """
        one_step = self.step_units
        if self.stages == 1:
            return one_step - 2
        return self.k_steps * one_step - one_step // 2 - self.load_room - 1

    @property
    def load_room(self) -> int:
        """HMMAs at the start of an iteration, half of all but the last step's, among which the LDG.128 issue."""
        return (self.k_steps - 1) * self.step_units // 2 + 1

    @property
    def interleave(self) -> int:
        """HMMAs between two STS.128."""
        if self.sts_interleave is not None:
            return self.sts_interleave
        gaps = max(sum(self.copies) - 1, 1)
        return max(min(self.spacing(self.sm.memory["STS.128"].cpi_cycles), self.sts_room // gaps), 0)

    @property
    def name(self) -> str:
        """The kernel's name."""
        block, warp = ("x".join(map(str, sizes)) for sizes in (self.block, self.warp))
        choices = [self.layout, self.fragment_loads, self.accumulator]
        choices += [] if self.epilogue == "none" else [self.epilogue]
        choices += [] if self.transpose == "tn" else [self.transpose]
        choices += ["strided"] * self.strided
        choices += [] if self.types == "f16" else [self.types]
        copied = "ldgsts" if self.asynchronous else f"sts{self.interleave}"
        return "_".join(["hgemm", block, warp, *choices, f"{self.stages}buf", copied])

    def to_dict(self) -> dict[str, Any]:
        """Return the choices as JSON types, in the words of cuBLAS' users."""
        return {
            "block": list(self.block),
            "warp": list(self.warp),
            "instr": self.instruction.constants,
            "stages": self.stages,
            "copy": self.copies_by,
            "layout": self.layout,
            "types": self.types,
            "accumulator": self.accumulator,
            "loads": self.fragment_loads,
            "sts_interleave": None if self.asynchronous else self.interleave,
            "epilogue": self.epilogue,
            "split_k": self.split_k,
        }

    def padded(self, m: int, n: int, k: int) -> Shape:
        """Return a problem's sizes rounded up to whole blocks."""
        return tuple(-(-size // tile) * tile for size, tile in zip((m, n, k), self.block, strict=True))  # type: ignore[return-value]

    def grid(self, m: int, n: int) -> tuple[int, int, int]:
        """Return the launch's grid: blocks along n, then along m."""
        return -(-n // self.block[1]), -(-m // self.block[0]), 1
