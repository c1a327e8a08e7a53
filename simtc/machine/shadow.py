"""The arrays of a checked run: what it remembers beside the values, and what it must know of each instruction."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simtc.isa import Instruction, Kernel, Kind, Operand, operands_read, registers_read, registers_written
from simtc.isa.opcodes import opcode_of
from simtc.machine.micro import TRUE, UNIFORM_PREDICATE, Control, Family, Integer
from simtc.machine.state import Code, Geometry, shared_pitch
from simtc.machine.watch import FINDING, GATHERED, PLACES, PREDICATE_AT, UNIFORM_AT, WATCH, Habit

__all__ = ["FINDINGS", "new_shadow"]

FINDINGS = 64  # that a launch keeps
_AND = 0xC0  # the table of LOP3 that makes a & b of its first two operands
_GROUPS = 0xFFFF  # of asynchronous copies under way: more than any kernel has
# PTX has them with .sync: all threads that execute one wait for each other. A NOP that is executed stands where the
# compiler saw that the threads of a __syncwarp() are together already.
_FIRST = {
    Kind.REGISTER: 0,
    Kind.UNIFORM: UNIFORM_AT,
    Kind.PREDICATE: PREDICATE_AT,
    Kind.UNIFORM_PREDICATE: PREDICATE_AT + UNIFORM_PREDICATE,
}


def new_shadow(
    kernel: Kernel, code: Code, geometry: np.ndarray, slots: int, nothing: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """Return the arrays of a checked run with `slots` resident blocks, by their names in State.

    unknown: of each register of each warp, the lanes in which it holds nothing that was written. origin: of such a
    register, 1 + the load that gave it, below zero where that was from global memory. unset, unset_global: the bytes of
    shared and of global memory that hold nothing. written, read, read_too: of each shared byte, the stamps of its last
    write, and of two reads or atomics. uses, uses_at: the registers that each instruction reads and writes. habits: see
    Habit. masks: of each instruction that joins threads, 1 + the register that names them. beyond: see `_beyond`.
    counted: of each such place, 1 + how often the first thread there took the barrier. watch, gathered, findings: see
    simtc.machine.watch. found: how many findings and steps, and the instruction under way. where, doubts: scratch, a
    word a lane or a register.

    Args:
        kernel: what runs.
        code: the same, lowered.
        geometry: (Geometry.COUNT,) int64.
        slots: blocks resident at once.
        nothing: one byte for each of global memory, 1 where it holds nothing yet; None where all of it was written.

    """
    uses: list[int] = []
    places: list[int] = []
    for instruction in kernel.instructions:
        for found in (_sources(instruction), registers_written(instruction)):
            places.append(len(uses))
            uses += sorted(_FIRST[kind] + index for kind, index in found if kind in _FIRST)
    places += [len(uses)] * 4  # the end, and the trap behind the last instruction
    warps = slots * int(geometry[Geometry.WARPS])
    stamps = max(slots * shared_pitch(geometry), 16)
    return {
        "unknown": np.zeros(warps * PLACES, np.uint32),
        "origin": np.zeros(warps * PLACES, np.int64),
        "unset": np.ones(stamps, np.uint8),
        "unset_global": np.zeros(1, np.uint8) if nothing is None else nothing,
        **{name: np.zeros(stamps, np.int64) for name in ("written", "read", "read_too")},
        "uses": np.array([*uses, 0], np.int32),
        "uses_at": np.array(places, np.int32),
        "habits": np.array([*_habits(kernel, code), 0], np.int32),
        "beyond": (beyond := _beyond(kernel, code)),
        "counted": np.zeros(slots * beyond.size, np.int32),
        "masks": _masks(kernel),
        "watch": np.zeros(warps, WATCH),
        "gathered": np.zeros(slots * 16, GATHERED),
        "findings": np.zeros(FINDINGS, FINDING),
        "found": np.zeros(3, np.int64),  # how many findings, how many steps, which instruction is under way
        "where": np.zeros(32, np.int64),
        "doubts": np.zeros(64, np.uint32),
    }


def _sources(instruction: Instruction) -> frozenset[tuple[Kind, int]]:
    """Return what an instruction reads; its guard only where it is an operand too."""
    found = registers_read(instruction)
    guard = instruction.guard
    if guard is None:
        return found
    operands = {(operand.kind, operand.index) for operand in operands_read(instruction)}
    mine = (guard.kind, guard.index)
    return found if mine in operands else found - {mine}


def _habits(kernel: Kernel, code: Code) -> Iterator[int]:
    guessed = {
        instruction.operands[-2].index
        for instruction in kernel.instructions
        if instruction.opcode in ("ATOM", "ATOMG", "ATOMS") and {"CAS", "CAST"} & set(instruction.modifiers)
    }
    for place, instruction in enumerate(kernel.instructions):
        op, opcode, habit = code.ops[place], instruction.opcode, 0
        if op["family"] == Family.INTEGER and op["code"] == Integer.PRMT:
            habit |= Habit.MERGES
            if any(_is_known(operand) for operand in operands_read(instruction)[:3:2]):
                habit |= Habit.CONSTANT
        if opcode == "LOP3" and _clears_one_bit(instruction):
            habit |= Habit.PACKS
        votes = opcode == "VOTE" and (op["q"] != TRUE or op["q_flip"])  # without a predicate it is __activemask()
        if votes or opcode_of(instruction).joins:
            habit |= Habit.JOINS
        if opcode == "LDGDEPBAR":
            habit |= Habit.COMMITS
        if opcode == "DEPBAR" and "LE" in instruction.modifiers:
            left = [operand.value for operand in instruction.operands if operand.kind is Kind.IMMEDIATE]
            habit |= Habit.WAITS | min(left[0] if left else 0, _GROUPS) << Habit.NUMBER
        if opcode in ("LDS", "LD", "LDG") and instruction.operands[0].index in guessed:
            habit |= Habit.GUESSES
        yield int(habit)


def _masks(kernel: Kernel) -> np.ndarray:
    out = np.zeros(len(kernel.instructions) + 2, np.int32)
    for address, register in kernel.warp_masks:
        if address % 16 == 0 and address // 16 < len(kernel.instructions):
            out[address // 16] = register + 1
    return out


def _clears_one_bit(instruction: Instruction) -> bool:
    """Tell whether a LOP3 is R &= ~bit."""
    operands = instruction.operands
    if len(operands) < 5 or {operands[0].kind, operands[1].kind} != {Kind.REGISTER}:
        return False
    target, source, mask, _, table = operands[:5]
    in_place = target.index == source.index and (mask.kind, table.value) == (Kind.IMMEDIATE, _AND)
    return in_place and (~mask.value & 0xFFFFFFFF).bit_count() == 1


def _is_known(operand: Operand) -> bool:
    return operand.kind in (Kind.CONSTANT, Kind.IMMEDIATE) or (operand.kind, operand.index) == (Kind.REGISTER, 255)


def _beyond(kernel: Kernel, code: Code) -> np.ndarray:
    """Return for each place 1 + a barrier that lies behind all who come there: it leads there, and not back to itself.

    A thread that is there has passed the barrier, or gone around it. Barriers of a counted number of threads are left
    out: not all threads need to take them.
    """
    count = len(kernel.instructions)
    ops = code.ops[:count]
    out = np.zeros(count + 2, np.int32)
    barrier = (
        (ops["family"] == Family.CONTROL) & (ops["code"] == Control.BARRIER) & (ops["aux"] == 0) & (ops["imm"] >= 0)
    )
    following = [_following(ops, place) for place in range(count)]
    leading: list[list[int]] = [[] for _ in range(count)]
    for place, targets in enumerate(following):
        for target in targets:
            leading[target].append(place)
    for number in sorted({int(n) for n in ops["imm"][barrier]}):
        mine = np.flatnonzero(barrier & (ops["imm"] == number)).tolist()
        after, before = _reached(mine, following), _reached(mine, leading)
        for place in after - before:
            out[place] = number + 1
    return out


def _following(ops: np.ndarray, place: int) -> list[int]:
    """Return where control may go from a place; where only a register says it, nowhere."""
    op = ops[place]
    always = op["guard"] == TRUE and not op["guard_flip"]
    targets = []
    if op["family"] == Family.CONTROL:
        code = op["code"]
        if code in (Control.BRANCH, Control.BRANCH_DIVERGED, Control.CALL):
            targets.append(int(op["imm"]))
            always = always and op["q"] == TRUE and not op["q_flip"] and code == Control.BRANCH
        elif code not in (Control.EXIT, Control.BRANCH_INDIRECT):
            always = False
    else:
        always = False
    if not always and place + 1 < len(ops):
        targets.append(place + 1)
    return targets


def _reached(start: list[int], edges: list[list[int]]) -> set[int]:
    """Return the places that an edge or more lead to."""
    seen: set[int] = set()
    todo = list(start)
    while todo:
        for target in edges[todo.pop()]:
            if target not in seen:
                seen.add(target)
                todo.append(target)
    return seen
