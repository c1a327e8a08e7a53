"""Configurations to generate, how to run one, and what it must compute and collide in."""

from __future__ import annotations

import numpy as np

from simtc.gemm.hgemm import Configuration, generate
from simtc.layout import Access
from simtc.numerics.multiply import mma
from simtc.run.launch import launch

BOARDS = {"volta": "v100_sxm2", "turing": "t4", "ampere": "a100_sxm", "hopper": "h200"}
SHAPES = {"volta": (8, 8, 4), "turing": (16, 8, 8), "ampere": (16, 8, 16), "hopper": (16, 8, 16)}


def configurations(arch):
    """Return configurations of a generation: all layouts and accumulators, one and two buffers, odd corners."""
    k = 8 if arch in ("volta", "turing") else 16
    choices = [
        {"block": (64, 64, 32), "warp": (32, 32, k), "layout": layout, "accumulator": accumulator}
        for layout in ("none", "pad", "xor")
        for accumulator in ("f16", "f32")
    ]
    choices += [
        {"block": (128, 128, 32), "warp": (64, 64, k)},
        {"block": (128, 64, 32), "warp": (64, 32, k), "stages": 2},
        {"block": (64, 128, 64), "warp": (32, 64, k), "stages": 2, "layout": "xor", "accumulator": "f32"},
        {"block": (64, 64, 64), "warp": (32, 32, k), "stages": 2, "sts_interleave": 2},
        {"block": (32, 64, 64), "warp": (16, 32, 16), "layout": "none"},
        {"block": (64, 32, 32), "warp": (32, 16, 16)},
        {"block": (128, 64, 32 if k == 16 else 16), "warp": (128, 32, k), "layout": "xor"},
    ]
    if arch != "volta":
        choices += [
            {"block": (64, 64, 32), "warp": (32, 32, 16), "loads": "ldsm", "layout": "xor"},
            {"block": (64, 64, 64), "warp": (32, 32, 16), "loads": "lds", "layout": "none"},
            {"block": (32, 32, 64), "warp": (16, 8, 16), "loads": "ldsm"},
            {"block": (64, 32, 32), "warp": (64, 8, 16), "loads": "ldsm", "layout": "none", "accumulator": "f32"},
        ]
    return [Configuration(arch=arch, **choice) for choice in choices]


EVERY = [one for arch in BOARDS for one in configurations(arch)]


def name(configuration):
    """Name a test case."""
    return f"{configuration.arch}-{configuration.name}"


def operands(m, n, k, seed=0):
    """Draw A (m, k) and B (k, n)."""
    generator = np.random.default_rng(seed)
    return (generator.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))


def arguments(A, B, D, C=None, alpha=1.0, beta=0.0):
    """Return the arguments of a generated program and of its twin alike; with C, of one that has an epilogue."""
    (m, n), k = D.shape, A.size // D.shape[0]
    plain = [A, B, D, np.int32(m), np.int32(n), np.int32(k)]
    if C is None:
        return plain
    return [*plain, C, *(np.full(4 // D.itemsize, value, D.dtype).tobytes() for value in (alpha, beta))]


def run(configuration, *, blocks=(1, 1), tiles=3, device=None, timing=True, caches="cold"):
    """Run a kernel over random operands; return the launch, D, and A and B."""
    m, n, k = (size * count for size, count in zip(configuration.block, (*blocks, tiles), strict=True))
    A, B = operands(m, n, k)
    D = np.zeros((m, n), np.float16 if configuration.accumulator == "f16" else np.float32)
    result = launch(
        generate(configuration),
        configuration.grid(m, n),
        configuration.threads,
        arguments(A, np.ascontiguousarray(B.T), D),
        device=device or BOARDS[configuration.arch],
        timing=timing,
        caches=caches,
    )
    return result, D, A, B


def reference(A, B, accumulator, arch):
    """Chain single products over k, tile by tile: what the hardware's instruction does, without a kernel."""
    height, breadth, depth = SHAPES[arch]
    (m, k), n = A.shape, B.shape[1]
    instruction = f"m{height}n{breadth}k{depth}.{accumulator}.f16.f16.{accumulator}"
    rows = A.reshape(m // height, 1, height, k)
    columns = B.reshape(k, n // breadth, breadth).transpose(1, 0, 2)[None]
    D = np.zeros((m // height, n // breadth, height, breadth), np.float16 if accumulator == "f16" else np.float32)
    for start in range(0, k, depth):
        a = np.broadcast_to(rows[..., start : start + depth], (*D.shape[:2], height, depth))
        b = np.broadcast_to(columns[..., start : start + depth, :], (*D.shape[:2], depth, breadth))
        D = mma(instruction, np.ascontiguousarray(a), np.ascontiguousarray(b), D, arch=arch)
    return D.transpose(0, 2, 1, 3).reshape(m, n)


def promised_conflicts(configuration, *, blocks=1, tiles=3):
    """Return the bank conflicts of a launch as the layout of the tiles alone foretells them."""
    warps = configuration.threads // 32
    stores = sum(
        copies * tile.store_rows().excess
        for tile, copies in zip(configuration.tiles, configuration.copies, strict=True)
    )
    loads = sum(
        access.excess * (rows // reach) * (configuration.block[2] // along)
        for access, rows, reach, along in _loads(configuration)
    )
    return blocks * tiles * warps * (stores + loads)


def _loads(configuration):
    """Yield, of A and of B: a fragment load, the warp's rows, and the rows and columns that the load covers."""
    for which, tile in enumerate(configuration.tiles):
        rows = configuration.warp[which]
        if configuration.arch == "volta":
            places = [(_volta_row(lane, which), 0) for lane in range(32)]
            yield tile.access(places, width=128), rows, 16, 8
        elif configuration.fragment_loads == "lds":
            yield tile.load_rows(32), rows, 8, 8
        else:
            yield _ldsm(configuration, tile, which), rows, *_reach(configuration, which)


def _volta_row(lane, which):
    low, pair, high = lane & 3, lane >> 2 & 3, lane >> 4
    return low + 4 * (pair & 1) + 8 * high if which == 0 else low + 4 * high + 8 * (pair >> 1)


def _reach(configuration, which):
    """Return the rows and columns of one LDSM: as many matrices as a warp's k part has, four at most."""
    rows = configuration.warp[which]
    if configuration.arch == "turing":
        return min(rows, 32), 8
    return min(rows, 16), 16


def _ldsm(configuration, tile, which):
    rows, columns = _reach(configuration, which)
    matrices = [(row, column) for row in range(0, rows, 8) for column in range(0, columns, 8)]
    addresses = [2 * tile.offset(row + line, column) for row, column in matrices for line in range(8)]
    return Access(addresses=tuple(addresses), width=128, matrix=True)
