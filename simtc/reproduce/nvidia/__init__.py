"""NVIDIA, Matrix Multiplication Background User's Guide."""

from simtc.reproduce.entry import Entry

ENTRIES = {
    "intensity": Entry(title="arithmetic intensity and the V100's FLOPS:B", function="guide.intensity"),
    "tile-quantization": Entry(title="figure 6: six tiles for four", function="quantization.tile_quantization"),
    "wave-quantization": Entry(title="figure 8: one tile beyond a wave", function="quantization.wave_quantization"),
    "fig2": Entry(title="tensor cores and the alignment of K", function="guide.figure2"),
    "fig3": Entry(title="throughput against the M-N footprint", function="guide.figure3"),
    "fig4": Entry(title="throughput against K", function="guide.figure4"),
    "fig5": Entry(title="throughput by tile size", function="guide.figure5"),
    "fig7": Entry(title="tile quantization along N", function="quantization.figure7"),
    "fig8": Entry(title="wave quantization along N", function="quantization.figure8"),
}
