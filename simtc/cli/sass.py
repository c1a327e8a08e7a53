"""simtc sass: what a compiled kernel contains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from simtc.cli.options import Whole, refuse
from simtc.cli.output import note, to_json
from simtc.cli.sources import compile_options, is_source, program_of
from simtc.files import require_writable, write_text
from simtc.isa import Kernel, Program
from simtc.sass import load
from simtc.sass import write_listing as listing_of
from simtc.sass.summary import Summary, annotate, summarize

__all__ = ["sass"]

_SM = 75  # of a source, where no other was asked for
_SHOWN = 4  # mnemonics of a unit on one line; --json has them all


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("kernel", required=False)
@click.option("--sm", type=Whole(1, 999), help="Which generation to take from a file that holds several, such as 75.")
@compile_options
@click.option("--listing", is_flag=True, help="Every instruction, with its control code and source line.")
@click.option("--write-listing", type=click.Path(path_type=Path), metavar="OUT", help="Write a listing file.")
@click.option(
    "--cross-check", is_flag=True, help="Compare simtc's decoding with nvdisasm's; exit code 1 where they differ."
)
@click.option("--json", "as_json", is_flag=True, help="Machine-readable, schema simtc.sass/1.")
def sass(
    *,
    file: Path,
    kernel: str | None,
    sm: int | None,
    listing: bool,
    write_listing: Path | None,
    cross_check: bool,
    as_json: bool,
    **compilation: Any,
) -> None:
    """Show what FILE holds: opcodes by unit, control codes, registers, parameters, shared memory.

    FILE is a CUDA source, which is compiled for --sm (75), a cubin, a fatbin, object or executable that holds cubins,
    or a listing. No NVIDIA tool is needed, but for
    --cross-check and for instructions that simtc cannot decode: nvdisasm, which `pip install 'simtc[sass]'` brings.
    """
    if cross_check:
        refuse("beside --cross-check", "kernel", "listing", "write_listing", *compilation)
        _cross_check(file, sm, as_json=as_json)
        return
    require_writable(write_listing)
    if as_json:
        refuse("beside --json", "listing")
    if is_source(file):
        program = program_of(file, kernel, f"sm_{sm or _SM}", compilation)
    else:
        refuse("on a file that is compiled already", *compilation)
        program = load(file, sm=sm)
    chosen = {kernel: program[kernel]} if kernel else dict(program)
    if write_listing:
        write_text(write_listing, listing_of(Program(kernels=chosen, origin=program.origin)))
        note(f"wrote {write_listing}")
    if as_json:
        kernels = [summarize(each).to_json() for each in chosen.values()]
        click.echo(to_json({"schema": "simtc.sass/1", "file": str(file), "kernels": kernels}))
    elif listing:
        click.echo("\n\n".join("\n".join(annotate(each)) for each in chosen.values()))
    elif not write_listing:
        click.echo("\n\n".join("\n".join(_report(each)) for each in chosen.values()))


def _cross_check(file: Path, sm: int | None, *, as_json: bool) -> None:
    from simtc.sass.crosscheck import cross_check  # noqa: PLC0415 - used by this option alone

    found = cross_check(file, sm=sm)
    if as_json:
        click.echo(to_json({"schema": "simtc.sass/1", "file": str(file), "cross_check": asdict(found)}))
    else:
        for one in found.differences:
            own = one.simtc or "no row of the table"
            click.echo(f"{one.kernel} {one.address:#06x} {one.word:#034x}\n  simtc  {own}\n  other  {one.other}")
        click.echo(f"{found.compared} instructions compared with {found.other}: {len(found.differences)} differ")
    if found.differences:
        raise click.exceptions.Exit(1)


def _report(kernel: Kernel) -> Iterator[str]:
    summary = summarize(kernel)
    yield f"{summary.kernel}  (sm_{summary.sm})"
    for name, value in _facts(summary):
        yield f"  {name:<13} {value}"
    for unit, counts in summary.units.items():
        names = [f"{mnemonic} {count}" for mnemonic, count in list(counts.items())[:_SHOWN]]
        more = f", {len(counts) - _SHOWN} more" if len(counts) > _SHOWN else ""
        total = sum(counts.values())
        yield f"  {unit:<13} {total:5d} {100 * total / summary.instructions:5.1f} %   {', '.join(names)}{more}"


def _facts(summary: Summary) -> Iterator[tuple[str, str]]:
    yield "instructions", f"{summary.instructions}"
    yield "registers", f"{summary.registers} per thread"
    reserved = f", {summary.shared_reserved_bytes} of them the driver's" if summary.shared_reserved_bytes else ""
    yield "shared", f"{summary.shared_bytes} bytes static per block{reserved}"
    if summary.local_bytes:
        yield "local", f"{summary.local_bytes} bytes per thread"
    yield "threads", f"at most {summary.max_threads} per block, {summary.barriers} barriers"
    places = " ".join(f"{offset:#x}:{size}" for offset, size in summary.parameters) or "none"
    yield "parameters", f"{places}  (offset:bytes, from c[0x0][{summary.parameter_base:#x}])"
    if summary.constant_bytes:
        yield "constants", ", ".join(f"bank {bank}: {size} bytes" for bank, size in summary.constant_bytes.items())
    if summary.relocations:
        yield "addresses of", ", ".join(summary.relocations)
    if summary.sources:
        yield "sources", ", ".join(summary.sources)
    stalls = " ".join(f"{stall}:{count}" for stall, count in summary.stalls.items())
    yield "stall counts", f"{stalls}  (cycles:instructions)"
    yield (
        "scoreboards",
        f"{summary.write_barriers} set on write, {summary.read_barriers} on read, {summary.waits} instructions wait",
    )
    yield "hints", f"{summary.yields} yields, {summary.reuses} operands kept for reuse"
