"""The inputs of the shipped kernels' campaign: numpy alone, so that a machine with a GPU needs nothing of simtc."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path

import ml_dtypes
import numpy as np

__all__ = ["DISTRIBUTIONS", "Problem", "bits", "cases", "catalog", "digest", "sizes_of"]

DISTRIBUTIONS = ("even", "wide", "special")
TYPES = {
    "f16": np.float16, "f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16,
    "s8": np.int8, "u8": np.uint8, "s32": np.int32, "i32": np.int32,
}  # fmt: skip
FRACTION_AND_BIAS = {"f16": (10, 15), "f32": (23, 127), "f64": (52, 1023), "bf16": (7, 127)}


def catalog(path: Path) -> dict:
    """Return kernels.toml with inherited fields filled in."""
    table = tomllib.loads(path.read_text())

    def whole(name: str) -> dict:
        own = table[name]
        return (whole(own["like"]) if "like" in own else {}) | own

    return {name: whole(name) for name in table}


def bits(array: np.ndarray) -> np.ndarray:
    """Return the same elements as unsigned integers."""
    return array.view(f"u{array.dtype.itemsize}")


def digest(matrix: np.ndarray) -> str:
    """Return the sha256 of a matrix's bytes by rows."""
    return hashlib.sha256(np.ascontiguousarray(matrix).tobytes()).hexdigest()


def numbers(rng: np.random.Generator, kind: str, shape: tuple[int, int], distribution: str) -> np.ndarray:
    """Draw a matrix from integers alone, so that every numpy gives the same one."""
    dtype = TYPES[kind]
    if kind in ("s8", "u8", "s32"):
        info = np.iinfo(dtype)
        low, high = (-1000, 1000) if kind == "s32" and distribution != "special" else (info.min, info.max)
        return rng.integers(low, high, size=shape, endpoint=True, dtype=np.int64).astype(dtype)
    if distribution == "even":
        return ((rng.integers(0, 1 << 16, size=shape, dtype=np.int64) - (1 << 15)) / (1 << 14)).astype(dtype)
    if distribution == "normal":
        return (rng.integers(-4096, 4096, size=(12, *shape)).sum(axis=0) / 8192).astype(dtype)
    fraction, bias = FRACTION_AND_BIAS[kind]
    word = np.dtype(f"u{np.dtype(dtype).itemsize}").type
    sign = rng.integers(0, 2, size=shape, dtype=np.uint64) << np.uint64(8 * word(0).itemsize - 1)
    mantissa = rng.integers(0, 1 << fraction, size=shape, dtype=np.uint64)
    exponent = rng.integers(bias - 8, bias + 8, size=shape, dtype=np.uint64) << np.uint64(fraction)
    if distribution == "special":
        rare = rng.integers(0, 400, size=shape)
        top = np.uint64(2 * bias + 1)
        mantissa[(rare == 0) | (rare == 2)] = 0
        exponent[rare < 2] = top << np.uint64(fraction)  # infinities and NaN
        exponent[(rare >= 2) & (rare < 60)] = 0  # zeros and subnormals
    return (mantissa | exponent | sign).astype(word).view(dtype)


@dataclass
class Problem:
    """One launch of a shipped kernel: buffers, arguments, and views of the matrices proper."""

    kernel: dict
    sizes: tuple[int, int, int]
    distribution: str = "even"
    seed: int = 0

    def __post_init__(self) -> None:
        k, (m, n, depth) = self.kernel, self.sizes
        rng = np.random.Generator(np.random.PCG64(self.seed))
        pointers = {p.split()[1]: p.split()[0].rstrip("*") for p in k["parameters"] if "*" in p}
        self.pad = 8 if "i32 lda" in k["parameters"] else 0
        shapes = {
            "A": (m, depth) if k["layout"]["a"] == "row" else (depth, m),
            "B": (depth, n) if k["layout"]["b"] == "row" else (n, depth),
            "C": (m, n),
            "D": (m, n),
        }
        self.buffers = {
            x: numbers(rng, pointers[x], (shapes[x][0], shapes[x][1] + self.pad), self.distribution) for x in "ABCD"
        }
        self.buffers["D"][:] = 0
        scalar = {p.split()[1]: p.split()[0] for p in k["parameters"] if "*" not in p}
        whole = scalar["alpha"] == "i32"
        values = {
            "m": m, "n": n, "k": depth, "lda": shapes["A"][1] + self.pad, "ldb": shapes["B"][1] + self.pad,
            "ldc": n + self.pad, "ldd": n + self.pad, "alpha": 3 if whole else 1.25, "beta": -2 if whole else -0.5,
        }  # fmt: skip
        self.types = pointers
        self.alpha, self.beta = (TYPES[scalar[x]](values[x]) for x in ("alpha", "beta"))
        self.args = [
            self.buffers[name] if "*" in kind else TYPES[kind](values[name])
            for kind, name in (p.split() for p in k["parameters"])
        ]
        self.grid = (-(-n // k["block"][1]), -(-m // k["block"][0]), 1)
        views = {x: self.buffers[x][:, : shapes[x][1]] for x in "ABCD"}
        self.A = views["A"] if k["layout"]["a"] == "row" else views["A"].T
        self.B = views["B"] if k["layout"]["b"] == "row" else views["B"].T
        self.C, self.D = views["C"], views["D"]


def sizes_of(kernel: dict) -> list[tuple[int, int, int]]:
    """Return sizes that are a multiple of the block, a multiple of less, and neither."""
    (bm, bn, bk), (m, n, k) = kernel["block"], kernel["multiple"]
    if kernel["multiple"] == [1, 1, 1]:
        return [(64, 64, 64), (37, 53, 29), (100, 17, 50), (1, 1, 1)]
    return [(bm, bn, bk * 2 if bk >= 16 else 32), (bm + m, bn + n, max(bk, 32) + k), (2 * bm, bn, k * 5)]


def cases(kernel: dict) -> list[tuple[tuple[int, int, int], str, int]]:
    """Return the campaign's sizes, distribution and seed for one kernel."""
    return [
        (sizes, distribution, 1000 * place + kind)
        for place, sizes in enumerate(sizes_of(kernel))
        for kind, distribution in enumerate(DISTRIBUTIONS)
    ]
