"""The instruction set as values: operands, control codes, instructions, kernels, programs, and the opcode table."""

from simtc.isa.control import ControlCode
from simtc.isa.operand import Kind, Operand
from simtc.isa.program import Instruction, Kernel, Parameter, Program

__all__ = ["ControlCode", "Instruction", "Kernel", "Kind", "Operand", "Parameter", "Program"]
