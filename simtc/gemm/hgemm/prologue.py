"""The set-up: addresses, the first tile's loads, and accumulators of zero."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from math import log2

from simtc.gemm.codegen.assembly import Board, Code, Line
from simtc.gemm.hgemm.fragments import Operand
from simtc.gemm.hgemm.registers import Registers
from simtc.gemm.hgemm.tiles import CHUNK, Tiles

__all__ = ["PARAMETERS", "SCALES", "advances", "copies", "linear", "set_up", "stores"]

PARAMETERS = {"A": 0, "B": 8, "D": 16, "m": 24, "n": 28, "k": 32}  # offsets in the parameter area
SCALES = {"C": 40, "alpha": 48, "beta": 52}  # and with an epilogue
_THREAD, _BLOCK_N, _BLOCK_M, _ROW, _PITCH, _CHUNK, _WORK = 0, 1, 2, 3, 4, 5, 6  # scratch registers
_BASE = 8  # and the next one


def linear(
    code: Code, into: int, thread: int, work: int, weights: Mapping[int, int], *, start: str = "RZ", xor: bool = False
) -> None:
    """Compute `start` plus (xor: exclusive or) the weights of the bits that are set in the thread's number.

    Neighbouring bits whose weights double are one field: shift, mask, multiply.
    """
    bits = sorted(bit for bit, weight in weights.items() if weight)
    ratio = {bit: weights[bit] / (1 << bit) for bit in bits}
    fields = [list(run) for _, run in groupby(bits, key=lambda bit: (ratio[bit], bit - bits.index(bit)))]
    total = start
    for run in fields:
        field = thread
        if run[0]:
            code.add(f"SHF.R.U32.HI R{work}, RZ, {run[0]:#x}, R{thread}")
            field = work
        code.add(f"LOP3.LUT R{work}, R{field}, {(1 << len(run)) - 1:#x}, RZ, 0xc0, !PT")
        if xor and total != "RZ":
            code.add(f"IMAD R{work}, R{work}, {weights[run[0]]:#x}, RZ")
            code.add(f"LOP3.LUT R{into}, R{into}, R{work}, RZ, 0x3c, !PT")
        else:
            code.add(f"IMAD R{into}, R{work}, {weights[run[0]]:#x}, {total}")
        total = f"R{into}"
    if not fields and start != f"R{into}":
        code.add(f"MOV R{into}, {start}")


def copies(code: Code, tiles: Tiles, registers: Registers, *, guard: str = "") -> list[Line]:
    """Return the LDG.128 that bring a thread's part of the next tiles of A and B."""
    return [
        code.load_global(registers.prefetch + 4 * i, registers.pointers + 2 * i, guard=guard)
        for i in range(sum(tiles.copies))
    ]


def stores(
    code: Code, tiles: Tiles, registers: Registers, sides: tuple[Operand, Operand], buffer: int, *, guard: str = ""
) -> list[Line]:
    """Return the STS.128 that put what LDG brought into a buffer."""
    found: list[Line] = []
    for side, count in zip(sides, tiles.copies, strict=True):
        tile = tiles.tiles[side.which]
        for i in range(count):
            offset = (
                side.base_bytes
                + buffer * tiles.buffer_bytes
                + 2 * tile.offset(tiles.shared_row(side.which, i * tiles.copy_rows(side.which)), 0)
            )
            register = registers.prefetch + 4 * len(found)
            found.append(code.store_shared(registers.stores[side.which], offset, register, guard=guard))
    return found


