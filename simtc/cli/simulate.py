"""simtc simulate: predict a configured kernel from its tile sizes."""

from __future__ import annotations

import re
from typing import Any

import click

from simtc.cli.options import Whole, refuse
from simtc.cli.output import to_json
from simtc.cli.progress import bar, note_compilation
from simtc.errors import BadInputError
from simtc.gemm.hgemm.fits import LAYOUTS, LOADS, TRANSPOSES
from simtc.gemm.hgemm.tiles import ELEMENT_BYTES as ACCUMULATORS
from simtc.report.prediction import explored_text, prediction_text
from simtc.run.simulate import FIDELITIES, simulation

__all__ = ["simulate"]


class _ShapeType(click.ParamType[tuple[int, ...]]):
    """Three sizes m,n,k."""

    name = "M,N,K"

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,
        ctx: click.Context | None,  # noqa: ARG002 - click's signature
    ) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        if not re.fullmatch(r"\d{1,9}[,x]\d{1,9}[,x]\d{1,9}", value):
            flag = param.opts[0] if param else "a shape"
            raise BadInputError(f"{flag} {value!r}: three sizes m,n,k, such as {flag} 256,256,32")
        return tuple(int(part) for part in re.split("[,x]", value))


@click.command
@click.argument("family")
@click.option("-m", type=Whole(1), help="rows of C")
@click.option("-n", type=Whole(1), help="columns of C")
@click.option("-k", type=Whole(1), help="depth of the product")
@click.option("--device", default="t4", show_default=True, help="the board to be (simtc arch lists them)")
@click.option("--block", type=_ShapeType(), help="tile of a thread block  [default: the largest that fits]")
@click.option("--warp", type=_ShapeType(), help="step of a warp  [default: the largest that fits]")
@click.option("--layout", default="pad", show_default=True, help=f"of shared memory: {', '.join(LAYOUTS)}")
@click.option("--stages", type=Whole(), default=1, show_default=True, help="tiles of A and B in shared memory")
@click.option("--accumulator", default="f16", show_default=True, help=f"type of C: {', '.join(ACCUMULATORS)}")
@click.option("--loads", help=f"of fragments: {', '.join(LOADS)}  [default: lds up to sm_75]")
@click.option("--sts-interleave", type=Whole(), help="HMMAs between two STS  [default: as equation 6 asks]")
@click.option("--transpose", default="tn", show_default=True, help=f"of A and B, as BLAS says: {', '.join(TRANSPOSES)}")
@click.option("--alpha", default=1.0, show_default=True, help="of C = alpha A B + beta C")
@click.option("--beta", default=0.0, show_default=True, help="other than 0 reads C too")
@click.option("--split-k", type=Whole(), default=1, show_default=True, help="slices of k for different blocks")
@click.option(
    "--clock-mhz",
    type=Whole(1, 100_000),
    help="the SM clock, which tensor instructions may lower; both are in simtc arch",
)
@click.option("--fidelity", default="sampled", show_default=True, help=", ".join(FIDELITIES))
@click.option("--caches", default="cold", show_default=True, help="cold, or warm: L2 holds the operands")
@click.option("--explore", "exploring", is_flag=True, help="also try every single change, and say which helps most")
@click.option("--json", "as_json", is_flag=True, help="JSON, schema simtc.simulate/1")
def simulate(family: str, *, exploring: bool, as_json: bool, **options: Any) -> None:
    r"""Predict the cycles of FAMILY (hgemm) from its tile sizes, and what limits it, with no kernel and no GPU.

    \b
    simtc simulate hgemm -m 8192 -n 8192 -k 8192 --device t4
    simtc simulate hgemm -m 8192 -n 8192 -k 8192 --device t4 --layout none --explore
    simtc simulate hgemm -m 6912 -n 2048 -k 4096 --device a100_sxm --fidelity analytic --stages 3

    analytic: closed forms, at once. sampled: the generated program in the clock, some SMs' steady state for all.
    full: every block of it, and every value.
    """
    missing = [f"-{size}" for size in "mnk" if options[size] is None]
    if missing:
        raise BadInputError(f"{family} needs {' '.join(missing)}. Try: simtc simulate hgemm -m 4096 -n 4096 -k 4096")
    case = simulation(family, **options)
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
    if as_json:
        found = {"explored": explored.to_dict()} if explored else {}
        click.echo(to_json(prediction.to_dict() | found))
        return
    click.echo(prediction_text(prediction))
    if explored:
        click.echo(explored_text(explored))
