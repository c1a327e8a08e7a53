"""The catalogue: which MMA instructions each architecture has, and how its machine code computes them.

What is legal for which target was established with NVIDIA's assembler, and so was the machine code that each of them
becomes: `wmma` and Hopper's fp8 `mma` are sequences, and the sequence decides the bits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

from simtc.errors import BadInputError, nearest
from simtc.numerics.formats import Format, format_named
from simtc.numerics.rules import Evidence, Kind, Rule, architecture_named, rule_index, rules

__all__ = ["CAPTURED", "CAPTURED_WHOLE", "Instruction", "instruction_named", "instructions", "summary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One PTX instruction on one architecture.

    `rule` is the index of the arithmetic of `opcode`, the machine instruction it becomes, of which there are `count`
    (HMMA.884 counts its STEPs as one). `sum_type` is the type the sum is kept in: where it is not C's or D's, the
    machine code converts C to it before, or D from it after.

    Example:
        >>> found = instruction_named("wmma.m16n16k16.f32.f16.f16.f32", "turing")
        >>> found.count, found.opcode, found.steps
        (4, 'HMMA.1688', ((0, 1, 2, 3, 4, 5, 6, 7), (8, 9, 10, 11, 12, 13, 14, 15)))

    """

    name: str
    arch: str
    m: int
    n: int
    k: int
    d: str
    a: str
    b: str
    c: str
    rule: int
    opcode: str
    count: int
    sum_type: str
    evidence: Evidence

    @property
    def arithmetic(self) -> Rule:
        """The rule that the machine instruction follows."""
        return rules()[self.rule]

    @property
    def formats(self) -> tuple[Format, Format, Format, Format]:
        """The formats of D, A, B and C."""
        return format_named(self.d), format_named(self.a), format_named(self.b), format_named(self.c)

    @property
    def shapes(self) -> dict[str, tuple[int, int]]:
        """The shapes of the operands, as (rows, columns)."""
        return {"A": (self.m, self.k), "B": (self.k, self.n), "C": (self.m, self.n)}

    @property
    def steps(self) -> tuple[tuple[int, ...], ...]:
        """Which elements of k enter each rounding, in order: each step's result is the next one's accumulator."""
        rule, every = self.arithmetic, tuple(range(self.k))
        if rule.kind == Kind.FMA:
            return tuple((x,) for x in every)
        if rule.kind == Kind.UNPACKED:  # and then one more rounded addition, of C
            return tuple(x for x in every if x % 4 < 2), tuple(x for x in every if x % 4 >= 2)
        size = rule.products or self.k
        return tuple(every[begin : begin + size] for begin in range(0, self.k, size))


@dataclass(frozen=True, slots=True)
class _Family:
    """Instructions that differ in shape and type only."""

    archs: str
    shapes: tuple[str, ...]
    inputs: tuple[tuple[str, str], ...]
    outputs: tuple[tuple[str, str], ...]  # (D, C)
    opcode: str
    unit: str | None = None  # the rule's, where it is not the first of its types
    suffixes: tuple[str, ...] = ("",)


