"""Whether a library's GEMM may use tensor cores, and how well its dimensions are aligned for them."""

from __future__ import annotations

from dataclasses import dataclass

from simtc.arch import Device
from simtc.errors import BadInputError, unknown

__all__ = ["Eligibility", "eligibility"]

_ELEMENT_BYTES = {"s8": 1, "f16": 2, "tf32": 4, "f64": 8}
_OLD_TYPES = ("s8", "f16")  # what tensor cores took before cuBLAS 11
_RELAXED = {"cublas": (11, 0), "cudnn": (7, 6, 3)}  # the first versions without the alignment requirement
_ALIGNED_BYTES = {"sm_70": 16, "sm_75": 16, "sm_80": 128}  # what a dimension should be a multiple of


@dataclass(frozen=True, slots=True, kw_only=True)
class Eligibility:
    """What the alignment of a GEMM allows."""

    tensor_cores: bool
    efficient: bool  # all dimensions are multiples of `multiple`
    multiple: int  # elements
    access_bytes: int  # the widest access that every row's start allows: 2 to 16

    @property
    def sentence(self) -> str:
        """Say it."""
        if not self.tensor_cores:
            return f"no tensor cores: this library needs multiples of {self.multiple}"
        if self.efficient:
            return f"tensor cores, at their best: multiples of {self.multiple}"
        return (
            f"tensor cores, below their best: loads of {self.access_bytes} bytes; pad to multiples of {self.multiple}"
        )


def eligibility(
    m: int, n: int, k: int, *, inputs: str, device: Device, library: str = "cublas", version: tuple[int, ...] = (11, 0)
) -> Eligibility:
    """Return what a library's GEMM can do with dimensions m, n, k.

    Raises:
        BadInputError: an unknown type or library, or a dimension below 1.

    Source: NVIDIA, Matrix Multiplication Background User's Guide, section 2.2, its table and figure 2. The 128 bytes of
    A100 are kept for later chips, of which the guide says nothing.

    Example:
        >>> from simtc import arch
        >>> v100 = arch.device("v100_sxm2")
        >>> for k in (1024, 1025, 1026):
        ...     old = eligibility(2048, 2048, k, inputs="f16", device=v100, version=(10, 2))
        ...     new = eligibility(2048, 2048, k, inputs="f16", device=v100, version=(11, 0))
        ...     print(k, old.tensor_cores, new.tensor_cores, new.access_bytes)
        1024 True True 16
        1025 False True 2
        1026 False True 4

    """
    if inputs not in _ELEMENT_BYTES:
        raise unknown("input type", inputs, _ELEMENT_BYTES)
    if library not in _RELAXED:
        raise unknown("library", library, _RELAXED)
    if min(m, n, k) < 1:
        raise BadInputError(f"a GEMM of {m} x {n} x {k} has no work: dimensions are at least 1")
    size = _ELEMENT_BYTES[inputs]
    best = _ALIGNED_BYTES.get(device.sm_name, max(_ALIGNED_BYTES.values())) // size
    required = 16 // size
    relaxed = version >= _RELAXED[library]
    aligned = all(extent % required == 0 for extent in (m, n, k))
    # The lowest bit set in the bytes of every dimension: the widest access at which all rows start aligned.
    together = (m | n | k) * size
    return Eligibility(
        tensor_cores=(relaxed or (aligned and inputs in _OLD_TYPES)) and device.cycle_level is not None,
        efficient=all(extent % best == 0 for extent in (m, n, k)),
        multiple=best if relaxed else required,
        access_bytes=min(16, together & -together),
    )
