"""The parameters of a kernel: of the generated program and of its twin alike."""

from __future__ import annotations

from simtc.gemm.hgemm.tiles import Tiles

__all__ = ["parameter_bytes", "parameters"]

_PRODUCT = ("A", "B", "D", "m", "n", "k")
_SCALES = ("C", "alpha", "beta")
_PITCHES = {"A": ("lda", "stride_a"), "B": ("ldb", "stride_b"), "D": ("ldd", "stride_d"), "C": ("ldc", "stride_c")}


def parameter_bytes(name: str) -> int:
    """Return the bytes of a parameter: addresses and strides have 8, sizes and factors 4."""
    return 8 if name.isupper() or name.startswith("stride") else 4


def parameters(tiles: Tiles) -> dict[str, int]:
    """Return the offset of each parameter in the parameter area, in order: each aligned to its own size.

    An epilogue adds C and two factors. A strided kernel has leading dimensions, then the elements from one matrix of
    a batch to the next.

    Example:
        >>> list(parameters(Tiles(block=(64, 64, 32), warp=(32, 32, 8), strided=True)).items())[5:]
        [('k', 32), ('lda', 36), ('ldb', 40), ('ldd', 44), ('stride_a', 48), ('stride_b', 56), ('stride_d', 64)]

    """
    names = [*_PRODUCT]
    if tiles.epilogue != "none":
        names += _SCALES
    if tiles.strided:
        matrices = [name for name in _PITCHES if name in names and (name != "C" or tiles.epilogue == "beta")]
        for which in (0, 1):
            names += [_PITCHES[name][which] for name in matrices]
    found, end = {}, 0
    for name in names:
        size = parameter_bytes(name)
        found[name] = -(-end // size) * size
        end = found[name] + size
    return found