_HALF, _BF16, _TF32 = (("f16", "f16"),), (("bf16", "bf16"),), (("tf32", "tf32"),)
_SAME_BYTES, _SAME_NIBBLES = (("s8", "s8"), ("u8", "u8")), (("s4", "s4"), ("u4", "u4"))
_FP8 = tuple((a, b) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2"))
_BYTES = tuple((a, b) for a in ("s8", "u8") for b in ("s8", "u8"))
_NIBBLES = tuple((a, b) for a in ("s4", "u4") for b in ("s4", "u4"))
_BITS = (("b1", "b1"),)
_SAME = (("f16", "f16"), ("f32", "f32"))
_NATIVE = (*_SAME, ("f32", "f16"))
_ALL = (*_NATIVE, ("f16", "f32"))
_F32, _F64, _S32 = (("f32", "f32"),), (("f64", "f64"),), (("s32", "s32"),)
_SINCE_TURING, _SINCE_AMPERE, _BEFORE_HOPPER = "turing ampere ada hopper", "ampere ada hopper", "turing ampere ada"
_INTEGER = ("", ".satfinite")
_XOR, _BOTH = (".xor.popc",), (".xor.popc", ".and.popc")
_WMMA = ("wmma.m16n16k16", "wmma.m32n8k16", "wmma.m8n32k16")


def _wgmma(k: int) -> tuple[str, ...]:
    return tuple(f"wgmma.m64n{n}k{k}" for n in range(8, 257, 8))


_FAMILIES = (
    # architectures; shapes; A and B; D and C; opcode; unit; suffixes
    _Family("volta turing", ("m8n8k4",), _HALF, _NATIVE, "HMMA.884", "HMMA.884"),
    _Family(_SINCE_TURING, ("m16n8k8",), _HALF, _SAME, "HMMA.1688"),
    _Family(_SINCE_AMPERE, ("m16n8k16",), _HALF, _SAME, "HMMA.16816"),
    _Family(_SINCE_AMPERE, ("m16n8k8",), _BF16, _F32, "HMMA.1688"),
    _Family(_SINCE_AMPERE, ("m16n8k16",), _BF16, _F32, "HMMA.16816"),
    _Family(_SINCE_AMPERE, ("m16n8k4",), _TF32, _F32, "HMMA.1684"),
    _Family(_SINCE_AMPERE, ("m16n8k8",), _TF32, _F32, "HMMA.1688"),
    _Family("ada", ("m16n8k16",), _FP8, _SAME, "QMMA.16816"),
    _Family("ada", ("m16n8k32",), _FP8, _SAME, "QMMA.16832"),
    _Family("hopper", ("m16n8k16",), _FP8, _SAME, "HMMA.1688", "F2FP+HMMA+ADD"),
    _Family("hopper", ("m16n8k32",), _FP8, _SAME, "HMMA.16816", "F2FP+HMMA+ADD"),
    _Family("ampere ada", ("m8n8k4", "wmma.m8n8k4"), _F64, _F64, "DMMA.884"),
    _Family("hopper", ("m8n8k4", "wmma.m8n8k4"), _F64, _F64, "DMMA.8x8x4"),
    _Family("hopper", ("m16n8k4",), _F64, _F64, "DMMA.16x8x4"),
    _Family("hopper", ("m16n8k8",), _F64, _F64, "DMMA.16x8x8"),
    _Family("hopper", ("m16n8k16",), _F64, _F64, "DMMA.16x8x16"),
    _Family(_SINCE_TURING, ("m8n8k16",), _BYTES, _S32, "IMMA.8816", None, _INTEGER),
    _Family(_SINCE_AMPERE, ("m16n8k16",), _BYTES, _S32, "IMMA.16816", None, _INTEGER),
    _Family(_SINCE_AMPERE, ("m16n8k32",), _BYTES, _S32, "IMMA.16832", None, _INTEGER),
    _Family(_BEFORE_HOPPER, ("m8n8k32",), _NIBBLES, _S32, "IMMA.8832", None, _INTEGER),
    _Family("ampere ada", ("m16n8k32",), _NIBBLES, _S32, "IMMA.16832", None, _INTEGER),
    _Family("ampere ada", ("m16n8k64",), _NIBBLES, _S32, "IMMA.16864", None, _INTEGER),
    _Family("hopper", ("m8n8k32",), _NIBBLES, _S32, "IMMA.8816", None, _INTEGER),
    _Family("hopper", ("m16n8k32",), _NIBBLES, _S32, "IMMA.16816", None, _INTEGER),
    _Family("hopper", ("m16n8k64",), _NIBBLES, _S32, "IMMA.16832", None, _INTEGER),
    _Family("turing", ("m8n8k128", "wmma.m8n8k128"), _BITS, _S32, "BMMA.88128", None, _XOR),
    _Family(_SINCE_AMPERE, ("m8n8k128", "wmma.m8n8k128"), _BITS, _S32, "BMMA.88128", None, _BOTH),
    _Family(_SINCE_AMPERE, ("m16n8k128",), _BITS, _S32, "BMMA.168128", None, _BOTH),
    _Family(_SINCE_AMPERE, ("m16n8k256",), _BITS, _S32, "BMMA.168256", None, _BOTH),
    _Family("volta", _WMMA, _HALF, _ALL, "HMMA.884"),
    _Family("turing", _WMMA, _HALF, _ALL, "HMMA.1688"),
    _Family(_SINCE_AMPERE, _WMMA, _HALF, _ALL, "HMMA.16816"),
    _Family(_SINCE_AMPERE, _WMMA, _BF16, _F32, "HMMA.16816"),
    _Family("ampere ada", ("wmma.m16n16k8",), _TF32, _F32, "HMMA.1684"),
    _Family("hopper", ("wmma.m16n16k8",), _TF32, _F32, "HMMA.1684", "HMMA.1684"),
    _Family("turing", _WMMA, _SAME_BYTES, _S32, "IMMA.8816", None, _INTEGER),
    _Family(_SINCE_AMPERE, _WMMA, _SAME_BYTES, _S32, "IMMA.16816", None, _INTEGER),
    _Family(_BEFORE_HOPPER, ("wmma.m8n8k32",), _SAME_NIBBLES, _S32, "IMMA.8832", None, _INTEGER),
    _Family("hopper", ("wmma.m8n8k32",), _SAME_NIBBLES, _S32, "IMMA.8816", None, _INTEGER),
    _Family("hopper", _wgmma(16), _HALF, _SAME, "HGMMA", "HGMMA"),
    _Family("hopper", _wgmma(16), _BF16, _F32, "HGMMA", "HGMMA"),
    _Family("hopper", _wgmma(8), _TF32, _F32, "HGMMA", "HGMMA"),
    _Family("hopper", _wgmma(32), _FP8, _SAME, "QGMMA", "QGMMA"),
)

# Captured on a real chip of the generation, operands and results, and reproduced (tests/numerics/test_vectors.py). The
# rest follows from a captured step, from what others published, from the model, or from the PTX ISA.
_A100 = ("m16n8k8.f32.f16.f16.f32", "m16n8k8.f16.f16.f16.f16", "m16n8k8.f32.bf16.bf16.f32", "m16n8k4.f32.tf32.tf32.f32")
CAPTURED = {
    "volta": ("m8n8k4.f32.f16.f16.f32", "m8n8k4.f16.f16.f16.f16"),
    "turing": (),
    "ampere": _A100,
    "ada": _A100,
    "hopper": (
        *_A100,
        *(
            f"m16n8k16.{types}"
            for types in ("f32.f16.f16.f32", "f16.f16.f16.f16", "f32.bf16.bf16.f32", "s32.s8.s8.s32")
        ),
        *("m16n8k8.f32.tf32.tf32.f32", "m16n8k32.s32.s8.s8.s32", "m8n8k4.f64.f64.f64.f64"),
        *(f"m16n8k32.{d}.{x}.{x}.{d}" for x in ("e4m3", "e5m2") for d in ("f32", "f16")),
    ),
}


# Generations of which campaign `numerics` ran every instruction on a chip: validate/captures holds the digest of every
# result, and its replay (tests/study/test_captures.py) finds no bit that differs.
CAPTURED_WHOLE = ("hopper",)


# Multiply-adds of one machine instruction of a warp, for those that a PTX instruction may need several of.
_MULTIPLY_ADDS = {
    "HMMA.884": 4 * 8 * 8 * 4,  # four quad pairs
    "HMMA.1684": 16 * 8 * 4,
    "HMMA.1688": 16 * 8 * 8,
    "HMMA.16816": 16 * 8 * 16,
    "IMMA.8816": 8 * 8 * 16,
    "IMMA.16816": 16 * 8 * 16,
    "IMMA.16832": 16 * 8 * 32,
}


def _build(family: _Family, arch: str) -> Iterator[Instruction]:
    """Spell one family out for one architecture."""
    for shape in family.shapes:
        m, n, k = (int(size) for size in re.findall(r"[mnk](\d+)", shape))
        count = max(1, m * n * k // _MULTIPLY_ADDS.get(family.opcode, m * n * k))
        for (a, b), (d, c), suffix in product(family.inputs, family.outputs, family.suffixes):
            # HMMA.884 takes an f16 C into an f32 D; elsewhere the machine code converts, and sums in f32.
            converts = d != c and not (family.opcode == "HMMA.884" and d == "f32")
            sum_type = "f32" if converts else d
            rule = rule_index(
                arch, d=sum_type, a=a, b=b, c="f32" if converts else c, unit=family.unit,
                saturate=suffix == ".satfinite", binary="and" if suffix == ".and.popc" else "xor",
            )  # fmt: skip
            name = f"{shape}.{d}.{a}.{b}.{c}{suffix}"
            # Hopper has no xor: a xor b is (a and not b) plus (not a and b).
            twice = 2 if (arch, suffix) == ("hopper", ".xor.popc") else 1
            yield Instruction(
                name=name, arch=arch, m=m, n=n, k=k, d=d, a=a, b=b, c=c, rule=rule, opcode=family.opcode,
                count=count * twice, sum_type=sum_type, evidence=_evidence(arch, name, rules()[rule]),
            )  # fmt: skip


def _evidence(arch: str, name: str, rule: Rule) -> Evidence:
    """Captured itself; else what stands behind its step, which a composition weakens to a model."""
    if arch in CAPTURED_WHOLE or name in CAPTURED[arch]:
        return "captured"
    if rule.kind in (Kind.INTEGER, Kind.XOR, Kind.AND):
        return "specification"
    return "published" if rule.evidence == "published" and not name.startswith("wmma") else "model"


@cache
def instructions(arch: str) -> dict[str, Instruction]:
    """Return every instruction of an architecture by name.

    Raises:
        BadInputError: no such architecture.

    Example:
        >>> list(instructions("sm_70"))[:3]
        ['m8n8k4.f16.f16.f16.f16', 'm8n8k4.f32.f16.f16.f32', 'm8n8k4.f32.f16.f16.f16']

    """
    arch = architecture_named(arch)
    families = [family for family in _FAMILIES if arch in family.archs.split()]
    return {found.name: found for family in families for found in _build(family, arch)}


def instruction_named(name: str, arch: str) -> Instruction:
    """Return one instruction; a b1 name without its operation means xor, the only one that Turing has.

    Raises:
        BadInputError: the architecture has no such instruction.

    Example:
        >>> instruction_named("m8n8k128.s32.b1.b1.s32", "turing").name
        'm8n8k128.s32.b1.b1.s32.xor.popc'

    """
    have = instructions(arch)
    arch = architecture_named(arch)
    for candidate in (name, f"{name}.xor.popc"):
        if candidate in have:
            return have[candidate]
    raise BadInputError(f"{_why_not(name, arch)} Try: simtc mma --list --arch {arch}")


def _why_not(name: str, arch: str) -> str:
    """Say what is wrong with a name: the architecture, the types, or the name itself."""
    have = instructions(arch)
    others = [other for other in CAPTURED if name in instructions(other)]
    same_shape = [key for key in have if key.startswith(_shape(name) + ".")] if _shape(name) else []
    if others:
        emulated = _shape(name) == "m8n8k4" and arch not in ("volta", "turing")
        why = " (its compiler emulates it without tensor cores)" if emulated else ""
        return f"{arch} has no {name}{why}: it is an instruction of {', '.join(others)}; {arch} has {summary(arch)}."
    guess = nearest(name, have)
    hint = f"; did you mean {guess!r}?" if guess else "."
    if same_shape:
        types = ", ".join(key.removeprefix(_shape(name) + ".") for key in same_shape)
        return f"unknown instruction {name!r}: {arch} has {_shape(name)} as {types}{hint}"
    return f"unknown instruction {name!r}: an instruction is SHAPE.D.A.B.C, and {arch} has {summary(arch)}{hint}"


def _shape(name: str) -> str:
    match = re.match(r"(wmma\.|wgmma\.)?m\d+n\d+k\d+", name)
    return match.group() if match else ""


def summary(arch: str) -> str:
    """Return the shapes of an architecture by the type of A, on one line.

    Example:
        >>> summary("volta")
        'f16: m8n8k4, wmma.m16n16k16, wmma.m32n8k16, wmma.m8n32k16'

    """
    shapes: dict[str, dict[str, None]] = {}
    for found in instructions(arch).values():
        shape = re.sub(r"^(wgmma\.m64)n\d+", r"\1nN", _shape(found.name))
        shapes.setdefault(found.a, {})[shape] = None
    types: dict[str, list[str]] = {}
    for name, names in shapes.items():
        types.setdefault(", ".join(names), []).append(name)
    return "; ".join(f"{'/'.join(kinds)}: {names}" for names, kinds in types.items())
