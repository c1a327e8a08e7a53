"""What the clock knows of an instruction: one record, made by tables.py from the instruction and a board."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import from_dtype

from simtc.timing.unit import Cells, Unit

__all__ = ["OPERATION", "OPERATION_FIELDS", "UNIT"]


OPERATION_FIELDS: Final = np.dtype(
    [
        ("pipe", np.int32),
        ("kind", np.int32),
        ("interval", np.int32),
        ("stall", np.int32),
        ("yields", np.int32),
        ("write_barrier", np.int32),  # -1 for none
        ("read_barrier", np.int32),
        ("last_pass", np.int32),  # cycles from issue to the pass in which it reads the last of its sources
        ("wait_mask", np.int32),
        ("latency", np.int32),  # of VARIABLE: issue to release; of a branch: until its target is known
        ("access", np.int32),
        ("operand_read", np.int32),
        ("war", np.int32),  # issue to release of the read barrier, unloaded
        ("tail", np.int32),  # from the end of the return path to the release of the scoreboard
        ("returned", np.int32),  # bytes to the registers
        ("hint", np.int32),  # of a load: aligned bytes that L2 should have, 0 for no more than it asks for
        ("is_long", np.int32),  # its scoreboard counts as long_scoreboard
        ("wait_board", np.int32),  # of WAIT
        ("wait_count", np.int32),
        ("first_read", np.int32),  # into the rows of the hazard table
        ("reads", np.int32),
        ("first_write", np.int32),
        ("writes", np.int32),
        ("is_branch", np.int32),
        ("tokens", np.int32),  # cycles of the register port, which matrix instructions wait for
        ("port_wait", np.float64),  # of TENSOR: what each other access to registers waits beside it
        ("store_wait", np.float64),  # and each cycle in which what is stored is read
        ("stage_wait", np.float64),  # and the data stage for each wavefront that is loaded
        ("even", np.int32),  # cycles in which it reads the even bank of the registers
        ("odd", np.int32),
        ("lost_even", np.int32),  # likewise where another warp has issued since its own
        ("lost_odd", np.int32),
        ("halves", np.int32),  # of the FMA pipe: see pipes.py
        ("special_cycles", np.int32),  # that XU is busy with it, where it comes from the memory I/O queue
        ("special_ahead", np.int32),  # for which XU may still be busy with others when it issues
        ("behind_half", np.int32),  # cycles of dispatch that it takes more right behind HFMA2.MMA
        ("second_pass", np.int32),  # cycles of dispatch that its second pass takes
        ("constant", np.int32),  # the line of constants that it reads, -1 for none
        ("loads_constant", np.int32),  # 1 for LDC, which has a cache of its own
        ("special", np.int32),  # see constants.Special
        ("is_wide", np.int32),  # a matrix instruction that writes four registers
        ("is_barrier", np.int32),
        ("passes_barrier", np.int32),  # 1 where a warp that waits at a barrier may issue it
        ("is_fence", np.int32),  # waits until the warp's stores are answered
        ("bypasses", np.int32),  # L1
        ("is_strong", np.int32),  # a load that is to see what other SMs store: L1 has nothing for it
    ],
    align=True,
)
OPERATION: Any = from_dtype(OPERATION_FIELDS)
UNIT = Unit(name="operation", chip={"ops": Cells(of=OPERATION_FIELDS, shape=lambda _: (0,))})
