"""simtc run: execute a compiled kernel with no GPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from simtc.cli.choices import choices
from simtc.cli.options import Whole, out, refuse
from simtc.cli.output import to_json
from simtc.cli.pictures import SPANNED, pictures, require_pictures, span
from simtc.cli.simulate import AxesType
from simtc.cli.sources import compile_options
from simtc.cli.targets import run_family, run_file, run_shipped
from simtc.errors import BadInputError, unknown
from simtc.files import require_writable
from simtc.gemm.registry import family, family_names
from simtc.gemm.registry import options as family_options

__all__ = ["run"]

_CACHES = ("cold", "warm")
_FIDELITIES = ("full", "sampled")


@click.command
@click.argument("target", required=False)
@click.argument("kernel", required=False)
@click.option("--list", "listing", is_flag=True, help="list the shipped kernels and stop")
@click.option("--device", default="t4", show_default=True, help="the board to be (simtc arch lists them)")
@click.option("-m", type=Whole(), help="rows of D, of a shipped GEMM")
@click.option("-n", type=Whole(), help="columns of D")
@click.option("-k", type=Whole(), help="depth of the product")
@click.option("--batch", type=AxesType(), help="of a family: products along each axis in front of the matrices'")
@click.option("--lda", type=Whole(1), help="of a family: elements from one line of A to the next")
@click.option("--ldb", type=Whole(1), help="likewise of B")
@click.option("--ldc", type=Whole(1), help="likewise of C")
@click.option("--ldd", type=Whole(1), help="likewise of D")
@choices(but=["block"])  # which is threads, of a kernel in a file
@click.option("--alpha", type=float, help="of D = alpha A B + beta C  [default: 1, or what the family's host has]")
@click.option("--beta", type=float, help="[default: 0, likewise]")
@click.option("--pad", is_flag=True, help="of a family: fill the matrices up to whole blocks first")
@click.option("--verify", is_flag=True, help="of a family: judge the result; exit code 1 where it is wrong")
@click.option("--a", "a_file", type=Path, help="A from this .npy file (otherwise drawn)")
@click.option("--b", "b_file", type=Path, help="B, likewise")
@click.option("--c", "c_file", type=Path, help="C, likewise")
@click.option("--seed", type=Whole(0, 2**63 - 1), default=0, show_default=True, help="of the drawn matrices")
@out("save D to this .npy file")
@click.option("--grid", help="blocks X[,Y[,Z]], of a kernel in a file")
@click.option("--block", help="threads X[,Y[,Z]], of a kernel in a file; of a family, its tile M,N,K")
@compile_options
@click.option("--arg", "args", multiple=True, metavar="SPEC", help="an argument, in order: see below")
@click.option("--shared-bytes", type=Whole(0), default=0, show_default=True, help="dynamic shared memory of a block")
@click.option("--timing", is_flag=True, help="count cycles too, and say where they went")
@click.option(
    "--fidelity", default="full", show_default=True, help="of the timing: full, or sampled: any size, no values"
)
@click.option("--caches", default="cold", show_default=True, help="cold, or warm: L2 holds the operands")
@pictures
@click.option("--by-instruction", is_flag=True, help="with --timing: the listing, and what each instruction cost")
@click.option("--top", type=Whole(1), help="with --by-instruction: so many of the instructions, the dearest first")
@click.option("--html", type=Path, metavar="FILE", help="with --timing: write all of it to one HTML file")
@click.option(
    "--clock-mhz",
    type=Whole(1, 100_000),
    help="the SM clock, which tensor instructions may lower; both are in simtc arch",
)
@click.option(
    "--check",
    is_flag=True,
    help="also find races in shared memory, misused barriers, uses of what nothing wrote (slower)",
)
@click.option("--max-instructions", type=Whole(1, 2**62), help="stop a warp after so many instructions")
@click.option(
    "--max-launch-instructions",
    type=Whole(1, 2**62),
    help="stop when the blocks under way have executed so many together",
)
@click.option("--json", "as_json", is_flag=True, help="JSON, schema simtc.run/1")
def run(target: str | None, kernel: str | None, **options: Any) -> None:
    """Execute TARGET: a shipped kernel's name, a family's, or a .cu source, cubin or listing and the KERNEL in it.

    \b
    simtc run wmma_tiled --device t4 -m 512 -n 512 -k 512 --timing
    simtc run scale.cu 'scale<float>' --device v100_pcie --grid 4 --block 256 --arg f32[1024]=ones
    simtc run saxpy.cubin saxpy --grid 4 --block 256 --arg f32[1024]=ones --arg @x.npy --arg f32=2 --arg i32=1024

    An argument SPEC is TYPE=NUMBER (a value), TYPE[SHAPE] (a buffer of zeros), TYPE[SHAPE]=ones|random|iota,
    TYPE[SHAPE]=uninitialized (for --check: it holds nothing yet), or @FILE.npy (a buffer read from a file);
    add >FILE.npy to a buffer to save it afterwards.
    Types are f16 f32 f64 bf16 i8 u8 i16 u16 i32 u32 i64 u64.
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    if options.pop("listing"):
        refuse("with --list", "target", "kernel", *(name for name in options if name != "as_json"))
        _list(as_json=options["as_json"])
        return
    if target is None:
        raise BadInputError("name a shipped kernel or a file. Try: simtc run --list")
    in_file = _is_file(target)
    _check_timing(options)
    if target in family_names():
        require_writable(options["timeline"], options["roofline"], options["html"], options["output"])
        refuse("on a family", "definitions", "includes", "compiler")
        run_family(target, kernel, options)
        return
    if not in_file:
        refuse("on a kernel that is in no file", "definitions", "includes", "compiler")
    own = [name for name in family_options() if name != "block"]
    refuse("on a kernel of no family", *own, "batch", "lda", "ldb", "ldc", "ldd", "pad", "verify")
    if in_file:
        refuse("on a kernel in a file", "m", "n", "k", "alpha", "beta", "a_file", "b_file", "c_file", "seed", "output")
    elif kernel is not None:
        raise BadInputError(f"{target} is a shipped kernel, or a file that is not there: {kernel!r} has no place")
    require_writable(options["timeline"], options["roofline"], options["html"], options["output"])
    if in_file:
        run_file(Path(target), kernel, options)
    else:
        run_shipped(target, options)


