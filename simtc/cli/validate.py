"""simtc validate: run a campaign on the GPU at hand and compare it with simtc."""

from __future__ import annotations

import re
from pathlib import Path

import click

from simtc.cli.options import out, refuse
from simtc.cli.output import to_json
from simtc.cli.progress import bar, note_compilation
from simtc.errors import BadInputError
from simtc.files import require_writable, write_text

__all__ = ["validate"]


@click.command
@click.argument("campaign", required=False)
@click.option("--backend", default="pycuda", show_default=True, help="pycuda or cupy")
@out("the capture's path, which ends in .json [default: CAMPAIGN-DEVICE-BACKEND.json here]")
@click.option("--fresh", is_flag=True, help="begin anew instead of going on where an interrupted run stopped")
@click.option("--no-compare", is_flag=True, help="measure, and leave predictions of times to simtc compare")
@click.option("--list", "listing", is_flag=True, help="list the campaigns and stop")
@click.option("--json", "as_json", is_flag=True, help="JSON, schema simtc.validate/1")
def validate(
    campaign: str | None,
    backend: str,
    output: Path | None,
    *,
    fresh: bool,
    no_compare: bool,
    listing: bool,
    as_json: bool,
) -> None:
    """Run CAMPAIGN on the GPU, compute the same with simtc, and compare every bit, or every time.

    \b
    simtc validate kernels
    simtc validate numerics --backend cupy

    Ends in a capture (OUT.json and OUT.npz, which simtc compare replays with no GPU) and a report beside it (OUT.md,
    OUT.html). An interrupted campaign goes on where it stopped. Exit code 1 where a bit or a count differs, or a case
    could not run or be compared; times are as far off as the report says.
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from simtc.gpu import open_gpu  # noqa: PLC0415 - start-up stays fast
    from simtc.report.validation import outcome_html, outcome_markdown, outcome_of, outcome_text  # noqa: PLC0415
    from simtc.validate import validate as campaigns  # noqa: PLC0415

    if listing:
        refuse("with --list", "campaign", "backend", "output", "fresh", "no_compare")
        summaries = {name: campaigns.campaign_settings(name)["summary"] for name in campaigns.CAMPAIGNS}
        lines = "\n".join(f"{name:<12}{summary}" for name, summary in summaries.items())
        click.echo(to_json({"schema": "simtc.validate/1", "campaigns": summaries}) if as_json else lines)
        return
    if campaign is None:
        raise BadInputError("name a campaign. Try: simtc validate --list")
    campaigns.campaign_settings(campaign)  # a wrong name is told before a missing GPU
    if output is not None and output.suffix != ".json":
        raise BadInputError(f"--out {output}: the name must end in .json")
    gpu = open_gpu(backend)
    note_compilation()
    chip = re.sub(r"[^a-z0-9]+", "_", gpu.description.device.lower().removeprefix("nvidia "))
    target = output or Path(f"{campaign}-{chip}-{backend}.json")
    require_writable(*(target.with_suffix(ending) for ending in (".json", ".npz", ".md", ".html", ".partial")))
    try:
        with bar("cases") as progress:
            outcome = campaigns.validate(campaign, gpu, target, fresh=fresh, progress=progress, predict=not no_compare)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            "interrupted: what is finished is kept. Try: the same command, which goes on behind it"
        ) from None
    report = outcome_of(outcome)
    write_text(target.with_suffix(".md"), outcome_markdown(report))
    write_text(target.with_suffix(".html"), outcome_html(report))
    click.echo(to_json(_json(outcome)) if as_json else outcome_text(report))
    if not outcome.same:
        raise click.exceptions.Exit(1)


def _json(outcome: object) -> dict[str, object]:
    from simtc.validate.validate import Validated  # noqa: PLC0415

    if not isinstance(outcome, Validated):
        raise TypeError(f"{outcome!r} is no outcome of a campaign")
    from simtc.validate.compare import errors_by_quantity  # noqa: PLC0415

    capture = outcome.capture
    return {
        "schema": "simtc.validate/1",
        "campaign": capture.campaign,
        "machine": dict(capture.machine),
        "ran": capture.count("ran"),
        "skipped": capture.count("skipped"),
        "failed": capture.count("failed"),
        "elements": capture.elements,
        "differing": {name: count for name, (count, _) in outcome.differing.items()},
        "not_compared": dict(outcome.not_compared),
        "errors": errors_by_quantity(outcome.replay.points) if outcome.replay else {},
        "capture": str(outcome.path),
    }
