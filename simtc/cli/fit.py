"""simtc fit: a chip's fitted constants from a microbenchmark capture."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from simtc.cli.options import out
from simtc.cli.output import to_json
from simtc.cli.progress import bar, note_compilation
from simtc.files import require_writable, write_text

__all__ = ["fit"]


@click.command
@click.argument("capture", type=Path)
@click.option("--counters", type=Path, help="a capture of campaign counters on the same chip: what a launch costs")
@click.option("--only", default="*", show_default=True, help="a pattern of the constants to fit, such as 'memory.*'")
@click.option("--overrule", is_flag=True, help="also move constants that were measured, published or documented")
@out("where to write the patch [default: CAPTURE with the ending .patch, here]")
@click.option("--json", "as_json", is_flag=True, help="JSON, schema simtc.fit/1")
def fit(capture: Path, counters: Path | None, only: str, output: Path | None, *, overrule: bool, as_json: bool) -> None:
    """Fit the chip's constants that validate/microbench.toml names to CAPTURE, a capture of campaign microbench.

    \b
    simtc fit validate/captures/h200/microbench-pycuda.json
    simtc fit microbench-t4-pycuda.json --only 'memory.*'

    Each constant comes with the range of values that fit as well, and the error of its cases before and after. What is
    fitted or assumed may change; what was measured stays, beside what would fit. No file of simtc is edited: the
    outcome is a patch to read, and to apply with git apply --unidiff-zero.
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from simtc.validate.capture import read_capture  # noqa: PLC0415 - start-up stays fast

    read = read_capture(capture)
    beside = None if counters is None else read_capture(counters)
    target = output or Path(capture.with_suffix(".patch").name)
    require_writable(target)
    note_compilation()
    from simtc.calibrate.fit import fit as run  # noqa: PLC0415 - compiles
    from simtc.calibrate.patch import patch  # noqa: PLC0415
    from simtc.report.fit import fit_text  # noqa: PLC0415
    from simtc.validate.made import digest_of, made_with  # noqa: PLC0415

    with bar("constants") as progress:
        board, fitted = run(read, counters=beside, only=only, overrule=overrule, progress=progress)
    text = patch(read, board, fitted)
    if text:
        write_text(target, text)
    if as_json:
        verdicts = ("changes", "determined", "keeps")
        constants = [asdict(one) | {key: getattr(one, key) for key in verdicts} for one in fitted]
        made = {
            "made_with": made_with(),
            "captures": {path.name: digest_of(path) for path in (capture, counters) if path},
        }
        whole = {"schema": "simtc.fit/1", "device": board.name, "machine": dict(read.machine), **made,
                 "constants": constants, "patch": str(target) if text else None}  # fmt: skip
        click.echo(to_json(whole))
        return
    click.echo(fit_text(fitted))
    if text:
        click.echo(f"patch: {target}. To apply it: git apply --unidiff-zero {target}")
