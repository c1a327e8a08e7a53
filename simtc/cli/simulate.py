"""simtc simulate: predict a configured kernel of a family."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from simtc.cli.choices import choices
from simtc.cli.options import Whole, refuse
from simtc.cli.output import to_json
from simtc.cli.pictures import SPANNED, pictures, require_pictures, span, write_roofline, write_timeline
from simtc.cli.progress import bar, note_compilation
from simtc.cli.simulate_lu import ALGORITHMS, simulate_lu
from simtc.errors import BadInputError
from simtc.files import require_writable
from simtc.gemm.registry import families
from simtc.gemm.registry import family as family_named
from simtc.report.prediction import explored_text, prediction_text
from simtc.run.simulate import FIDELITIES, simulation

__all__ = ["AxesType", "simulate"]


class AxesType(click.ParamType[tuple[int, ...]]):
    """The batch's axes."""

    name = "COUNT[,COUNT]"

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,  # noqa: ARG002 - click's signature
        ctx: click.Context | None,  # noqa: ARG002
    ) -> tuple[int, ...]:
        """Return the axes."""
        if isinstance(value, tuple):
            return value
        if not re.fullmatch(r"\d+([,x]\d+)*", value):
            raise BadInputError(f"--batch {value!r}: the products along each axis, such as --batch 16 or --batch 4,8")
        return tuple(int(part) for part in re.split("[,x]", value))


def _epilog() -> str:
    lines = [f"simtc simulate {one.name} {one.example}   {one.summary}" for one in families()]
    lines.append("simtc simulate lu -n 4096 --nb 128 --device a100_sxm   LU with partial pivoting, of such products")
    return "\b\n" + "\n".join(["Families, and what to type:", *lines])


@click.command(epilog=_epilog())
@click.argument("family")
@click.option("-m", type=Whole(1), help="rows of C")
@click.option("-n", type=Whole(1), help="columns of C")
@click.option("-k", type=Whole(1), help="depth of the product")
@click.option("--batch", type=AxesType(), help="products along each axis in front of the matrices'")
@click.option("--device", default="t4", show_default=True, help="the board to be (simtc arch lists them)")
@choices()
@click.option("--alpha", default=1.0, show_default=True, help="of C = alpha A B + beta C")
@click.option("--beta", default=0.0, show_default=True, help="other than 0 reads C too")
@click.option("--lda", type=Whole(1), help="elements from one row of A to the next (column, where A goes by columns)")
@click.option("--ldb", type=Whole(1), help="likewise of B")
@click.option("--ldc", type=Whole(1), help="likewise of C")
@click.option("--ldd", type=Whole(1), help="likewise of D")
@click.option(
    "--clock-mhz",
    type=Whole(1, 100_000),
    help="the SM clock, which tensor instructions may lower; both are in simtc arch",
)
@click.option("--fidelity", default="sampled", show_default=True, help=", ".join(FIDELITIES))
@click.option("--caches", default="cold", show_default=True, help="cold, or warm: L2 holds the operands")
@click.option("--nb", type=Whole(1), help="lu: columns of a panel  [default: 64]")
@click.option("--look-ahead", is_flag=True, help="lu: the next panel is factored beside the update before it")
@pictures
@click.option("--explore", "exploring", is_flag=True, help="also try every single change, and say which helps most")
@click.option("--json", "as_json", is_flag=True, help="JSON, schema simtc.simulate/1")
def simulate(
    family: str, *, timeline: Path | None, roofline: Path | None, cycles: str | None, exploring: bool, as_json: bool,
    **given: Any,
) -> None:  # fmt: skip
    """Predict the cycles of a kernel of FAMILY from its choices, and what limits it, with no GPU.

    analytic: closed forms, at once. sampled: the program in the clock, some SMs' steady state for all.
    full: every block of it, and every value.
    """
    require_pictures(timeline, roofline)
    if family in ALGORITHMS:
        refuse(f"on {family}, which is more than one kernel", "timeline", "roofline", "cycles")
        simulate_lu(given, as_json=as_json)
        return
    refuse(f"on {family}, which is no factorization", "nb", "look_ahead")
    given = {name: value for name, value in given.items() if name not in ("nb", "look_ahead")}
    found = family_named(family)
    missing = [f"-{size}" for size in "mnk" if given[size] is None]
    if missing:
        raise BadInputError(f"{family} needs {' '.join(missing)}. Try: simtc simulate {family} {found.example}")
    made = {name: value for name, value in given.items() if value is not None}
    if timeline is None or timeline.suffix not in SPANNED:
        refuse("without --timeline FILE.svg, FILE.html or FILE.txt", "cycles")
    shown = span(cycles)
    require_writable(timeline, roofline)
    case = simulation(family, timeline=timeline is not None, **made)
    if case.fidelity == "analytic":
        refuse("on --fidelity analytic: closed forms do not tell cold from warm", "caches")
    if case.fidelity != "analytic":
        note_compilation()
    with bar("waves" if case.fidelity == "sampled" else "blocks") as progress:
        prediction = case.predict(progress)
    explored = None
    if exploring:
        from simtc.run.explore import explore  # noqa: PLC0415 - only here

        with bar("changes") as progress:
            explored = explore(case, prediction, progress)
    write_timeline(timeline, prediction.timeline, shown)
    write_roofline(roofline, prediction, case.device)
    if as_json:
        more = {"explored": explored.to_dict()} if explored else {}
        click.echo(to_json(prediction.to_dict() | more))
        return
    click.echo(prediction_text(prediction))
    if explored:
        click.echo(explored_text(explored))
