"""simtc sass: what a compiled kernel contains."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from simtc.cli.options import Whole, refuse
from simtc.cli.output import note, to_json
from simtc.files import require_writable, write_text
from simtc.isa import Kernel, Program
from simtc.sass import load
from simtc.sass import write_listing as listing_of
from simtc.sass.summary import Summary, annotate, summarize

__all__ = ["sass"]

_SHOWN = 4  # mnemonics of a unit on one line; --json has them all


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("kernel", required=False)
@click.option("--sm", type=Whole(1, 999), help="Which generation to take from a file that holds several, such as 75.")
@click.option("--listing", is_flag=True, help="Every instruction, with its control code and source line.")
@click.option("--write-listing", type=click.Path(path_type=Path), metavar="OUT", help="Write a listing file.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable, schema simtc.sass/1.")
def sass(
    *, file: Path, kernel: str | None, sm: int | None, listing: bool, write_listing: Path | None, as_json: bool
) -> None:
    """Show what FILE holds: opcodes by unit, control codes, registers, parameters, shared memory.

    FILE is a cubin, a fatbin, object or executable that holds cubins, or a listing. A listing needs no NVIDIA tool; the
    others need nvdisasm, which `pip install 'simtc[sass]'` brings.
    """
    require_writable(write_listing)
    if as_json:
        refuse("beside --json", "listing")
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
