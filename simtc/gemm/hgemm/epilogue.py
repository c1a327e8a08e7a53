"""The epilogue: accumulators to global memory, straight from the lanes that hold them."""

from __future__ import annotations

from math import log2

from simtc.gemm.codegen.arithmetic import linear
from simtc.gemm.codegen.assembly import Board, Code
from simtc.gemm.hgemm.parameters import parameters
from simtc.gemm.hgemm.prologue import to_product, warp_place
from simtc.gemm.hgemm.registers import EPILOGUE, Registers, epilogue_row
from simtc.gemm.hgemm.tiles import ELEMENT_BYTES, Tiles

__all__ = ["write_result"]

_THREAD, _BLOCK_N, _BLOCK_M, _ROW, _COLUMN, _PITCH, _BASE = 0, 1, 2, 3, 5, 4, 6  # from `free` on
_BASE_C, _ALPHA, _BETA = 0, 2, 3  # where the thread's number and its row have been
_PITCH_C = 5  # where its column has been, of a strided kernel: else D's is C's
_SWAP = 8
_PRODUCT, _WARP_M, _WARP_N = 8, 9, 10  # before anything is swapped
_SWAPS = EPILOGUE - _SWAP


def write_result(code: Code, tiles: Tiles, registers: Registers) -> None:
    """Store the warp's tile of D, rows one after another."""
    free = registers.free
    at = {name: free + place for name, place in
          (("thread", _THREAD), ("n", _BLOCK_N), ("m", _BLOCK_M), ("row", _ROW), ("column", _COLUMN),
           ("pitch", _PITCH), ("base", _BASE), ("product", _PRODUCT))}  # fmt: skip
    size = ELEMENT_BYTES[tiles.accumulator]
    specials = [("thread", "SR_TID.X"), ("n", "SR_CTAID.X"), ("m", "SR_CTAID.Y")]
    for name, special in [*specials, *([("product", "SR_CTAID.Z")] if tiles.strided else [])]:
        code.add(f"S2R R{at[name]}, {special}", write=Board.GLOBAL)
    offsets = parameters(tiles)
    _pitch(code, at["pitch"], offsets["ldd" if tiles.strided else "n"], size)
    work = free + EPILOGUE
    if not all(tiles.warp_bits(axis) or tiles.warps[axis] == 1 for axis in (0, 1)):
        warp_place(code, tiles, at["thread"], free + _WARP_M, free + _WARP_N, work)
    for name, block, axis, warp in (("row", "m", 0, _WARP_M), ("column", "n", 1, _WARP_N)):
        code.add(f"IMAD R{at[name]}, R{at[block]}, {tiles.block[axis]:#x}, RZ")
        linear(code, at[name], at["thread"], work, _weights(tiles, axis), start=f"R{at[name]}")
        if tiles.warps[axis] > 1 and not tiles.warp_bits(axis):
            code.add(f"IMAD R{at[name]}, R{free + warp}, {tiles.warp[axis]:#x}, R{at[name]}")
    _base(code, tiles, at, "D", at["base"], at["pitch"], work)
    if tiles.epilogue == "beta":
        _base(code, tiles, at, "C", free + _BASE_C, free + _pitch_of_c(tiles), work)
    if tiles.epilogue != "none":
        code.add(f"MOV R{free + _ALPHA}, {code.parameter(offsets['alpha'])}")
        code.add(f"MOV R{free + _BETA}, {code.parameter(offsets['beta'])}")
    if tiles.deals:
        _pair(code, tiles, registers)
    _rows(code, tiles, registers)


def _pitch(code: Code, into: int, offset: int, size: int) -> None:
    """Turn a leading dimension into bytes."""
    code.add(f"MOV R{into}, {code.parameter(offset)}")
    code.add(f"SHF.L.U32 R{into}, R{into}, {int(log2(size)):#x}, RZ")


def _pitch_of_c(tiles: Tiles) -> int:
    return _PITCH_C if tiles.strided else _PITCH


def _base(code: Code, tiles: Tiles, at: dict[str, int], name: str, base: int, pitch: int, work: int) -> None:
    """Point at the thread's first element of C or D."""
    offsets, size = parameters(tiles), ELEMENT_BYTES[tiles.accumulator]
    for half in (0, 1):
        code.add(f"MOV R{base + half}, {code.parameter(offsets[name] + 4 * half)}")
    if tiles.strided:
        to_product(code, base, at["product"], offsets[f"stride_{name.lower()}"], size, work)
    code.add(f"IMAD.WIDE.U32 R{base}, R{at['column']}, {size:#x}, R{base}")
    if pitch == at["column"]:  # which has done its work
        _pitch(code, pitch, offsets["ldc"], size)
    code.add(f"IMAD.WIDE.U32 R{base}, R{at['row']}, R{pitch}, R{base}")


