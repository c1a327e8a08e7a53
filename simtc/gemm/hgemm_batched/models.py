"""The paper's models: traffic, rooflines of complex products, and the tensor cores' use by tiny ones."""

from __future__ import annotations

from simtc.gemm.problem import Shape

__all__ = ["crossover", "intensity", "read_bytes", "traffic_gain", "utilisation"]

_BYTES = 4  # of a half-complex number
_INSTRUCTION_FLOPS = 2 * 16**3


def traffic_gain(block: tuple[int, int], shape: Shape) -> float:
    """Return how many times fewer bytes of A and B are read with tiles of `block` than with single instructions.

    Source: section 5.2.1.

    Example:
        >>> traffic_gain((64, 64), (16, 16, 16)), traffic_gain((64, 64), (32, 8, 16))
        (4.0, 5.0)

    """
    (m, n), (tc_m, tc_n, _) = block, shape
    return m * n * (tc_m + tc_n) / (tc_m * tc_n * (m + n))


def read_bytes(size: Shape, block: tuple[int, int], *, element_bytes: int = 2) -> float:
    """Return the bytes of A and B that all blocks of one product read, where tiles divide the matrix."""
    m, n, k = size
    return element_bytes * m * n * k * (block[0] + block[1]) / (block[0] * block[1])


def intensity(size: Shape, *, planar: bool) -> float:
    """Return operations for each byte of a half-complex product: planar ones read and write everything twice.

    Source: section 6: 8 m n k operations; A and B once, C read and written, and for planar four real products of half
    the element's size.

    Example:
        >>> intensity((100, 100, 100), planar=False), intensity((100, 100, 100), planar=True)
        (50.0, 25.0)

    """
    m, n, k = size
    once = _BYTES * (2 * m * n + k * (m + n))
    return 8 * m * n * k / (2 * once if planar else once)


def crossover(peak_tflops: float, gb_per_s: float, *, planar: bool) -> float:
    """Return the size of square half-complex products at which the tensor cores bind, and DRAM no longer.

    Example:
        >>> [round(crossover(125, 847, planar=planar)) for planar in (False, True)]
        [295, 590]

    """
    slope = intensity((1000, 1000, 1000), planar=planar) / 1000  # square products: proportional to the size
    return peak_tflops * 1e3 / gb_per_s / slope


def utilisation(size: int) -> float:
    """Return the share of a 16 x 16 x 16 product's operations that square products of a size can use of it.

    Source: section 8.1: as many products as fit along one side.

    Example:
        >>> utilisation(4), utilisation(16)
        (0.0625, 1.0)

    """
    return 16 // size * 2 * size**3 / _INSTRUCTION_FLOPS
