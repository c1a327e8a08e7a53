"""One constant of a chip, with where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from simtc.errors import BadInputError, nearest, unknown

__all__ = ["STATUSES", "Constant", "Number", "find"]

Number = int | float | tuple[int, ...]

STATUSES = {
    "documented": "the vendor says so",
    "published": "others measured it on this chip and say how",
    "measured": "this project measured it on this chip, or read it in code that the vendor's compiler made for it",
    "fitted": "adjusted until calibration microbenchmarks agreed; never on the kernels that accuracy is reported for",
    "assumed": "no number is known: taken from the nearest chip, as the note says",
}

# A name that ends in a unit has that unit: the longest ending counts.
_ENDINGS = {
    "_bytes_per_cycle": "bytes/cycle",
    "_gb_per_s": "GB/s",
    "_cycles": "cycles",
    "_ns": "ns",
    "_bytes": "bytes",
    "_bits": "bits",
    "_mhz": "MHz",
    "_watts": "W",
    "_entries": "entries",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """A number, its unit, and the evidence for it.

    Raises:
        BadInputError: the unit or source is empty, the unit contradicts the name, the status is unknown, or an assumed
            number does not say where it was taken from.

    Example:
        >>> c = Constant(section="issue", key="branch_taken_cycles", value=10, unit="cycles", status="measured",
        ...              source="h200", citation="microbenchmarks on an H200")
        >>> c.name, c.value, c.status
        ('issue.branch_taken_cycles', 10, 'measured')

    """

    section: str  # the table it stands in, such as pipes.alu; of a board's own constants ""
    key: str
    value: Number
    unit: str
    status: str  # one of STATUSES
    source: str  # the short key of the citation in the data file
    citation: str
    note: str = ""

    @property
    def name(self) -> str:
        """The path from the chip, such as `pipes.alu.issue_interval_cycles`."""
        return f"{self.section}.{self.key}" if self.section else self.key

    def __post_init__(self) -> None:
        for part in ("unit", "source", "citation"):
            if not getattr(self, part):
                raise BadInputError(f"constant {self.name} has no {part}: every constant carries unit, status, source")
        if self.status not in STATUSES:
            raise unknown(f"status of constant {self.name}", self.status, STATUSES)
        due = next((unit for ending, unit in _ENDINGS.items() if self.key.endswith(ending)), self.unit)
        if self.unit != due:
            raise BadInputError(f"constant {self.name} has unit {self.unit!r}, but its name says {due!r}")
        if self.status == "assumed" and not self.note:
            raise BadInputError(f"constant {self.name} is assumed and has no note: say which chip it was taken from")


def find(constants: Mapping[str, Constant], path: str, chip: str) -> Constant:
    """Return the constant of a path.

    Raises:
        BadInputError: nothing has that path; the nearest one is named, as all would fill a screen.

    """
    if path not in constants:
        guess = nearest(path, constants)
        hint = f"; did you mean {guess!r}?" if guess else "."
        raise BadInputError(f"{chip} has no constant {path!r}{hint} Try: simtc arch {chip}")
    return constants[path]
