"""Abdelfattah, Tomov and Dongarra (2020): batched GEMM in half and half-complex precision, as MAGMA has it."""

from simtc.reproduce.entry import Entry

ENTRIES = {
    "space": Entry(title="instances of the tuning space", function="closed_forms.space"),
    "selection": Entry(title="what the selected versions are", function="closed_forms.selection"),
    "fig5": Entry(title="traffic that larger tiles save", function="closed_forms.figure5"),
    "fig7": Entry(title="warps of a block", function="clock.figure7", clocked=True),
    "fig8": Entry(title="rooflines of square HCGEMM", function="closed_forms.figure8"),
    "fig9": Entry(title="rooflines of rank-16 HCGEMM", function="closed_forms.figure9"),
    "fig17": Entry(title="tensor cores used by tiny sizes", function="closed_forms.figure17"),
    "tiny": Entry(title="threads against tensor cores", function="clock.tiny", clocked=True),
    "planar": Entry(title="interleaved against planar", function="clock.planar", clocked=True),
    "large": Entry(title="square 2,000", function="clock.large", clocked=True),
}
