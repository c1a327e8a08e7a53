"""The shipped kernels' problems, executed; and what an independent computation says of them.

The oracle knows nothing of machine code: it cuts the matrices into tiles of the catalogued instruction, chains
simtc.mma over k in rising order, and rounds alpha * sum + beta * C as kernels/include/epilogue.cuh promises.
"""

from __future__ import annotations

import importlib.util
import math
import sys
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from simtc.numerics.multiply import mma
from simtc.resources import folder
from simtc.run.launch import launch
from simtc.sass import load

DEVICES = {70: "v100_sxm2", 75: "t4", 80: "a100_sxm", 90: "h200"}
QUIET_NAN = {"f16": 0x7FFF, "f32": 0x7FFFFFFF}


def module(*path):
    """Import a script of validate/, which is no package: its neighbours are on the path while it loads, as in a run."""
    file = folder("validate").joinpath(*path)
    spec = importlib.util.spec_from_file_location(f"validate_{'_'.join(path)}".removesuffix(".py"), file)
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = loaded
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(file.parent)
        spec.loader.exec_module(loaded)
    return loaded


problems = module("kernels", "problems.py")
bits = problems.bits


def fma(x, y, z):
    """Return x * y + z with one rounding, elementwise; f32's NaN is canonical, f64's is z's, else y's, made quiet.

    The chip's DFMA takes the NaN of its second operand, else of its third, else of its first: in every listing these
    are alpha, beta * C and the sum.
    """
    x, y, z = np.broadcast_arrays(x, y, z)
    with np.errstate(all="ignore"):
        plain = x * y + z
    if x.dtype == np.int32:
        return plain
    flat = plain.copy().reshape(-1)
    finite = np.isfinite(x) & np.isfinite(y) & np.isfinite(z)
    operands = (array.reshape(-1).tolist() for array in (x, y, z))
    values = zip(*operands, finite.reshape(-1), strict=True)
    for place, (a, b, c, ok) in enumerate(values):
        if ok:
            exact = Fraction(a) * Fraction(b) + Fraction(c)
            if exact:
                flat[place] = _nearest(exact, flat.dtype)
    if flat.dtype == np.float32:
        flat[np.isnan(flat)] = np.uint32(QUIET_NAN["f32"]).view(np.float32)
    if flat.dtype == np.float64:
        quiet = np.uint64(1) << np.uint64(51)
        for operand in (y.reshape(-1), z.reshape(-1)):
            known = np.isnan(operand)
            flat.view(np.uint64)[known] = operand.view(np.uint64)[known] | quiet
    return flat.reshape(plain.shape)


def _nearest(exact, dtype):
    """Round a fraction once, to nearest even."""
    if dtype == np.float64:
        return float(exact) if abs(exact) < 2**1024 - 2**970 else math.copysign(math.inf, exact)
    exponent = max(math.frexp(float(exact))[1] - 1, -126)
    unit = Fraction(2) ** (exponent - 23)
    value = round(exact / unit) * unit
    return math.copysign(math.inf, exact) if abs(value) >= 2**128 else float(value)


class Problem(problems.Problem):
    """One launch of a shipped kernel."""

    def __init__(self, name, kernel, sm, sizes, distribution="even", seed=0):
        self.name, self.sm = name, sm
        super().__init__(kernel, sizes, distribution, seed)

    def run(self, **options):
        """Execute the shipped listing and return D."""
        listing = folder("kernels") / "listings" / f"sm_{self.sm}" / self.kernel["source"].replace(".cu", ".sass")
        compiled = load(listing)[self.name]
        shared = self.kernel["dynamic_shared_bytes"]
        device = options.pop("device", DEVICES[self.sm])
        self.result = launch(
            compiled, self.grid, self.kernel["threads"], self.args, shared_bytes=shared, device=device, **options
        )
        return np.ascontiguousarray(self.D)

    def expected(self):
        """Return D as the generation's instruction, chained over k, gives it."""
        instruction = self.kernel["mma"]
        kind_d, kind_a = instruction.split(".")[-4:-2]
        shape = instruction.removeprefix("wmma.").split(".")[0]
        M, N, K = (int(x) for x in shape[1:].replace("n", " ").replace("k", " ").split())
        m, n, depth = self.sizes
        rows, columns, steps = -(-m // M), -(-n // N), -(-depth // K)
        A = np.zeros((rows * M, steps * K), self.A.dtype)
        B = np.zeros((steps * K, columns * N), self.B.dtype)
        A[:m, :depth], B[:depth, :n] = self.A, self.B
        if kind_a == "tf32":
            A, B = (round_to_tf32(x) for x in (A, B))
        A, B = bits(A) if A.dtype.kind != "i" else A, bits(B) if B.dtype.kind != "i" else B
        total = np.zeros((rows, columns, M, N), bits(self.D[:1, :1].copy()).dtype if kind_d != "s32" else np.int32)
        for step in range(steps):
            a = A[:, step * K : (step + 1) * K].reshape(rows, 1, M, K)
            b = B[step * K : (step + 1) * K].reshape(K, columns, N).swapaxes(0, 1)[None]
            total = mma(instruction, a, b, total, arch=f"sm_{self.sm}")
        total = np.ascontiguousarray(total.swapaxes(1, 2)).reshape(rows * M, columns * N)[:m, :n]
        total = np.ascontiguousarray(total).view(self.D.dtype)
        C = np.ascontiguousarray(self.C)
        with np.errstate(all="ignore"):
            if kind_d == "f16":
                single = fma(self.alpha, total.astype(np.float32), self.beta * C.astype(np.float32))
                out = single.astype(np.float16)
                out[np.isnan(out)] = np.uint16(QUIET_NAN["f16"]).view(np.float16)
                return out
            return fma(self.alpha, total, self.beta * C)


def round_to_tf32(x):
    """Round f32 to tf32's ten fraction bits, ties away from zero (__float_to_tf32)."""
    word = bits(x)
    kept = (word + np.uint32(0x1000)) & np.uint32(0xFFFFE000)
    special = word & np.uint32(0xFFFFE000) | (np.isnan(x) * np.uint32(0x2000))
    return np.where(np.isfinite(x), kept, special).view(np.float32)


@pytest.fixture(scope="session")
def gemm():
    """Return the tools of this file."""
    catalog = problems.catalog(folder("kernels") / "kernels.toml")
    return SimpleNamespace(
        Problem=Problem, catalog=catalog, bits=bits, digest=problems.digest, sizes_of=problems.sizes_of, fma=fma
    )


@pytest.fixture(scope="session")
def campaign():
    """Return what the opcode campaign asks: its groups of operations, and what they are given."""
    return SimpleNamespace(groups=module("opcodes", "table.py").groups, inputs=module("opcodes", "operands.py").inputs)
