"""Nath, Tomov and Dongarra, "An Improved MAGMA GEMM for Fermi Graphics Processing Units", IJHPCA 24(4), 2010."""

from simtc.reproduce.entry import Entry

ENTRIES = {
    "peaks": Entry(title="peaks of GTX 280, C2050 and its rival", function="closed_forms.peaks"),
    "blocking": Entry(
        title="register blocking, its instructions and occupancy", function="closed_forms.blocking", clocked=True
    ),
    "fig3": Entry(title="shares of the peak under their ceilings", function="closed_forms.figure3", clocked=True),
    "m3": Entry(title="complex GEMM by three real ones", function="complex_products.m3", clocked=True),
    "lu": Entry(title="LU: operations and time by size", function="factorization.lu"),
}
