"""From instructions and a chip's constants to the table that the clock reads."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from simtc.arch import Device, Sm
from simtc.arch.sections import Pipes
from simtc.isa import Instruction, Kernel, Kind, lane_bytes
from simtc.isa.dependence import producer, reader
from simtc.isa.opcodes import opcode_of
from simtc.isa.registers import registers_read, registers_written
from simtc.timing.banks import bank_reads
from simtc.timing.constants import CLASS, Access, Halves, Pipe, Special
from simtc.timing.constants import Kind as How
from simtc.timing.hazards import PRODUCERS, READERS, safe_table
from simtc.timing.operation import OPERATION_FIELDS
from simtc.timing.rates import memory_row, pipe_constants, special_row, tensor_row
from simtc.timing.units.fetch import LINES

__all__ = ["Table", "clock_table", "name_of_row"]

# Rows of the hazard table: vector, uniform, predicate and uniform predicate registers.
_ROW_OF = {Kind.REGISTER: 0, Kind.UNIFORM: 256, Kind.PREDICATE: 320, Kind.UNIFORM_PREDICATE: 328}

_ARITHMETIC = (Pipe.ALU, Pipe.FMA, Pipe.FMA_HEAVY, Pipe.FP16, Pipe.FP64, Pipe.UNIFORM)
_PIPES = {
    "alu": Pipe.ALU,
    "fma": Pipe.FMA,
    "fmaheavy": Pipe.FMA,
    "fp16": Pipe.FP16,
    "fp64": Pipe.FP64,
    "xu": Pipe.XU,
    "uniform": Pipe.UNIFORM,
    "tensor": Pipe.TENSOR,
    "lsu": Pipe.MIO,
    "adu": Pipe.ADU,
    "cbu": Pipe.NONE,
    "none": Pipe.NONE,
}
_WHOLE = 4  # registers of a 16x8 matrix of 32 bits
_SPECIAL = {"S2R": Special.REGISTER, "S2UR": Special.REGISTER, "LDC": Special.CONSTANT}
_HINTS = {"LTC64B": 64, "LTC128B": 128, "LTC256B": 256}  # bytes that L2 should have


class Table(NamedTuple):
    """What the clock knows of each instruction."""

    ops: np.ndarray  # (instructions + 1,) records: see operation.py
    rows: np.ndarray  # uint16: see safety.py
    safe: np.ndarray  # (producers, readers) int64: cycles that the compiler must keep


@lru_cache(maxsize=64)
def clock_table(kernel: Kernel, device: Device) -> Table:
    """Build the table of a kernel on a board.

    Raises:
        BadInputError: an opcode whose timing is unknown.

    """
    ops = np.zeros(len(kernel.instructions) + 1, OPERATION_FIELDS)
    rows: list[int] = []
    constants: dict[tuple[int, int], int] = {}
    reads = bank_reads(kernel, device, keeps=True)
    lost = bank_reads(kernel, device, keeps=False) if device.sm.issue.reuse_lost else reads
    for number, instruction in enumerate(kernel.instructions):
        op = ops[number]
        control = instruction.control
        op["stall"], op["yields"], op["wait_mask"] = control.stall, control.yields, control.wait_mask
        op["write_barrier"] = -1 if control.write_barrier is None else control.write_barrier
        op["read_barrier"] = -1 if control.read_barrier is None else control.read_barrier
        _pipe(op, instruction, device)
        op["tokens"] = _tokens(instruction, max(reads[number]), device)
        (op["even"], op["odd"]), (op["lost_even"], op["lost_odd"]) = reads[number], lost[number]
        op["constant"] = _constant(instruction, device, constants)
        op["loads_constant"] = instruction.opcode == "LDC"
        op["special"] = _SPECIAL.get(instruction.opcode, Special.NONE)
        op["is_barrier"] = instruction.opcode == "BAR"
        arithmetic = op["kind"] == How.FIXED and op["pipe"] in _ARITHMETIC
        passes = arithmetic or op["pipe"] == Pipe.TENSOR or instruction.opcode == "CS2R"
        op["passes_barrier"] = passes and device.sm.issue.barrier_defers
        op["is_fence"] = instruction.opcode == "MEMBAR" and "CTA" not in instruction.modifiers
        if instruction.opcode == "BSYNC":
            op["stall"] = max(control.stall, round(device.sm.issue.sync_cycles))
        for how, found in (
            ("read", _cells_read(instruction, kernel.sm)),
            ("write", _cells_written(instruction, kernel.sm)),
        ):
            op[f"first_{how}"], op[f"{how}s"] = len(rows), len(found)
            rows.extend(found)
    table = Table(ops=ops, rows=np.array(rows or [0], np.uint16), safe=safe_table(device))
    for array in table:
        array.flags.writeable = False  # launches share it
    return table


def _cells_read(instruction: Instruction, sm: int) -> list[int]:
    """Return the rows of the hazard table that an instruction reads, each with the class of reader that it is."""
    names = [name for name in registers_read(instruction) if name[0] in _ROW_OF]
    return sorted(_row_of(name) + CLASS * READERS.index(reader(instruction, name, sm)) for name in names)


def _cells_written(instruction: Instruction, sm: int) -> list[int]:
    """Return the rows that it writes, each with the class of its result; 0 for one that is not checked."""
    names = [name for name in registers_written(instruction) if name[0] in _ROW_OF]
    classes = [producer(instruction, name, sm) for name in names]
    places = [PRODUCERS.index(made) if made in PRODUCERS else 0 for made in classes]
    return sorted(_row_of(name) + CLASS * place for name, place in zip(names, places, strict=True))


def _row_of(name: tuple[Kind, int]) -> int:
    return _ROW_OF[name[0]] + name[1]


def name_of_row(row: int) -> str:
    """Return the register or predicate of a row of the hazard table.

    Example:
        >>> name_of_row(50), name_of_row(260), name_of_row(321)
        ('R50', 'UR4', 'P1')

    """
    kind = max((kind for kind, first in _ROW_OF.items() if first <= row), key=_ROW_OF.__getitem__)
    return f"{kind.value}{row - _ROW_OF[kind]}"


def _constant(instruction: Instruction, device: Device, seen: dict[tuple[int, int], int]) -> int:
    """Return the number of the line of constants that an instruction reads at a fixed address, -1 for none."""
    for operand in instruction.operands:
        if (
            operand.kind is Kind.CONSTANT
            and operand.base == 255
            and operand.uniform == 63
            and operand.descriptor is None
        ):
            line = operand.index, operand.value // int(device.sm.l1.constant_line_bytes)
            return seen.setdefault(line, len(seen)) % LINES
    return -1


def _tokens(instruction: Instruction, cycles: int, device: Device) -> int:
    """Return how many cycles of the register port an instruction takes from the matrix instruction after it."""
    unit = opcode_of(instruction).unit
    if unit == "tensor":
        return round(tensor_row(instruction, device)[0].register_port_cycles)
    if access := opcode_of(instruction).access:
        stored = access in ("shared_store", "global_store")
        registers = memory_row(instruction, device)[1] // 32 if stored else 0
        return registers // device.sm.issue.store_port_registers + 1
    if unit not in ("alu", "fma", "fmaheavy", "fp16"):
        return 0
    return cycles


def _pipe(op: np.ndarray, instruction: Instruction, device: Device) -> None:
    """Set pipe, interval and how completion is found."""
    opcode, sm = opcode_of(instruction), device.sm
    pipe = _PIPES[opcode.unit]
    op["pipe"], op["interval"], op["kind"] = pipe, 1, How.FIXED
    op["is_branch"] = int(opcode.unit == "cbu")
    if opcode.unit == "cbu" and any(operand.kind is Kind.REGISTER for operand in instruction.operands):
        known = sm.issue.register_branch_cycles or sm.special["SHFL"].latency_cycles
        op["latency"] = round(known)  # RET and BRX bring their target through the MIO
    if instruction.opcode == "DEPBAR":
        _wait(op, instruction)
    elif opcode_of(instruction).access:
        _memory(op, instruction, device)
    elif pipe is Pipe.TENSOR:
        tensor = tensor_row(instruction, device)[0]
        rate = device.tensor_f32_accumulate_rate if "F32" in instruction.modifiers else 1.0
        op["interval"] = round(tensor.issue_interval_cycles / rate)
        op["kind"] = How.VARIABLE
        op["latency"] = round(tensor.latency_second_cycles)
        written = sum(kind is Kind.REGISTER for kind, _ in registers_written(instruction))
        op["is_wide"] = written == _WHOLE and instruction.opcode != "DMMA"
        if instruction.opcode == "DMMA":  # the larger ones are passes of the least one
            op["last_pass"] = max(op["interval"] - sm.tensor["DMMA.884"].issue_interval_cycles, 0)
        op["port_wait"] = tensor.register_wait_cycles or 0.0
        op["store_wait"], op["stage_wait"] = tensor.store_wait_cycles or 0.0, tensor.stage_wait_cycles or 0.0
    elif instruction.opcode == "BAR":
        _barrier(op, instruction, sm)
    elif pipe in (Pipe.MIO, Pipe.ADU, Pipe.XU) or instruction.opcode in sm.special:
        special = special_row(instruction, sm)[0]
        op["interval"], op["kind"] = round(special.issue_interval_cycles), How.VARIABLE
        op["latency"] = round(special.latency_cycles)
        if pipe is Pipe.XU and sm.pipes.xu_read_cycles:
            _queued(op, sm.pipes, sm.shared.release_cycles)
        if pipe is Pipe.MIO:
            op["pipe"] = Pipe.ADU  # special registers do not pass the data stage
    elif pipe is not Pipe.NONE:
        arithmetic = pipe_constants(instruction, sm)
        op["interval"] = arithmetic.issue_interval_cycles
        if sm.pipes.heavy_apart and pipe in (Pipe.ALU, Pipe.FMA, Pipe.FP16):
            _part(op, instruction, sm.pipes)
        if arithmetic is sm.pipes.imad_wide:
            op["second_pass"] = sm.pipes.wide_second_pass_cycles
        if not opcode.is_fixed_latency(instruction_sm(device)):
            op["kind"], op["latency"] = How.VARIABLE, round(arithmetic.observed_cycles)


def _part(op: np.ndarray, instruction: Instruction, pipes: Pipes) -> None:
    """Part the FMA pipe: see pipes.py; HFMA2.MMA is beside it and holds up other pipes than that of halves."""
    unit = opcode_of(instruction).unit
    if unit != "fp16":
        op["behind_half"] = pipes.behind_half_cycles
    if unit == "fma":
        op["halves"] = Halves.OTHER
    elif unit == "fmaheavy":
        op["pipe"], op["halves"] = Pipe.FMA_HEAVY, Halves.HEAVY
    elif unit == "fp16" and "MMA" not in instruction.modifiers:
        op["pipe"], op["halves"] = Pipe.FMA_HEAVY, Halves.BOTH


def _queued(op: np.ndarray, pipes: Pipes, release_cycles: int) -> None:
    """Let an instruction of XU pass the memory I/O queue, which reads its operands."""
    op["pipe"], op["kind"], op["access"] = Pipe.MIO, How.MEMORY, Access.SPECIAL
    op["special_cycles"], op["interval"] = op["interval"], 1
    op["special_ahead"] = round(pipes.xu_entries * int(op["special_cycles"]))
    op["operand_read"] = round(pipes.xu_read_cycles)
    op["war"] = op["operand_read"] + release_cycles
    op["tail"] = op["latency"] - 1 - op["operand_read"]


def _barrier(op: np.ndarray, instruction: Instruction, sm: Sm) -> None:
    """Let a barrier that reads registers pass the memory I/O queue; any other takes a cycle of its unit."""
    registers = sum(kind is Kind.REGISTER for kind, *_ in registers_read(instruction))
    if registers and sm.issue.barrier_queued_release_cycles:
        op["access"] = Access.BARRIER
        op["operand_read"] = registers * round(sm.memory["LDS.32"].operand_read_cycles)
        op["war"] = op["operand_read"] + sm.shared.release_cycles


def instruction_sm(device: Device) -> int:
    """Return the generation as a number."""
    return int(device.sm_name.removeprefix("sm_"))


def _memory(op: np.ndarray, instruction: Instruction, device: Device) -> None:
    """Set what the memory I/O path needs to know."""
    sm = device.sm
    opcode = opcode_of(instruction)
    access = Access[opcode.access.upper()]
    op["kind"], op["access"], op["is_long"] = How.MEMORY, access, int(opcode.is_long)
    if access is Access.GROUP:
        op["war"], op["tail"] = sm.shared.release_cycles, 1
        return
    if access is Access.EXCHANGE:
        special = special_row(instruction, sm)[0]
        op["operand_read"] = round(special.issue_interval_cycles)
        latency, bits = special.latency_cycles, 32
        op["war"] = op["operand_read"] + sm.shared.release_cycles
    else:
        constants, bits, _ = memory_row(instruction, device)
        op["operand_read"], op["war"] = round(constants.operand_read_cycles), round(constants.war_cycles)
        latency = constants.latency_cycles
    returns = access is not Access.COPY and not (access is Access.ATOMIC and not opcode.writes)
    op["returned"] = 4 * bits if returns else 0
    if access is Access.GLOBAL_STORE:
        op["returned"] = 32 * lane_bytes(instruction)
    op["bypasses"] = "BYPASS" in instruction.modifiers
    op["is_strong"] = "STRONG" in instruction.modifiers and not {"CTA", "SM"} & set(instruction.modifiers)
    op["hint"] = next((_HINTS[m] for m in instruction.modifiers if m in _HINTS), 0)
    # What the path itself takes when nobody else is there; the rest of the latency comes after it.
    wavefront = sm.shared.wavefront_bytes / sm.shared.data_stage_bytes_per_cycle
    stage = max(bits // 32, 1) * wavefront if access is Access.SHARED_LOAD else wavefront
    back = max(stage, wavefront + 4 * bits / sm.shared.return_bytes_per_cycle)
    op["tail"] = max(round(latency - 1 - constants_read(op) - back), 0)


def constants_read(op: np.ndarray) -> int:
    """Return the cycles of the operand port."""
    return int(op["operand_read"])


def _wait(op: np.ndarray, instruction: Instruction) -> None:
    """Read DEPBAR.LE SB0, n: wait until at most n are pending."""
    board = next((o.index for o in instruction.operands if o.kind is Kind.SCOREBOARD), 0)
    count = next((o.value for o in instruction.operands if o.kind is Kind.IMMEDIATE), 0)
    op["kind"], op["wait_board"], op["wait_count"] = How.WAIT, board, count
