"""Campaign `simt`: GEMM outside the tensor cores, every program bit for bit, and cycles beside simulate's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from simtc.gemm.registry import family
from simtc.run.simulate import FIDELITIES
from simtc.validate.campaigns.configured import ConfiguredCase
from simtc.validate.campaigns.families import ProgramCase
from simtc.validate.campaigns.families import cases as programs
from simtc.validate.case import Skip
from simtc.validate.chip import Chip
from simtc.validate.measured import Measured, code_digest

__all__ = ["ListedCase", "cases"]


@dataclass(frozen=True, kw_only=True)
class ListedCase(ConfiguredCase):
    """One configuration at one size, of a family whose programs are all listings."""

    compared: ClassVar[Mapping[str, str]] = dict.fromkeys((f"simulate_{one}_cycles" for one in FIDELITIES), "cycles")
    measured_as: ClassVar[Mapping[str, str]] = dict.fromkeys(compared, "cycles")

    def predict(self) -> Measured:
        """Predict in closed form, and with the clock."""
        return Measured(values=self._simulated(), code=code_digest(self.kernel))


def cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[ProgramCase | ListedCase | Skip]:
    """Yield every program at every size, then the configurations that are timed."""
    yield from programs(settings, chip)
    for number, entry in enumerate(settings["timed"]):
        choices: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
        }
        name = choices.pop("family")
        made = family(name).configured(chip.board.sm_name, choices) if chip.known else None
        for m, n, k in settings["timed_sizes"]:
            if made is None or made.not_executed():
                yield Skip(
                    name=f"{name} {number}/{m}x{n}x{k}", reason="simtc has no constants or no listing of this board"
                )
                continue
            yield ListedCase(
                family=name, configuration=made, choices=choices, size=(m, n, k), board=chip.board,
                launches=settings["repeats"], ships=True, clocked=m * n * k <= settings["clock_products"],
            )  # fmt: skip
