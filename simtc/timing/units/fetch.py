"""Fetch: lines of code, and lines of constants, that an instruction needs before it can issue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.results.stall import Stall
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, INT, SM, WARP, Cells, Parameters, Unit, compiled, constant, derived
from simtc.timing.units.addresses import chance
from simtc.timing.units.server import SERVER, serve

__all__ = ["LINES", "UNIT", "Fetch", "fetching", "misses_constant", "waits_for_constant"]

LINES: Final = 256  # of constants that one kernel touches by a fixed address, and of each of their caches
_CODE_LINE: Final = 8  # instructions of a line of code, of 128 bytes
_SUB_CORES: Final = 4  # of an SM at most; LDC's cache of constants is one more
_UNKNOWN: Final = -1  # when a line of code that nobody has asked for is there


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetch(Parameters):
    """What a board says of fetching."""

    first_cycles: float = derived(  # until the first line of an SM comes; 0 where all code is there
        lambda device, launch: device.sm.fetch.first_cycles if launch.is_cold else 0.0, "fetch.first_cycles"
    )
    lines: float = derived(  # of code that come at a time
        lambda device, _: max(device.clocked("clock.fetch.lines"), 1.0), "clock.fetch.lines"
    )
    line_cycles: float = derived(  # for each of them, until those behind others come for the first time
        lambda device, _: _CODE_LINE * device.sm.fetch.flushed_cycles, "fetch.flushed_cycles"
    )
    jump_cycles: float = constant("clock.fetch.jump_cycles")  # until those come that were not asked for ahead
    spread_cycles: float = constant("clock.fetch.spread_cycles")  # by which all come later to the farthest SM
    constant_first_cycles: float = constant("l1.constant_first_cycles")  # of a line that LDC touches first
    constant_operand_first_cycles: float = constant("l1.constant_operand_first_cycles")  # an operand, or ULDC
    gpc_constant_cycles: float = constant(
        "gpc_constant_cycles", scales=lambda own, scale: own.gpc_constant_cycles / scale.gpc_crowd
    )


UNIT = Unit(
    name="fetch",
    parameters=Fetch,
    sm=(("constants", np.int64, (_SUB_CORES + 1, LINES)),),  # when each sub-core has a line, and LDC; 0: not asked for
    chip={
        "code_lines": Cells(  # when each SM has each line of code
            of=INT, shape=lambda sizes: (sizes.sms, sizes.instructions // _CODE_LINE + 1), fill=_UNKNOWN
        ),
        "constant_ports": Cells(of=SERVER, shape=lambda sizes: (sizes.gpcs,)),  # of each GPC's cache of constants
    },
    stalls=(Stall.no_instruction, Stall.imc_miss),
)


@compiled(void, CLOCK, int64, int64, float64)
def _ask(ck: Arrays, number: Int, line: Int, comes: Float) -> None:
    """Have lines of code come to an SM together, those of them that are not on their way."""
    lines = ck.code_lines[number]
    for one in range(line, min(line + int64(ck.chip.fetch.lines), lines.size)):
        if lines[one] < 0:
            lines[one] = int64(comes)


@compiled(int64, CLOCK, WARP, int64, int64, int64)
def fetching(ck: Arrays, warp: Record, number: Int, instruction: Int, now: Int) -> Int:
    """Tell whether the next instruction of an SM's warp is still to be fetched.

    Lines are asked for when one of those before them is read. A jump beyond them asks for what it needs, and waits.
    """
    own, line = ck.chip.fetch, instruction // _CODE_LINE
    if own.first_cycles == 0:
        return 0
    lines, farther = ck.code_lines[number], 0.0 if number == 0 else own.spread_cycles * chance(number)
    ahead = own.lines * own.line_cycles + farther
    if lines[line] < 0:
        _ask(ck, number, line, now + (max(own.jump_cycles + farther, ahead) if line else own.first_cycles))
    if lines[line] > now:
        warp.ready_at, warp.after = lines[line], Stall.no_instruction
        return 1
    for one in range(line + 1, min(line + 1 + int64(own.lines), lines.size)):
        if lines[one] < 0:
            _ask(ck, number, one, now + ahead)
            break
    return 0


@compiled(int64, CLOCK, SM, float64, int64)
def _come(ck: Arrays, sm: Record, cycles: float, now: Int) -> Int:
    """Ask the GPC for a line of constants; return when it is there. It serves one request after another."""
    return int64(cycles) + int64(serve(ck.constant_ports[sm.gpc], float64(now), ck.chip.fetch.gpc_constant_cycles))


@compiled(int64, CLOCK, SM, WARP, OPERATION, int64)
def misses_constant(ck: Arrays, sm: Record, warp: Record, op: Record, now: Int) -> Int:
    """Tell whether an instruction's constant is still to come; its first reader of each sub-core asks for it.

    Of boards where that was not measured, the first one of the SM asks for all.
    """
    core = warp.sub - sm.first_sub if ck.chip.fetch.gpc_constant_cycles > 0 else int64(0)
    there = sm.constants[core, op.constant]
    if there == 0:
        there = _come(ck, sm, ck.chip.fetch.constant_operand_first_cycles, now)
        sm.constants[core, op.constant] = there
    if there <= now:
        return 0
    warp.ready_at, warp.after = there, Stall.imc_miss
    return 1


@compiled(int64, CLOCK, SM, OPERATION, int64)
def waits_for_constant(ck: Arrays, sm: Record, op: Record, now: Int) -> Int:
    """Return how much longer LDC takes because its line is not in its cache, which all sub-cores share."""
    if op.constant < 0:
        return 0
    there = sm.constants[_SUB_CORES, op.constant]
    if there == 0:
        there = _come(ck, sm, ck.chip.fetch.constant_first_cycles, now)
        sm.constants[_SUB_CORES, op.constant] = there
    return max(there - now, 0)
