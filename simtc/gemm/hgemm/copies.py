"""Tiles on their way to shared memory: LDG.128 and STS.128, or LDGSTS.128, and the predicates that they stand under.

A thread copies at most one piece of 16 bytes of each run of rows. Where the last rows are fewer, or the threads more
than the pieces, a predicate keeps some threads out. It also tells whether there is a tile to copy: the register behind
it holds how many tiles must remain, and more than ever do in a thread that has no piece.
"""

from __future__ import annotations

from simtc.gemm.codegen.assembly import Code, Line
from simtc.gemm.hgemm.fragments import Operand
from simtc.gemm.hgemm.pieces import copier_limits, copiers, copy_rows
from simtc.gemm.hgemm.registers import Registers
from simtc.gemm.hgemm.tiles import Tiles

__all__ = ["LIMIT", "MORE", "advances", "copies", "guards", "stores"]

MORE = "@P0 "  # there is another tile after this one
LIMIT = 2  # the predicate of the first of copier_limits(tiles), of which there are four at most
_AHEAD = 6  # the predicate of whole LDGSTS: there is a tile as far ahead as they copy


def copies(
    code: Code, tiles: Tiles, registers: Registers, sides: tuple[Operand, Operand], buffer: int, *, more: str = MORE
) -> list[Line]:
    """Return what brings a thread's part of the next tiles of A and B: LDG.128, or LDGSTS.128 into a buffer."""
    found: list[Line] = []
    for side, count in zip(sides, tiles.copies, strict=True):
        for number in range(count):
            guard, pointer = _guard(tiles, side, number, more), registers.pointers + 2 * len(found)
            if tiles.asynchronous:
                offset = _offset(tiles, side, number, buffer)
                found.append(code.copy_async(registers.stores[side.which], offset, pointer, guard=guard))
            else:
                found.append(code.load_global(registers.prefetch + 4 * len(found), pointer, guard=guard))
    return found


def stores(
    code: Code, tiles: Tiles, registers: Registers, sides: tuple[Operand, Operand], buffer: int, *, more: str = MORE
) -> list[Line]:
    """Return the STS.128 that put what LDG brought into a buffer."""
    found: list[Line] = []
    for side, count in zip(sides, tiles.copies, strict=True):
        for number in range(count):
            offset, register = _offset(tiles, side, number, buffer), registers.prefetch + 4 * len(found)
            guard = _guard(tiles, side, number, more)
            found.append(code.store_shared(registers.stores[side.which], offset, register, guard=guard))
    return found


def advances(tiles: Tiles, registers: Registers) -> list[Line]:
    """Return what moves every pointer to the next tile along k: a 64-bit addition in one instruction."""
    found, place = [], registers.pointers
    for which, count in enumerate(tiles.copies):
        depth = tiles.block[2]
        factor = (registers.pitches[which], depth) if tiles.turned[which] else (registers.one, 2 * depth)
        pointers = range(place, place + 2 * count, 2)
        found += [Line(f"IMAD.WIDE.U32 R{one}, R{factor[0]}, {factor[1]:#x}, R{one}") for one in pointers]
        place += 2 * count
    return found


def guards(tiles: Tiles, registers: Registers, *, tile: int | None = None, work: int = 0) -> list[Line]:
    """Return what sets the predicates of the copies that come next: in the loop, or of one of the first tiles.

    Args:
        tiles: the choices.
        registers: where the limits are, and the tiles that remain.
        tile: before the loop, the number of the tile.
        work: a register to work with, where `tile` is given.

    """
    remaining, found = registers.remaining, []
    if tiles.asynchronous:
        least = 1 + (tiles.ahead if tile is None else tile)
        found.append(Line(f"ISETP.GE.AND P{_AHEAD}, PT, R{remaining}, {least:#x}, PT"))
    if tile is not None and copier_limits(tiles):
        found.append(Line(f"IADD3 R{work}, R{remaining}, {tiles.ahead - tile:#x}, RZ"))
        remaining = work
    for place, limit in enumerate(registers.limits):
        found.append(Line(f"ISETP.GE.AND P{LIMIT + place}, PT, R{remaining}, R{limit}, PT"))
    return found


def _guard(tiles: Tiles, side: Operand, number: int, more: str) -> str:
    threads = copiers(tiles, side.which, number)
    if threads < tiles.threads:
        return f"@P{LIMIT + copier_limits(tiles).index(threads)} "
    return f"@P{_AHEAD} " if tiles.asynchronous else more


def _offset(tiles: Tiles, side: Operand, number: int, buffer: int) -> int:
    """Return the bytes from where a thread's first piece lies in the first buffer to one of its pieces in another."""
    row = tiles.shared_row(side.which, number * copy_rows(tiles, side.which))
    return side.base_bytes + buffer * tiles.buffer_bytes + 2 * tiles.tiles[side.which].offset(row, 0)
