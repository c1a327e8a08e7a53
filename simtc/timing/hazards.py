"""What the compiler must keep between a fixed-latency producer and its reader.

The hardware checks nothing of it, so a violation in compiled code means that a latency table is wrong.
"""

from __future__ import annotations

from enum import IntEnum, auto

import numpy as np

from simtc.arch import Device
from simtc.isa import Instruction, Kind
from simtc.isa.opcodes import opcode_of
from simtc.isa.registers import operands_written

__all__ = ["Consumer", "Producer", "Producers"]


class Producer(IntEnum):
    """Classes of instructions whose results have a fixed latency."""

    ALU = 0
    FMA = auto()
    IMAD = auto()
    IMAD_WIDE = auto()  # the lower half of its result; the upper one comes later
    IMAD_WIDE_UPPER = auto()
    FP16 = auto()
    FP64 = auto()  # where its latency is fixed
    UNIFORM = auto()
    UNIFORM_MOVE = auto()
    PREDICATE = auto()
    UNIFORM_PREDICATE = auto()


class Consumer(IntEnum):
    """Classes of readers."""

    ALU = 0
    FMA = auto()
    IMAD = auto()
    FP16 = auto()
    UNIFORM = auto()
    MEMORY = auto()
    TENSOR = auto()
    VARIABLE = auto()
    BRANCH = auto()
    GUARD = auto()  # any instruction, as the reader of the predicate that guards it


_UNITS = {
    "alu": (Producer.ALU, Consumer.ALU),
    "fma": (Producer.FMA, Consumer.FMA),
    "fmaheavy": (Producer.IMAD, Consumer.IMAD),
    "fp16": (Producer.FP16, Consumer.FP16),
    "fp64": (Producer.FP64, Consumer.VARIABLE),
    "uniform": (Producer.UNIFORM, Consumer.UNIFORM),
}
_MULTIPLIERS = (Producer.FMA, Producer.IMAD, Producer.IMAD_WIDE, Producer.IMAD_WIDE_UPPER)  # they forward to each other
_SAME = {
    Producer.ALU: (Consumer.ALU,),
    **dict.fromkeys(_MULTIPLIERS, (Consumer.FMA, Consumer.IMAD)),
    Producer.FP16: (Consumer.FP16,),
    Producer.FP64: (Consumer.VARIABLE,),
    Producer.UNIFORM: (Consumer.UNIFORM,),
    Producer.UNIFORM_MOVE: (Consumer.UNIFORM,),
}
_MOVES = ("ULDC", "UMOV", "VOTEU")


class Producers:
    """The classes of one board's instructions, and the distances between them."""

    def __init__(self, device: Device) -> None:
        self._pipes = device.sm.pipes
        self._sm = int(device.sm_name.removeprefix("sm_"))

    def producer(self, instruction: Instruction) -> int:
        """Return the class of what an instruction writes, -1 where a scoreboard guards it."""
        opcode, unit = opcode_of(instruction), self._unit(instruction)
        signals = unit == "fp64" and instruction.control.write_barrier is not None
        if unit not in _UNITS or not opcode.is_fixed_latency(self._sm) or signals:
            return -1
        written = operands_written(instruction)
        if written and all(o.kind is Kind.PREDICATE for o in written):
            return Producer.PREDICATE
        if written and all(o.kind is Kind.UNIFORM_PREDICATE for o in written):
            return Producer.UNIFORM_PREDICATE
        if unit == "uniform" and instruction.opcode in _MOVES:
            return Producer.UNIFORM_MOVE
        if unit == "fmaheavy" and set(instruction.modifiers) & {"WIDE", "HI"}:
            return Producer.IMAD_WIDE
        return _UNITS[unit][0]

    def _unit(self, instruction: Instruction) -> str:
        """Return the pipe; Hopper adds two integers on the multiplier too (VIADD)."""
        return "fmaheavy" if instruction.opcode == "VIADD" and self._sm >= 90 else opcode_of(instruction).unit

    def consumer(self, instruction: Instruction) -> int:
        """Return the class of an instruction as a reader."""
        unit = self._unit(instruction)
        if unit in _UNITS:
            return _UNITS[unit][1]
        if unit == "tensor":
            return Consumer.TENSOR
        if unit in ("cbu", "none"):
            return Consumer.BRANCH
        return Consumer.MEMORY if unit == "lsu" else Consumer.VARIABLE

    def table(self) -> np.ndarray:
        """Return the least distances in cycles, (producers, consumers) int64."""
        pipes = self._pipes
        constants = {
            Producer.ALU: pipes.alu,
            Producer.FMA: pipes.fma,
            Producer.IMAD: pipes.imad,
            Producer.IMAD_WIDE: pipes.imad_wide,
            Producer.IMAD_WIDE_UPPER: pipes.imad_wide,
            Producer.FP16: pipes.fp16,
            Producer.FP64: pipes.fp64,
            Producer.UNIFORM: pipes.uniform or pipes.alu,
            Producer.UNIFORM_MOVE: pipes.uniform_move or pipes.alu,
        }
        out = np.zeros((len(Producer), len(Consumer)), np.int64)
        for producer, pipe in constants.items():
            out[producer, :] = pipe.safe_cross_cycles
            out[producer, Consumer.MEMORY] = pipe.safe_memory_cycles
            out[producer, Consumer.TENSOR] = pipe.safe_tensor_cycles
            out[producer, Consumer.VARIABLE] = pipe.safe_variable_cycles
            out[producer, list(_SAME[producer])] = pipe.safe_same_cycles
        # arithmetic readers see the upper half later; the others wait long enough for both
        out[Producer.IMAD_WIDE_UPPER, : Consumer.MEMORY] += pipes.wide_upper_cycles
        # A predicate that selects or carries is read like a register, from the pipe that compares; as a guard it is
        # read earlier. In all shipped code ptxas keeps exactly these distances, and 6 and 14 from DSETP on sm_90.
        out[Producer.PREDICATE, :] = pipes.alu.safe_cross_cycles
        out[Producer.PREDICATE, [Consumer.ALU, Consumer.BRANCH]] = pipes.alu.safe_same_cycles
        out[Producer.PREDICATE, Consumer.GUARD] = pipes.safe_predicate_cycles
        uniform = pipes.uniform or pipes.alu
        out[Producer.UNIFORM_PREDICATE, :] = uniform.safe_same_cycles
        out[Producer.UNIFORM_PREDICATE, Consumer.GUARD] = pipes.safe_uniform_predicate_cycles or 0
        return out
