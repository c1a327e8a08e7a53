"""The instruction set as values: operands, control codes, instructions, kernels, programs, and the opcode table."""

from simtc.isa.control import ControlCode
from simtc.isa.opcodes import Opcode, opcode_of, opcodes
from simtc.isa.operand import Kind, Operand
from simtc.isa.program import Instruction, Kernel, Parameter, Program, Relocation
from simtc.isa.registers import operands_read, operands_written, registers_read, registers_written
from simtc.isa.widths import lane_bytes, matrices, mma_shape

__all__ = [
    "ControlCode", "Instruction", "Kernel", "Kind", "Opcode", "Operand", "Parameter", "Program", "Relocation",
    "lane_bytes", "matrices", "mma_shape", "opcode_of", "opcodes", "operands_read", "operands_written",
    "registers_read", "registers_written",
]  # fmt: skip
