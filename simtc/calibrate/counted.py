"""What the profiler counts of microbenchmarks, as cases to fit on: what a launch takes around its instructions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.validate.campaigns.counters import CalibrationCase, cases
from simtc.validate.capture import Capture, Record
from simtc.validate.chip import Chip
from simtc.validate.counted import counted
from simtc.validate.measured import Measured

__all__ = ["CountedQuantity", "counted_cases"]

_QUANTITIES = ("active_cycles", "elapsed_cycles", "outside_cycles")


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedQuantity:
    """One counter of one launch: sm__cycles_active.max, gpc__cycles_elapsed.max, or what lies between the two."""

    case: CalibrationCase
    quantity: str

    @property
    def name(self) -> str:
        """The launch and what is counted of it: nothing/132x32/-/warm/outside_cycles."""
        return f"{self.case.name}/{self.quantity}"

    def predict_on(self, board: Device) -> Measured:
        """Launch with the clock of any board."""
        if self.quantity == "outside_cycles":
            return Measured(values={self.quantity: board.outside_cycles})
        run = self.case.launch.simulate(board, self.case.kernel)
        return Measured(values={"active_cycles": run.cycles, **counted(run, board)})

    def resolution(self, record: Record) -> float:  # noqa: ARG002 - each launch was counted once
        """Return a cycle: how far launches differ is not known of one."""
        return 1.0


def counted_cases(capture: Capture, chip: Chip) -> Mapping[str, tuple[CountedQuantity, Record]]:
    """Return every quantity of the microbenchmarks in a capture of campaign counters.

    Raises:
        BadInputError: another campaign's capture, or another chip's.

    """
    if capture.campaign != "counters" or Chip(capture.sm, capture.machine["device"]) != chip:
        raise BadInputError(
            f"what launches cost is read from a capture of campaign counters on {chip.name}; this is one of "
            f"{capture.campaign} on {capture.machine['device']}. Try: simtc validate counters"
        )
    out = {}
    for case in cases(capture.settings, chip):
        record = capture.cases.get(case.name)
        if isinstance(case, CalibrationCase) and record is not None and record.status == "ran" and not record.note:
            told = dict(record.measured)
            told["outside_cycles"] = told["elapsed_cycles"] - told["active_cycles"]
            for quantity in _QUANTITIES:
                one = CountedQuantity(case=case, quantity=quantity)
                out[one.name] = one, replace(record, measured=told)
    return out
