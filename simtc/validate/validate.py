"""Run a campaign on the GPU at hand, compare every case with simtc, and keep what the chip gave."""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import simtc
from simtc.errors import MissingToolError, SimtcError, unknown
from simtc.gpu import Gpu
from simtc.gpu.compile import find_nvcc, nvcc_version
from simtc.resources import folder
from simtc.results.display import Columns, Display
from simtc.validate.capture import Capture, Record, record_of, write_capture
from simtc.validate.case import Case, Difference, Skip, differences, digest
from simtc.validate.chip import Chip
from simtc.validate.compare import Replay, compare_case, replay
from simtc.validate.measured import MeasuredCase, NotHereError
from simtc.validate.state import State

__all__ = ["CAMPAIGNS", "Validated", "campaign_settings", "cases_of", "validate"]

CAMPAIGNS = (
    "numerics",
    "layouts",
    "kernels",
    "microbench",
    "timing",
    "configured",
    "counters",
    "families",
    "batched",
    "tuning",
    "simt",
    "profiled",
    "corpus",
    "others",
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Validated(Display):
    """A campaign that was run: its capture, where it lies, and what differed."""

    capture: Capture
    path: Path
    differing: Mapping[str, tuple[int, list[Difference]]] = field(default_factory=dict)  # elements, the first of them
    not_compared: Mapping[str, str] = field(default_factory=dict)  # ran on the GPU, but simtc could not compute it
    replay: Replay | None = None  # of a campaign that measures: its predictions

    @property
    def same(self) -> bool:
        """True where everything that the chip has ran, was compared, and agrees (times: as far as counts go)."""
        replayed = self.replay is None or self.replay.same
        return replayed and not (self.differing or self.not_compared or self.capture.count("failed"))

    def headline(self) -> str:
        """Return what ran, and how it came out, in one line."""
        told = "all agrees" if self.same else f"{len(self.differing)} differ, {len(self.not_compared)} not compared"
        return f"{self.capture.headline()}, {told}"

    def columns(self) -> Columns:
        """Return the capture's, one row a case."""
        return self.capture.columns()


@cache
def campaign_settings(name: str) -> Mapping[str, Any]:
    """Return a campaign's TOML.

    Raises:
        BadInputError: no such campaign.

    Example:
        >>> campaign_settings("layouts")["seed"]
        7

    """
    if name not in CAMPAIGNS:
        raise unknown("campaign", name, CAMPAIGNS, then="simtc validate --list")
    home = folder("validate")
    settings = tomllib.loads((home / f"{name}.toml").read_text(encoding="utf-8"))
    for key in ("evaluation", "microbench"):  # the sets that several campaigns share: a capture holds them whole
        if key in settings.get("uses", ()):
            settings |= tomllib.loads((home / f"{key}.toml").read_text(encoding="utf-8")) | settings
    if "twins" in settings.get("uses", ()):
        settings["twins"] = tomllib.loads((folder("kernels") / "twins.toml").read_text(encoding="utf-8"))
    return settings


def cases_of(campaign: str, settings: Mapping[str, Any], sm: int, name: str = "") -> list[Case | MeasuredCase | Skip]:
    """Return a campaign's cases for a chip, by its generation and by CUDA's name of it.

    Raises:
        BadInputError: no such campaign, or a chip that simtc has no arithmetic for.

    """
    if campaign not in CAMPAIGNS:
        raise unknown("campaign", campaign, CAMPAIGNS, then="simtc validate --list")
    room = import_module(f"simtc.validate.campaigns.{campaign}")
    return list(room.cases(settings, Chip(sm, name)))


def validate(
    campaign: str,
    gpu: Gpu,
    out: Path,
    *,
    fresh: bool = False,
    progress: Callable[[int, int], None] | None = None,
    cases: Iterable[Case | MeasuredCase | Skip] | None = None,
    predict: bool = True,
) -> Validated:
    """Run a campaign, going on where an interrupted run stopped, and write its capture to OUT (.json and .npz).

    Args:
        campaign: one of CAMPAIGNS.
        gpu: from `simtc.gpu.open_gpu`.
        out: the capture's path; until it is complete, what is finished is in OUT with the ending .partial.
        fresh: forget what an interrupted run left.
        progress: called with (cases done, cases).
        cases: these instead of the campaign's own.
        predict: also compute what was measured; the capture can be compared later, anywhere.

    Raises:
        BadInputError: what an interrupted run left is of another device, toolkit or campaign.
        MissingToolError: the GPU stopped working; what is finished is kept.

    """
    settings = campaign_settings(campaign)
    nvcc = find_nvcc()
    machine = replace(gpu.description, toolkit=nvcc_version(nvcc) if nvcc else "the driver's compiler").to_dict()
    partial = out.with_suffix(".partial")
    if fresh:
        partial.unlink(missing_ok=True)
    state = State(partial, {"campaign": campaign, "settings": dict(settings), "machine": machine})
    todo = list(cases_of(campaign, settings, gpu.description.sm, gpu.description.device) if cases is None else cases)
    differing: dict[str, tuple[int, list[Difference]]] = {}
    problems: dict[str, str] = {}
    for done, case in enumerate(todo):
        if progress is not None:
            progress(done, len(todo))
        if isinstance(case, Skip):
            state.finished[case.name] = Record(status="skipped", reason=case.reason)
            continue
        _one(case, gpu, state, differing, problems)
    records = {case.name: state.finished[case.name] for case in todo}
    today = dt.datetime.now(dt.UTC).date().isoformat()
    capture = Capture(
        campaign=campaign, settings=settings, machine=machine, date=today, simtc=simtc.__version__, cases=records
    )
    write_capture(capture, out)
    state.remove()
    measured = [case for case in todo if isinstance(case, MeasuredCase)]
    replayed = replay(capture, cases=measured, progress=progress) if measured and predict else None
    return Validated(capture=capture, path=out, differing=differing, not_compared=problems, replay=replayed)


def _one(
    case: Case | MeasuredCase,
    gpu: Gpu,
    state: State,
    differing: dict[str, tuple[int, list[Difference]]],
    problems: dict[str, str],
) -> None:
    """Run one case unless it is finished, and compare it."""
    before = state.finished.get(case.name)
    if before is not None:
        if before.status == "ran" and not isinstance(case, MeasuredCase):
            _recompare(case, before, differing, problems)
        return
    try:
        if isinstance(case, MeasuredCase):
            state.add(case.name, _measured(case, gpu))
            return
        inputs = digest(case.inputs())
        result = case.run(gpu)
    except NotHereError as error:
        state.add(case.name, Record(status="skipped", reason=str(error)))
        return
    except SimtcError as error:
        state.add(case.name, Record(status="failed", reason=str(error)))
        if not gpu.alive():
            raise MissingToolError(
                f"the GPU's context ended in {case.name} ({error}); what is finished is kept. "
                "Try: the same command again, which goes on behind it"
            ) from None
        return
    state.add(case.name, record_of(result, inputs, getattr(case, "note", "")))
    try:
        count, first = differences(case, result, case.expect())
    except SimtcError as error:
        problems[case.name] = str(error)
        return
    if count:
        differing[case.name] = count, first


def _measured(case: MeasuredCase, gpu: Gpu) -> Record:
    """Measure a case: the digest of its machine code stands in the place of its inputs'."""
    taken = case.measure(gpu)
    return Record(status="ran", measured=dict(taken.values), inputs=taken.code, note=taken.note)


def _recompare(
    case: Case, record: Record, differing: dict[str, tuple[int, list[Difference]]], problems: dict[str, str]
) -> None:
    """Compare what an earlier, interrupted run captured."""
    outcome = compare_case(case, record)
    if outcome.problem:
        problems[case.name] = outcome.problem
    elif outcome.differing_rows:
        differing[case.name] = outcome.differing_rows, list(outcome.first)
