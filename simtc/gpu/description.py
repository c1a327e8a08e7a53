"""What a capture says of the machine that made it: the chip, its clocks, the driver and the toolkit."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from simtc.numerics.rules import architecture_named

__all__ = ["Description"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """One GPU and what drives it; nothing in it names the host.

    Example:
        >>> h200 = Description(
        ...     device="NVIDIA H200", compute_capability=(9, 0), sms=132, memory_bytes=150 * 10**9, clock_mhz=1980,
        ...     memory_clock_mhz=3201, driver="580.159.04", cuda=13000, backend="pycuda 2026.1",
        ... )
        >>> h200.arch, h200.sm
        ('hopper', 90)

    """

    device: str
    compute_capability: tuple[int, int]
    sms: int
    memory_bytes: int
    clock_mhz: int  # the SM clock's maximum, as the driver reports it
    memory_clock_mhz: int
    driver: str  # the driver's version where nvidia-smi tells it, else ""
    cuda: int  # the newest CUDA version that the driver runs, as 13000
    backend: str  # the package and its version
    toolkit: str = ""  # what compiled the code; "" where the driver did

    @property
    def sm(self) -> int:
        """The generation's number, such as 90."""
        return 10 * self.compute_capability[0] + self.compute_capability[1]

    @property
    def arch(self) -> str:
        """The architecture that simtc simulates the chip as.

        Raises:
            BadInputError: simtc has no arithmetic for the chip.

        """
        return architecture_named(f"sm_{self.sm}")

    def to_dict(self) -> dict[str, Any]:
        """Return the description as JSON types."""
        return asdict(self) | {"compute_capability": list(self.compute_capability)}