def _weights(tiles: Tiles, axis: int) -> dict[int, int]:
    """Return what each bit of the thread's number adds to its row (axis 0) or column of D."""
    weights = {bit: place[axis] for bit, place in enumerate(tiles.instruction.d.lanes)}
    if axis:
        weights = {bit: tiles.column(weight) for bit, weight in weights.items()}
    return weights | tiles.warp_bits(axis)


def _rows(code: Code, tiles: Tiles, registers: Registers) -> None:
    """Finish and store the rows, as many at a time as there are registers for."""
    free, size = registers.free, ELEMENT_BYTES[tiles.accumulator]
    first, each = free + EPILOGUE, epilogue_row(tiles)
    together = max((registers.total - first) // each, 1)
    found, width = _held(tiles, registers)
    rows = sorted(found.items())
    for start in range(0, len(rows), together):
        some = list(zip(range(first, registers.total, each), rows[start : start + together], strict=False))
        for pointer, (row, _) in some:
            code.add(f"IMAD.WIDE.U32 R{pointer}, R{free + _PITCH}, {row:#x}, R{free + _BASE}")
        if tiles.epilogue == "beta":
            for pointer, (row, parts) in some:
                code.add(f"IMAD.WIDE.U32 R{pointer + 2}, R{free + _pitch_of_c(tiles)}, {row:#x}, R{free + _BASE_C}")
                for place, (column, _) in enumerate(parts):
                    into = pointer + 4 + place * width // 32
                    code.lines.append(code.load_global(into, pointer + 2, column * size, bits=width))
        for pointer, (_, parts) in some:
            for place, (_, register) in enumerate(parts):
                for word in range(width // 32):
                    _scale(code, tiles, free, register + word, pointer + 4 + place * width // 32 + word)
            code.lines += [code.store_global(register, pointer, column * size, width) for column, register in parts]


def _scale(code: Code, tiles: Tiles, free: int, register: int, added: int) -> None:
    """Multiply a register of the sum by alpha, and add beta times one of C."""
    times, fused = ("HMUL2", "HFMA2") if tiles.accumulator == "f16" else ("FMUL", "FFMA")
    if tiles.epilogue == "alpha":
        code.add(f"{times} R{register}, R{register}, R{free + _ALPHA}")
    elif tiles.epilogue == "beta":
        code.add(f"{times} R{added}, R{added}, R{free + _BETA}")
        code.add(f"{fused} R{register}, R{register}, R{free + _ALPHA}, R{added}")


def _pair(code: Code, tiles: Tiles, registers: Registers) -> None:
    """Bring the two registers of each row together: of two neighbouring instructions, exchange what lies between."""
    m, n, _ = tiles.units
    work = registers.free + _SWAP
    pairs = [registers.accumulators + 4 * pair for pair in range(m * n // 2)]
    for start in range(0, len(pairs), _SWAPS):
        some = list(enumerate(pairs[start : start + _SWAPS], work))
        for source, target in ((1, None), (2, 1), (None, 2)):
            for spare, pair in some:
                into = spare if target is None else pair + target
                code.add(f"MOV R{into}, R{spare if source is None else pair + source}")


def _held(tiles: Tiles, registers: Registers) -> tuple[dict[int, list[tuple[int, int]]], int]:
    """Return, by row of the warp's tile, the (column, first register) of each store of lane 0, and a store's bits."""
    d, size = tiles.instruction.d, ELEMENT_BYTES[tiles.accumulator]
    places = [(row, tiles.column(column)) for row, column in d.elements]
    height, breadth, _ = tiles.instruction.shape
    (m, n, _), together = tiles.units, 1
    if tiles.deals:  # one instruction's registers hold a row of two, after the exchange
        places = [places[0], (0, tiles.column(breadth)), *places[1:]]
        n, breadth, together = n // 2, 2 * breadth, 2
    run = 0  # bits of an element's number that go along a row, neighbour to neighbour
    while run < len(places) and places[run] == (0, 1 << run):
        run += 1
    rows: dict[int, list[tuple[int, int]]] = {}
    for unit in range(m * n):
        for element in range(0, 1 << len(places), 1 << run):
            chosen = [place for bit, place in enumerate(places) if element >> bit & 1]
            row = unit // n * height + sum(place[0] for place in chosen)
            column = unit % n * breadth + sum(place[1] for place in chosen)
            register = registers.accumulators + unit * together * d.registers + element * size // 4
            rows.setdefault(row, []).append((column, register))
    return rows, 8 * size << run
