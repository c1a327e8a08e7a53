"""The skeleton of a kernel: the instructions that its control flow and its addresses depend on.

Executing these alone takes a warp from one iteration of a loop to a later one, and shows what memory it touches on the
way, without computing a value: what makes the sampling of large problems possible.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntFlag

import numpy as np

from simtc.isa import Instruction, Kind, opcodes
from simtc.isa.opcodes import ACCESSES
from simtc.isa.registers import operands_read, registers_read, registers_written
from simtc.machine.lowering import Lowered
from simtc.machine.micro import TRUE, Control, Family, Integer

__all__ = ["Part", "Skeleton", "skeleton", "without_values"]

_BIT_OF = {
    Kind.REGISTER: 0,
    Kind.UNIFORM: 256,
    Kind.PREDICATE: 320,
    Kind.UNIFORM_PREDICATE: 328,
    Kind.BARRIER: 336,
}


def _opcodes(accesses: set[str], spaces: set[str]) -> frozenset[str]:
    """Return the opcodes of the table with one of some kinds of access to one of some spaces."""
    return frozenset(name for name, row in opcodes().items() if row.access in accesses and spaces & {*row.spaces})


_FAR, _OWN = {"global", "generic"}, {"shared", "generic", "local"}  # a generic address may be of either
_STORES = _opcodes({"global_store"}, _FAR)
_FROM_MEMORY = _opcodes({"global_load"}, _FAR)
_GLOBAL = _STORES | _FROM_MEMORY | _opcodes({"copy"}, _FAR)
_MEMORY = _opcodes({*ACCESSES}, _FAR | _OWN)
_FROM_BLOCK = _opcodes({"global_load", "shared_load"}, _OWN) | {"B2R"}  # which reads what a barrier counted
_ANSWERED = _opcodes({"atomic"}, _FAR)
_FROM_OTHERS = frozenset(name for name in _ANSWERED if "R" in opcodes()[name].writes.split())
_BRANCHES = (Control.BRANCH, Control.BRANCH_DIVERGED, Control.CALL)
_LEAVING = (Control.BRANCH, Control.EXIT, Control.BRANCH_INDIRECT)


class Part(IntFlag):
    """What an instruction is to its kernel's skeleton."""

    RUN = 1  # control flow or an address depends on it
    ACCESS = 2  # it touches global memory
    STORE = 4  # and writes to it
    DECIDES = 8  # control flow or an address depends, or may do, on what it loads from global memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Skeleton:
    """A kernel's skeleton and its loops."""

    parts: np.ndarray  # (instructions + 1,) uint8: see Part
    loops: Mapping[int, np.ndarray]  # by the place of the backward branch: (instructions + 1,) uint8, 1 inside
    from_memory: bool  # an address or a branch depends on what global memory holds
    from_block: bool  # one depends on what a block computed: shared or local memory, what a barrier counted
    from_others: bool  # one depends on what other blocks did: atomics on global memory

    @property
    def needs_data(self) -> bool:
        """Whether it cannot be followed with buffers of zeros."""
        return self.from_memory or not self.is_closed

    @property
    def is_closed(self) -> bool:
        """Whether it can be followed without computing anything else."""
        return not (self.from_block or self.from_others)


def skeleton(lowered: Lowered) -> Skeleton:
    """Find a kernel's skeleton: liveness, backwards from branches and addresses."""
    instructions = lowered.kernel.instructions
    following = _successors(lowered)
    run = _needed(lowered, following)
    parts = np.zeros(len(instructions) + 1, np.uint8)
    parts[-1] = Part.RUN
    for place, instruction in enumerate(instructions):
        code = instruction.opcode
        parts[place] = Part.RUN * run[place] | Part.ACCESS * (code in _GLOBAL) | Part.STORE * (code in _STORES)
    deciding = {instruction.opcode for place, instruction in enumerate(instructions) if run[place]}
    from_memory, from_block = (bool(deciding & which) for which in (_FROM_MEMORY, _FROM_BLOCK))
    for place, instruction in enumerate(instructions):  # what goes through shared memory may decide as well
        parts[place] |= Part.DECIDES * ((run[place] or from_block) and instruction.opcode in _FROM_MEMORY)
    shared = any(  # with other blocks: atomics, and what is read where they may have written meanwhile
        (one.opcode in _ANSWERED and (from_memory or from_block)) or (part & Part.DECIDES and "STRONG" in one.modifiers)
        for one, part in zip(instructions, parts, strict=False)
    )
    before: list[list[int]] = [[] for _ in following]
    for place, nexts in enumerate(following):
        for one in nexts:
            before[one].append(place)
    loops = {
        place: _body(before, head, place)
        for place in range(len(instructions))
        for head in _targets(lowered, place)
        if head < place  # not the endless one that ends every kernel
    }
    return Skeleton(
        parts=parts,
        loops=loops,
        from_memory=from_memory,
        from_block=from_block,
        from_others=bool(deciding & _FROM_OTHERS) or shared,
    )


