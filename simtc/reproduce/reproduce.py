"""Published tables and figures that simtc sets its own values beside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

from simtc.errors import unknown
from simtc.results.comparison import Comparison, Item

__all__ = ["ENTRIES", "Entry", "reproduce", "select"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One table or figure: what it shows, and the function that makes its items (and perhaps its picture)."""

    title: str
    function: str  # module of simtc.reproduce, and function: returns items, or items and an SVG
    clocked: bool = False  # executes programs in the clock, which takes seconds


_YAN, _NVIDIA, _QUANTIZATION = "yan2020.closed_forms", "nvidia.guide", "nvidia.quantization"
_CLOCK, _FIGURES = "yan2020.clock", "yan2020.figures"
_JETSON = "gannon"
_MAGMA, _MAGMA_2010 = "magma2020", "magma2010"
ENTRIES = {
    "yan2020/table1": Entry(title="throughput and latency of HMMA.1688.F16", function=f"{_CLOCK}.table1", clocked=True),
    "yan2020/table2": Entry(title="bandwidths and peaks of RTX 2070 and T4", function=f"{_YAN}.table2"),
    "yan2020/table3": Entry(title="CPI of LDG on Turing", function=f"{_CLOCK}.table3", clocked=True),
    "yan2020/table4": Entry(title="CPI of shared memory on Turing", function=f"{_CLOCK}.table4", clocked=True),
    "yan2020/table5": Entry(title="bytes/cycle of shared memory on Turing", function=f"{_CLOCK}.table5", clocked=True),
    "yan2020/table6": Entry(title="cycles of HMMA and memory I/O by blocking", function=f"{_YAN}.table6"),
    "yan2020/table7": Entry(title="shared memory and occupancy of two HGEMMs", function=f"{_YAN}.table7"),
    "yan2020/eq6": Entry(title="HMMAs between two STS.128", function=f"{_YAN}.equation6"),
    "yan2020/hiding": Entry(title="cycles that hide LDG's latency", function=f"{_YAN}.hiding"),
    "yan2020/fig1": Entry(title="an 8x8 matrix in the lanes of a warp", function=f"{_YAN}.figure1"),
    "yan2020/fig2": Entry(title="operands of HMMA.1688.F16 in registers", function=f"{_YAN}.figure2"),
    "yan2020/fig3": Entry(title="global memory rooflines of RTX 2070 and T4", function=f"{_YAN}.figure3"),
    "yan2020/fig4": Entry(title="5 HMMAs between two STS.128, or 2", function=f"{_FIGURES}.figure4", clocked=True),
    "yan2020/fig5": Entry(title="padding, or bank conflicts", function=f"{_FIGURES}.figure5", clocked=True),
    "yan2020/fig6": Entry(title="square matrices on RTX 2070", function=f"{_FIGURES}.figure6", clocked=True),
    "yan2020/fig7": Entry(title="square matrices on T4", function=f"{_FIGURES}.figure7", clocked=True),
    "yan2020/fig8": Entry(title="rectangular matrices on RTX 2070", function=f"{_FIGURES}.figure8", clocked=True),
    "yan2020/fig9": Entry(title="rectangular matrices on T4", function=f"{_FIGURES}.figure9", clocked=True),
    "yan2020/square": Entry(title="throughput on square matrices, without the clock", function=f"{_YAN}.square"),
    "nvidia/intensity": Entry(title="arithmetic intensity and the V100's FLOPS:B", function=f"{_NVIDIA}.intensity"),
    "nvidia/tile-quantization": Entry(
        title="figure 6: six tiles for four", function=f"{_QUANTIZATION}.tile_quantization"
    ),
    "nvidia/wave-quantization": Entry(
        title="figure 8: one tile beyond a wave", function=f"{_QUANTIZATION}.wave_quantization"
    ),
    "nvidia/fig2": Entry(title="tensor cores and the alignment of K", function=f"{_NVIDIA}.figure2"),
    "nvidia/fig3": Entry(title="throughput against the M-N footprint", function=f"{_NVIDIA}.figure3"),
    "nvidia/fig4": Entry(title="throughput against K", function=f"{_NVIDIA}.figure4"),
    "nvidia/fig5": Entry(title="throughput by tile size", function=f"{_NVIDIA}.figure5"),
    "nvidia/fig7": Entry(title="tile quantization along N", function=f"{_QUANTIZATION}.figure7"),
    "nvidia/fig8": Entry(title="wave quantization along N", function=f"{_QUANTIZATION}.figure8"),
    "gannon/types": Entry(title="type pairs and tolerances", function=f"{_JETSON}.arithmetic.types"),
    "gannon/shapes": Entry(title="shapes of each pair", function=f"{_JETSON}.arithmetic.shapes"),
    "gannon/padding": Entry(title="padded sizes and blocks", function=f"{_JETSON}.arithmetic.padding"),
    "gannon/eops": Entry(title="effective operations, and those a byte", function=f"{_JETSON}.arithmetic.operations"),
    "gannon/verify": Entry(title="what the verifier finds", function=f"{_JETSON}.verify.verify", clocked=True),
    "gannon/transpose": Entry(title="transposing B, and tf32", function=f"{_JETSON}.speed.transpose", clocked=True),
    "gannon/pairs": Entry(title="every pair on every board", function=f"{_JETSON}.speed.pairs", clocked=True),
    "magma2020/space": Entry(title="instances of the tuning space", function=f"{_MAGMA}.closed_forms.space"),
    "magma2020/selection": Entry(title="what the selected versions are", function=f"{_MAGMA}.closed_forms.selection"),
    "magma2020/fig5": Entry(title="traffic that larger tiles save", function=f"{_MAGMA}.closed_forms.figure5"),
    "magma2020/fig7": Entry(title="warps of a block", function=f"{_MAGMA}.clock.figure7", clocked=True),
    "magma2020/fig8": Entry(title="rooflines of square HCGEMM", function=f"{_MAGMA}.closed_forms.figure8"),
    "magma2020/fig9": Entry(title="rooflines of rank-16 HCGEMM", function=f"{_MAGMA}.closed_forms.figure9"),
    "magma2020/fig17": Entry(title="tensor cores used by tiny sizes", function=f"{_MAGMA}.closed_forms.figure17"),
    "magma2020/tiny": Entry(title="threads against tensor cores", function=f"{_MAGMA}.clock.tiny", clocked=True),
    "magma2020/planar": Entry(title="interleaved against planar", function=f"{_MAGMA}.clock.planar", clocked=True),
    "magma2020/large": Entry(title="square 2,000", function=f"{_MAGMA}.clock.large", clocked=True),
    "magma2010/peaks": Entry(
        title="peaks of GTX 280, C2050 and its rival", function=f"{_MAGMA_2010}.closed_forms.peaks"
    ),
    "magma2010/blocking": Entry(
        title="register blocking, its instructions and occupancy",
        function=f"{_MAGMA_2010}.closed_forms.blocking",
        clocked=True,
    ),
    "magma2010/fig3": Entry(
        title="shares of the peak under their ceilings", function=f"{_MAGMA_2010}.closed_forms.figure3", clocked=True
    ),
    "magma2010/m3": Entry(
        title="complex GEMM by three real ones", function=f"{_MAGMA_2010}.complex_products.m3", clocked=True
    ),
    "magma2010/lu": Entry(title="LU: operations and time by size", function=f"{_MAGMA_2010}.factorization.lu"),
}


