"""The set-up: addresses, the first tiles' copies, and accumulators of zero."""

from __future__ import annotations

from simtc.gemm.codegen.arithmetic import divide, divide_whole, linear
from simtc.gemm.codegen.assembly import Board, Code
from simtc.gemm.hgemm.copies import LIMIT, advances, copies, guards, stores
from simtc.gemm.hgemm.fragments import Operand
from simtc.gemm.hgemm.parameters import parameters
from simtc.gemm.hgemm.pieces import copier_limits, copy_rows, row_pieces
from simtc.gemm.hgemm.registers import Registers
from simtc.gemm.hgemm.tiles import CHUNK, Tiles

__all__ = ["set_up", "warp_place"]

_THREAD, _BLOCK_N, _BLOCK_M, _ROW, _PITCH, _CHUNK, _WORK, _PRODUCT = range(8)  # scratch registers
_WARP_N, _WARP_M = _BLOCK_N, _BLOCK_M  # once the pointers are there
_BASE = 8  # and the next one
_NEVER = 0x7FFFFFFF  # more tiles than ever remain


def set_up(code: Code, tiles: Tiles, registers: Registers, sides: tuple[Operand, Operand]) -> None:
    """Compute every address, copy the first tiles to shared memory, and read the first fragments."""
    specials = [(_THREAD, "SR_TID.X"), (_BLOCK_N, "SR_CTAID.X"), (_BLOCK_M, "SR_CTAID.Y")]
    for register, name in [*specials, *([(_PRODUCT, "SR_CTAID.Z")] if tiles.strided else [])]:
        code.add(f"S2R R{register}, {name}", write=Board.GLOBAL)
    if code.sm >= 90:
        code.add("ULDC.64 UR4, c[0x0][0x208]")
    _pointers(code, tiles, registers)
    _limits(code, tiles, registers)
    if tiles.asynchronous:
        _shared_addresses(code, tiles, registers, sides)
        _count(code, tiles, registers)
        for tile in range(tiles.ahead):
            code.lines += guards(tiles, registers, tile=tile, work=_WORK)
            code.lines += copies(code, tiles, registers, sides, tile)
            code.lines.append(code.group())
            code.lines += advances(tiles, registers)
        _clear(code, tiles, registers)
        code.lines.append(code.wait_groups(tiles.ahead - 1))
    else:
        code.lines += copies(code, tiles, registers, sides, 0, more="")
        _shared_addresses(code, tiles, registers, sides)
        _count(code, tiles, registers)
        _clear(code, tiles, registers)
        code.lines += advances(tiles, registers)
        code.lines += stores(code, tiles, registers, sides, 0, more="")
    code.lines += guards(tiles, registers)
    code.lines.append(code.barrier())
    for side in sides:
        code.lines += side.loads(0, 0, 0)


def _pointers(code: Code, tiles: Tiles, registers: Registers) -> None:
    """Point at the thread's 16 bytes of every row that it copies."""
    place, at = registers.pointers, parameters(tiles)
    for which, (name, across, block, count) in enumerate(
        (("A", "m", _BLOCK_M, tiles.copies[0]), ("B", "n", _BLOCK_N, tiles.copies[1]))
    ):
        turned, size = tiles.turned[which], tiles.block[which]
        pitch = registers.pitches[which] if turned else _PITCH
        leading = f"ld{name.lower()}" if tiles.strided else across if turned else "k"
        code.add(f"MOV R{pitch}, {code.parameter(at[leading])}")
        code.add(f"SHF.L.U32 R{pitch}, R{pitch}, 0x1, RZ")
        _piece(code, tiles, which)
        for half in (0, 1):
            code.add(f"MOV R{_BASE + half}, {code.parameter(at[name] + 4 * half)}")
        if tiles.strided:
            to_product(code, _BASE, _PRODUCT, at[f"stride_{name.lower()}"], 2, _ROW)
        code.add(f"IMAD.WIDE.U32 R{_BASE}, R{_CHUNK}, {2 * CHUNK:#x}, R{_BASE}")
        row = _WORK
        if turned:
            code.add(f"IMAD.WIDE.U32 R{_BASE}, R{block}, {2 * size:#x}, R{_BASE}")
        else:
            row = _ROW
            code.add(f"IMAD R{_ROW}, R{block}, {size:#x}, R{_WORK}")
        code.add(f"IMAD.WIDE.U32 R{place}, R{row}, R{pitch}, R{_BASE}")
        for i in range(1, count):
            code.add(f"IMAD.WIDE.U32 R{place + 2 * i}, R{pitch}, {i * copy_rows(tiles, which):#x}, R{place}")
        place += 2 * count


def to_product(code: Code, base: int, product: int, stride: int, element_bytes: int, work: int) -> None:
    """Move an address of 64 bits to the matrix of a block's product: by a parameter of 64 bits, in elements."""
    code.add(f"SHF.L.U32 R{work}, R{product}, {element_bytes.bit_length() - 1:#x}, RZ")
    code.add(f"IMAD.WIDE.U32 R{base}, R{work}, {code.parameter(stride)}, R{base}")
    code.add(f"IMAD R{base + 1}, R{work}, {code.parameter(stride + 4)}, R{base + 1}")


