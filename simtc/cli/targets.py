"""What `simtc run` runs: a shipped kernel, a family's, or one in a file."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import click

from simtc.cli.options import refuse
from simtc.cli.output import to_json
from simtc.cli.pictures import write_roofline, write_timeline
from simtc.cli.progress import bar, note_compilation
from simtc.cli.sources import program_of
from simtc.errors import BadInputError
from simtc.files import require_writable, write_array, write_text
from simtc.gemm.registry import family
from simtc.gemm.registry import options as family_options
from simtc.isa import Kernel
from simtc.results import LaunchResult

__all__ = ["numbers", "run_family", "run_file", "run_shipped"]


def _board(options: dict[str, Any]) -> Any:
    from simtc import arch  # noqa: PLC0415

    board, clock = arch.device(options["device"]), options["clock_mhz"]
    return board if clock is None else board.at(clock)


def _limits(options: dict[str, Any]) -> dict[str, Any]:
    """Return the limits that were given; the others are the launch's own."""
    named = {"instruction_limit": options["max_instructions"], "launch_limit": options["max_launch_instructions"]}
    return {name: limit for name, limit in named.items() if limit}


def run_shipped(name: str, options: dict[str, Any]) -> None:
    """Run a shipped kernel, and print what came of it."""
    from simtc.gemm.shipped import shipped  # noqa: PLC0415
    from simtc.report.run import gemm_text  # noqa: PLC0415
    from simtc.run.solve import operands, read_matrix, solve  # noqa: PLC0415

    one, board = shipped(name), _board(options)
    for unused in ("grid", "block", "args", "shared_bytes"):
        if options[unused]:
            flag = unused.removesuffix("s") if unused == "args" else unused.replace("_", "-")
            raise BadInputError(f"--{flag} is for a kernel in a file; {name} takes -m -n -k")
    missing = [f"-{x}" for x in "mnk" if options[x] is None]
    if missing:
        raise BadInputError(f"{name} needs {' '.join(missing)}. Try: simtc run {name} -m 512 -n 512 -k 512")
    m, n, k = options["m"], options["n"], options["k"]
    one.check(m, n, k)
    files = {"A": options["a_file"], "B": options["b_file"], "C": options["c_file"]}
    given = {x: read_matrix(p, x, one.shape(x, m, n, k), one.dtype(x)) for x, p in files.items() if p}
    seed = options["seed"] if options["fidelity"] == "full" else None
    arrays = operands(one, m, n, k, seed=seed, given=given)
    one.kernel(board)  # another chip's is told before anything is compiled
    note_compilation()
    alpha, beta = 1.0 if options["alpha"] is None else options["alpha"], options["beta"] or 0.0
    with bar("blocks") as progress:
        solved = solve(
            one, board, arrays, m=m, n=n, k=k, alpha=alpha, beta=beta,
            timing=options["timing"], fidelity=options["fidelity"], caches=options["caches"],
            timeline=bool(options["timeline"]), check=options["check"], progress=progress,
            **_limits(options),
        )  # fmt: skip
    _write_timing(solved.launch, f"{name} {m} x {n} x {k} on {board.name}", board, options)
    if options["output"]:
        write_array(options["output"], solved.D)
    if options["as_json"]:
        click.echo(to_json(solved.to_dict() | _by_instruction(solved.launch, options)))
        return
    click.echo(gemm_text(solved))
    _list_instructions(solved.launch, options)


def run_family(name: str, kernel: str | None, options: dict[str, Any]) -> None:
    """Run the kernel of a family that fits the choices, and print what came of it."""
    if kernel is not None:
        raise BadInputError(f"{name} is a family: {kernel!r} has no place. Try: simtc run {name} --help")
    refuse(f"on a family such as {name}", "grid", "args", "a_file", "b_file", "c_file", "shared_bytes")
    found, board = family(name), _board(options)
    missing = [f"-{x}" for x in "mnk" if options[x] is None]
    if missing:
        raise BadInputError(f"{name} needs {' '.join(missing)}. Try: simtc run {name} {found.example}")
    tile = numbers("block", options["block"]) if options["block"] else None
    chosen = found.accepted(
        {key: options[key] for key in family_options() if options[key] is not None and key != "block"}
        | ({"block": tile} if tile else {})
    )
    lines = ("lda", "ldb", "ldc", "ldd")
    sizes = {x: options[x] for x in ("m", "n", "k", "batch", *lines) if options[x] is not None}
    for scale, own in zip(("alpha", "beta"), found.scales(chosen), strict=True):
        sizes[scale] = own if options[scale] is None else options[scale]
    problem = found.problem(sizes, chosen)
    made = found.configure(problem, board, chosen)
    note_compilation()  # which can take a minute: what the family refuses is told before it
    from simtc.report.run import family_text  # noqa: PLC0415 - compiles
    from simtc.run.harness import harness  # noqa: PLC0415

    with bar("blocks") as progress:
        done = harness(
            made, problem, board, pad=options["pad"], verify=options["verify"], seed=options["seed"],
            timing=options["timing"], fidelity=options["fidelity"], caches=options["caches"],
            timeline=bool(options["timeline"]), check=options["check"], progress=progress, **_limits(options),
        )  # fmt: skip
    _write_timing(done.launch, f"{made.name} {problem.m} x {problem.n} x {problem.k} on {board.name}", board, options)
    if options["output"]:
        write_array(options["output"], done.D)
    if options["as_json"]:
        click.echo(to_json(done.to_dict() | _by_instruction(done.launch, options)))
    else:
        click.echo(family_text(done))
        _list_instructions(done.launch, options)
    if any(not verdict.correct for verdict in done.verdicts):
        raise click.exceptions.Exit(1)


