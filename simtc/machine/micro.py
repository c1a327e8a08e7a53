"""Micro-operations: what an instruction becomes, once, before it is executed a million times.

Every source is a *row*: 32 words, one a lane, in one flat register file. A register is a row of its warp; a uniform
register is a row that holds its value 32 times; an immediate or a constant is a row that all warps share. So the
compiled code never asks what kind of operand it reads. Zero registers are rows of zeros, and writes to them go to rows
that nobody reads. Signs and absolute values are bit masks applied on the way in.
"""

from __future__ import annotations

from enum import IntEnum, auto
from typing import Final

import numpy as np

__all__ = [
    "DUMP_PREDICATE",
    "LANES",
    "MICRO",
    "PREDICATES",
    "TRUE",
    "UNIFORM_PREDICATE",
    "WARP_WORDS",
    "Control",
    "Convert",
    "Double",
    "Family",
    "Flag",
    "Half",
    "Integer",
    "Memory",
    "Predicate",
    "Row",
    "Single",
    "Tensor",
]

LANES: Final = 32


class Row(IntEnum):
    """Where each register lives among the rows of a warp."""

    REGISTER = 0  # R0 .. R254
    ZERO = 255  # RZ, and the rows after it that wide reads of RZ touch
    DUMP = 263  # where writes to RZ and URZ go
    UNIFORM = 271  # UR0 .. UR62
    UNIFORM_ZERO = 334  # URZ, and the row after it
    COUNT = 336


WARP_WORDS: Final = int(Row.COUNT) * LANES

# Predicates are 32-bit lane masks: P0..P6, PT, UP0..UP6, UPT, and a place for writes to PT.
TRUE: Final = 7
UNIFORM_PREDICATE: Final = 8
DUMP_PREDICATE: Final = 16
PREDICATES: Final = 17


class Family(IntEnum):
    """The compiled function that executes a micro-operation."""

    INTEGER = auto()
    SINGLE = auto()
    HALF = auto()
    DOUBLE = auto()
    CONVERT = auto()
    PREDICATE = auto()
    MEMORY = auto()
    TENSOR = auto()
    CONTROL = auto()


class Integer(IntEnum):
    """32-bit integer, logic, shift and move operations, and 64-bit products."""

    MOV = auto()
    ADD3 = auto()
    MAD = auto()
    MAD_WIDE = auto()
    MAD_HI = auto()
    LOP3 = auto()
    SHF = auto()
    LEA = auto()
    PRMT = auto()
    MIN_MAX = auto()
    SEL = auto()
    ABS = auto()
    POPC = auto()
    FLO = auto()
    BREV = auto()
    BMSK = auto()
    SGXT = auto()
    DP4A = auto()
    DP2A = auto()
    VABSDIFF = auto()
    VABSDIFF4 = auto()
    VIDEO = auto()


class Single(IntEnum):
    """f32 operations."""

    ADD = auto()
    MUL = auto()
    FMA = auto()
    MIN_MAX = auto()
    MUFU = auto()
    SEL = auto()
    SET = auto()


class Half(IntEnum):
    """Operations on packed pairs of f16 or bf16."""

    ADD = auto()
    MUL = auto()
    FMA = auto()
    MIN_MAX = auto()
    MIN_MAX_3 = auto()
    SET = auto()
    MUFU = auto()


class Double(IntEnum):
    """f64 operations."""

    ADD = auto()
    MUL = auto()
    FMA = auto()


class Convert(IntEnum):
    """Conversions between number formats."""

    F2F = auto()
    F2I = auto()
    I2F = auto()
    PACK = auto()
    FRND = auto()
    I2I = auto()
    UNPACK8 = auto()
    PACK8 = auto()
    PACK_INTEGERS = auto()


class Predicate(IntEnum):
    """Operations that write predicates, or move data between lanes."""

    ISETP = auto()
    FSETP = auto()
    DSETP = auto()
    HSETP = auto()
    PLOP3 = auto()
    PLOP3_SIGNS = auto()
    P2R = auto()
    R2P = auto()
    VOTE = auto()
    SHFL = auto()
    REDUX = auto()
    MATCH = auto()
    R2UR = auto()
    FCHK = auto()
    S2R = auto()
    CLOCK = auto()
    QUERY_SPACE = auto()


