"""Which class of latency a fixed-latency result belongs to, and which class of reader an operand.

The compiler counts cycles between the two, by the pipes that both execute on and by what is handed over. The same
classes name the rows of the census of compiled code and of the clock's safety check.
"""

from __future__ import annotations

from simtc.isa.opcodes import opcode_of
from simtc.isa.operand import Kind, Operand
from simtc.isa.program import Instruction

__all__ = ["late_names", "producer", "reader"]

_Name = tuple[Kind, int]
_VOTES = ("VOTE", "VOTEU")
_COMPARE_HALVES = ("HMNMX2", "HSET2", "HSETP2", "VHMNMX")  # since Ampere they forward to each other alone


def producer(instruction: Instruction, name: _Name, sm: int) -> str | None:
    """Return the class of a result, None where a scoreboard tells that it is ready.

    Example:
        >>> from simtc.isa import Operand
        >>> sources = tuple(Operand(kind=Kind.REGISTER, index=i) for i in (4, 2, 3, 6))
        >>> wide = Instruction(address=0, opcode="IMAD", modifiers=("WIDE",), operands=sources)
        >>> producer(wide, (Kind.REGISTER, 4), 80), producer(wide, (Kind.REGISTER, 5), 80)
        ('imad.wide R', 'imad.wide.upper R')

    """
    if not opcode_of(instruction).is_fixed_latency(sm) or instruction.control.write_barrier is not None:
        return None
    unit = _unit(instruction, sm)
    if opcode_of(instruction).row == "uniform_move":  # it computes nothing, and is ready at once
        unit = "uniform.move"
    if unit == "imad" and "HI" in instruction.modifiers:
        unit = "imad.hi"
    if "WIDE" in instruction.modifiers and instruction.opcode.endswith("IMAD"):
        unit += ".wide.upper" if name in late_names(instruction)[1] else ".wide"
    return f"{unit} {name[0].value}"


def reader(instruction: Instruction, name: _Name, sm: int) -> str:
    """Return the class of an instruction as the reader of one register or predicate.

    Example:
        >>> from simtc.isa import Operand
        >>> branch = Instruction(address=0, opcode="BRA", guard=Operand(kind=Kind.PREDICATE, index=0))
        >>> reader(branch, (Kind.PREDICATE, 0), 80)
        'guard'

    """
    guard = instruction.guard
    if guard is not None and (guard.kind, guard.index) == name:
        return "guard"
    if instruction.opcode in _VOTES and name[0] in (Kind.PREDICATE, Kind.UNIFORM_PREDICATE):
        return "vote"
    unit = _unit(instruction, sm)
    if unit in ("imad", "uniform") and name in late_names(instruction)[0]:
        return f"{unit}.upper"
    if opcode_of(instruction).unit == "tensor":
        return "accumulator" if name[1] in _accumulator(instruction) else "tensor"
    return unit


def late_names(instruction: Instruction) -> tuple[frozenset[_Name], frozenset[_Name]]:
    """Return what a 64-bit multiply-add reads and writes later than the rest: the upper halves of C and of D."""
    if not {"WIDE", "HI"} & set(instruction.modifiers) or not instruction.opcode.endswith("IMAD"):
        return frozenset(), frozenset()
    carries = (Kind.PREDICATE, Kind.UNIFORM_PREDICATE)
    operands = [operand for operand in instruction.operands if operand.kind not in carries]
    if len(operands) != 4:  # not D, A, B, C
        return frozenset(), frozenset()
    return _upper(operands[3]), _upper(operands[0]) if "WIDE" in instruction.modifiers else frozenset()


def _upper(operand: Operand) -> frozenset[_Name]:
    zero = {Kind.REGISTER: 255, Kind.UNIFORM: 63}
    if operand.index == zero.get(operand.kind, operand.index):  # RZ, a constant or an immediate
        return frozenset()
    return frozenset({(operand.kind, operand.index + 1)})


def _unit(instruction: Instruction, sm: int) -> str:
    """Return the pipe, and where that does not say how operands are read, who reads them."""
    opcode = opcode_of(instruction)
    if opcode.unit == "tensor":
        return instruction.mnemonic
    if opcode.unit == "lsu":
        return "memory" if opcode.spaces else "exchange"
    if instruction.opcode in ("R2UR", "WARPSYNC"):
        return instruction.opcode.lower()
    if instruction.opcode == "VIADD" and sm >= 90:
        return "imad"  # Hopper adds two integers on the multiplier too
    return _halves(instruction, sm) or {"fmaheavy": "imad", "cbu": "branch"}.get(opcode.unit, opcode.unit)


def _halves(instruction: Instruction, sm: int) -> str | None:
    """Return the class of an instruction on packed halves, None for any other."""
    if instruction.opcode in _COMPARE_HALVES and sm >= 80:
        return "fp16.compare"
    on_tensor = opcode_of(instruction).unit == "fp16" and "MMA" in instruction.modifiers
    return "fp16.mma" if on_tensor else None


def _accumulator(instruction: Instruction) -> range:
    """Return the registers of C: the fourth operand of D, A, B, C."""
    last = [o for o in instruction.operands if o.kind is Kind.REGISTER][3:4]
    return range(last[0].index, last[0].index + 8) if last and last[0].index != 255 else range(0)
