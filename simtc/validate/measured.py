"""What a campaign measures on the chip and simtc predicts: the same quantities, side by side."""

from __future__ import annotations

import hashlib
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import ClassVar

from simtc.errors import SimtcError
from simtc.gpu import Code, Gpu
from simtc.isa import Kernel
from simtc.sass import load

__all__ = [
    "Errors", "Measured", "MeasuredCase", "NotHereError", "Point", "code_digest", "disassembled", "errors",
    "points", "same_code",
]  # fmt: skip


class NotHereError(SimtcError):
    """What a case needs beside the GPU is not here: it is skipped, and says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What the chip gave, or what simtc predicts, for one case."""

    values: Mapping[str, float]
    code: str = ""  # digest of the machine code; what is predicted must be the same, "" is predicted of no code
    note: str = ""


class MeasuredCase(ABC):
    """One launch whose quantities are measured on the chip and predicted without one."""

    compared: ClassVar[Mapping[str, str]] = {"cycles": "cycles"}  # the quantities that are compared, with their units
    measured_as: ClassVar[Mapping[str, str]] = {}  # quantity -> what was measured, where it has another name

    @property
    @abstractmethod
    def name(self) -> str:
        """What the case is called, unique in its campaign."""

    @property
    def group(self) -> str:
        """What errors are collected by: the kernel."""
        return self.name.split("/")[0]

    @abstractmethod
    def measure(self, gpu: Gpu) -> Measured:
        """Measure on the GPU."""

    def as_captured(self, measured: Mapping[str, float]) -> MeasuredCase:  # noqa: ARG002 - most say nothing of it
        """Return the case as the chip met it, of which what was measured may tell more than its name."""
        return self

    @abstractmethod
    def predict(self) -> Measured | None:
        """Predict without a GPU; None where nothing stands behind it in simtc (a vendor's library)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One quantity of one case.

    Example:
        >>> Point(case="a/1", group="a", quantity="cycles", unit="cycles", measured=200.0, predicted=190.0).error
        -0.05

    """

    case: str
    group: str
    quantity: str
    unit: str
    measured: float
    predicted: float

    @property
    def error(self) -> float:
        """How far the prediction is off, as a share of what was measured; bits: 0 or 1; a share: the difference."""
        if self.unit == "share":
            return self.predicted - self.measured
        if self.unit == "bits":
            return float(self.predicted != self.measured)
        return round((self.predicted - self.measured) / max(self.measured, 1.0), 12)

    def to_dict(self) -> dict[str, object]:
        """Return the point as JSON types."""
        return {name: getattr(self, name) for name in (*self.__slots__, "error")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """The errors of a set of points: its size, the mean of their absolute values, the worst, and whose it is."""

    count: int
    mean: float
    bias: float  # the mean with its sign
    worst: float
    case: str = field(default="")


def points(case: MeasuredCase, measured: Mapping[str, float], predicted: Mapping[str, float]) -> list[Point]:
    """Return the quantities that both have."""
    beside = {quantity: case.measured_as.get(quantity, quantity) for quantity in case.compared}
    return [
        Point(case=case.name, group=case.group, quantity=quantity, unit=unit,
              measured=float(measured[beside[quantity]]), predicted=float(predicted[quantity]))
        for quantity, unit in case.compared.items()
        if beside[quantity] in measured and quantity in predicted
    ]  # fmt: skip


def errors(found: Sequence[Point]) -> Errors:
    """Return the errors of points of one quantity, at least one.

    Example:
        >>> def point(case, predicted):
        ...     return Point(case=case, group="", quantity="", unit="", measured=10.0, predicted=predicted)
        >>> errors([point("a", 9.0), point("b", 12.0)])
        Errors(count=2, mean=0.15, bias=0.05, worst=0.2, case='b')

    """
    worst = max(found, key=lambda point: abs(point.error))
    return Errors(
        count=len(found),
        mean=round(mean(abs(point.error) for point in found), 12),
        bias=round(mean(point.error for point in found), 12),
        worst=worst.error,
        case=worst.case,
    )


def _words(kernel: Kernel) -> bytes:
    return b"".join((i.encoding or 0).to_bytes(16, "little") for i in kernel.instructions)


def same_code(code: Code, kernel: Kernel) -> bool:
    """Tell whether a compiled kernel is the listing's, word for word."""
    return code.machine_code == _words(kernel)


def code_digest(kernel: Kernel | Code) -> str:
    """Return the SHA-256 of a kernel's machine code."""
    return hashlib.sha256(kernel.machine_code if isinstance(kernel, Code) else _words(kernel)).hexdigest()


def disassembled(code: Code) -> Kernel:
    """Read the cubin that the GPU ran.

    Raises:
        MissingToolError: there is no nvdisasm.

    """
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "kernel.cubin"
        path.write_bytes(code.image)
        return load(path)[code.kernel.name]
