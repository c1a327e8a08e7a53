"""Gannon, "GEMM on Jetson": one WMMA GEMM for every type pair."""

from simtc.reproduce.entry import Entry

ENTRIES = {
    "types": Entry(title="type pairs and tolerances", function="arithmetic.types"),
    "shapes": Entry(title="shapes of each pair", function="arithmetic.shapes"),
    "padding": Entry(title="padded sizes and blocks", function="arithmetic.padding"),
    "eops": Entry(title="effective operations, and those a byte", function="arithmetic.operations"),
    "verify": Entry(title="what the verifier finds", function="verify.verify", clocked=True),
    "transpose": Entry(title="transposing B, and tf32", function="speed.transpose", clocked=True),
    "pairs": Entry(title="every pair on every board", function="speed.pairs", clocked=True),
}
