"""simtc sweep: tune over a family's space."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import click

from simtc.cli.choices import choices
from simtc.cli.options import Whole, refuse
from simtc.cli.output import to_json
from simtc.cli.progress import bar, note_compilation
from simtc.cli.simulate import AxesType
from simtc.errors import BadInputError
from simtc.files import require_writable, write_text
from simtc.gemm.registry import families
from simtc.gemm.registry import family as family_named
from simtc.report.sweep import count_text, sweep_csv, sweep_text
from simtc.results.sweep import SweepResult
from simtc.run.simulate import FIDELITIES
from simtc.run.sweep import Sweep
from simtc.run.sweep.plan import TOP, sizes_of

__all__ = ["sweep"]

_PROBLEM = ("batch", "alpha", "beta", "lda", "ldb", "ldc", "ldd")
_COUNTED = 1024  # m, n and k of a count, where none are given: rules rarely look at them


class _SizesType(click.ParamType[tuple[int, ...]]):
    """One size or several."""

    name = "SIZE[,SIZE]"

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        if not re.fullmatch(r"\d+(,\d+)*", value):
            flag = param.opts[0] if param else "a size"
            raise BadInputError(f"{flag} {value!r}: a size, or several such as {flag} 32,64,128")
        return tuple(Whole(1).convert(one, param, ctx) for one in value.split(","))


def _epilog() -> str:
    lines = (f"simtc sweep {one.name} {one.example}   {one.summary}" for one in families())
    return "\b\n" + "\n".join(["Families, and what to type:", *lines])


@click.command(epilog=_epilog())
@click.argument("family")
@click.option("-m", type=_SizesType(), help="rows of C; several sizes make a selection table")
@click.option("-n", type=_SizesType(), help="columns of C: as many as of m, or one for all")
@click.option("-k", type=_SizesType(), help="depth of the product, likewise")
@click.option("--batch", type=AxesType(), help="products along each axis in front of the matrices'")
@click.option("--device", default="t4", show_default=True, help="the board to be (simtc arch lists them)")
@choices()
@click.option("--alpha", type=float, help="of C = alpha A B + beta C  [default: 1.0]")
@click.option("--beta", type=float, help="other than 0 reads C too  [default: 0.0]")
@click.option("--lda", type=Whole(1), help="elements from one row of A to the next (column, where A goes by columns)")
@click.option("--ldb", type=Whole(1), help="likewise of B")
@click.option("--ldc", type=Whole(1), help="likewise of C")
@click.option("--ldd", type=Whole(1), help="likewise of D")
@click.option("--clock-mhz", type=Whole(1, 100_000), help="the SM clock, which tensor instructions may lower")
@click.option("--fidelity", default="sampled", show_default=True, help=", ".join(FIDELITIES))
@click.option("--caches", default="cold", show_default=True, help="cold, or warm: L2 holds the operands")
@click.option("--top", type=Whole(1), default=TOP, show_default=True, help="best by closed forms to time at each size")
@click.option("--refine", is_flag=True, help="also time single changes of the best, until none is better")
@click.option("--count", "counting", is_flag=True, help="only count the space: what each rule prunes")
@click.option("--jobs", type=Whole(1, 1024), help="processes of this machine  [default: its cores]")
@click.option("--scheduler", metavar="tcp://HOST:PORT", help="of a Dask cluster, whose workers time the cases instead")
@click.option("--resume", type=Path, metavar="FILE", help="keep finished cases there, and go on behind those it has")
@click.option("--csv", "csv_file", type=Path, metavar="FILE", help="also write every configuration as CSV")
@click.option("--plot", type=Path, metavar="FILE.svg", help="also draw the ranking and the pruned space")
@click.option("--json", "as_json", is_flag=True, help="JSON, schema simtc.sweep/1")
def sweep(family: str, *, counting: bool, as_json: bool, **given: Any) -> None:
    """Rank every configuration of FAMILY for a problem by closed forms, and time the best in the clock.

    \b
    simtc sweep hgemm -m 4096 -n 4096 -k 4096 --device t4
    simtc sweep hgemm -m 256,1024,4096 -n 256,1024,4096 -k 1024 --device h200 --top 8 --resume tuned.jsonl
    simtc sweep wmma_gemm -m 1024 -n 1024 -k 1024 --device a100_sxm --fidelity analytic

    A block, a warp or any other choice that is given is kept by all. Lists of sizes go in step: the second line is of
    256x256x1024, 1024x1024x1024 and 4096x4096x1024. A sweep with --resume may be killed at any moment, and the same
    command goes on behind the last case that was finished.
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    found = family_named(family)
    files = {name: given.pop(name) for name in ("csv_file", "plot", "resume")}
    how = {name: given.pop(name) for name in ("jobs", "scheduler")}
    sizes = [given.pop(size) for size in "mnk"]
    missing = [f"-{name}" for name, size in zip("mnk", sizes, strict=True) if size is None]
    if missing and not counting:
        raise BadInputError(f"{family} needs {' '.join(missing)}. Try: simtc sweep {family} {found.example}")
    plan = Sweep(
        family=family,
        sizes=sizes_of(*((_COUNTED,) if size is None else size for size in sizes)),
        more={name: value for name in _PROBLEM if (value := given.pop(name)) is not None},
        **{name: given.pop(name) for name in ("device", "fidelity", "caches", "clock_mhz", "top", "refine")},
        choices={name: value for name, value in given.items() if value is not None},
    )
    if counting:
        refuse("with --count", "top", "refine", "jobs", "scheduler", "resume", "csv_file", "plot")
        _count(plan, as_json=as_json)
        return
    _require_outputs(files)
    result = _run(plan, files["resume"], **how)
    _write(result, files["csv_file"], files["plot"])
    click.echo(to_json(result.to_dict()) if as_json else sweep_text(result))
    if result.exit_code:
        raise click.exceptions.Exit(result.exit_code)


