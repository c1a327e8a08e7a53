"""simtc run: execute a compiled kernel with no GPU."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import click

from simtc.cli.choices import choices
from simtc.cli.progress import bar, note_compilation
from simtc.errors import BadInputError
from simtc.gemm.registry import family, family_names
from simtc.gemm.registry import options as family_options
from simtc.results import LaunchResult

__all__ = ["run"]


@click.command
@click.argument("target", required=False)
@click.argument("kernel", required=False)
@click.option("--list", "listing", is_flag=True, help="list the shipped kernels and stop")
@click.option("--device", default="t4", show_default=True, help="the board to be (simtc arch lists them)")
@click.option("-m", type=int, help="rows of D, of a shipped GEMM")
@click.option("-n", type=int, help="columns of D")
@click.option("-k", type=int, help="depth of the product")
@choices(but=["block"])  # which is threads, of a kernel in a file
@click.option("--alpha", type=float, help="of D = alpha A B + beta C  [default: 1, or what the family's host has]")
@click.option("--beta", type=float, help="[default: 0, likewise]")
@click.option("--pad", is_flag=True, help="of a family: fill the matrices up to whole blocks first")
@click.option("--verify", is_flag=True, help="of a family: judge the result; exit code 1 where it is wrong")
@click.option("--a", "a_file", type=Path, help="A from this .npy file (otherwise drawn)")
@click.option("--b", "b_file", type=Path, help="B, likewise")
@click.option("--c", "c_file", type=Path, help="C, likewise")
@click.option("--seed", default=0, show_default=True, help="of the drawn matrices")
@click.option("--out", type=Path, help="save D to this .npy file")
@click.option("--grid", help="blocks X[,Y[,Z]], of a kernel in a file")
@click.option("--block", help="threads X[,Y[,Z]], of a kernel in a file; of a family, its tile M,N,K")
@click.option("--arg", "args", multiple=True, metavar="SPEC", help="an argument, in order: see below")
@click.option("--shared-bytes", default=0, show_default=True, help="dynamic shared memory of a block")
@click.option("--timing", is_flag=True, help="count cycles too, and say where they went")
@click.option(
    "--fidelity", default="full", show_default=True, help="of the timing: full, or sampled: any size, no values"
)
@click.option("--caches", default="cold", show_default=True, help="cold, or warm: L2 holds the operands")
@click.option(
    "--timeline", type=Path, metavar="FILE", help="write what every warp did: .json[.gz] Perfetto, .kanata, .svg, .txt"
)
@click.option("--cycles", metavar="FIRST,LAST", help="the part of the timeline that .svg and .txt show")
@click.option("--by-instruction", is_flag=True, help="with --timing: the listing, and what each instruction cost")
@click.option("--html", type=Path, metavar="FILE", help="with --timing: write all of it to one HTML file")
@click.option("--clock-mhz", type=int, help="the SM clock, which tensor instructions may lower; both are in simtc arch")
@click.option(
    "--check", is_flag=True, help="also find reads of what nothing wrote, and races in shared memory (slower)"
)
@click.option("--max-instructions", type=int, help="stop a warp after so many instructions")
@click.option("--json", "as_json", is_flag=True, help="JSON, schema simtc.run/1")
def run(target: str | None, kernel: str | None, **options: Any) -> None:
    """Execute TARGET: a shipped kernel's name, a family's, or a cubin or listing and the KERNEL in it.

    \b
    simtc run wmma_tiled --device t4 -m 512 -n 512 -k 512 --timing
    simtc run saxpy.cubin saxpy --grid 4 --block 256 --arg f32[1024]=ones --arg @x.npy --arg f32=2 --arg i32=1024

    An argument SPEC is TYPE=NUMBER (a value), TYPE[SHAPE] (a buffer of zeros), TYPE[SHAPE]=ones|random|iota,
    or @FILE.npy (a buffer read from a file); add >FILE.npy to a buffer to save it afterwards.
    Types are f16 f32 f64 bf16 i8 u8 i16 u16 i32 u32 i64 u64.
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    if options.pop("listing"):
        _list()
        return
    if target is None:
        raise BadInputError("name a shipped kernel or a file. Try: simtc run --list")
    _check_timing(options)
    note_compilation()
    if target in family_names():
        _run_family(target, options)
        return
    for name in (*family_options(), "pad", "verify"):
        if options[name] and name != "block":
            raise BadInputError(f"--{name.replace('_', '-')} is for a family: {', '.join(family_names())}")
    if Path(target).suffix or Path(target).exists():
        _run_file(Path(target), kernel, options)
    else:
        _run_shipped(target, options)


def _check_timing(options: dict[str, Any]) -> None:
    path = options["timeline"]
    for name in ("timeline", "by_instruction", "html"):
        if options[name] and not options["timing"]:
            raise BadInputError(f"--{name.replace('_', '-')} needs --timing")
    if options["fidelity"] != "full":
        for name in ("timeline", "out"):
            if options[name]:
                raise BadInputError(f"--{name} needs --fidelity full: a sampled run computes nothing")
        if not options["timing"]:
            raise BadInputError(f"--fidelity {options['fidelity']} needs --timing")
    if path is None:
        return
    if not path.name.endswith((".json", ".json.gz", ".kanata", ".svg", ".txt")):
        raise BadInputError(f"--timeline {path}: the name must end in .json, .json.gz, .kanata, .svg or .txt")


