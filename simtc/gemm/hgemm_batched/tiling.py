"""The eight tuning parameters of a batched GEMM, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass

from simtc.gemm.problem import Shape

__all__ = ["SHAPES", "Tiling"]

SHAPES: tuple[Shape, ...] = ((16, 16, 16), (32, 8, 16), (8, 32, 16))  # of WMMA for halves
_HALF_BYTES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiling:
    """BLK_M, BLK_N and BLK_K, TC_M, TC_N and TC_K, DIM_X and DIM_Y.

    Example:
        >>> one = Tiling(block=(64, 64, 64), shape=(16, 16, 16), dim=(32, 32))
        >>> one.warps, one.sub_blocks, one.idle_warps
        (32, 16, 16)
        >>> one.name, one.shared_bytes()
        ('32x32_64x64x64_m16n16k16', 24576)

    """

    block: Shape  # of C, and the depth of an iteration
    shape: Shape  # of the matrix instruction
    dim: tuple[int, int]  # threads along a column in memory, and from column to column

    @property
    def name(self) -> str:
        """The parameters, in MAGMA's order: DIM, BLK, TC."""
        m, n, k = self.shape
        return f"{'x'.join(map(str, self.dim))}_{'x'.join(map(str, self.block))}_m{m}n{n}k{k}"

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.dim[0] * self.dim[1]

    @property
    def warps(self) -> int:
        """Warps of a block."""
        return self.threads // 32

    @property
    def sub_blocks(self) -> int:
        """Tiles of the matrix instruction in a block's part of C."""
        return self.block[0] // self.shape[0] * (self.block[1] // self.shape[1])

    @property
    def fragments(self) -> int:
        """Accumulator fragments of a warp, at most: sub-blocks are dealt to warps in turn."""
        return -(-self.sub_blocks // self.warps)

    @property
    def idle_warps(self) -> int:
        """Warps that multiply nothing."""
        return max(0, self.warps - self.sub_blocks)

    def shared_bytes(
        self, *, planes: int = 1, sum_bytes: int = _HALF_BYTES, pad: int = 0, transpose: str = "nn"
    ) -> int:
        """Return the shared memory of C, A and B side by side; `pad` halves stand after each column."""
        m, n, k = self.block
        a = (k + pad) * m if transpose[0] == "t" else (m + pad) * k
        b = (n + pad) * k if transpose[1] == "t" else (k + pad) * n
        return planes * ((m + pad) * n * sum_bytes + (a + b) * _HALF_BYTES)