def select(names: Sequence[str]) -> list[str]:
    """Return the entries that names mean: paper/item, or a paper for all of its items.

    Raises:
        BadInputError: a name that means nothing.

    Example:
        >>> select(["nvidia"])[:2]
        ['nvidia/intensity', 'nvidia/tile-quantization']

    """
    papers = {name.split("/")[0] for name in ENTRIES}
    found: dict[str, None] = {}
    for name in names:
        if name not in ENTRIES and name not in papers:
            raise unknown("table or figure", name, [*sorted(papers), *ENTRIES], then="simtc reproduce --list")
        found |= dict.fromkeys(entry for entry in ENTRIES if name in (entry, entry.split("/")[0]))
    return list(found)


def reproduce(name: str) -> Comparison:
    """Set a published table or figure beside simtc's own.

    Raises:
        BadInputError: no such table or figure.

    Example:
        >>> table6 = reproduce("yan2020/table6")
        >>> sum(item.kind == "rederived" for item in table6.items), table6.differs
        (12, False)

    """
    if name not in ENTRIES:
        raise unknown("table or figure", name, ENTRIES, then="simtc reproduce --list")
    entry = ENTRIES[name]
    module, function = entry.function.rsplit(".", 1)
    made: tuple[list[Item], str | None] = getattr(import_module(f"simtc.reproduce.{module}"), function)()
    items, svg = made
    return Comparison(name=name, title=entry.title, items=tuple(items), svg=svg)