class Memory(IntEnum):
    """Loads, stores, asynchronous copies and atomics."""

    LOAD_GLOBAL = auto()
    STORE_GLOBAL = auto()
    LOAD_SHARED = auto()
    STORE_SHARED = auto()
    LOAD_LOCAL = auto()
    STORE_LOCAL = auto()
    LOAD_GENERIC = auto()
    STORE_GENERIC = auto()
    LOAD_CONSTANT = auto()
    LOAD_MATRIX = auto()
    STORE_MATRIX = auto()
    COPY_ASYNC = auto()
    ATOMIC_GLOBAL = auto()
    ATOMIC_SHARED = auto()
    ATOMIC_GENERIC = auto()


class Tensor(IntEnum):
    """Matrix operations."""

    MMA = auto()
    TRANSPOSE = auto()


class Control(IntEnum):
    """Branches, convergence, barriers, and what has no effect on values."""

    NOP = auto()
    BRANCH = auto()
    BRANCH_DIVERGED = auto()
    BRANCH_INDIRECT = auto()
    CALL = auto()
    EXIT = auto()
    SET_CONVERGENCE = auto()
    CONVERGE = auto()
    BREAK = auto()
    READ_CONVERGENCE = auto()
    WRITE_CONVERGENCE = auto()
    COPY_CONVERGENCE = auto()
    WARP_SYNC = auto()
    BARRIER = auto()
    BARRIER_RESULT = auto()
    YIELD = auto()
    TRAP = auto()
    CALL_OUTSIDE = auto()


_SOURCES = "abc"

MICRO: Final = np.dtype(
    [
        ("family", np.int32),
        ("code", np.int32),
        ("variant", np.int32),  # the modifier that selects among closely related operations
        ("guard", np.int32),  # predicate that must hold in a lane
        ("guard_flip", np.uint32),
        ("d", np.int32),  # first destination row, in words
        ("d_rows", np.int32),  # how many rows are written, 0 for none
        *(
            field
            for s in _SOURCES
            for field in (
                (s, np.int32),  # first word of the source row
                (f"{s}_warp", np.int32),  # 1 where the row belongs to the warp, 0 where all warps share it
                (f"{s}_and", np.uint32),
                (f"{s}_xor", np.uint32),
                (f"{s}_half", np.int32),  # packed halves: 0 both, 1 the low one twice, 2 the high one twice, 3 one f32
            )
        ),
        ("p", np.int32),  # destination predicates
        ("p2", np.int32),
        ("q", np.int32),  # source predicates
        ("q_flip", np.uint32),
        ("q2", np.int32),
        ("q2_flip", np.uint32),
        ("q3", np.int32),
        ("q3_flip", np.uint32),
        ("scale", np.int32),  # of an address register, as a shift
        ("imm", np.int64),  # lut, shift, address offset, branch target, ...
        ("aux", np.int64),  # a second one
        ("bytes", np.int32),  # width of a memory access in each lane
        ("wide", np.int32),  # bit 0: address register is 64 bits; bit 1: the uniform one is
        ("flags", np.int32),  # rounding, saturation, FTZ: see simtc.machine.flags
        ("source_rows", np.int32),  # registers a store or tensor operation reads
    ],
    align=True,
)


class Flag(IntEnum):
    """Bits of a micro-operation's `flags`."""

    FTZ = 1  # subnormal inputs and outputs become zero, sign kept
    SATURATE = 2  # clamp to [0, 1], NaN to 0
    ROUND = 12  # two bits: 0 to nearest even, 4 down, 8 up, 12 toward zero
    BF16 = 16
    SIGNED = 32
    EXTENDED = 64  # .X and .EX: continues a 64-bit operation
    HIGH = 128
    LEFT = 256
    WRAP = 512  # shift counts wrap instead of clamping
    RELU = 1024
    NAN = 2048  # min and max return NaN where an operand is NaN
    NEGATE_PRODUCT = 4096
    CARRY_OUT = 8192
    XOR_SIGN = 16384  # min and max of magnitudes take the product's sign
    MERGE = 32768  # a packed result goes below the lower half of operand c