def _list() -> None:
    from simtc.gemm.shipped import shipped, shipped_names  # noqa: PLC0415 - start-up stays fast

    for name in shipped_names():
        one = shipped(name)
        built = ",".join(str(sm) for sm in one.sms)
        click.echo(f"{name:<30}sm {built:<12} {one.summary}")
    for name in family_names():
        click.echo(f"{name:<30}family          {family(name).summary}")


def _board(options: dict[str, Any]) -> Any:
    from simtc import arch  # noqa: PLC0415

    board = arch.device(options["device"])
    clock = options["clock_mhz"]
    if clock is not None and clock < 1:
        raise BadInputError(f"--clock-mhz {clock}: a positive number of MHz")
    return board if clock is None else board.at(clock)


def _run_shipped(name: str, options: dict[str, Any]) -> None:
    from simtc.gemm.shipped import shipped  # noqa: PLC0415
    from simtc.report.run import gemm_text  # noqa: PLC0415
    from simtc.run.launch import INSTRUCTION_LIMIT  # noqa: PLC0415
    from simtc.run.solve import operands, read_matrix, solve  # noqa: PLC0415

    one, board = shipped(name), _board(options)
    for unused in ("grid", "block", "args"):
        if options[unused]:
            raise BadInputError(f"--{unused.rstrip('s')} is for a kernel in a file; {name} takes -m -n -k")
    missing = [f"-{x}" for x in "mnk" if options[x] is None]
    if missing:
        raise BadInputError(f"{name} needs {' '.join(missing)}. Try: simtc run {name} -m 512 -n 512 -k 512")
    m, n, k = options["m"], options["n"], options["k"]
    one.check(m, n, k)
    files = {"A": options["a_file"], "B": options["b_file"], "C": options["c_file"]}
    given = {x: read_matrix(p, x, one.shape(x, m, n, k), one.dtype(x)) for x, p in files.items() if p}
    seed = options["seed"] if options["fidelity"] == "full" else None
    arrays = operands(one, m, n, k, seed=seed, given=given)
    alpha, beta = 1.0 if options["alpha"] is None else options["alpha"], options["beta"] or 0.0
    with bar("blocks") as progress:
        solved = solve(
            one, board, arrays, m=m, n=n, k=k, alpha=alpha, beta=beta,
            timing=options["timing"], fidelity=options["fidelity"], caches=options["caches"],
            timeline=bool(options["timeline"]), check=options["check"], progress=progress,
            instruction_limit=options["max_instructions"] or INSTRUCTION_LIMIT,
        )  # fmt: skip
    _write_timing(solved.launch, f"{name} {m} x {n} x {k} on {board.name}", options)
    if options["out"]:
        _save(options["out"], solved.D)
    if options["as_json"]:
        click.echo(json.dumps(solved.to_dict() | _by_instruction(solved.launch, options), indent=2))
        return
    click.echo(gemm_text(solved))
    _list_instructions(solved.launch, options)


def _run_family(name: str, options: dict[str, Any]) -> None:
    from simtc.report.run import family_text  # noqa: PLC0415
    from simtc.run.harness import harness  # noqa: PLC0415
    from simtc.run.launch import INSTRUCTION_LIMIT  # noqa: PLC0415

    found, board = family(name), _board(options)
    for unused in ("grid", "args", "a_file", "b_file", "c_file", "timeline"):
        if options[unused]:
            raise BadInputError(
                f"--{unused.removesuffix('s').removesuffix('_file')} is not for a family such as {name}"
            )
    missing = [f"-{x}" for x in "mnk" if options[x] is None]
    if missing:
        raise BadInputError(f"{name} needs {' '.join(missing)}. Try: simtc run {name} {found.example}")
    tile = _numbers("block", options["block"]) if options["block"] else None
    given = {key: options[key] for key in family_options() if key != "block"} | {"block": tile}
    chosen = found.accepted({key: value for key, value in given.items() if value is not None})
    sizes = {x: options[x] for x in "mnk"}
    for scale, own in zip(("alpha", "beta"), found.scales(chosen), strict=True):
        sizes[scale] = own if options[scale] is None else options[scale]
    problem = found.problem(sizes, chosen)
    made = found.configure(problem, board, chosen)
    with bar("blocks") as progress:
        done = harness(
            made, problem, board, pad=options["pad"], verify=options["verify"], seed=options["seed"],
            timing=options["timing"], fidelity=options["fidelity"], caches=options["caches"], check=options["check"],
            instruction_limit=options["max_instructions"] or INSTRUCTION_LIMIT, progress=progress,
        )  # fmt: skip
    _write_timing(done.launch, f"{made.name} {problem.m} x {problem.n} x {problem.k} on {board.name}", options)
    if options["out"]:
        _save(options["out"], done.D)
    if options["as_json"]:
        click.echo(json.dumps(done.to_dict() | _by_instruction(done.launch, options), indent=2))
    else:
        click.echo(family_text(done))
        _list_instructions(done.launch, options)
    if any(not verdict.correct for verdict in done.verdicts):
        raise click.exceptions.Exit(1)


