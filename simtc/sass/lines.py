"""Source lines of compiled code: the DWARF line table that -lineinfo leaves in a cubin.

The table is version 2 as the standard has it, and one operation more: its extended opcode 0x90 says that the rows which
follow are inlined, by the number of the row that stands for the call (rows are counted from one in each sequence).
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection

__all__ = ["Place", "own_place", "source_lines"]

Place = tuple[str, int]  # file and line
_SECTION = ".debug_line"
_END, _ADDRESS, _INLINED = 1, 2, 0x90  # extended opcodes
# Standard opcodes whose effect is no column, no basic block and no end of a prologue.
_COPY, _ADVANCE, _LINE, _FILE, _CONST_ADVANCE, _FIXED_ADVANCE = 1, 2, 3, 4, 8, 9
_DEEPEST = 100  # calls inlined in one another: a corrupt table may go round in a circle


@dataclass(frozen=True, slots=True)
class _Row:
    address: int = 0
    file: int = 1
    line: int = 1
    call: int = 0  # the row that it is inlined into, 0 where it is not


def source_lines(elf: ELFFile) -> dict[str, dict[int, Place]]:
    """Return the place in the source from each address on at which it changes, by kernel; empty without -lineinfo.

    Of code that was inlined it is the innermost place in the kernel's own folder, as no toolkit's header is.

    Example:
        >>> from simtc.resources import folder
        >>> own_place([("/usr/include/cuda_fp16.hpp", 708), ("/src/scale.cu", 9)])
        ('/src/scale.cu', 9)

    """
    section = elf.get_section_by_name(_SECTION)
    if section is None:
        return {}
    data, names = bytes(section.data()), _names(elf)
    found: dict[str, dict[int, Place]] = {}
    at = 0
    while at + 4 <= len(data):
        (size,) = struct.unpack_from("<I", data, at)
        if at + 4 + size > len(data) or not size:
            break
        for name, places in _Unit(data[at + 4 : at + 4 + size], {k - at - 4: v for k, v in names.items()}).sequences():
            found.setdefault(name, {}).update(places)
        at += 4 + size
    return found


def own_place(frames: list[Place]) -> Place:
    """Choose, of frames from the innermost out, the innermost beside the kernel's own file, not a toolkit's."""
    own = str(PurePosixPath(frames[-1][0]).parent)
    return next((frame for frame in frames if frame[0].startswith(own)), frames[-1])


def _names(elf: ELFFile) -> dict[int, str]:
    """Return which kernel's address a linker puts at which offset of the table."""
    symbols, found = elf.get_section_by_name(".symtab"), {}
    for kind in ("rel", "rela"):
        section = elf.get_section_by_name(f".{kind}{_SECTION}")
        if isinstance(section, RelocationSection) and isinstance(symbols, SymbolTableSection):
            for entry in section.iter_relocations():
                found[int(entry["r_offset"])] = str(symbols.get_symbol(entry["r_info_sym"]).name)
    return found


class _Unit:
    """One line program with its header."""

    def __init__(self, data: bytes, names: dict[int, str]) -> None:
        self.stream, self.names, self.size = io.BytesIO(data), names, len(data)
        _, header = struct.unpack("<HI", self._take(6))
        start = self.stream.tell() + header
        self.step, _, self.line_base, self.line_range, self.opcode_base = struct.unpack("<BBbBB", self._take(5))
        self.lengths = self._take(self.opcode_base - 1)
        self.folders = [""]
        while folder := self._text():
            self.folders.append(folder)
        self.files = [""]
        while name := self._text():
            inside, _, _ = self._number(), self._number(), self._number()
            self.files.append(f"{self.folders[inside]}/{name}" if inside else name)
        self.stream.seek(start)

    def _take(self, count: int) -> bytes:
        taken = self.stream.read(count)
        if len(taken) < count:
            raise ValueError("the line table ends too soon")
        return taken

    def _text(self) -> str:
        taken = bytearray()
        while byte := self._take(1)[0]:
            taken.append(byte)
        return taken.decode(errors="replace")

    def _number(self, *, signed: bool = False) -> int:
        """Read a LEB128 number."""
        value, shift = 0, 0
        while True:
            byte = self._take(1)[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value - (1 << shift) if signed and byte & 0x40 else value

    def sequences(self) -> Iterator[tuple[str, dict[int, Place]]]:
        """Yield each kernel's name and its places."""
        row, rows, name = _Row(), list[_Row](), ""
        while self.stream.tell() < self.size:
            opcode = self._take(1)[0]
            if opcode:
                row, emits = self._standard(opcode, row)
                rows += [row] if emits else []
                continue
            length = self._number()
            end = self.stream.tell() + length
            kind = self._take(1)[0]
            if kind == _ADDRESS:
                name = self.names.get(self.stream.tell(), "")
                row = replace(row, address=int.from_bytes(self._take(length - 1), "little"))
            elif kind == _INLINED:
                row = replace(row, call=self._number())
            elif kind == _END:
                yield name, self._places(rows)
                row, rows = _Row(), []
            self.stream.seek(end)

    def _standard(self, opcode: int, row: _Row) -> tuple[_Row, bool]:
        """Return the row after an opcode, and whether it is one of the table."""
        if opcode >= self.opcode_base:
            steps, lines = divmod(opcode - self.opcode_base, self.line_range)
            return replace(row, address=row.address + steps * self.step, line=row.line + self.line_base + lines), True
        if opcode == _ADVANCE:
            row = replace(row, address=row.address + self._number() * self.step)
        elif opcode == _LINE:
            row = replace(row, line=row.line + self._number(signed=True))
        elif opcode == _FILE:
            row = replace(row, file=self._number())
        elif opcode == _CONST_ADVANCE:
            row = replace(row, address=row.address + (255 - self.opcode_base) // self.line_range * self.step)
        elif opcode == _FIXED_ADVANCE:
            row = replace(row, address=row.address + int.from_bytes(self._take(2), "little"))
        elif opcode != _COPY:
            for _ in range(self.lengths[opcode - 1]):
                self._number()
        return row, opcode == _COPY

    def _places(self, rows: list[_Row]) -> dict[int, Place]:
        """Return the place of each address; of several rows the last one counts."""
        return {row.address: own_place(self._frames(rows, row)) for row in rows}

    def _frames(self, rows: list[_Row], row: _Row) -> list[Place]:
        frames = [self._place(row)]
        for _ in range(_DEEPEST):
            if not 1 <= row.call <= len(rows):
                break
            row = rows[row.call - 1]
            frames.append(self._place(row))
        return frames

    def _place(self, row: _Row) -> Place:
        return (self.files[row.file] if row.file < len(self.files) else "", row.line)
