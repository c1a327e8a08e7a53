"""Instructions of a kernel's main loop, as executed."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, cast

from simtc import arch
from simtc.gemm.operands import zeros
from simtc.gemm.simt.configuration import SimtGemm
from simtc.run.launch import launch

if TYPE_CHECKING:
    from simtc.results import Timing

__all__ = ["counted"]


@cache
def counted(made: SimtGemm, board: str, size: int) -> Counter[str]:
    """Return the warp-instructions of each opcode inside of loops, of a cube of `size`.

    Raises:
        BadInputError: the board does not run the kernel.

    """
    problem = made.problem({"m": size, "n": size, "k": size})
    launched = launch(
        made.program(), made.grid_dim(problem), made.block_dim, made.arguments(problem, zeros(problem)),
        device=arch.device(board), timing=True, caches="warm",
    )  # fmt: skip
    result = cast("Timing", launched.timing)
    kernel = made.program()
    targets = {one.address: one.operands[-1].value for one in kernel.instructions if one.opcode == "BRA"}
    loops = [(target, place) for place, target in targets.items() if target < place]
    opcodes = {one.address: one.opcode for one in kernel.instructions}
    found: Counter[str] = Counter()
    for one in result.by_instruction:
        if any(first <= one.address <= last for first, last in loops):
            found[opcodes[one.address]] += one.issued
    return found