def _piece(code: Code, tiles: Tiles, which: int) -> None:
    """Find the row, and the piece of it, that a thread copies first."""
    pieces = row_pieces(tiles, which)
    if pieces & pieces - 1:
        divide(code, _WORK, _THREAD, pieces, rest=_CHUNK)
        return
    in_row = pieces.bit_length() - 1
    code.add(f"LOP3.LUT R{_CHUNK}, R{_THREAD}, {pieces - 1:#x}, RZ, 0xc0, !PT")
    code.add(f"SHF.R.U32.HI R{_WORK}, RZ, {in_row:#x}, R{_THREAD}")


def _limits(code: Code, tiles: Tiles, registers: Registers) -> None:
    """Keep for every predicate how many tiles must remain; and set it for the first tile, which is always there."""
    for place, (copiers, limit) in enumerate(zip(copier_limits(tiles), registers.limits, strict=True)):
        code.add(f"ISETP.LT.AND P{LIMIT + place}, PT, R{_THREAD}, {copiers:#x}, PT")
        code.add(f"MOV R{_WORK}, {_NEVER:#x}")
        code.add(f"SEL R{limit}, R{_WORK}, {tiles.ahead + 1:#x}, !P{LIMIT + place}")


def _count(code: Code, tiles: Tiles, registers: Registers) -> None:
    """Count the tiles along k."""
    code.add(f"MOV R{_WORK}, {code.parameter(parameters(tiles)['k'])}")
    divide_whole(code, registers.remaining, _WORK, tiles.block[2])
    code.add(f"ISETP.GE.AND P0, PT, R{registers.remaining}, 0x2, PT")
    code.add(f"MOV R{registers.one}, 0x1")


def _clear(code: Code, tiles: Tiles, registers: Registers) -> None:
    accumulators = tiles.units[0] * tiles.units[1] * tiles.instruction.d.registers
    for register in range(registers.accumulators, registers.accumulators + accumulators, 2):
        code.add(f"CS2R R{register}, SRZ")


def _shared_addresses(code: Code, tiles: Tiles, registers: Registers, sides: tuple[Operand, Operand]) -> None:
    xor = tiles.layout == "xor"
    apart = [side for side in sides if not tiles.warp_bits(side.which) and tiles.warps[side.which] > 1]
    if apart:
        warp_place(code, tiles, _THREAD, _WARP_M, _WARP_N, _WORK)
    for side in sides:
        _store_address(code, tiles, registers, side)
        linear(code, side.address, _THREAD, _WORK, side.weights(), xor=xor)
        if side in apart:
            _add_warp(code, tiles, side)
        for variant in range(1, registers.variants[side.which]):
            place = 2 * side.step * variant
            code.add(f"LOP3.LUT R{side.address + variant}, R{side.address}, {place:#x}, RZ, 0x3c, !PT")


def _store_address(code: Code, tiles: Tiles, registers: Registers, side: Operand) -> None:
    """Find where a thread's first piece goes."""
    which, into = side.which, registers.stores[side.which]
    tile, pieces = tiles.tiles[which], row_pieces(tiles, which)
    rows = range((copy_rows(tiles, which) - 1).bit_length())
    by_row = {bit: 2 * tile.offset(tiles.shared_row(which, 1 << bit), 0) for bit in rows}
    if pieces & pieces - 1:  # of a thread's number no bits choose the row
        divide(code, _ROW, _THREAD, pieces, rest=_CHUNK)
        linear(code, into, _ROW, _WORK, by_row)
        code.add(f"IMAD R{into}, R{_CHUNK}, {2 * CHUNK:#x}, R{into}")
        return
    in_row = pieces.bit_length() - 1
    weights = {bit: 2 * tile.offset(0, CHUNK << bit) for bit in range(in_row)}
    weights |= {in_row + bit: weight for bit, weight in by_row.items()}
    linear(code, into, _THREAD, _WORK, weights, xor=tiles.layout == "xor")


def warp_place(code: Code, tiles: Tiles, thread: int, along_m: int, along_n: int, work: int) -> None:
    """Find a thread's warp along m and n, where no bits of the thread's number say it."""
    divide(code, along_n, thread, 32 * tiles.warps[0])
    code.add(f"SHF.R.U32.HI R{work}, RZ, 0x5, R{thread}")
    code.add(f"IMAD R{along_m}, R{along_n}, {-tiles.warps[0] & 0xFFFFFFFF:#x}, R{work}")


def _add_warp(code: Code, tiles: Tiles, side: Operand) -> None:
    """Move a fragment's address to the rows of the thread's warp, whole periods of any layout from the first.

    Where the warps lie along a row that an exclusive or turns, they are a power of two.
    """
    warp, rows = (_WARP_M, _WARP_N)[side.which], tiles.warp[side.which]
    if side.turned and tiles.layout == "xor":
        bits = range((tiles.warps[side.which] - 1).bit_length())
        weights = {bit: side.offset(rows << bit, 0) for bit in bits}
        linear(code, side.address, warp, _WORK, weights, start=f"R{side.address}", xor=True)
    else:
        code.add(f"IMAD R{side.address}, R{warp}, {side.offset(rows, 0):#x}, R{side.address}")
