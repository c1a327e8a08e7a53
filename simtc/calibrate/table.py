"""What a capture can determine: its chip, the cases of each constant, and those that ran as simtc has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from simtc.errors import BadInputError
from simtc.validate.campaigns.microbench import MicroCase, cases
from simtc.validate.capture import Capture, Record
from simtc.validate.chip import Chip
from simtc.validate.validate import campaign_settings

__all__ = ["chip_of", "table_of", "usable"]


def chip_of(capture: Capture) -> Chip:
    """Return the chip that is fitted."""
    if capture.campaign != "microbench":
        raise BadInputError(
            f"constants are fitted on a capture of campaign microbench and on nothing else; this is one of "
            f"{capture.campaign}. Try: simtc validate microbench"
        )
    chip = Chip(capture.sm, capture.machine["device"])
    if not chip.known:
        raise BadInputError(f"simtc has no board of {chip.name}, so it has no constants to fit. Try: simtc arch")
    return chip


def table_of(chip: Chip, ran: Iterable[str], only: str) -> Mapping[str, Sequence[str]]:
    """Return the cases of each constant that is asked for: by this simtc's own table, which may be newer."""
    names = list(ran)
    found = {
        entry["constant"]: [name for name in names if any(fnmatchcase(name, pattern) for pattern in entry["cases"])]
        for entry in campaign_settings("microbench")["fit"]
        if entry["constant"] in chip.board.constants and fnmatchcase(entry["constant"], only)
    }
    table = {constant: some for constant, some in found.items() if some}
    if not table:
        raise BadInputError(
            f"nothing to fit: no constant of {chip.board.name} that {only!r} names has cases in this capture. "
            "Try: --only '*'"
        )
    return table


def usable(capture: Capture, chip: Chip) -> Mapping[str, tuple[MicroCase, Record]]:
    """Return the cases of which the very machine code that ran is at hand."""
    out = {}
    for case in cases(capture.settings, chip):
        record = capture.cases.get(case.name)
        if isinstance(case, MicroCase) and record is not None and record.status == "ran" and not record.note:
            out[case.name] = case, record
    return out
