"""Against an independent implementation: PyPI mmasim 2.1.1, the authors' own model, on random operands of every kind.

Run with `pytest -m oracle tests/numerics/test_oracle.py` where `pip install simtc[oracle]` and torch are present.
sass_notes/numerics.md records a run.
"""

from __future__ import annotations

import numpy as np
import pytest

from simtc.numerics import instructions
from simtc.numerics.multiply import mma

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

NAMES = {"volta": "Volta", "turing": "Turing", "ampere": "Ampere", "ada": "Ada Lovelace", "hopper": "Hopper"}
MILLION = [
    ("volta", "m8n8k4.f32.f16.f16.f32"),
    ("volta", "m8n8k4.f32.f16.f16.f16"),
    ("volta", "m8n8k4.f16.f16.f16.f16"),
    ("turing", "m16n8k8.f32.f16.f16.f32"),
    ("turing", "m16n8k8.f16.f16.f16.f16"),
    ("turing", "m8n8k4.f32.f16.f16.f32"),
    ("turing", "m8n8k4.f32.f16.f16.f16"),
    ("turing", "m8n8k4.f16.f16.f16.f16"),
]
LATER = [
    *(("ampere", f"m16n8k{k}.{types}") for k in (8, 16) for types in ("f32.f16.f16.f32", "f16.f16.f16.f16")),
    *(("ampere", f"m16n8k{k}.f32.bf16.bf16.f32") for k in (8, 16)),
    *((arch, f"m16n8k{k}.f32.tf32.tf32.f32") for arch in ("ampere", "hopper") for k in (4, 8)),
    *(("ada", f"m16n8k32.{d}.{a}.{b}.{d}") for d in ("f32", "f16") for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")),
    *(("hopper", f"m16n8k16.{types}") for types in ("f32.f16.f16.f32", "f16.f16.f16.f16", "f32.bf16.bf16.f32")),
    *(("hopper", f"wgmma.m64n8k16.{types}") for types in ("f32.f16.f16.f32", "f16.f16.f16.f16", "f32.bf16.bf16.f32")),
    ("hopper", "wgmma.m64n8k8.f32.tf32.tf32.f32"),
    *(("hopper", f"wgmma.m64n8k32.{d}.e4m3.e5m2.{d}") for d in ("f32", "f16")),
]


def oracle(found):
    """Return a function from raw bits to raw bits, over a batch, that mmasim computes."""
    torch = pytest.importorskip("torch")
    nv_ptx = pytest.importorskip("mmasim.nv_ptx")
    torch.set_num_threads(1)
    if found.name.startswith("wgmma"):
        name = found.name.removeprefix("wgmma.").rsplit(".", 1)[0]
        operation = nv_ptx.WGMMA(NAMES[found.arch], name)
    else:
        operation = nv_ptx.MMA(NAMES[found.arch], found.name)

    def compute(A, B, C):
        kinds = (operation.a_type, operation.b_type, operation.c_type)
        signed = (
            array.view(array.dtype.str.replace("u", "i") if array.itemsize > 1 else array.dtype) for array in (A, B, C)
        )
        a, b, c = (torch.from_numpy(array).view(kind) for array, kind in zip(signed, kinds, strict=True))
        rows = a[:, :, None, :].expand(-1, -1, found.n, -1)
        columns = b.transpose(1, 2)[:, None].expand(-1, found.m, -1, -1)
        bits = torch.int16 if found.d == "f16" else torch.int32
        return operation.dpa(rows, columns, c).view(bits).numpy().view(C.dtype if found.c == found.d else np.uint32)

    return compute


def compare(arch, name, outputs, operands):
    """Count mismatching bits over at least `outputs` outputs; return how many there were."""
    found = instructions(arch)[name]
    compute, done, seed = oracle(found), 0, 0
    while done < outputs:
        batch = min(16, -(-(outputs - done) // (found.m * found.n)))
        A, B, C = operands(found, batch, seed)
        D = mma(name, A, B, C, arch=arch)
        np.testing.assert_array_equal(D, compute(A, B, C), err_msg=f"seed {seed}")
        done, seed = done + D.size, seed + 1
    return done


@pytest.mark.slow
@pytest.mark.parametrize(("arch", "name"), MILLION)
def test_a_million_outputs(arch, name, operands, record_property):
    done = compare(arch, name, 1_000_000, operands)
    record_property("outputs", done)
    assert done >= 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize(("arch", "name"), LATER)
def test_later_chips(arch, name, operands):
    assert compare(arch, name, 50_000, operands) >= 50_000
