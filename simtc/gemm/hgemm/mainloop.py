"""The main loop: HMMAs without a gap, and every memory instruction in its place among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from simtc.gemm.codegen.assembly import Board, Code, Line
from simtc.gemm.hgemm.copies import MORE, advances, copies, guards, stores
from simtc.gemm.hgemm.fragments import Operand
from simtc.gemm.hgemm.registers import Registers
from simtc.gemm.hgemm.tiles import Tiles

__all__ = ["iteration", "spread"]


def spread(count: int, start: int, end: int, spacing: int) -> list[int]:
    """Return the places of `count` instructions from `start` on, `spacing` apart or as far as they fit before `end`.

    Example:
        >>> spread(4, 1, 64, 5), spread(4, 1, 3, 5)
        ([1, 6, 11, 16], [1, 1, 2, 2])

    """
    apart = min(spacing, max(end - start, 0) / max(count, 1))
    return [start + int(i * apart) for i in range(count)]


@dataclass(slots=True)
class _Schedule:
    """Which lines stand before each HMMA of an iteration."""

    before: dict[int, list[Line]] = field(default_factory=dict)

    def put(self, lines: Sequence[Line], places: Sequence[int]) -> None:
        for line, place in zip(lines, places, strict=True):
            self.before.setdefault(place, []).append(line)


def iteration(
    code: Code, tiles: Tiles, registers: Registers, sides: tuple[Operand, Operand], body: int, *, idle: int = 0
) -> list[Line]:
    """Return one of the loop's iterations: multiply the tile in its buffer, and bring the next one.

    Its first fragments are there when it starts, and those of the next tile when it ends; where a tile has an odd
    number of k steps, in the one set and in the other in turn. P0 tells whether there is a next tile, P1 at the end
    whether another iteration follows; the predicates of copies look as far ahead as they do. `idle` NOPs stand behind
    each HMMA: more stall counts for a warp whose next HMMA waits for it.
    """
    schedule = _Schedule()
    units, steps = tiles.step_units, tiles.k_steps
    buffer, first = body % tiles.stages, body * steps  # the first fragments' number
    last = (steps - 1) * units
    _load_tile(schedule, code, tiles, registers, sides, buffer)
    latency = tiles.sm.memory["LDS.32"].latency_cycles
    tail = min(-(-int(latency) // tiles.interval_cycles) + 1, units // 2)
    for step in range(steps - 1):
        lines = [line for side in sides for line in side.loads(step + 1, (first + step + 1) % 2, buffer)]
        start = step * units + min(3, units // 2)
        places = spread(len(lines), start, (step + 1) * units - tail, _load_spacing(tiles))
        schedule.put(lines, places)
    if tiles.asynchronous:
        after = _await_tile(schedule, code, tiles)
    else:
        after = _store_tile(schedule, code, tiles, registers, sides, buffer)
    following = (buffer + 1) % tiles.stages
    lines = [line for side in sides for line in side.loads(0, (first + steps) % 2, following, guard=MORE)]
    start = max(after, last + min(3, units // 2))
    schedule.put(lines, spread(len(lines), start, steps * units - tail, _load_spacing(tiles)))
    schedule.put([Line(f"IADD3 R{registers.remaining}, R{registers.remaining}, -0x1, RZ")], [last])
    schedule.put([Line(f"ISETP.GE.AND P1, PT, R{registers.remaining}, 0x1, PT")], [last + units // 2])
    settings = [Line(f"ISETP.GE.AND P0, PT, R{registers.remaining}, 0x2, PT"), *guards(tiles, registers)]
    schedule.put(settings, [max(schedule.before) + 1] * len(settings))
    return _woven(schedule, tiles, registers, sides, first, idle)


def _load_spacing(tiles: Tiles) -> int:
    """Return the HMMAs between two fragment loads, by the rule of equation 6."""
    return tiles.spacing(tiles.sm.memory[tiles.shared_load].cpi_cycles)


def _load_tile(
    schedule: _Schedule, code: Code, tiles: Tiles, registers: Registers, sides: tuple[Operand, Operand], buffer: int
) -> None:
    """Start the next tile's copies as early as their spacing lets them, and then move the pointers on.

    LDGSTS write the buffer whose tile was multiplied in the iteration before: every warp has passed its barrier.
    """
    places = spread(sum(tiles.copies), 1, tiles.load_room, tiles.spacing(tiles.sm.l1.l2_cpi_128_cycles))
    schedule.put(copies(code, tiles, registers, sides, (buffer + tiles.ahead) % tiles.stages), places)
    if tiles.asynchronous:
        schedule.put([code.group()], [places[-1]])
    moves = advances(tiles, registers)
    schedule.put(moves, spread(len(moves), places[-1] + 2, tiles.k_steps * tiles.step_units, 1))


def _store_tile(
    schedule: _Schedule, code: Code, tiles: Tiles, registers: Registers, sides: tuple[Operand, Operand], buffer: int
) -> int:
    """Place the stores of the next tile and the barriers around them; return where its fragments may be read."""
    lines = stores(code, tiles, registers, sides, (buffer + 1) % tiles.stages)
    units, steps, length = tiles.step_units, tiles.k_steps, (len(lines) - 1) * tiles.interleave
    if tiles.stages == 1:
        first = (steps - 1) * units + 1
        schedule.put([code.barrier()], [first])  # every warp has read the last fragments of the tile
    else:
        first = steps * units - units // 2 - length
    places = [first + i * tiles.interleave for i in range(len(lines))]
    schedule.put(lines, places)
    schedule.put([code.barrier()], [places[-1] + 1])
    return places[-1] + 1


def _await_tile(schedule: _Schedule, code: Code, tiles: Tiles) -> int:
    """Place the wait for the next tile and the barrier that tells of every warp's; return where it may be read."""
    first = (tiles.k_steps - 1) * tiles.step_units + 1
    schedule.put([code.wait_groups(tiles.ahead - 1), code.barrier()], [first, first])
    return first


def _fragments(number: int) -> Board:
    return (Board.FRAGMENTS_0, Board.FRAGMENTS_1)[number % 2]


def _woven(
    schedule: _Schedule, tiles: Tiles, registers: Registers, sides: tuple[Operand, Operand], first: int, idle: int
) -> list[Line]:
    """Return the HMMAs of an iteration with the other lines among them.

    Where the compiler must wait for a scoreboard, an accumulator is read again a whole round later: a result in the
    middle of each round is signalled, and the next round's halves each wait for the signal half a round before. The
    last one of all also frees the last set of fragments, and goes by that set's scoreboard.
    """
    m, n, parts = tiles.units
    round_units = m * n
    instruction = tiles.instruction
    found: list[Line] = []
    number, last = 0, tiles.k_steps * tiles.step_units - 1
    for step in range(tiles.k_steps):
        for part in range(parts):
            for unit in range(round_units):
                found += schedule.before.pop(number, [])
                i, j = divmod(unit, n)
                lines = instruction.lines(
                    registers.accumulators + unit * instruction.d.registers,
                    sides[0].register((first + step) % 2, i, part),
                    sides[1].register((first + step) % 2, j, part),
                )
                signal = None
                if tiles.sm_number < 80 and (number == last or unit in (0, round_units // 2)):
                    signal = _fragments(first + step) if number == last else Board.TENSOR
                interval = tiles.interval_cycles // len(lines)
                found += [Line(text, None, None, interval) for text in lines[:-1]]
                found.append(Line(lines[-1], signal, None, interval))
                found += [Line("NOP")] * idle
                number += 1
    for place in sorted(schedule.before):
        found += schedule.before[place]
    return found