def _run_file(path: Path, kernel: str | None, options: dict[str, Any]) -> None:
    from simtc.report.run import launch_text  # noqa: PLC0415
    from simtc.run.launch import INSTRUCTION_LIMIT, launch  # noqa: PLC0415
    from simtc.run.specs import arguments_from_specs  # noqa: PLC0415
    from simtc.sass import load  # noqa: PLC0415

    program = load(path)
    if kernel is None and len(program) == 1:
        kernel = next(iter(program))
    if kernel is None:
        raise BadInputError(f"{path} holds several kernels: name one of {', '.join(program)}")
    chosen = program[kernel]
    for needed in ("grid", "block"):
        if not options[needed]:
            raise BadInputError(
                f"--{needed} is missing: a kernel in a file needs --grid and --block, such as --{needed} 4,4"
            )
    parsed = arguments_from_specs(options["args"])
    with bar("blocks") as progress:
        result = launch(
            chosen, _numbers("grid", options["grid"]), _numbers("block", options["block"]), parsed.values,
            shared_bytes=options["shared_bytes"], device=_board(options), timing=options["timing"],
            fidelity=options["fidelity"], caches=options["caches"], timeline=bool(options["timeline"]),
            check=options["check"], progress=progress,
            instruction_limit=options["max_instructions"] or INSTRUCTION_LIMIT,
        )  # fmt: skip
    _write_timing(result, f"{chosen.name} on {result.device}", options)
    for target, array in parsed.saves:
        _save(target, array)
    buffers = parsed.digests()
    if options["as_json"]:
        out = result.to_dict() | {"digest": buffers, "tflops": None} | _by_instruction(result, options)
        click.echo(json.dumps(out, indent=2))
        return
    click.echo(launch_text(result))
    _list_instructions(result, options)
    for number, digest in buffers.items():
        click.echo(f"argument {number}   sha256 {digest}...")


def _numbers(name: str, text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.replace("x", ",").split(","))
    except ValueError:
        raise BadInputError(f"--{name} {text!r}: one to three numbers, such as 4,4 or 4x4x1") from None


def _keeps_timeline(options: dict[str, Any]) -> bool:
    return bool(options["timeline"] or options["html"]) and options["fidelity"] == "full"


def _by_instruction(result: LaunchResult, options: dict[str, Any]) -> dict[str, Any]:
    """Return the listing for JSON, where it was asked for."""
    if not options["by_instruction"] or result.timing is None:
        return {}
    return {"by_instruction": [dataclasses.asdict(one) for one in result.timing.by_instruction]}


def _list_instructions(result: LaunchResult, options: dict[str, Any]) -> None:
    from simtc.report.listing import listing_text  # noqa: PLC0415

    if options["by_instruction"] and result.timing is not None:
        click.echo(f"\n{listing_text(result.timing)}")


def _write_timing(result: LaunchResult, title: str, options: dict[str, Any]) -> None:
    """Write the files that were asked for."""
    from simtc.report.page import launch_html  # noqa: PLC0415

    page = options["html"]
    if page:
        _write(page, launch_html(result, title))
    path = options["timeline"]
    if path is None:
        return
    timeline = result.timeline
    first, last = _span(options["cycles"])
    try:
        if path.name.endswith((".json", ".json.gz")):
            timeline.to_perfetto(path)
        elif path.suffix == ".kanata":
            timeline.to_kanata(path)
    except OSError as error:
        raise BadInputError(f"cannot write {path}: {error.strerror}") from None
    if path.suffix == ".txt":
        _write(path, timeline.to_text(first=first, last=last) + "\n")
    elif path.suffix == ".svg":
        from simtc.report.timeline import timeline_svg  # noqa: PLC0415

        _write(path, timeline_svg(timeline, first=first, last=last))
    if timeline.dropped:
        click.echo(
            f"simtc: the timeline keeps its first {len(timeline):,} slices; {timeline.dropped:,} more were seen",
            err=True,
        )


def _span(text: str | None) -> tuple[int, int | None]:
    """Read --cycles."""
    if text is None:
        return 0, None
    try:
        first, last = (int(part) for part in text.split(","))
    except ValueError:
        raise BadInputError(f"--cycles {text!r}: two numbers, such as 1000,2000") from None
    if not 0 <= first < last:
        raise BadInputError(f"--cycles {text!r}: the first must be below the last")
    return first, last


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInputError(f"cannot write {path}: {error.strerror}") from None


def _save(path: Path, array: Any) -> None:
    import numpy as np  # noqa: PLC0415

    try:
        np.save(path, array)
    except OSError as error:
        raise BadInputError(f"cannot write {path}: {error.strerror}") from None
