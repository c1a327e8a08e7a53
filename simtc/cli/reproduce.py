"""simtc reproduce: published tables and figures beside simtc's own."""

from __future__ import annotations

from pathlib import Path

import click

from simtc.cli.options import refuse
from simtc.cli.output import note, to_json
from simtc.errors import BadInputError
from simtc.files import require_writable, write_text
from simtc.report.comparison import comparison_text, summary
from simtc.reproduce.reproduce import entries, select
from simtc.reproduce.reproduce import reproduce as compare
from simtc.results.comparison import KINDS

__all__ = ["reproduce"]


@click.command
@click.argument("names", nargs=-1, metavar="[PAPER[/ITEM]]...")
@click.option("--list", "listing", is_flag=True, help="list what can be reproduced and stop")
@click.option("--plot", type=Path, metavar="FILE", help="draw the figure into this SVG file")
@click.option("--json", "as_json", is_flag=True, help="JSON, schema simtc.reproduce/1")
def reproduce(names: tuple[str, ...], *, listing: bool, plot: Path | None, as_json: bool) -> None:
    """Set published tables and figures beside simtc's own values.

    Each value has a kind: exact arithmetic, arithmetic on the paper's own inputs
    (rederived), a closed form, a simulation, or an input taken from the paper.

    \b
    simtc reproduce yan2020/table6
    simtc reproduce nvidia --json
    simtc reproduce nvidia/fig8 --plot fig8.svg

    Exits with 1 where arithmetic, exact or rederived, does not give the printed value.
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    if listing:
        refuse("with --list", "names", "plot")
        _list(as_json=as_json)
        return
    if not names:
        raise BadInputError("name a table or figure. Try: simtc reproduce --list")
    chosen = select(names)
    if plot is not None and len(chosen) != 1:
        raise BadInputError(
            f"--plot draws one figure, not {len(chosen)}. Try: simtc reproduce {chosen[0]} --plot {plot}"
        )
    require_writable(plot)
    if any(entries()[name].clocked for name in chosen):
        from simtc.cli.progress import note_compilation  # noqa: PLC0415 - closed forms start without the clock

        note_compilation()
    compared = [compare(name) for name in chosen]
    if plot is not None:
        _draw(compared[0].svg, chosen[0], plot)
    if as_json:
        items = [{"of": one.name, **item.to_dict()} for one in compared for item in one.items]
        click.echo(to_json({"schema": "simtc.reproduce/1", "items": items}))
    else:
        click.echo("\n\n".join(comparison_text(one) for one in compared))
    note(summary(compared))
    if any(one.differs for one in compared):
        raise click.exceptions.Exit(1)


def _list(*, as_json: bool) -> None:
    if as_json:
        listed = [{"name": name, "title": entry.title, "clocked": entry.clocked} for name, entry in entries().items()]
        click.echo(to_json({"schema": "simtc.reproduce/1", "entries": listed}))
        return
    width = max(map(len, entries()))
    for name, entry in entries().items():
        click.echo(f"{name:<{width}}  {entry.title}{' (runs the clock)' if entry.clocked else ''}")
    click.echo("\nkinds: " + "; ".join(f"{kind}, {meaning}" for kind, meaning in KINDS.items()))


def _draw(svg: str | None, name: str, path: Path) -> None:
    if svg is None:
        drawn = ", ".join(one for one in select([name.split("/", maxsplit=1)[0]]) if "fig" in one)
        raise BadInputError(f"{name} has no figure to draw. Try one of: {drawn}")
    write_text(path, svg)
