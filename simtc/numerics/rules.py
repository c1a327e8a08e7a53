"""What one machine instruction of each tensor core does to one element of D, as data.

Every floating-point tensor core computes D in fused steps: several exact products and the accumulator are aligned to
the largest exponent, truncated, added exactly and rounded once. The generations differ in how many products a step
takes, how many fraction bits survive the alignment, and how low the alignment may go; those numbers are here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Literal

from simtc.errors import BadInputError, unknown
from simtc.numerics.formats import Format, format_named

__all__ = ["ARCHITECTURES", "Evidence", "Kind", "Rule", "architecture_named", "rule_index", "rules"]

# What stands behind the bits of an instruction, strongest first:
#   captured       results of a real chip of this generation, reproduced in full by tests
#   published      special cases or captures that others report of a real chip; no vectors of ours
#   model          a published bit-accurate model, or a composition of captured steps
#   specification  the PTX ISA defines the result (integers, bits)
Evidence = Literal["captured", "published", "model", "specification"]

# The SM versions of each generation; `simtc` accepts either name.
ARCHITECTURES: dict[str, tuple[str, ...]] = {
    "volta": ("sm_70",),
    "turing": ("sm_75",),
    "ampere": ("sm_80", "sm_86", "sm_87"),
    "ada": ("sm_89",),
    "hopper": ("sm_90",),
}


class Kind(IntEnum):
    """How the sum is formed."""

    FUSED = 0  # chains of the fused step
    UNPACKED = 1  # Hopper's mma.sync on fp8: two fused f16 instructions, then one rounded add of C
    FMA = 2  # DMMA: one IEEE fused multiply-add after the other, in rising k
    INTEGER = 3  # IMMA: exact, then wrapped to 32 bits or saturated
    XOR = 4  # BMMA: population count of a xor b
    AND = 5  # BMMA: population count of a and b

    def __repr__(self) -> str:
        return f"Kind.{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """The arithmetic of one machine instruction, whatever its M and N.

    `unit` is the SASS opcode. `products` is how many one fused step takes (L); `fraction_bits` what survives the
    alignment (F), counted from the largest exponent; `exponent_floor` how low that exponent may go; `kept_bits` the
    fraction bits of D that are not forced to zero.

    Example:
        >>> rule = rules()[rule_index("turing", d="f32", a="f16", b="f16", c="f32")]
        >>> rule.unit, rule.products, rule.fraction_bits, rule.exponent_floor
        ('HMMA.1688', 8, 24, -132)

    """

    arch: str
    unit: str
    kind: Kind
    d: str
    a: str
    b: str
    c: str
    evidence: Evidence
    products: int = 0
    fraction_bits: int = 0
    exponent_floor: int = 0
    kept_bits: int = 0
    saturate: bool = False

    def __post_init__(self) -> None:
        if self.arch not in ARCHITECTURES:
            raise ValueError(f"{self.unit}: no architecture {self.arch}")
        if self.kind in (Kind.FUSED, Kind.UNPACKED) and not 13 <= self.fraction_bits <= 25:
            raise ValueError(f"{self.arch} {self.unit}: {self.fraction_bits} fraction bits do not fit the adder")

    @property
    def formats(self) -> tuple[Format, Format, Format, Format]:
        """The formats of D, A, B and C."""
        return format_named(self.d), format_named(self.a), format_named(self.b), format_named(self.c)


@dataclass(frozen=True, slots=True)
class _Step:
    """One row of the published table: a fused step, for all the type combinations that share it."""

    archs: tuple[str, ...]
    unit: str
    inputs: tuple[str, ...]  # every pair of these is legal
    outputs: tuple[tuple[str, str], ...]  # (D, C)
    products: int
    fraction_bits: int
    floors: tuple[int, int]  # for D = f32 and for D = f16
    evidence: Evidence
    kind: Kind = Kind.FUSED
    kept_bits: int = 23

    def rules(self) -> list[Rule]:
        """Spell the row out."""
        return [
            Rule(
                arch=arch,
                unit=self.unit,
                kind=self.kind,
                d=d,
                a=a,
                b=b,
                c=c,
                evidence=self.evidence,
                products=self.products,
                fraction_bits=self.fraction_bits,
                exponent_floor=self.floors[d == "f16"],
                kept_bits=min(self.kept_bits, format_named(d).fraction_bits),
            )
            for arch in self.archs
            for a in self.inputs
            for b in self.inputs
            for d, c in self.outputs
        ]


_F32 = (("f32", "f32"),)
_SAME = (("f32", "f32"), ("f16", "f16"))
_MIXED = (("f32", "f16"),)

# Sources: Fasi, Higham, Mikaitis, Pranesh 2021 (V100, T4, A100); Khattak and Mikaitis 2025 (captures of V100, A100,
# A2, Ada, L40S, H100, H200); Xie, MMA-Sim 2025 (the model); H200 captures made for simtc.
_VOLTA, _TURING, _HOPPER = (-131, -19), (-132, -20), (-133, -21)
_STEPS = (
    # architectures; unit; A and B; D and C; L; F; floors for D = f32, f16; evidence; kind; fraction bits kept
    _Step(("volta",), "HMMA.884", ("f16",), _SAME, 4, 23, _VOLTA, "captured"),
    _Step(("volta",), "HMMA.884", ("f16",), _MIXED, 4, 23, _VOLTA, "model"),
    _Step(("turing",), "HMMA.1688", ("f16",), _SAME, 8, 24, _TURING, "published"),
    _Step(("turing",), "HMMA.884", ("f16",), (*_SAME, *_MIXED), 4, 23, _VOLTA, "model"),
    _Step(("ampere", "ada"), "HMMA.16816", ("f16",), _SAME, 8, 24, _TURING, "captured"),
    _Step(("ampere", "ada"), "HMMA.16816", ("bf16",), _F32, 8, 24, _TURING, "captured"),
    _Step(("ampere", "ada"), "HMMA.1688", ("tf32",), _F32, 4, 24, _TURING, "captured"),
    _Step(("ada",), "QMMA.16832", ("e4m3", "e5m2"), _SAME, 16, 13, _TURING, "published", Kind.FUSED, 13),
    _Step(("hopper",), "HMMA.16816", ("f16",), _SAME, 16, 25, _HOPPER, "captured"),
    _Step(("hopper",), "HMMA.16816", ("bf16",), _F32, 16, 25, _HOPPER, "captured"),
    _Step(("hopper",), "HMMA.1688", ("tf32",), _F32, 8, 25, _HOPPER, "captured"),
    _Step(("hopper",), "HMMA.1684", ("tf32",), _F32, 4, 25, _HOPPER, "captured"),
    _Step(("hopper",), "F2FP+HMMA+ADD", ("e4m3", "e5m2"), _SAME, 16, 25, _HOPPER, "captured", Kind.UNPACKED),
    _Step(("hopper",), "HGMMA", ("f16",), _SAME, 16, 25, _HOPPER, "captured"),
    _Step(("hopper",), "HGMMA", ("bf16",), _F32, 16, 25, _HOPPER, "captured"),
    _Step(("hopper",), "HGMMA", ("tf32",), _F32, 8, 25, _HOPPER, "captured"),
    _Step(("hopper",), "QGMMA", ("e4m3", "e5m2"), _SAME, 32, 13, _HOPPER, "captured", Kind.FUSED, 13),
)


def _exact_rules() -> list[Rule]:
    """IMMA, BMMA and DMMA: the arithmetic needs no table, only who has it."""
    found = []
    for arch in ("turing", "ampere", "ada", "hopper"):
        kinds = (Kind.XOR,) if arch == "turing" else (Kind.XOR, Kind.AND)
        found += [_exact(arch, "BMMA", kind, "b1", "b1") for kind in kinds]
        for pair in (("s8", "u8"), ("s4", "u4")):
            for a in pair:
                for b in pair:
                    found += [_exact(arch, "IMMA", Kind.INTEGER, a, b, saturate=on) for on in (False, True)]
    for arch in ("ampere", "ada", "hopper"):
        evidence: Evidence = "captured" if arch == "hopper" else "model"
        found.append(Rule(arch=arch, unit="DMMA", kind=Kind.FMA, d="f64", a="f64", b="f64", c="f64", evidence=evidence))
    return found


def _exact(arch: str, unit: str, kind: Kind, a: str, b: str, *, saturate: bool = False) -> Rule:
    evidence: Evidence = "captured" if arch == "hopper" else "specification"
    return Rule(arch=arch, unit=unit, kind=kind, d="s32", a=a, b=b, c="s32", saturate=saturate, evidence=evidence)


@cache
def rules() -> tuple[Rule, ...]:
    """Return every rule; a rule's place here is the index that compiled code takes."""
    return tuple(rule for step in _STEPS for rule in step.rules()) + tuple(_exact_rules())


