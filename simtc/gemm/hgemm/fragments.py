"""Fragments: how a warp reads the rows of its tile from shared memory into the registers that HMMA wants."""

from __future__ import annotations

from dataclasses import dataclass

from simtc.gemm.codegen.assembly import Board, Line, load_shared
from simtc.gemm.codegen.instruction import Place, Side
from simtc.gemm.hgemm.registers import Registers, fragment_registers
from simtc.gemm.hgemm.tiles import CHUNK, Tiles

__all__ = ["Operand", "operand"]

_LDSM_LIMIT = 4  # matrices that one LDSM brings, a register each


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """A's or B's fragments in one warp: their places in shared memory and in registers."""

    tiles: Tiles
    side: Side
    which: int  # 0 for A, 1 for B
    sets: tuple[int, int]  # first registers
    address: int  # first register of its shared-memory addresses
    base_bytes: int  # of its tile in the first buffer

    @property
    def turned(self) -> bool:
        """Tell whether its rows in shared memory go across k, and LDSM turns the matrices."""
        return self.tiles.turned[self.which]

    @property
    def matrices(self) -> bool:
        """Tell whether LDSM reads its fragments."""
        return self.turned or self.tiles.fragment_loads == "ldsm"

    def offset(self, row: int, k: int) -> int:
        """Return the bytes from its tile's start to an element."""
        tile = self.tiles.tiles[self.which]
        return 2 * (tile.offset(k, row) if self.turned else tile.offset(row, k))

    @property
    def count(self) -> int:
        """Matrix instructions that a warp's tile has along this operand's rows."""
        return self.tiles.units[self.which]

    @property
    def volta(self) -> bool:
        """Tell whether a load brings 8 halves of a row, two of Volta's products along k."""
        return self.tiles.sm_number < 75

    @property
    def within(self) -> tuple[Place, ...]:
        """What each bit of a register's number adds within an operand; the rest of it counts operands."""
        return () if self.volta else self.side.in_registers

    @property
    def _indices(self) -> int:
        """Registers that the operands of a part of k take; on Volta, loads."""
        return self.count << len(self.within)

    def _group(self, index: int) -> int:
        """Return how many registers the load brings that begins at one, each a matrix of its own: 4, 2 or 1."""
        left = min(self._indices - index, _LDSM_LIMIT) if self.matrices else 1
        return 1 << left.bit_length() - 1

    @property
    def lanes(self) -> tuple[Place, ...]:
        """What each bit of the lane adds to the place that it names.

        LDSM takes the address of a matrix's row from each lane: eight lanes a matrix, matrix after matrix.
        """
        if not self.matrices:
            return self.side.lanes
        bits = self._group(0).bit_length() - 1
        matrices = (*(self._place(1 << bit) for bit in range(bits)), (0, 0), (0, 0))
        lines = ((0, 1), (0, 2), (0, 4)) if self.turned else ((1, 0), (2, 0), (4, 0))
        return (*lines, *matrices[:2])

    def weights(self) -> dict[int, int]:
        """Return what each bit of the thread's number adds to its address, in bytes."""
        places = dict(enumerate(self.lanes)) | {
            bit: (rows, 0) for bit, rows in self.tiles.warp_bits(self.which).items()
        }
        return {bit: self.offset(*place) for bit, place in places.items()}

    def register(self, fragments: int, tile: int, part: int) -> int:
        """Return the first register of an instruction's operand: of set `fragments`, row tile `tile`, k part `part`."""
        start = self.sets[fragments]
        if self.volta:
            return start + (part // 2 * self.count + tile) * 4 + part % 2 * 2
        return start + part * fragment_registers(self.count, self.side.registers) + tile * self.side.registers

    def loads(self, step: int, fragments: int, buffer: int, *, guard: str = "") -> list[Line]:
        """Return the loads that fill set `fragments` with k step `step` of the tile in a buffer."""
        board = (Board.FRAGMENTS_0, Board.FRAGMENTS_1)[fragments]
        found = []
        for part in range(0, self.tiles.units[2], 2 if self.volta else 1):
            k = step * self.tiles.warp[2] + part * self.tiles.instruction.shape[2]
            index = 0
            while index < self._indices:
                row, column = self._place(index)
                operand, more = (index, 0) if self.volta else (0, index)
                register = self.register(fragments, operand, part) + more
                address, offset = self._address(row, k + column, buffer)
                group = self._group(index)
                found.append(load_shared(self._opcode(group), register, address, offset, board, guard=guard))
                index += group
        return found

    def _place(self, index: int) -> Place:
        """Return where a register's matrix begins: by bits of its number within the operand, then by operands."""
        bits = [place for bit, place in enumerate(self.within) if index >> bit & 1]
        row, column = sum(place[0] for place in bits), sum(place[1] for place in bits)
        return row + (index >> len(self.within)) * self.side.rows, column

    def _opcode(self, group: int) -> str:
        if self.matrices:
            return f"LDSM.16.M{'T' if self.turned else ''}88" + (f".{group}" if group > 1 else "")
        return "LDS.U.128" if self.volta else "LDS"

    def _address(self, row: int, column: int, buffer: int) -> tuple[int, int]:
        """Return the address register and the immediate offset of a place in a buffer."""
        start = self.base_bytes + buffer * self.tiles.buffer_bytes
        if self.tiles.layout != "xor":
            return self.address, start + self.offset(row, column)
        along, across = (row, column) if self.turned else (column, row)
        turn = self.tiles.tiles[self.which].turns * CHUNK if self.turned else self.tiles.block[2]
        variant, rest = divmod(along % turn, self.step)
        if rest:
            raise ValueError(f"a load at {row}, {column} has no address")
        kept = along - along % turn
        return self.address + variant, start + (self.offset(kept, across) if self.turned else self.offset(across, kept))

    @property
    def step(self) -> int:
        """Elements along a row of shared memory from one load to the next."""
        return self.tiles.load_rows(self.which) if self.turned else self.tiles.load_depth


def operand(tiles: Tiles, registers: Registers, which: int, shared_base: int) -> Operand:
    """Return A's (0) or B's (1) fragments."""
    side = (tiles.instruction.a, tiles.instruction.b)[which]
    return Operand(
        tiles=tiles,
        side=side,
        which=which,
        sets=(registers.fragments_a, registers.fragments_b)[which],
        address=(registers.addresses_a, registers.addresses_b)[which],
        base_bytes=shared_base + which * tiles.tiles[0].shared_bytes,
    )
