"""Split-K: more blocks out of a deep product, paid for with a reduction."""

from __future__ import annotations

from simtc.errors import BadInputError

__all__ = ["reduction_bytes", "slice_depth"]


def slice_depth(k: int, block_k: int, split_k: int) -> int:
    """Return the depth that each slice works through: k over `split_k`, up to whole iterations of `block_k`.

    Raises:
        BadInputError: more slices than iterations.

    Example:
        >>> slice_depth(4096, 32, 3)
        1376

    """
    iterations = -(-k // block_k)
    if not 1 <= split_k <= iterations:
        raise BadInputError(
            f"split_k {split_k}: k = {k} has {iterations} iterations of {block_k}, so 1 to {iterations}"
        )
    return -(-iterations // split_k) * block_k


def reduction_bytes(m: int, n: int, split_k: int, *, result_bytes: int = 2, partial_bytes: int = 4) -> int:
    """Return the bytes that split-K adds: every slice's partial C written and read back, and C written once.

    Source: NVIDIA, Matrix Multiplication Background User's Guide, section 2.3, which says that the reduction limits
    what tiling in k can gain; the count follows from partial sums kept in f32.

    Example:
        >>> reduction_bytes(256, 256, 1), reduction_bytes(256, 256, 4)
        (0, 2228224)

    """
    if split_k == 1:
        return 0
    return m * n * (2 * split_k * partial_bytes + result_bytes)
