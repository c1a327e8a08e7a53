"""How a kernel is blocked: what a thread computes, and the instructions, registers and bytes that come of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from simtc.errors import BadInputError, unknown
from simtc.gemm.problem import Shape
from simtc.gemm.simt.numbers import Method

__all__ = ["KINDS", "Blocking", "Step", "candidates"]

KINDS = ("register", "shared")
_SIDE = 16  # threads of a register-blocked kernel, each way
_ADDRESSING = {"register": 15, "shared": 13}  # registers beside operands and sums; assumed: the papers say none


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one warp executes in a step of a block along k, in warp-instructions."""

    multiply_adds: int
    additions: int
    shared_loads: int  # none where a multiply-add takes its operand from shared memory itself
    shared_stores: int
    global_loads: int
    barriers: int = 2

    @property
    def instructions(self) -> int:
        """All of them, addressing and branches apart."""
        memory = self.shared_loads + self.shared_stores + self.global_loads
        return self.multiply_adds + self.additions + memory + self.barriers


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocking:
    """A tile and its threads.

    "register": 16 x 16 threads, strips of A and B in shared memory, a rectangle of D a thread with stride 16.
    "shared": rows of D a thread, A straight to registers, a strip of B in shared memory. In the words of Nath, Tomov
    and Dongarra: block = NTBX, NTBY, nb, and threads = NTX, NTY, which say how B is loaded.

    Raises:
        BadInputError: the threads do not divide the tile.

    Example:
        >>> fermi = Blocking(kind="register", block=(96, 96, 16), threads=(16, 16))
        >>> fermi.each, Blocking(kind="shared", block=(64, 16, 16), threads=(16, 4)).each
        ((6, 6), (1, 16))

    """

    kind: str
    block: Shape
    threads: tuple[int, int]

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise unknown("blocking", self.kind, KINDS)
        m, n, depth = self.block
        if self.kind == "register":
            if self.threads != (_SIDE, _SIDE) or m % _SIDE or n % _SIDE or depth % _SIDE or min(self.block) < _SIDE:
                raise BadInputError(
                    f"block {_text(self.block)}: {_SIDE} x {_SIDE} threads take multiples of {_SIDE} each way. "
                    "Try: --block 64,64,16"
                )
            return
        x, y = self.threads
        # Each thread has whole rows, and the threads load the strip of B in whole rounds.
        if min(*self.block, x, y) < 1 or m % (x * y) or depth % x or n % y:
            raise BadInputError(
                f"block {_text(self.block)} of {x} x {y} threads: {x * y} must divide {m}, {x} divide {depth} and "
                f"{y} divide {n}. Try: --block 64,16,16 --threads 16x4"
            )

    @property
    def count(self) -> int:
        """Threads of a block."""
        return self.threads[0] * self.threads[1]

    @property
    def each(self) -> tuple[int, int]:
        """Rows and columns of D that a thread computes."""
        m, n, _ = self.block
        return (m // _SIDE, n // _SIDE) if self.kind == "register" else (m // self.count, n)

    def step(self, method: Method, *, operand_in_place: bool = False) -> Step:
        """Return what a warp executes in a step; `operand_in_place`: a multiply-add reads shared memory itself."""
        rows, columns = self.each
        depth, parts = self.block[2], method.parts
        loaded = (depth * (self.block[0] + self.block[1])) // self.count if self.kind == "register" else 0
        strip = loaded if self.kind == "register" else depth * columns // self.count
        in_shared = rows + columns if self.kind == "register" else columns
        return Step(
            multiply_adds=method.multiply_adds * rows * columns * depth,
            additions=method.additions * (rows + columns) * depth,
            shared_loads=0 if operand_in_place else parts * in_shared * depth,
            shared_stores=parts * strip,
            global_loads=loaded if self.kind == "register" else strip + rows * depth,
        )

    def registers(self, method: Method, real_bytes: int) -> int:
        """Return the registers of a thread by count: sums, operands, and what addressing is assumed to take."""
        rows, columns = self.each
        operands = method.parts * (rows + columns if self.kind == "register" else rows)
        return (method.accumulators * rows * columns + operands) * real_bytes // 4 + _ADDRESSING[self.kind]

    def shared_bytes(self, method: Method, real_bytes: int) -> int:
        """Return the bytes of the strips, a column of padding each."""
        m, n, depth = self.block
        lines = (m + 1) + (n + 1) if self.kind == "register" else n + 1
        return method.parts * depth * lines * real_bytes

    def to_dict(self) -> dict[str, Any]:
        """Return the choices as JSON types."""
        return {
            "blocking": self.kind,
            "block": list(self.block),
            "thread": list(self.each),
            "threads": list(self.threads),
        }


def candidates() -> Iterator[tuple[str, Shape, tuple[int, int]]]:
    """Yield what autotuning tries, sound or not: register blocks, and the five parameters of the older kernel."""
    for depth in (16, 32):
        for rows in range(1, 9):
            for columns in range(1, 9):
                yield "register", (_SIDE * rows, _SIDE * columns, depth), (_SIDE, _SIDE)
    for m in (32, 64, 128, 256):
        for n in (4, 8, 16, 24, 32):
            for depth in (4, 8, 16, 32):
                for x in (4, 8, 16, 32, 64):
                    for y in (1, 2, 4, 8, 16):
                        yield "shared", (m, n, depth), (x, y)


def _text(shape: Shape) -> str:
    return "x".join(map(str, shape))
