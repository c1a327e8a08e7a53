"""What a launch gave."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LaunchResult"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchResult:
    """The counts of one launch; cycles and what follows from them where timing was asked for."""

    kernel: str
    device: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    instructions: int  # executed warp-instructions, as smsp__inst_executed.sum
