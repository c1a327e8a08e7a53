"""How far apart the compiler keeps a fixed-latency result and its readers: what it takes the latency to be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from simtc.isa import Instruction, Kernel, Kind, Operand, opcode_of, registers_read, registers_written
from simtc.isa.dependence import producer, reader

__all__ = ["Dependence", "Seen", "census", "dependences"]

_ENDS = frozenset({"BRA", "BRX", "BRXU", "JMP", "JMX", "CALL", "RET", "EXIT", "BPT"})
_REACH = 40  # cycles: longer than any fixed latency
_TEXTS = 100  # of pairs at the least distance that are told apart
_Name = tuple[Kind, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependence:
    """A fixed-latency result, one reader of it, and the cycles that the compiler keeps between their issues.

    `cycles` counts stall counts alone, so that the hardware takes at least as long: a scoreboard that is waited for on
    the way (`waits`), a branch that is taken or a place where threads meet (`turns`) take time of their own.
    """

    producer: Instruction
    consumer: Instruction
    name: _Name  # the register or predicate
    cycles: int
    guards: bool = False  # it is the predicate that guards the reader
    waits: bool = False
    turns: bool = False


@dataclass(slots=True)
class Seen:
    """How near to a class of result a class of reader was seen, and how often."""

    cycles: int = _REACH  # the fewest
    at_least: int = 0  # times that they were so few
    times: int = 0  # times in all, up to a distance that no latency reaches
    texts: set[str] = field(default_factory=set, repr=False)  # of different such pairs of instructions, up to a number

    def add(self, cycles: int, text: str, times: int = 1) -> None:
        """Count a pair of instructions."""
        self.times += times
        if cycles < self.cycles:
            self.cycles, self.at_least, self.texts = cycles, 0, set()
        if cycles == self.cycles:
            self.at_least += times
            if len(self.texts) < _TEXTS:
                self.texts.add(text)

    def join(self, other: Seen) -> None:
        """Count what was counted elsewhere."""
        self.times += other.times
        if other.cycles < self.cycles:
            self.cycles, self.at_least, self.texts = other.cycles, 0, set()
        if other.cycles == self.cycles:
            self.at_least += other.at_least
            self.texts = set(sorted(self.texts | other.texts)[:_TEXTS])


@dataclass(frozen=True, slots=True)
class _Written:
    by: Instruction
    at: int
    waits: int  # how many instructions had waited for a scoreboard by then
    turns: int
    guard: Operand | None  # None once the predicate has been written again


@dataclass(slots=True)
class _Facts:
    """What the walk needs of one instruction, found once."""

    instruction: Instruction
    reads: frozenset[_Name]
    writes: frozenset[_Name]
    is_fixed: bool
    stall: int
    waits: bool
    turns: bool
    target: int | None


def dependences(kernel: Kernel) -> Iterator[Dependence]:
    """Yield each pair of a fixed-latency result and a reader of it, in straight lines and across one branch.

    A result counts as fixed where the instruction table says so and the instruction raises no scoreboard for it. A
    result under a predicate leaves the earlier one standing. A reader under the opposite predicate is none: no thread
    executes both.
    """
    facts = [_facts(i, kernel.sm) for i in kernel.instructions]
    live: dict[_Name, list[_Written]] = {}
    now = waits = turns = 0
    for place, one in enumerate(facts):
        waits += one.waits
        yield from _readings(one, live, now, waits, turns)
        _write(one, live, now, waits, turns)
        now += one.stall
        turns += one.turns
        if one.target is not None and one.target < len(facts):
            yield from _around(facts, one.target, live, now, waits)
        if one.instruction.opcode in _ENDS and (one.instruction.guard is None or one.instruction.opcode == "CALL"):
            live.clear()
        elif place % 64 == 0:
            live = {name: near for name, all_ in live.items() if (near := [w for w in all_ if now - w.at < _REACH])}


def _around(
    facts: list[_Facts], start: int, live: dict[_Name, list[_Written]], now: int, waits: int
) -> Iterator[Dependence]:
    """Follow a taken branch for as long as a result from before it may still be under way."""
    live = {name: near for name, all_ in live.items() if (near := [w for w in all_ if now - w.at < _REACH])}
    until = now + _REACH
    for one in facts[start:]:
        if now >= until or not live:
            return
        waits += one.waits
        yield from _readings(one, live, now, waits, turns=-1)
        if one.instruction.guard is None:
            for name in one.writes & live.keys():
                del live[name]
        now += one.stall
        if one.instruction.opcode in _ENDS and one.instruction.guard is None:
            return


def _facts(instruction: Instruction, sm: int) -> _Facts:
    opcode, control = opcode_of(instruction), instruction.control
    label = next((o for o in instruction.operands if o.kind is Kind.LABEL), None)
    jumps = label is not None and instruction.opcode in ("BRA", "CALL", "JMP")
    return _Facts(
        instruction=instruction,
        reads=registers_read(instruction),
        writes=registers_written(instruction),
        is_fixed=opcode.is_fixed_latency(sm) and control.write_barrier is None,
        stall=max(control.stall, 1),
        waits=control.wait_mask != 0 or instruction.opcode == "DEPBAR",
        turns=opcode.unit == "cbu" or instruction.opcode == "BAR",
        target=label.value // 16 if jumps and label is not None else None,
    )


def _readings(one: _Facts, live: dict[_Name, list[_Written]], now: int, waits: int, turns: int) -> Iterator[Dependence]:
    guard = one.instruction.guard
    for name in one.reads & live.keys():
        for written in live[name]:
            if now - written.at < _REACH and not _exclude(written.guard, guard):
                yield Dependence(
                    producer=written.by, consumer=one.instruction, name=name, cycles=now - written.at,
                    guards=guard is not None and name == (guard.kind, guard.index),
                    waits=waits != written.waits, turns=turns != written.turns,
                )  # fmt: skip


def _exclude(one: Operand | None, other: Operand | None) -> bool:
    """Tell whether two guards are opposites: no thread executes both instructions."""
    if one is None or other is None:
        return False
    return (one.kind, one.index) == (other.kind, other.index) and one.negate != other.negate


def _write(one: _Facts, live: dict[_Name, list[_Written]], now: int, waits: int, turns: int) -> None:
    predicates = [name for name in one.writes if name[0] in (Kind.PREDICATE, Kind.UNIFORM_PREDICATE)]
    for name in predicates:
        _forget_guard(name, live)
    for name in one.writes:
        kept = live.pop(name, []) if one.instruction.guard is not None else []
        live.pop(name, None)
        if one.is_fixed:
            kept = [*kept, _Written(one.instruction, now, waits, turns, one.instruction.guard)]
        if kept:
            live[name] = kept


def _forget_guard(name: _Name, live: dict[_Name, list[_Written]]) -> None:
    """Let what was written under a predicate no longer be told from what is done under it from now on."""
    for register, all_ in live.items():
        if any(w.guard is not None and (w.guard.kind, w.guard.index) == name for w in all_):
            live[register] = [
                replace(w, guard=None) if w.guard is not None and (w.guard.kind, w.guard.index) == name else w
                for w in all_
            ]


def census(kernels: Iterable[Kernel]) -> dict[tuple[str, str], Seen]:
    """Return what compiled code keeps between each class of result and each class of reader.

    Example:
        >>> from simtc.isa import ControlCode
        >>> from simtc.sass import parse_instruction
        >>> word = (ControlCode(stall=4).to_bits() << 105) | 7 << 12
        >>> produce = parse_instruction("IADD3 R2, R3, R4, RZ", address=0, word=word)
        >>> consume = parse_instruction("IADD3 R5, R2, R4, RZ", address=16)
        >>> census([Kernel(name="k", sm=75, instructions=(produce, consume))])
        {('alu R', 'alu'): Seen(cycles=4, at_least=1, times=1)}

    """
    found: dict[tuple[str, str], Seen] = {}
    for kernel in kernels:
        for one in dependences(kernel):
            made = producer(one.producer, one.name, kernel.sm)
            if made is not None:
                pair = made, reader(one.consumer, one.name, kernel.sm)
                found.setdefault(pair, Seen()).add(one.cycles, f"{one.producer.text}; {one.consumer.text}")
    return dict(sorted(found.items()))
