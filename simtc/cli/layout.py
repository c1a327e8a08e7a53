"""`simtc layout`: which lane and register holds each element of a fragment."""

from __future__ import annotations

import re
from pathlib import Path

import click

from simtc.cli.options import Whole, out, refuse
from simtc.cli.output import to_json as dump
from simtc.errors import BadInputError
from simtc.files import require_writable, write_text
from simtc.layout import Fragment, explain, fragment
from simtc.layout.views import slot, title, to_csv, to_json, to_markdown, to_table

__all__ = ["layout"]


@click.command
@click.argument("instr")
@click.option("--arch", required=True, help="volta, turing, ampere, ada, hopper, or sm_70, sm_75, ...")
@click.option("--operand", default="d", show_default=True, help="a (M, K), b (K, N), c or d (M, N)")
@click.option("--major", help="row or col: how memory holds A or B (Volta needs it)")
@click.option("--view", help="registers (the machine's) or api (x[i] of a wmma::fragment; the default for wmma)")
@click.option("--quad-pair", type=Whole(0, 3), help="0 to 3, of m8n8k4 on f16")
@click.option("--get", "get", metavar="ROW,COL", help="answer for one element: every place that holds it")
@click.option("--at", "place", metavar="LANE,REG[,HALF]", help="the other direction: the element at one place")
@click.option(
    "--explain", "explained", metavar="[ROW,COL]", is_flag=False, flag_value="0,0", help="how one D element comes to be"
)
@click.option(
    "--format", "form", type=click.Choice(["table", "csv", "markdown", "svg"]), default="table", show_default=True
)
@click.option("--color", type=click.Choice(["lane", "register"]), default="lane", show_default=True, help="of the SVG")
@click.option("--json", "as_json", is_flag=True, help="JSON, schema simtc.layout/1")
@out("write there instead of to stdout")
def layout(
    *,
    instr: str,
    arch: str,
    operand: str,
    major: str | None,
    view: str | None,
    quad_pair: int | None,
    get: str | None,
    place: str | None,
    explained: str | None,
    form: str,
    color: str,
    as_json: bool,
    output: Path | None,
) -> None:
    """Show which lane and register holds each element of a matrix instruction's operand, and back.

    INSTR is SHAPE.D.A.B.C as in PTX: m16n8k8.f32.f16.f16.f32, wmma.m16n16k16.f32.f16.f16.f32.
    """
    require_writable(output)
    if explained is not None:
        refuse("with --explain", "operand", "view", "quad_pair", "get", "place", "form", "color")
        row, col = _numbers("--explain", explained, 2)
        majors = {} if major is None else {"major_a": major, "major_b": major}
        found = explain(instr, row, col, arch=arch, **majors)
        _write(dump(found.to_json()) + "\n" if as_json else found.to_text(), output)
        return
    frag = fragment(instr, operand=operand.lower(), arch=arch, major=major, view=view, quad_pair=quad_pair)
    if get is not None and place is not None:
        raise BadInputError("--get and --at answer different questions: give one of them")
    if get is not None or place is not None:
        refuse("with --get or --at", "form", "color")
        _write(_one(frag, get, place, as_json=as_json), output)
        return
    views = {"table": to_table, "csv": to_csv, "markdown": to_markdown}
    if as_json:
        refuse("beside --json", "form", "color")
        _write(dump(to_json(frag)) + "\n", output)
    elif form == "svg":
        _write(frag.to_svg(color=color), output)
    else:
        refuse(f"on --format {form}", "color")
        _write(views[form](frag), output)


def _one(frag: Fragment, get: str | None, place: str | None, *, as_json: bool) -> str:
    """Answer for one element or one place."""
    if get is not None:
        row, col = _numbers("--get", get, 2)
    else:
        lane, register, *half = _numbers("--at", place or "", 2, 3)
        row, col = frag.element(lane, register, *half)
    holders = frag.holders(row, col)
    if as_json:
        values = to_json(frag)
        values["elements"] = [one for one in values["elements"] if (one["row"], one["col"]) == (row, col)]
        return dump(values) + "\n"
    lines = [f"element {row},{col}: lane {one.lane}, {slot(frag, *one[1:])}" for one in holders]
    return "\n".join([title(frag), *lines]) + "\n"


def _numbers(option: str, text: str, *lengths: int) -> tuple[int, ...]:
    numbers = tuple(map(int, re.findall(r"\d+", text))) if re.fullmatch(r"\d+(,\d+)*", text.replace(" ", "")) else ()
    if len(numbers) not in lengths:
        form = "ROW,COL such as 5,3" if lengths == (2,) else "LANE,REGISTER or LANE,REGISTER,HALF such as 4,0,1"
        raise BadInputError(f"{option} takes {form}, not {text!r}")
    return numbers


def _write(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, text)