def _is_file(target: str) -> bool:
    """Tell a kernel in a file from a shipped one: by a dot in the name, or because the file is there."""
    try:
        return bool(Path(target).suffix or Path(target).exists())
    except OSError as error:  # longer than names are
        raise BadInputError(f"cannot read {target}: {error.strerror}") from None


def _check_timing(options: dict[str, Any]) -> None:
    """Refuse what needs the clock, where it does not run, and what needs values, where there are none."""
    path, fidelity = options["timeline"], options["fidelity"]
    _check_names(options)
    require_pictures(path, options["roofline"])
    if not options["timing"]:
        _refuse_without_clock(options)
    if fidelity != "full":
        if options["output"]:
            raise BadInputError("--out needs --fidelity full: a sampled run computes nothing")
        refuse("on a sampled run, which computes nothing", "a_file", "b_file", "c_file", "seed")
    if not options["by_instruction"]:
        refuse("without --by-instruction", "top")
    if path is None or path.suffix not in SPANNED:
        refuse("without --timeline FILE.svg, FILE.html or FILE.txt", "cycles")
    options["span"] = span(options.pop("cycles"))


def _check_names(options: dict[str, Any]) -> None:
    if options["caches"] not in _CACHES:
        raise unknown("state of the caches", options["caches"], _CACHES)
    if options["fidelity"] not in _FIDELITIES:
        raise unknown("fidelity", options["fidelity"], _FIDELITIES)
    if options["timing"] and options["check"]:
        raise BadInputError("--check and --timing exclude each other: run once with each")


def _refuse_without_clock(options: dict[str, Any]) -> None:
    for name in ("timeline", "roofline", "by_instruction", "html"):
        if options[name]:
            raise BadInputError(f"--{name.replace('_', '-')} needs --timing")
    if options["fidelity"] != "full":
        raise BadInputError(f"--fidelity {options['fidelity']} needs --timing")
    refuse("without --timing", "fidelity", "caches", "clock_mhz")


def _list(*, as_json: bool) -> None:
    from simtc.gemm.shipped import shipped, shipped_names  # noqa: PLC0415 - start-up stays fast

    every = [shipped(name) for name in shipped_names()]
    if as_json:
        kernels = [{"name": one.name, "sms": one.sms, "summary": one.summary} for one in every]
        known = [{"name": name, "summary": family(name).summary} for name in family_names()]
        click.echo(to_json({"schema": "simtc.run/1", "kernels": kernels, "families": known}))
        return
    for one in every:
        built = ",".join(str(sm) for sm in one.sms)
        click.echo(f"{one.name:<30}sm {built:<12} {one.summary}")
    for name in family_names():
        click.echo(f"{name:<30}family          {family(name).summary}")
