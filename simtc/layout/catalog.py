"""The layout of every operand of every matrix instruction: which rule it follows, and what stands behind that."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from simtc.errors import BadInputError, unknown
from simtc.layout.fragment import Fragment
from simtc.layout.maps import Map, element_bits, quad_pair_map, size, warp_map
from simtc.numerics.instructions import Instruction, instruction_named
from simtc.numerics.rules import architecture_named

__all__ = ["fragment"]

_PUBLISHED = ("published", "PTX ISA, Matrix Fragments for {family}")
_DERIVED = ("derived", "code that NVRTC 12.8 emits for load_matrix_sync, mma_sync and store_matrix_sync")
_MEASURED = {
    "wmma": ("measured", "load_matrix_sync, one-hot operands and every result's place on an H200"),
    "mma": ("measured", "one-hot operands and every result's place on an H200"),
    "wgmma": ("measured", "the bits of products of every shape, packed by this layout, on an H200"),
}


def fragment(
    instr: str,
    *,
    operand: str,
    arch: str,
    major: str | None = None,
    view: str | None = None,
    quad_pair: int | None = None,
) -> Fragment:
    """Return the layout of one operand of a matrix instruction.

    Args:
        instr: the instruction, SHAPE.D.A.B.C as in PTX, such as `m16n8k8.f32.f16.f16.f32` or
            `wmma.m16n16k16.f32.f16.f16.f32`.
        operand: `a` (M, K), `b` (K, N), `c` or `d` (M, N).
        arch: a generation (`turing`) or SM (`sm_75`).
        major: `row` or `col`, how memory holds A or B; needed where the layout depends on it, which is on Volta.
        view: `registers` (what the machine instruction reads and writes; where Hopper has none for s4, b1 or fp8, what
            the code that stands in for it unpacks) or, of a WMMA instruction and its default, `api` (the elements x[0],
            x[1], ... of a wmma::fragment).
        quad_pair: 0 to 3, of Volta's m8n8k4, which multiplies for four quad pairs at once; 0 unless given.

    Raises:
        BadInputError: no such instruction, operand, architecture, major, view or quad pair.

    Source: PTX ISA, Matrix Fragments; what no document states is derived from compiled code (`status` says so).

    Example:
        >>> fragment("m16n8k16.f32.f16.f16.f32", operand="a", arch="ampere").holders(9, 12)
        (Holder(lane=6, register=3, half=0),)

    """
    return _fragment(instr, operand, architecture_named(arch), major, view, quad_pair)


@cache
def _fragment(
    instr: str, operand: str, arch: str, major: str | None, view: str | None, quad_pair: int | None
) -> Fragment:
    instruction = instruction_named(instr, arch)
    if operand not in ("a", "b", "c", "d"):
        raise unknown("operand", operand, "abcd")
    if _family(instruction) == "wgmma" and operand == "b":
        raise BadInputError(f"{instr} reads B from shared memory: no register holds it. Try: --operand a")
    view = _check_view(instruction, view)
    major = _check_major(instruction, operand, arch, major)
    layout = _map(instruction, operand, arch, major, view)
    rows, cols = size(instruction, operand)
    status, source = _evidence(instruction, arch, view)
    return Fragment(
        instr=instr,
        operand=operand,
        arch=arch,
        major=major,
        view=view,
        quad_pair=_check_quad_pair(instruction, quad_pair),
        rows=rows,
        cols=cols,
        width=element_bits(instruction, operand),
        row=layout.row,
        col=layout.col,
        count=layout.count,
        lanes=128 if _family(instruction) == "wgmma" else 32,
        status=status,
        source=source.format(family=_family(instruction)),
    )


def _map(instruction: Instruction, operand: str, arch: str, major: str | None, view: str) -> Map:
    if _is_quad_pair(instruction) or (_family(instruction) == "wmma" and arch == "volta"):
        return quad_pair_map(instruction, operand, major)
    if _family(instruction) == "wmma" and _is_swapped(instruction, arch):
        swapped = replace(instruction, m=instruction.n, n=instruction.m)
        found = warp_map(swapped, {"a": "b", "b": "a"}.get(operand, operand)).transposed
    else:
        found = warp_map(instruction, operand)
    if view == "api" and operand in "ab" and getattr(instruction, operand) == "f16":
        return replace(found, count=16)  # __half fragments kept Volta's 16 elements: what is left over repeats
    return found


def _family(instruction: Instruction) -> str:
    family, _, rest = instruction.name.partition(".")
    return family if rest.startswith("m") else "mma"


def _is_quad_pair(instruction: Instruction) -> bool:
    """Tell whether each quad pair multiplies on its own, as in Volta's m8n8k4."""
    return _family(instruction) == "mma" and instruction.k == 4 and instruction.a == "f16"


def _is_swapped(instruction: Instruction, arch: str) -> bool:
    """Tell whether the compiler multiplies B^T by A^T, so that 32 columns lie where the machine wants 16 rows.

    Turing's integer instruction needs no swap: it multiplies 8 by 8.
    """
    return instruction.n == 32 and not (arch == "turing" and instruction.d == "s32")


def _evidence(instruction: Instruction, arch: str, view: str) -> tuple[str, str]:
    if arch == "hopper" and (_family(instruction) != "wmma" or view == "api"):
        return _MEASURED[_family(instruction)]
    return _DERIVED if _family(instruction) == "wmma" else _PUBLISHED


def _check_view(instruction: Instruction, view: str | None) -> str:
    if view is None:
        return "api" if _family(instruction) == "wmma" else "registers"
    if view not in ("api", "registers"):
        raise unknown("view", view, ("api", "registers"))
    if view == "api" and _family(instruction) != "wmma":
        raise BadInputError(f"{instruction.name} has machine registers only: --view api is of wmma instructions")
    return view


def _check_major(instruction: Instruction, operand: str, arch: str, major: str | None) -> str | None:
    if major not in (None, "row", "col"):
        raise unknown("major", major, ("row", "col"))
    if operand in "cd":  # memory may hold C and D either way: the fragment is the same
        return None
    depends = _is_quad_pair(instruction) or (_family(instruction) == "wmma" and arch == "volta")
    both = depends or (_family(instruction) == "wmma" and element_bits(instruction, "a") >= 8)
    only = None if both else {"a": "row", "b": "col"}[operand]
    if only and major not in (None, only):
        raise BadInputError(f"{instruction.name} takes {operand} in {only} major only, not {major!r}")
    if depends and major is None:
        raise BadInputError(
            f"where {operand} of {instruction.name} lives on {arch} depends on how memory holds it: "
            "add --major row or --major col"
        )
    return major or only


def _check_quad_pair(instruction: Instruction, quad_pair: int | None) -> int | None:
    if quad_pair is None:
        return 0 if _is_quad_pair(instruction) else None
    if not _is_quad_pair(instruction):
        raise BadInputError(f"{instruction.name} is one product of the whole warp: only m8n8k4 on f16 has quad pairs")
    if quad_pair not in range(4):
        raise BadInputError(f"quad pair {quad_pair} is outside 0..3")
    return quad_pair
