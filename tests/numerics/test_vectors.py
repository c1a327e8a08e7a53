"""Every captured array, through both paths: one wrong bit is a bug."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from simtc.numerics.instructions import CAPTURED, instructions
from simtc.numerics.multiply import mma

SHIPPED = Path(__file__).parent.parent / "data" / "h200_mma_small.npz"
CHIPS = {
    "V100": "volta",
    "A100": "ampere",
    "A2": "ampere",
    "Ada": "ada",
    "L40S": "ada",
    "H100": "hopper",
    "H200": "hopper",
}
DOT_INSTRUCTIONS = {
    "V100": ("m8n8k4.f32.f16", "m8n8k4.f16.f16"),
    **dict.fromkeys(
        ("A100", "A2", "Ada", "L40S"), ("m16n8k8.f32.f16", "m16n8k8.f16.f16", "m16n8k8.f32.bf16", "m16n8k4.f32.tf32")
    ),
    **dict.fromkeys(
        ("H100", "H200"), ("m16n8k16.f32.f16", "m16n8k16.f16.f16", "m16n8k16.f32.bf16", "m16n8k4.f32.tf32")
    ),
}
REFERENCE_SET = {
    "Volta": ("m8n8k4.f32.f16.f16.f32", "m8n8k4.f16.f16.f16.f16"),
    "Turing": ("m16n8k8.f32.f16.f16.f32", "m16n8k8.f16.f16.f16.f16", "m8n8k4.f32.f16.f16.f32"),
    "Ampere": ("m16n8k8.f32.f16.f16.f32", "m16n8k16.f32.f16.f16.f32", "m16n8k16.f16.f16.f16.f16"),
}


@cache
def load(path):
    with np.load(path) as archive:
        return {key: archive[key] for key in archive.files}


def full_name(short):
    shape, d, a = short.split(".")
    return f"{shape}.{d}.{a}.{a}.{d}"


def mismatches(instr, arch, arrays, *, reference, every):
    """Count differing outputs; the reference path takes `every`-th product, from a place that changes with the name."""
    if reference:
        start = sum(map(ord, instr + arch)) % every
        arrays = [array[start::every] for array in arrays]
    a, b, c, d = arrays
    assert len(d)
    return int((mma(instr, a, b, c, arch=arch, reference=reference) != d).sum())


@pytest.mark.parametrize("instr", CAPTURED["hopper"])
def test_shipped_h200_capture(instr, reference):
    arrays = [load(SHIPPED)[f"{instr}__{what}"] for what in "ABCD"]
    assert mismatches(instr, "hopper", arrays, reference=reference, every=65) == 0


def test_shipped_capture_is_compact_and_complete():
    assert SHIPPED.stat().st_size <= 3 << 20
    assert {key.split("__")[0] for key in load(SHIPPED)} == set(CAPTURED["hopper"])


@pytest.mark.parametrize("instr", CAPTURED["hopper"])
def test_h200_capture(instr, reference, shared):
    shape, d, a = instr.split(".")[:3]
    whole = load(shared / "vectors" / "h200_mma.npz")
    arrays = [whole[f"{shape}.{d}.{a}__{what}"] for what in "ABCD"]
    assert mismatches(instr, "hopper", arrays, reference=reference, every=217) == 0


@pytest.mark.parametrize(("arch", "instr"), [(arch, instr) for arch, found in REFERENCE_SET.items() for instr in found])
def test_reference_set(arch, instr, reference, shared):
    whole = load(shared / "vectors" / "reference_mma.npz")
    arrays = [whole[f"{arch}__{instr}__{what}"] for what in "ABCD"]
    assert mismatches(instr, arch.lower(), arrays, reference=reference, every=60) == 0


@pytest.mark.parametrize(
    ("chip", "short"), [(chip, short) for chip, found in DOT_INSTRUCTIONS.items() for short in found]
)
def test_captured_dot_products(chip, short, reference, shared):
    whole = load(shared / "vectors" / "captured_dot_products.npz")
    a, b, c, d = (whole[f"{chip}__{short}__{what}"] for what in "ABCD")
    if reference:
        a, b, c, d = (array[::1250] for array in (a, b, c, d))
    found = instructions(CHIPS[chip])[full_name(short)]
    A, B, C = (
        np.zeros((len(d), *shape), array.dtype) for shape, array in zip(found.shapes.values(), (a, b, c), strict=True)
    )
    A[:, -1, :], B[:, :, -1], C[:, -1, -1] = a, b, c  # the dot product is the last element; the rest are zeros
    D = mma(found.name, A, B, C, arch=found.arch, reference=reference)
    np.testing.assert_array_equal(D[:, -1, -1], d)
    assert not D[:, :-1].any()


def test_every_array_of_the_shared_vectors_has_a_test(shared):
    tested = {f"{chip}__{short}" for chip, found in DOT_INSTRUCTIONS.items() for short in found}
    assert {key[:-3] for key in load(shared / "vectors" / "captured_dot_products.npz")} == tested
    tested = {f"{arch}__{instr}" for arch, found in REFERENCE_SET.items() for instr in found}
    assert {key[:-3] for key in load(shared / "vectors" / "reference_mma.npz")} == tested
    tested = {".".join(instr.split(".")[:3]) for instr in CAPTURED["hopper"]}
    assert {key[:-3] for key in load(shared / "vectors" / "h200_mma.npz")} == tested


def test_what_is_called_captured_has_vectors():
    captured = {(CHIPS[chip], full_name(short)) for chip, found in DOT_INSTRUCTIONS.items() for short in found}
    captured |= {("hopper", key.split("__")[0]) for key in load(SHIPPED)}
    assert {(arch, instr) for arch, found in CAPTURED.items() for instr in found} == captured