def _kernel_of(path: Path, kernel: str | None, options: dict[str, Any]) -> Kernel:
    """Return the kernel of a file that is named, or its only one."""
    program = program_of(path, kernel, options["device"], options)
    if kernel is None and len(program) == 1:
        kernel = next(iter(program))
    if kernel is None:
        raise BadInputError(f"{path} holds several kernels: name one of {', '.join(program)}")
    return program[kernel]


def run_file(path: Path, kernel: str | None, options: dict[str, Any]) -> None:
    """Run a kernel in a file, and print what came of it."""
    from simtc.run.arguments import require_count  # noqa: PLC0415
    from simtc.run.grid import dim3, geometry, require_launch  # noqa: PLC0415
    from simtc.run.specs import arguments_from_specs  # noqa: PLC0415

    chosen = _kernel_of(path, kernel, options)
    for needed in ("grid", "block"):
        if not options[needed]:
            raise BadInputError(
                f"--{needed} is missing: a kernel in a file needs --grid and --block, such as --{needed} 4,4"
            )
    parsed = arguments_from_specs(options["args"])
    if parsed.saves and options["fidelity"] != "full":
        raise BadInputError(f">{parsed.saves[0][0]} needs --fidelity full: a sampled run computes nothing")
    require_writable(*(target for target, _ in parsed.saves))
    grid, block = (numbers(name, options[name]) for name in ("grid", "block"))
    board = require_launch(chosen, device=_board(options))
    geometry(chosen, dim3("grid", grid), dim3("block", block), options["shared_bytes"], board)
    require_count(chosen, parsed.values)
    note_compilation()  # which can take a minute: what the kernel or the chip refuses is told before it
    from simtc.run.launch import launch  # noqa: PLC0415 - compiles

    with bar("blocks") as progress:
        result = launch(
            chosen, grid, block, parsed.values,
            shared_bytes=options["shared_bytes"], device=board, timing=options["timing"],
            fidelity=options["fidelity"], caches=options["caches"], timeline=bool(options["timeline"]),
            check=options["check"], progress=progress,
            **_limits(options),
        )  # fmt: skip
    _write_timing(result, f"{chosen.name} on {result.device}", board, options)
    for target, array in parsed.saves:
        write_array(target, array)
    _print_file(result, parsed.digests(), options)


def _print_file(result: LaunchResult, buffers: dict[int, str], options: dict[str, Any]) -> None:
    """Print a launch of a file's kernel, and the digests of its buffers."""
    from simtc.report.run import launch_text  # noqa: PLC0415

    if options["as_json"]:
        whole = result.to_dict() | {"digest": buffers, "tflops": None} | _by_instruction(result, options)
        click.echo(to_json(whole))
        return
    click.echo(launch_text(result))
    _list_instructions(result, options)
    for number, digest in buffers.items():
        click.echo(f"argument {number}   sha256 {digest}...")


def numbers(name: str, text: str) -> tuple[int, ...]:
    """Return the one to three numbers of --grid or --block.

    Raises:
        BadInputError: the text says none.

    """
    try:
        return tuple(int(part) for part in text.replace("x", ",").split(","))
    except ValueError:
        raise BadInputError(f"--{name} {text!r}: one to three numbers, such as 4,4 or 4x4x1") from None


def _by_instruction(result: LaunchResult, options: dict[str, Any]) -> dict[str, Any]:
    """Return the listing for JSON, where it was asked for."""
    if not options["by_instruction"] or result.timing is None:
        return {}
    from simtc.report.hot import hottest  # noqa: PLC0415

    top = options["top"]
    chosen = result.timing.by_instruction if top is None else hottest(result.timing, top)
    return {"by_instruction": [dataclasses.asdict(one) for one in chosen]}


def _list_instructions(result: LaunchResult, options: dict[str, Any]) -> None:
    from simtc.report.listing import listing_text  # noqa: PLC0415

    if options["by_instruction"] and result.timing is not None:
        click.echo(f"\n{listing_text(result.timing, options['top'])}")


def _write_timing(result: LaunchResult, title: str, board: Any, options: dict[str, Any]) -> None:
    """Write the files that were asked for."""
    from simtc.report.page import launch_html  # noqa: PLC0415

    page = options["html"]
    if page:
        write_text(page, launch_html(result, title, device=board))
    write_timeline(options["timeline"], result.timing.timeline if result.timing else None, options["span"])
    write_roofline(options["roofline"], result, board)
