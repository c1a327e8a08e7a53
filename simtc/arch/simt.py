"""What closed forms need of an SM from before Volta; the same names as in the boards' `[simt]`."""

from __future__ import annotations

from dataclasses import dataclass

from simtc.errors import BadInputError

__all__ = ["Simt"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Simt:
    """What closed forms need of an SM from before the clock's: how it issues, and how lanes share an access."""

    issue_cycles: float  # of the SM, from one warp-instruction to the next
    f32_fma_cycles: float  # of a warp's multiply-add
    f64_fma_cycles: float
    shared_operand_cycles: float  # of one in f32 that takes an operand from shared memory itself; 0: it cannot
    shared_banks: int  # of four bytes
    shared_lanes: int  # that one access serves together
    shared_pass_cycles: float  # of one pass over the banks
    coalesced_lanes: int  # whose addresses become transactions together
    line_bytes: int  # of the largest transaction
    least_line_bytes: int  # to which one shrinks where half of it is enough

    def __post_init__(self) -> None:
        if self.least_line_bytes > self.line_bytes:
            raise BadInputError(f"a transaction of {self.line_bytes} bytes cannot shrink to {self.least_line_bytes}")
