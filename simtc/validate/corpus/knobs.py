"""What a kernel of the corpus is: its knobs."""

from __future__ import annotations

from dataclasses import dataclass

from simtc.numerics import instructions
from simtc.validate.ptx import fragment_of

__all__ = ["Epilogue", "Knobs", "Tile", "registers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """What a group of warps brings in each iteration, and how its fragments are read; sizes in bytes."""

    copy: str  # ldg (LDG and STS), ldgsts, or direct: fragments straight from global memory
    width: int  # of one lane's copy
    cache: str  # ca or cg; nc of ldg
    hint: int  # L2::64B, 128B, 256B; 0 is none
    row: int
    stride: int  # between rows in global memory
    pitch: int  # between rows in shared memory
    xor: bool
    along: bool  # an iteration moves along the rows, else to the next rows
    pieces: int  # copies of a lane in an iteration
    share: int  # tiles that differ; groups beyond read the same ones
    read: str  # lds4, lds8, lds16, ldsm1, ldsm2, ldsm4, ldsmt1, ldsmt2, ldsmt4
    pattern: str  # of lds: fragment, linear, column, broadcast
    fragments: int

    def rows(self, threads: int) -> int:
        """Return the rows that a group of so many threads brings."""
        return max(1, self.pieces * threads * self.width // self.row)

    def shared_bytes(self, threads: int) -> int:
        """Return what one stage of one group takes of shared memory."""
        return 0 if self.copy == "direct" else -(-self.rows(threads) * self.pitch // 512) * 512

    def span(self, threads: int, iterations: int) -> int:
        """Return what the operand spans in global memory."""
        down = 1 if self.along else iterations
        return self.share * down * self.rows(threads) * self.stride + 512

    @property
    def words(self) -> int:
        """Registers that a lane's fragments take."""
        return self.fragments * (int(self.read[-1]) if "ldsm" in self.read else int(self.read[3:]) // 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Epilogue:
    """How results go out: rows of `piece` bytes, `gap` bytes apart."""

    piece: int
    width: int  # of a lane's store
    gap: int
    stores: int  # of a lane
    reads: bool  # what is there before is combined


@dataclass(frozen=True, slots=True, kw_only=True)
class Knobs:
    """One kernel and its launch."""

    name: str
    kind: str
    group: int  # warps that share tiles and barriers
    groups: int
    blocks: int
    iterations: int
    stages: int
    unroll: int
    idle_shared: int  # bytes that a block reserves beyond its tiles, so that fewer blocks share an SM
    tiles: tuple[Tile, ...]
    mma: str  # "" is none
    mmas: int
    accumulators: int
    mix: tuple[str, ...]  # scalar instructions of an iteration, in order
    chains: int  # of the mix that do not depend on each other
    guard: str  # none, predicate, diverge, loop, warp
    called: str  # none, div, mod64, ddiv, noinline
    atomics: str  # none, shared, global, global_return
    spread: int  # addresses of the atomics
    epilogue: Epilogue

    @property
    def warps(self) -> int:
        """Warps of a block."""
        return self.group * self.groups

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return 32 * self.warps

    @property
    def stage_bytes(self) -> int:
        """What one stage of one group takes of shared memory."""
        return sum(tile.shared_bytes(32 * self.group) for tile in self.tiles)

    @property
    def shared_bytes(self) -> int:
        """Dynamic shared memory of a block."""
        counters = 4096 if self.atomics == "shared" else 0
        return self.groups * self.stages * self.stage_bytes + counters + self.idle_shared

    @property
    def output_bytes(self) -> int:
        """What the launch's results span: counters of atomics first, then the epilogue's rows."""
        out = self.epilogue
        rows = self.blocks * self.warps * out.stores * max(1, 32 * out.width // out.piece)
        return 4096 + rows * out.gap

    @property
    def array_bytes(self) -> tuple[int, int, int]:
        """What the launch's arrays span: two operands, and its results."""
        spans = [[tile.span(32 * self.group, self.iterations) for tile in self.tiles[k::2]] or [512] for k in (0, 1)]
        a, b = (-(-max(span) // 512) * 512 for span in spans)
        return a, b, self.output_bytes


def registers(form: str, operand: str) -> int:
    """Return the 32-bit registers that an operand of a matrix instruction takes."""
    return fragment_of(instructions("hopper")[form], operand).registers