def _count(plan: Sweep, *, as_json: bool) -> None:
    made, refused = plan.count()
    if as_json:
        counts = {"space": len(made) + sum(refused.values()), "made": len(made), "refused": refused}
        click.echo(to_json({"schema": "simtc.sweep/1", "family": plan.family, "device": plan.board.name, **counts}))
    else:
        click.echo(count_text(plan.family, plan.board.name, made, refused))


def _require_outputs(files: dict[str, Path | None]) -> None:
    if files["plot"] is not None and files["plot"].suffix != ".svg":
        raise BadInputError(f"--plot {files['plot']}: the name must end in .svg")
    require_writable(*files.values())
    named = [path.resolve() for path in files.values() if path is not None]
    if len(set(named)) != len(named):
        raise BadInputError("--resume, --csv and --plot name one file: give each its own")


def _run(plan: Sweep, resume: Path | None, *, jobs: int | None, scheduler: str | None) -> SweepResult:
    if plan.fidelity == "analytic":
        refuse(
            "on --fidelity analytic: closed forms rank the whole space at once",
            "top", "refine", "jobs", "scheduler", "resume", "caches",
        )  # fmt: skip
    elif scheduler:
        refuse("with --scheduler", "jobs")
    with bar("configurations", left=True) as progress:
        surveys = plan.survey(progress)
    if plan.fidelity == "analytic":
        return plan.run(surveys)
    if not scheduler:
        note_compilation()
    with bar("cases", left=True) as progress:
        return plan.run(
            surveys, jobs=jobs or os.cpu_count() or 1, scheduler=scheduler, resume=resume, progress=progress
        )


def _write(result: SweepResult, csv_file: Path | None, plot: Path | None) -> None:
    if csv_file is not None:
        write_text(csv_file, sweep_csv(result))
    if plot is not None:
        from simtc.report.sweep_plot import sweep_plot  # noqa: PLC0415 - only here

        write_text(plot, sweep_plot(result))