def set_up(code: Code, tiles: Tiles, registers: Registers, sides: tuple[Operand, Operand]) -> None:
    """Compute every address, load the first tiles and put them into shared memory, and read the first fragments."""
    for register, name in ((_THREAD, "SR_TID.X"), (_BLOCK_N, "SR_CTAID.X"), (_BLOCK_M, "SR_CTAID.Y")):
        code.add(f"S2R R{register}, {name}", write=Board.GLOBAL)
    if code.sm >= 90:
        code.add("ULDC.64 UR4, c[0x0][0x208]")
    _pointers(code, tiles, registers)
    code.lines += copies(code, tiles, registers)
    _shared_addresses(code, tiles, registers, sides)
    code.add(f"MOV R{_WORK}, {code.parameter(PARAMETERS['k'])}")
    code.add(f"SHF.R.U32.HI R{registers.remaining}, RZ, {int(log2(tiles.block[2])):#x}, R{_WORK}")
    code.add(f"ISETP.GE.AND P0, PT, R{registers.remaining}, 0x2, PT")
    code.add(f"MOV R{registers.one}, 0x1")
    accumulators = tiles.units[0] * tiles.units[1] * tiles.instruction.d.registers
    for register in range(registers.accumulators, registers.accumulators + accumulators, 2):
        code.add(f"CS2R R{register}, SRZ")
    code.lines += advances(tiles, registers)
    code.lines += stores(code, tiles, registers, sides, 0)
    code.lines.append(code.barrier())
    for side in sides:
        code.lines += side.loads(0, 0, 0)


def _pointers(code: Code, tiles: Tiles, registers: Registers) -> None:
    """Point at the thread's 16 bytes of every row that it copies."""
    place = registers.pointers
    for which, (name, across, block, count) in enumerate(
        (("A", "m", _BLOCK_M, tiles.copies[0]), ("B", "n", _BLOCK_N, tiles.copies[1]))
    ):
        turned, in_row, size = tiles.turned[which], tiles.column_bits(which), tiles.block[which]
        pitch = registers.pitches[which] if turned else _PITCH
        code.add(f"MOV R{pitch}, {code.parameter(PARAMETERS[across if turned else 'k'])}")
        code.add(f"SHF.L.U32 R{pitch}, R{pitch}, 0x1, RZ")
        code.add(f"LOP3.LUT R{_CHUNK}, R{_THREAD}, {(1 << in_row) - 1:#x}, RZ, 0xc0, !PT")
        code.add(f"SHF.R.U32.HI R{_WORK}, RZ, {in_row:#x}, R{_THREAD}")
        for half in (0, 1):
            code.add(f"MOV R{_BASE + half}, {code.parameter(PARAMETERS[name] + 4 * half)}")
        code.add(f"IMAD.WIDE.U32 R{_BASE}, R{_CHUNK}, {2 * CHUNK:#x}, R{_BASE}")
        row = _WORK
        if turned:
            code.add(f"IMAD.WIDE.U32 R{_BASE}, R{block}, {2 * size:#x}, R{_BASE}")
        else:
            row = _ROW
            code.add(f"IMAD R{_ROW}, R{block}, {size:#x}, R{_WORK}")
        code.add(f"IMAD.WIDE.U32 R{place}, R{row}, R{pitch}, R{_BASE}")
        for i in range(1, count):
            code.add(f"IMAD.WIDE.U32 R{place + 2 * i}, R{pitch}, {i * tiles.copy_rows(which):#x}, R{place}")
        place += 2 * count


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


def _shared_addresses(code: Code, tiles: Tiles, registers: Registers, sides: tuple[Operand, Operand]) -> None:
    xor = tiles.layout == "xor"
    for side in sides:
        tile, in_row = tiles.tiles[side.which], tiles.column_bits(side.which)
        weights = {}
        for bit in range(int(log2(tiles.threads))):
            column, row = (CHUNK << bit, 0) if bit < in_row else (0, 1 << bit - in_row)
            weights[bit] = 2 * tile.offset(tiles.shared_row(side.which, row), column)
        linear(code, registers.stores[side.which], _THREAD, _WORK, weights, xor=xor)
        linear(code, side.address, _THREAD, _WORK, side.weights(), xor=xor)
        for variant in range(1, registers.variants[side.which]):
            place = 2 * side.step * variant
            code.add(f"LOP3.LUT R{side.address + variant}, R{side.address}, {place:#x}, RZ, 0x3c, !PT")