def without_values(lowered: Lowered, bones: Skeleton) -> Lowered:
    """Return a kernel that goes the same way, touches the same memory, and computes nothing else.

    What only computes becomes a move that writes no register. Where blocks decide by what they compute, nothing does.
    """
    if not bones.is_closed:
        return lowered
    ops = lowered.code.ops.copy()
    idle = ~np.isin(ops["family"], (Family.CONTROL, Family.MEMORY)) & (bones.parts[: len(ops)] & Part.RUN == 0)
    for name, value in {"family": Family.INTEGER, "code": Integer.MOV, "d_rows": 0, "flags": 0}.items():
        ops[name][idle] = value
    return replace(lowered, code=lowered.code._replace(ops=ops))


def _targets(lowered: Lowered, place: int) -> tuple[int, ...]:
    """Return where a direct branch goes."""
    op = lowered.code.ops[place]
    return (int(op["imm"]),) if op["family"] == Family.CONTROL and op["code"] in _BRANCHES else ()


def _successors(lowered: Lowered) -> list[tuple[int, ...]]:
    """Return the places that may follow each instruction; an indirect branch may go anywhere."""
    instructions, ops = lowered.kernel.instructions, lowered.code.ops
    out: list[tuple[int, ...]] = []
    for place, instruction in enumerate(instructions):
        op = ops[place]
        control = op["code"] if op["family"] == Family.CONTROL else None
        always = instruction.guard is None and op["q"] == TRUE and not op["q_flip"]
        on: tuple[int, ...] = (
            () if always and control in (Control.BRANCH, Control.EXIT, Control.BRANCH_INDIRECT) else (place + 1,)
        )
        if control == Control.BRANCH_INDIRECT:
            on = tuple(range(len(instructions)))
        out.append((*on, *_targets(lowered, place)))
    return [*out, ()]


def _mask(registers: frozenset[tuple[Kind, int]]) -> int:
    return sum(1 << (_BIT_OF[kind] + index) for kind, index in registers if kind in _BIT_OF)


def _addresses(instruction: Instruction) -> frozenset[tuple[Kind, int]]:
    """Return the registers of a memory instruction's addresses, and its guard."""
    results = len(instruction.operands) - len(operands_read(instruction))
    kept = tuple(o for place, o in enumerate(instruction.operands) if place < results or o.kind is Kind.ADDRESS)
    return registers_read(replace(instruction, operands=kept))


def _needed(lowered: Lowered, following: list[tuple[int, ...]]) -> list[bool]:
    """Return which instructions the skeleton consists of.

    What is needed is kept apart by the guard under which it is read: a write under the same guard satisfies it.
    """
    instructions, ops = lowered.kernel.instructions, lowered.code.ops
    count = len(instructions)
    guards = [None if i.guard is None else (i.guard.kind, i.guard.index, i.guard.negate) for i in instructions]
    keys = [None, *sorted({g for g in guards if g}, key=str)]
    key_of = [keys.index(g) for g in guards]
    predicates = [0 if key is None else _mask(frozenset({key[:2]})) for key in keys]
    reads = [_mask(registers_read(i)) for i in instructions]
    writes = [_mask(registers_written(i)) for i in instructions]
    kept = [_mask(_addresses(i)) if i.opcode in _MEMORY else 0 for i in instructions]
    run = [False] * count
    for place in range(count):
        if ops[place]["family"] == Family.CONTROL:
            run[place] = ops[place]["code"] != Control.BARRIER
            kept[place] = reads[place]
    before = [[0] * len(keys) for _ in range(count + 1)]  # what is needed before each instruction, by guard
    changed = True
    while changed:
        changed = False
        for place in range(count - 1, -1, -1):
            now = [0] * len(keys)
            for one in following[place]:
                now = [a | b for a, b in zip(now, before[one], strict=True)]
            key, written = key_of[place], writes[place]
            run[place] |= any(written & mask for mask in now)
            for k in range(1, len(keys)):
                if predicates[k] & written:  # before its guard is decided, a need has no guard
                    now[0], now[k] = now[0] | now[k], 0
            if run[place]:
                now = [mask & ~written if key in (0, k) else mask for k, mask in enumerate(now)]
            due = reads[place] if run[place] else kept[place]
            now[key] |= due
            now[0] |= due & predicates[key]
            if now != before[place]:
                before[place], changed = now, True
    return run


def _body(before: list[list[int]], head: int, branch: int) -> np.ndarray:
    """Return the loop of a backward branch: what leads to the branch without passing its target."""
    body = np.zeros(len(before), np.uint8)
    body[head] = 1
    todo = [branch]
    while todo:
        place = todo.pop()
        if not body[place]:
            body[place] = 1
            todo += before[place]
    return body
