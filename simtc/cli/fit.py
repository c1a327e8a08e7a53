"""simtc fit: a chip's fitted constants from a microbenchmark capture."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from simtc.cli.progress import bar, note_compilation
from simtc.errors import BadInputError

__all__ = ["fit"]


@click.command
@click.argument("capture", type=Path)
@click.option("--only", default="*", show_default=True, help="a pattern of the constants to fit, such as 'memory.*'")
@click.option("--overrule", is_flag=True, help="also move constants that were measured, published or documented")
@click.option("--out", type=Path, help="where to write the patch [default: CAPTURE with the ending .patch, here]")
@click.option("--json", "as_json", is_flag=True, help="JSON, schema simtc.fit/1")
def fit(capture: Path, only: str, out: Path | None, *, overrule: bool, as_json: bool) -> None:
    """Fit the chip's constants that validate/microbench.toml names to CAPTURE, a capture of campaign microbench.

    \b
    simtc fit validate/captures/h200/microbench-pycuda.json
    simtc fit microbench-t4-pycuda.json --only 'memory.*'

    Each constant comes with the range of values that fit as well, and the error of its cases before and after. What is
    fitted or assumed may change; what was measured stays, beside what would fit. No file of simtc is edited: the
    outcome is a patch to read, and to apply with git apply --unidiff-zero.
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from simtc.calibrate.fit import fit as run  # noqa: PLC0415
    from simtc.calibrate.patch import patch  # noqa: PLC0415
    from simtc.report.fit import fit_text  # noqa: PLC0415 - start-up stays fast
    from simtc.validate.capture import read_capture  # noqa: PLC0415

    read = read_capture(capture)
    note_compilation()
    with bar("constants") as progress:
        board, fitted = run(read, only=only, overrule=overrule, progress=progress)
    text = patch(read, board, fitted)
    target = out or Path(capture.with_suffix(".patch").name)
    if text:
        try:
            target.write_text(text, encoding="utf-8")
        except OSError as error:
            raise BadInputError(f"cannot write {target}: {error.strerror}") from None
    if as_json:
        verdicts = ("changes", "determined", "keeps")
        constants = [asdict(one) | {key: getattr(one, key) for key in verdicts} for one in fitted]
        whole = {"schema": "simtc.fit/1", "device": board.name, "machine": dict(read.machine), "constants": constants,
                 "patch": str(target) if text else None}  # fmt: skip
        click.echo(json.dumps(whole, indent=2))
        return
    click.echo(fit_text(fitted))
    if text:
        click.echo(f"patch: {target}. To apply it: git apply --unidiff-zero {target}")
