"""Complex GEMM by three real products: what its rates credit, and what its imaginary part loses."""

from __future__ import annotations

from typing import Any

import numpy as np

from simtc import arch
from simtc.gemm.registry import family
from simtc.gemm.simt.configuration import SimtGemm
from simtc.reproduce.printed import printed
from simtc.results.comparison import Item
from simtc.run.launch import launch
from simtc.run.simulate import simulate

__all__ = ["imaginary_part", "m3"]

_Made = tuple[list[Item], str | None]
_BOARD = "a100_sxm"  # any board has these bits
_SIZE = 2304
_RATES = (("zgemm", "dgemm", "c2050", "f64"), ("cgemm", "sgemm", "c2050", "f32"))
_SIZES = (2048, 6144)


def imaginary_part(name: str, power: int, method: str) -> float:
    """Return the imaginary part of (2^power + i 2^-power) squared, as a kernel computes it."""
    made = family(name).configured("sm_80", {"complex": method})
    if not isinstance(made, SimtGemm):
        raise TypeError(name)
    problem = made.problem({"m": 1, "n": 1, "k": 1})
    kind = np.complex64 if name == "cgemm" else np.complex128
    value = np.full((1, 1), 2.0**power + 2.0**-power * 1j, kind)
    arrays = {"A": value, "B": value.copy(), "C": np.zeros((1, 1), kind), "D": np.zeros((1, 1), kind)}
    launch(
        made.program(), made.grid_dim(problem), made.block_dim, made.arguments(problem, arrays),
        device=arch.device(_BOARD),
    )  # fmt: skip
    return float(arrays["D"][0, 0].imag)


def m3() -> _Made:
    """Rates with 8 n^3 credited and 6 n^3 executed, their ceilings, and the error."""
    measured: dict[str, Any] = printed("magma2010")["measured"]
    items = []
    for name, real, board, kind in _RATES:
        peak = 1e3 * arch.device(board).scalar_peak_tflops(kind)
        credited, executed = measured[name], 0.75 * measured[name]
        ceiling = 4 / 3 * measured[real]
        note = f"{executed:.0f} GFLOP/s executed, of {peak:.0f}; {real} itself reaches {measured[f'{real}_share']} %"
        items += [
            Item(name=f"{name}, credited share, %", paper=measured[f"{name}_share"],
                 simtc=round(100 * credited / peak), kind="rederived"),
            Item(name=f"{name}, executed share, %", paper=None, simtc=round(100 * executed / peak),
                 kind="closed form", note=note),
            Item(name=f"{name}, ceiling by {real}, GFLOP/s", paper=None, simtc=round(ceiling), kind="closed form",
                 note=f"measured {100 * credited / ceiling:.0f} % of it"),
        ]  # fmt: skip
    items += [_additions(measured["dgemm"], n) for n in _SIZES]
    for name, power in (("cgemm", 12), ("zgemm", 27)):
        for method, paper in (("4m", 2.0), ("m3", None)):
            found = imaginary_part(name, power, method)
            items.append(
                Item(name=f"{name} {method}: Im (2^{power} + i 2^-{power})^2", paper=paper, simtc=found,
                     kind="simulation" if paper is None else "exact", note="" if paper else "2 is lost")
            )  # fmt: skip
    for method in ("m3", "4m"):
        one = simulate("cgemm", m=_SIZE, n=_SIZE, k=_SIZE, device=_BOARD, fidelity="analytic", complex=method)
        items.append(
            Item(name=f"cgemm {method} on {_BOARD}, not Fermi: credited % of the peak", paper=None,
                 simtc=round(100 * one.peak_share, 1), kind="closed form", note=one.limit)
        )  # fmt: skip
    return items, None


def _additions(dgemm: float, n: int) -> Item:
    """Return what three DGEMMs and the additions beside them leave of the ceiling, at DRAM's theoretical bandwidth.

    Two sums of operands read two matrices and write one each; the combination reads three and writes two.
    """
    moved = 8 * n * n * (3 + 3 + 5)
    seconds = 6 * n**3 / (1e9 * dgemm) + moved / (1e9 * arch.device("c2050").dram_gb_per_s)
    return Item(
        name=f"zgemm with its additions, n = {n}, GFLOP/s", paper=None, simtc=round(8e-9 * n**3 / seconds),
        kind="closed form", note="three calls; the additions at 144 GB/s",
    )  # fmt: skip
