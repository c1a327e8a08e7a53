"""Arithmetic intensity: operations for each byte, of a GEMM, of a blocking, and what a chip asks for."""

from __future__ import annotations

from simtc.arch import Device
from simtc.errors import BadInputError

__all__ = ["arithmetic_intensity", "blocking_intensity", "is_math_bound", "ridge_flops_per_byte"]


def arithmetic_intensity(m: int, n: int, k: int, *, element_bytes: int = 2, reads_c: bool = False) -> float:
    """Return FLOP/byte of C = A B when A, B and C each cross the memory once: 2 m n k / bytes (m k + n k + m n).

    C = A B + beta C crosses twice with C: it is read, and written. A matrix-vector product (m or n is 1) stays below 1
    in f16.

    Raises:
        BadInputError: a dimension below 1.

    Source: NVIDIA, Matrix Multiplication Background User's Guide, section 2.

    Example:
        >>> round(arithmetic_intensity(8192, 128, 8192), 1), int(arithmetic_intensity(8192, 8192, 8192))
        (124.1, 2730)
        >>> arithmetic_intensity(256, 256, 256), arithmetic_intensity(256, 256, 256, reads_c=True)
        (85.33333333333333, 64.0)
        >>> arithmetic_intensity(8192, 1, 8192) < 1
        True

    """
    if min(m, n, k) < 1:
        raise BadInputError(f"a GEMM of {m} x {n} x {k} has no work: dimensions are at least 1")
    return 2 * m * n * k / (element_bytes * (m * k + n * k + m * n * (2 if reads_c else 1)))


def blocking_intensity(block_m: int, block_n: int, *, element_bytes: int = 2) -> float:
    """Return FLOP/byte of a block that reads its strips of A and B anew: 2 bm bn bk / bytes (bm + bn) bk.

    Source: Yan et al. 2020, section VI.A.2.

    Example:
        >>> [blocking_intensity(*block) for block in ((64, 64), (128, 128), (256, 128), (256, 256))]
        [32.0, 64.0, 85.33333333333333, 128.0]

    """
    return 2 * block_m * block_n / (element_bytes * (block_m + block_n))


def ridge_flops_per_byte(device: Device, *, inputs: str = "f16", accumulator: str = "f32") -> float:
    """Return the FLOP/byte from which a GEMM can use all of a board's tensor cores: peak / DRAM bandwidth, in theory.

    Source: NVIDIA, Matrix Multiplication Background User's Guide, section 2: 125 TFLOPS over 900 GB/s is its 138.9.

    Example:
        >>> from simtc import arch
        >>> round(ridge_flops_per_byte(arch.device("v100_sxm2")), 1)  # the guide rounds the 125.3 TFLOPS down
        139.3

    """
    return device.tensor_peak_tflops(inputs, accumulator) * 1e3 / device.dram_gb_per_s


def is_math_bound(device: Device, m: int, n: int, k: int, *, inputs: str = "f16", accumulator: str = "f32") -> bool:
    """Tell whether a GEMM asks for more operations a byte than the board gives; otherwise memory sets its time.

    Source: NVIDIA, Matrix Multiplication Background User's Guide, section 2: a rule of thumb, as the guide says.

    Example:
        >>> from simtc import arch
        >>> v100 = arch.device("v100_sxm2")
        >>> is_math_bound(v100, 8192, 128, 8192), is_math_bound(v100, 8192, 8192, 8192)
        (False, True)

    """
    return arithmetic_intensity(m, n, k) >= ridge_flops_per_byte(device, inputs=inputs, accumulator=accumulator)
