"""Yan, Wang and Chu, Demystifying tensor cores to optimize half-precision matrix multiply, IPDPS 2020."""

from simtc.reproduce.entry import Entry

ENTRIES = {
    "table1": Entry(title="throughput and latency of HMMA.1688.F16", function="clock.table1", clocked=True),
    "table2": Entry(title="bandwidths and peaks of RTX 2070 and T4", function="closed_forms.table2"),
    "table3": Entry(title="CPI of LDG on Turing", function="clock.table3", clocked=True),
    "table4": Entry(title="CPI of shared memory on Turing", function="clock.table4", clocked=True),
    "table5": Entry(title="bytes/cycle of shared memory on Turing", function="clock.table5", clocked=True),
    "table6": Entry(title="cycles of HMMA and memory I/O by blocking", function="closed_forms.table6"),
    "table7": Entry(title="shared memory and occupancy of two HGEMMs", function="closed_forms.table7"),
    "eq6": Entry(title="HMMAs between two STS.128", function="closed_forms.equation6"),
    "hiding": Entry(title="cycles that hide LDG's latency", function="closed_forms.hiding"),
    "fig1": Entry(title="an 8x8 matrix in the lanes of a warp", function="closed_forms.figure1"),
    "fig2": Entry(title="operands of HMMA.1688.F16 in registers", function="closed_forms.figure2"),
    "fig3": Entry(title="global memory rooflines of RTX 2070 and T4", function="closed_forms.figure3"),
    "fig4": Entry(title="5 HMMAs between two STS.128, or 2", function="figures.figure4", clocked=True),
    "fig5": Entry(title="padding, or bank conflicts", function="figures.figure5", clocked=True),
    "fig6": Entry(title="square matrices on RTX 2070", function="figures.figure6", clocked=True),
    "fig7": Entry(title="square matrices on T4", function="figures.figure7", clocked=True),
    "fig8": Entry(title="rectangular matrices on RTX 2070", function="figures.figure8", clocked=True),
    "fig9": Entry(title="rectangular matrices on T4", function="figures.figure9", clocked=True),
    "square": Entry(title="throughput on square matrices, without the clock", function="closed_forms.square"),
}
