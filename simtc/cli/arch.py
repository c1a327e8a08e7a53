"""simtc arch: a chip's constants, each with unit, source, status."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import click

from simtc import arch as chips
from simtc.arch.reads import readers
from simtc.arch.unsaid import unsaid
from simtc.cli.output import note, to_json
from simtc.errors import BadInputError, unknown
from simtc.timing.declared import left_out, prove_declared

__all__ = ["arch"]

_COLUMNS = ("constant", "value", "unit", "status", "read by", "source", "note")
_SHOWN = 2  # modules that read a constant; --json has all


@click.command()
@click.argument("name", required=False)
@click.option("--status", help=f"Only constants of this status: {', '.join(chips.STATUSES)}.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable, schema simtc.arch/1.")
def arch(name: str | None, status: str | None, as_json: bool) -> None:  # noqa: FBT001 - click passes flags by name
    """Show the constants of a board (t4) or an SM generation (sm_75, turing); without NAME, list them.

    Every constant has a status: documented (the vendor says so), published (others measured it on this chip),
    measured (this project did), fitted (on microbenchmarks alone), or assumed (taken from the nearest chip, as its
    note says). "Read by" are the modules of simtc that use it: a constant with none documents the chip.
    """
    if status is not None and status not in chips.STATUSES:
        raise unknown("status", status, chips.STATUSES, then=f"simtc arch {name or 't4'} --status assumed")
    if name is None:
        if status is not None:
            raise BadInputError(f"--status needs a chip. Try: simtc arch t4 --status {status}")
        _show_all(as_json=as_json)
    else:
        _show_one(_chip(name), status, as_json=as_json)


def _chip(name: str) -> chips.Device | chips.Sm:
    names = [*chips.device_names(), *chips.ALIASES, *chips.sm_names()]
    key = name.lower().replace("-", "_")
    if key not in names:
        raise unknown("device or architecture", name, names, then="simtc arch")
    chip = chips.device(key) if key in chips.device_names() else chips.sm(key)
    prove_declared(chip)
    return chip


def _show_all(*, as_json: bool) -> None:
    devices = sorted(map(chips.device, chips.device_names()), key=lambda device: device.sm_name)
    generations = [chips.sm(name) for name in chips.sm_names()]
    for device in devices:
        prove_declared(device)  # and its generation
    if as_json:
        listing = {
            "schema": "simtc.arch/1",
            "devices": [_facts(device) for device in devices],
            "architectures": [_facts(generation) for generation in generations],
        }
        click.echo(to_json(listing))
        return
    _table(("device", "product", "sm", "SMs", "MHz", "GB/s", "f16.f16 TFLOPS", "f16.f32 TFLOPS"), map(_row, devices))
    click.echo()
    _table(("sm", "architecture"), [(generation.name, generation.architecture) for generation in generations])


def _row(device: chips.Device) -> tuple[str, ...]:
    tensor = device.cycle_level is not None
    peaks = [f"{device.tensor_peak_tflops('f16', kind):.1f}" if tensor else "-" for kind in ("f16", "f32")]
    figures = (device.sm_count, device.clock_mhz, f"{device.dram_gb_per_s:g}", *peaks)
    return (device.name, device.product, device.sm_name, *map(str, figures))


def _show_one(chip: chips.Device | chips.Sm, status: str | None, *, as_json: bool) -> None:
    off = (*unsaid(chip), *(left_out(chip) if isinstance(chip, chips.Device) else ())) if status is None else ()
    constants = [constant for constant in chip.constants.values() if status in (None, constant.status)]
    sources = {constant.source: constant.citation for constant in constants}
    if as_json:
        entries = [
            {
                **{key: getattr(c, key) for key in ("name", "value", "unit", "status", "source", "note")},
                "read_by": [*readers(c.name)],
            }
            for c in constants
        ]
        click.echo(
            to_json({"schema": "simtc.arch/1", **_facts(chip), "constants": entries, "off": [*off], "sources": sources})
        )
        return
    click.echo(_headline(chip))
    if not constants:
        note(f"no constant of {chip.name} is {status}")
        return
    for section, group in groupby(constants, key=lambda constant: constant.section):
        click.echo(f"\n[{section or 'board'}]")
        _table(_COLUMNS, map(_cells, group), header=False)
    if off:
        note(f"{chip.name} says nothing of {', '.join(off)}: off")
    click.echo("\n[sources]")
    _table(("source", "citation"), sources.items(), header=False)


def _cells(constant: chips.Constant) -> tuple[str, ...]:
    modules = readers(constant.name)
    more = f" +{len(modules) - _SHOWN}" if len(modules) > _SHOWN else ""
    read_by = ", ".join(modules[:_SHOWN]) + more or "-"
    value = _number(constant.value)
    return constant.key, value, constant.unit, constant.status, read_by, constant.source, constant.note


def _facts(chip: chips.Device | chips.Sm) -> dict[str, Any]:
    """What a chip is, and what follows from its constants."""
    if isinstance(chip, chips.Sm):
        return {"name": chip.name, "architecture": chip.architecture}
    generation = chip.cycle_level
    pairs = [pair.split(".") for pair in generation.tensor_rate] if generation else []
    return {
        "name": chip.name,
        "product": chip.product,
        "sm": chip.sm_name,
        "tensor_peak_tflops": {f"{a}.{b}": round(chip.tensor_peak_tflops(a, b), 3) for a, b in pairs},
        "scalar_peak_tflops": {kind: round(chip.scalar_peak_tflops(kind), 3) for kind in ("f32", "f64")},
    }


def _headline(chip: chips.Device | chips.Sm) -> str:
    if isinstance(chip, chips.Sm):
        return f"{chip.name}: {chip.architecture}"
    peaks = _facts(chip)
    shown = ", ".join(
        f"{pair} {peak:g}" for kind in ("tensor", "scalar") for pair, peak in peaks[f"{kind}_peak_tflops"].items()
    )
    return (
        f"{chip.name}: {chip.product}, {chip.sm_name}, {chip.sm_count} SMs at {chip.clock_mhz} MHz\n"
        f"peak TFLOPS (inputs.accumulator; scalar): {shown}"
    )


def _number(value: chips.Number) -> str:
    return (
        " ".join(map(str, value))
        if isinstance(value, tuple)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, header: bool = True) -> None:
    """Print rows: to a terminal wrapped to its width, to a pipe one line each."""
    lines = [tuple(row) for row in rows]
    if sys.stdout.isatty():
        from rich.console import Console  # noqa: PLC0415 - slow to import, and only a terminal needs it
        from rich.table import Table  # noqa: PLC0415

        table = Table(box=None, show_header=header, header_style="bold", pad_edge=False)
        for place, column in enumerate(columns):
            table.add_column(column, no_wrap=place == 0, overflow="fold")
        for line in lines:
            table.add_row(*line)
        Console(markup=False, highlight=False).print(table)
        return
    shown = [tuple(columns), *lines] if header else lines
    widths = [max(len(line[place]) for line in shown) for place in range(len(columns))]
    for line in shown:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