def architecture_named(name: str) -> str:
    """Return the generation that a name such as `turing` or `sm_75` stands for.

    Raises:
        BadInputError: no such architecture.

    Example:
        >>> architecture_named("sm_86")
        'ampere'

    """
    found = {alias: arch for arch, aliases in ARCHITECTURES.items() for alias in (arch, *aliases)}
    if name not in found:
        raise unknown("architecture", name, found)
    return found[name]


def rule_index(
    arch: str, *, d: str, a: str, b: str | None = None, c: str | None = None,
    unit: str | None = None, saturate: bool = False, binary: str = "xor",
) -> int:  # fmt: skip
    """Return the index of a rule, for compiled code that computes many tiles.

    Args:
        arch: a generation or an SM version.
        d: type of the result.
        a: type of A.
        b: type of B; that of A when left out.
        c: type of the accumulator; that of D when left out.
        unit: the SASS opcode, where a chip has two for the same types (Turing: HMMA.1688 or HMMA.884; Hopper: HMMA
            or HGMMA). The first of the table when left out.
        saturate: clamp the integer sum instead of wrapping it.
        binary: `xor` or `and`, for b1.

    Raises:
        BadInputError: the chip has no such arithmetic.

    Example:
        >>> rule_index("volta", d="f16", a="f16") != rule_index("volta", d="f32", a="f16")
        True

    """
    arch = architecture_named(arch)
    wanted = (arch, d, a, b or a, c or d, saturate)
    for place, rule in enumerate(rules()):
        fits = (rule.arch, rule.d, rule.a, rule.b, rule.c, rule.saturate) == wanted
        fits = fits and rule.kind != (Kind.AND if binary == "xor" else Kind.XOR)
        if fits and unit in (None, rule.unit):
            return place
    types = ".".join(wanted[1:5])
    have = sorted({f"{r.d}.{r.a}.{r.b}.{r.c}" for r in rules() if r.arch == arch})
    where = f" in {unit}" if unit else ""
    raise BadInputError(f"{arch} has no {types}{where}: its tensor cores take {', '.join(have)}")
