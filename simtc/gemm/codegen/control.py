"""Control codes: stall counts for results of fixed latency, scoreboards and waits for the others.

The hardware checks nothing. This pass follows every way through the code that matters (into the loop, around it, out of
it) and gives each instruction the longest stall and every wait that any of them needs. It reads the latencies of
`simtc.arch` itself; the clock, which checks what it made, has a table of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from simtc.arch.generation import Sm
from simtc.arch.sections import Pipe
from simtc.gemm.codegen.assembly import Line
from simtc.isa import ControlCode, Instruction, Kind, opcode_of, registers_read, registers_written

__all__ = ["TooCloseError", "control_codes"]

_Name = tuple[Kind, int]
_MULTIPLIERS = ("fma", "fmaheavy")
_LIMIT = 15  # cycles that a stall count can say
_SCOREBOARD = 2  # least stall of an instruction that raises a scoreboard: a waiter sees it only then
_CONTROL = 5  # stall of barriers and branches, as compilers have it
_PREDICATES = (Kind.PREDICATE, Kind.UNIFORM_PREDICATE)


class TooCloseError(ValueError):
    """So few instructions lie between a result and its use that their stall counts cannot keep the distance."""


@dataclass(slots=True)
class _Pending:
    """Registers that instructions of variable latency are still to write, or still to read."""

    boards: dict[_Name, set[int]] = field(default_factory=dict)  # signalled through these scoreboards
    silent: dict[_Name, str] = field(default_factory=dict)  # by this opcode, whose next signal will tell of it too

    def add(self, names: Iterable[_Name], opcode: str, board: int | None) -> None:
        for name in names:
            if board is not None:
                self.boards.setdefault(name, set()).add(board)
            else:
                self.silent[name] = opcode

    def signal(self, opcode: str, board: int) -> None:
        """Let a scoreboard tell of everything before it in the same queue: results come in order."""
        for name in [name for name, by in self.silent.items() if by == opcode]:
            del self.silent[name]
            self.boards.setdefault(name, set()).add(board)

    def waited(self, boards: set[int]) -> None:
        """Forget what the scoreboards have told of."""
        if not boards:
            return
        for name in [name for name, pending in self.boards.items() if pending & boards]:
            self.boards[name] -= boards
            if not self.boards[name]:
                del self.boards[name]

    @property
    def pending(self) -> frozenset[int]:
        """The scoreboards that are still to tell of something."""
        return frozenset(board for boards in self.boards.values() for board in boards)

    def of(self, names: Iterable[_Name], text: str) -> set[int]:
        """Return the scoreboards that tell of these names."""
        found: set[int] = set()
        for name in names:
            if name in self.silent:
                raise ValueError(f"{text}: nothing signals when {name[0].value}{name[1]} is free")
            found |= self.boards.get(name, set())
        return found


@dataclass(slots=True)
class _Path:
    """What is under way while one way through the code is followed."""

    now: int = 0
    fixed: dict[_Name, int] = field(default_factory=dict)  # name -> the step of the path at which it was produced
    writing: _Pending = field(default_factory=_Pending)
    reading: _Pending = field(default_factory=_Pending)
    shared_loads: set[int] = field(default_factory=set)  # their scoreboards
    places: list[int] = field(default_factory=list)  # of the instructions so far
    times: list[int] = field(default_factory=list)  # at which they issued


class _Codes:
    """The control codes so far."""

    def __init__(self, instructions: Sequence[Instruction], lines: Sequence[Line], sm: Sm) -> None:
        self.instructions, self.lines, self.sm = instructions, lines, sm
        self.number = int(sm.name.removeprefix("sm_"))
        self.opcodes = [opcode_of(i) for i in instructions]
        self.reads = [registers_read(i) for i in instructions]
        self.writes = [registers_written(i) for i in instructions]
        self.fixed = [opcode.is_fixed_latency(self.number) for opcode in self.opcodes]
        self.waits = [0] * len(instructions)
        self.stalls = [self._least(place) for place in range(len(instructions))]
        self._pace()

    def _least(self, place: int) -> int:
        if self.opcodes[place].unit == "cbu" or self.opcodes[place].name == "BAR":
            return _CONTROL
        line = self.lines[place]
        return 1 if line.write is None and line.read is None and self.fixed[place] else _SCOREBOARD

    def _pace(self) -> None:
        """Let a warp come back to its matrix instructions just when the pipe does, whatever it issues in between."""
        spent = 0
        for place in range(len(self.lines) - 1, -1, -1):
            interval = self.lines[place].interval
            if interval:
                self.stalls[place] = max(self.stalls[place], min(interval - spent, _LIMIT))  # the pipe holds it longer
            spent = 0 if interval else spent + self.stalls[place]

    def follow(self, path: Iterable[int]) -> None:
        """Follow one way through the code."""
        state = _Path()
        for place in path:
            self._wait(state, place)
            self._stall(state, place)
            state.places.append(place)
            state.times.append(state.now)
            self._note(state, place)
            state.now += self.stalls[place]

    def _wait(self, state: _Path, place: int) -> None:
        """Wait for what this instruction reads or overwrites; a barrier, for loads of what others will overwrite."""
        text = self.lines[place].text
        boards = state.writing.of(self.reads[place] | self.writes[place], text)
        boards |= state.reading.of(self.writes[place], text)
        if self.opcodes[place].name == "BAR":
            boards |= state.shared_loads
        signal = self.lines[place].write
        if self.opcodes[place].unit == "tensor" and signal is not None and signal in state.writing.pending:
            boards.add(signal)  # what it told of is long done; a later wait would be for this result too
        self.waits[place] |= sum(1 << board for board in boards)
        state.writing.waited(boards)
        state.reading.waited(boards)
        state.shared_loads -= boards

    def _stall(self, state: _Path, place: int) -> None:
        """Delay the instruction until its fixed-latency sources are ready, by the stall counts before it."""
        for name in self.reads[place] & state.fixed.keys():
            step = state.fixed[name]
            missing = state.times[step] + self._distance(state.places[step], place, name) - state.now
            for earlier in range(len(state.places) - 1, step - 1, -1):
                if missing <= 0:
                    break
                more = min(missing, _LIMIT - self.stalls[state.places[earlier]])
                self.stalls[state.places[earlier]] += more
                for later in range(earlier + 1, len(state.times)):
                    state.times[later] += more
                state.now += more
                missing -= more
            if missing > 0:
                raise TooCloseError(f"{self.lines[place].text}: stall counts cannot keep its distance from {name}")

    def _distance(self, producer: int, consumer: int, name: _Name) -> int:
        """Return the least distance that keeps a fixed-latency result safe."""
        if name[0] in _PREDICATES:
            return self.sm.pipes.safe_predicate_cycles
        made, used = self.opcodes[producer], self.opcodes[consumer]
        if made.unit == "tensor":
            tensor = self.sm.tensor[self.instructions[producer].mnemonic.removesuffix(".BF16")]  # as wide as f16
            return max(tensor.chain_safe_cycles, round(tensor.latency_second_cycles))
        pipe = self._pipe(producer)
        late = self.sm.pipes.wide_upper_cycles if "WIDE" in self.instructions[producer].modifiers else 0
        if used.unit == made.unit or {used.unit, made.unit} <= set(_MULTIPLIERS):
            return pipe.safe_same_cycles + late
        if used.unit == "lsu":
            return pipe.safe_memory_cycles
        if used.unit == "tensor":
            return pipe.safe_tensor_cycles
        return max(pipe.safe_cross_cycles + late, pipe.safe_variable_cycles)

    def _pipe(self, producer: int) -> Pipe:
        pipes, instruction = self.sm.pipes, self.instructions[producer]
        if self.opcodes[producer].unit == "uniform":
            return pipes.uniform_move or pipes.alu
        if instruction.opcode == "IMAD":
            return pipes.imad_wide if "WIDE" in instruction.modifiers else pipes.imad
        return {"fp16": pipes.fp16, "fma": pipes.fma}.get(self.opcodes[producer].unit, pipes.alu)

    def _note(self, state: _Path, place: int) -> None:
        """Note what this instruction leaves under way."""
        line, opcode = self.lines[place], self.opcodes[place].name
        for name in self.writes[place]:
            state.fixed.pop(name, None)
        if self.fixed[place]:
            state.fixed |= dict.fromkeys(self.writes[place], len(state.places) - 1)
            return
        for board in {line.write, line.read} - {None}:
            state.reading.signal(opcode, board)  # type: ignore[arg-type]
        if line.write is not None:
            state.writing.signal(opcode, line.write)
        state.writing.add(self.writes[place], opcode, line.write)
        late = {name for name in self.reads[place] if name[0] not in _PREDICATES}  # a guard is read at issue
        state.reading.add(late, opcode, line.write if line.read is None else line.read)
        if opcode in ("LDS", "LDSM") and line.write is not None:
            state.shared_loads.add(line.write)


def control_codes(
    instructions: Sequence[Instruction], lines: Sequence[Line], sm: Sm, paths: Iterable[Iterable[int]]
) -> list[ControlCode]:
    """Return the control code of each instruction.

    Args:
        instructions: in order, without control codes.
        lines: what each was made of, with the scoreboards that it raises.
        sm: the generation, whose latencies count.
        paths: ways through the code, as places in `instructions`, that between them take every transition.

    Raises:
        ValueError: nothing signals when a register may be used that an instruction uses.
        TooCloseError: a result of fixed latency is used too soon for any stall count.

    """
    codes = _Codes(instructions, lines, sm)
    for path in paths:
        codes.follow(path)
    return [
        ControlCode(stall=stall, write_barrier=line.write, read_barrier=line.read, wait_mask=wait)
        for stall, line, wait in zip(codes.stalls, lines, codes.waits, strict=True)
    ]
