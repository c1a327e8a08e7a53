"""Floating-point operations of a launch, counted from the instructions that it executed."""

from __future__ import annotations

import re
from collections import Counter

from simtc.errors import BadInputError
from simtc.results import Timing

__all__ = ["executed_flops"]

# What one warp-instruction does in 32 lanes; of packed halves, two in each lane.
_SCALAR = {
    "FFMA": ("FP32 units", 64), "FADD": ("FP32 units", 32), "FMUL": ("FP32 units", 32),
    "DFMA": ("FP64 units", 64), "DADD": ("FP64 units", 32), "DMUL": ("FP64 units", 32),
    "HFMA2": ("FP16 units", 128), "HADD2": ("FP16 units", 64), "HMUL2": ("FP16 units", 64),
}  # fmt: skip
_WIDE = "FFMA2", "FADD2", "FMUL2"  # of two f32 in each lane
_SHAPE = re.compile(r"[HIDBQ]G?MMA\.(?:SP\.)?(\d+(?:x\d+x\d+)?)")
_SHAPES = {
    "884": (8, 8, 4), "1684": (16, 8, 4), "1688": (16, 8, 8), "16816": (16, 8, 16), "16832": (16, 8, 32),
    "16864": (16, 8, 64), "168128": (16, 8, 128), "168256": (16, 8, 256),
    "8816": (8, 8, 16), "8832": (8, 8, 32), "88128": (8, 8, 128),
}  # fmt: skip
_QUAD_PAIRS = 4  # each has a product of its own in Volta's HMMA.884
_TYPES = {"TF32": "tf32", "BF16": "bf16", "E4M3": "fp8", "E5M2": "fp8"}


def executed_flops(timing: Timing) -> dict[str, int]:
    """Return the operations by unit; tensor cores are told apart by types, as "tensor cores f16.f32".

    A multiply-add counts as two, integers' too. Lanes that a predicate or a branch has switched off are counted with
    the others, as are operations on padding.

    Raises:
        BadInputError: nothing of the launch computes in floating point, or in tensor cores.

    """
    found: Counter[str] = Counter()
    for one in timing.by_instruction:
        words = one.text.split()
        mnemonic = next((word for word in words if not word.startswith("@")), "").rstrip(";")
        unit, each = _of(mnemonic)
        if each:
            found[unit] += each * one.issued
    if not found:
        raise BadInputError("the launch executed no floating-point instruction: it has no place in a roofline")
    return dict(found)


def _of(mnemonic: str) -> tuple[str, int]:
    """Return the unit of an instruction, and what one of it does; 0 for all that computes nothing."""
    opcode, *suffixes = mnemonic.split(".")
    if opcode in _SCALAR:
        return _SCALAR[opcode]
    if opcode in _WIDE:
        unit, each = _SCALAR[opcode.removesuffix("2")]
        return unit, 2 * each
    shaped = _SHAPE.match(mnemonic)
    if shaped is None:
        return "", 0
    name = shaped[1]
    m, n, k = map(int, name.split("x")) if "x" in name else _SHAPES[name]
    each = 2 * m * n * k
    if opcode == "HMMA" and name == "884":  # one step of the two or four that make a product
        each = each * _QUAD_PAIRS // (4 if "F32" in suffixes[1:2] else 2)
    return f"tensor cores {_types(opcode, suffixes)}", each


def _types(opcode: str, suffixes: list[str]) -> str:
    """Return inputs and sum as `simtc arch` names their rate."""
    if opcode.startswith("D"):
        return "f64.f64"
    if opcode.startswith(("I", "B")):
        inputs = "b1" if opcode.startswith("B") else "s4" if {"S4", "U4"} & set(suffixes) else "s8"
        return f"{inputs}.s32"
    inputs = next((_TYPES[one] for one in suffixes if one in _TYPES), "f16")
    return f"{inputs}.{'f16' if suffixes[1:2] == ['F16'] else 'f32'}"
