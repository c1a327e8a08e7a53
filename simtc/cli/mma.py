"""`simtc mma`: bit-exact matrix multiply-accumulate over arrays."""

from __future__ import annotations

import hashlib
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from simtc.cli.options import out, refuse
from simtc.cli.output import note, to_json
from simtc.errors import BadInputError
from simtc.files import read_arrays, replacing, require_writable
from simtc.numerics.instructions import Instruction, instruction_named, instructions

__all__ = ["mma"]

_SCHEMA = "simtc.mma/1"


@click.command()
@click.argument("instr", required=False)
@click.option("--arch", required=True, help="volta, turing, ampere, ada, hopper, or an SM version such as sm_75.")
@click.option(
    "--in", "source", type=click.Path(path_type=Path), help="An .npz with A (..., M, K), B (..., K, N), C (..., M, N)."
)
@out("Where to write D, as an .npz.")
@click.option("--json", "as_json", is_flag=True, help="Print what was computed, with the SHA-256 of D's bytes.")
@click.option("--reference", is_flag=True, help="Use the slow, readable path; the bits are the same.")
@click.option(
    "--list", "listing", is_flag=True, help="List the architecture's instructions, and the evidence for each."
)
def mma(
    instr: str | None,
    arch: str,
    source: Path | None,
    output: Path | None,
    *,
    as_json: bool,
    reference: bool,
    listing: bool,
) -> None:
    """Compute D = A B + C with every bit as INSTR computes it on a chip.

    INSTR is SHAPE.D.A.B.C, such as m16n8k8.f32.f16.f16.f32. Unsigned integers of a type's width are raw bits; other
    numbers are taken by value.

    \b
    Example:
      simtc mma m16n8k8.f32.f16.f16.f32 --arch turing --in abc.npz --out d.npz --json
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    if listing:
        refuse("with --list", "instr", "source", "output", "reference")
        _list(arch, as_json=as_json)
        return
    if instr is None:
        raise BadInputError(f"which instruction? Try: simtc mma --list --arch {arch}")
    found = instruction_named(instr, arch)
    if source is None:
        raise BadInputError(f"where are A, B and C? Try: simtc mma {instr} --arch {arch} --in abc.npz --out d.npz")
    if output is None and not as_json:
        raise BadInputError("where should D go? Add --out d.npz, or --json for its digest alone")
    require_writable(output)
    given = read_arrays(source, "ABC")
    _announce_compilation()
    from simtc.numerics.multiply import mma as multiply  # noqa: PLC0415 - and numba with it

    result = multiply(found.name, given["A"], given["B"], given["C"], arch=found.arch, reference=reference)
    if output is not None:
        with replacing(output) as file:
            np.savez(file, D=result)
    if as_json:
        shapes = {what: list(array.shape) for what, array in {**given, "D": result}.items()}
        click.echo(to_json(_report(found, result, shapes, output, reference=reference)))


def _report(
    found: Instruction,
    result: NDArray[np.generic],
    shapes: dict[str, list[int]],
    target: Path | None,
    *,
    reference: bool,
) -> dict[str, object]:
    little = result.astype(result.dtype.newbyteorder("<"), copy=False)
    return {
        "schema": _SCHEMA,
        "instruction": found.name,
        "arch": found.arch,
        "machine_code": f"{found.count} x {found.opcode}",
        "evidence": found.evidence,
        "path": "reference" if reference else "compiled",
        "shapes": shapes,
        "dtype": str(result.dtype),
        "digest": hashlib.sha256(np.ascontiguousarray(little).tobytes()).hexdigest(),
        "out": None if target is None else str(target),
    }


def _list(arch: str, *, as_json: bool) -> None:
    every = instructions(arch).values()
    if as_json:
        rows = [
            {"name": found.name, "machine_code": f"{found.count} x {found.opcode}", "evidence": found.evidence}
            for found in every
        ]
        click.echo(to_json({"schema": _SCHEMA, "arch": next(iter(every)).arch, "instructions": rows}))
        return
    width = max(len(found.name) for found in every)
    for found in every:
        click.echo(f"{found.name:{width}}  {found.count} x {found.opcode:11}  {found.evidence}")


def _announce_compilation() -> None:
    from simtc.jit import on_compile  # noqa: PLC0415 - numba starts slowly

    on_compile(lambda: note("compiling for this machine, once (about 10 seconds)"))
