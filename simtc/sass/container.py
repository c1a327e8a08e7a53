"""Files that hold cubins among other things: fatbins, and the objects and executables that fatbins are linked into."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from simtc.errors import BadInputError
from simtc.sass.elf import EM_CUDA, open_elf

__all__ = ["ELF_MAGIC", "FATBIN_MAGIC", "cubins_of"]

ELF_MAGIC = b"\x7fELF"
FATBIN_MAGIC = struct.pack("<I", 0xBA55ED50)
_SECTIONS = (".nv_fatbin", "__nv_relfatbin")
_KIND_CUBIN = 2
_COMPRESSED = 0x2000 | 0x8000  # LZ4 before CUDA 12.8, Zstandard since


def cubins_of(data: bytes, origin: str) -> list[bytes]:
    """Return every cubin in a file: itself, or those embedded in a fatbin, an object or an executable.

    Raises:
        BadInputError: the file is corrupt or holds no cubin that can be read; compressed ones are named with the
            command that extracts them.

    """
    if data.startswith(FATBIN_MAGIC):
        return _checked(list(_fatbin_entries(data, origin)), origin)
    elf = open_elf(data, origin)
    if elf["e_machine"] == EM_CUDA:
        return [data]
    sections = [elf.get_section_by_name(name) for name in _SECTIONS]
    parts = [section.data() for section in sections if section is not None]
    if not parts:
        raise BadInputError(
            f"{origin} is an {elf['e_machine']} ELF file without CUDA code (it has no .nv_fatbin section)"
        )
    entries = []
    for part in parts:
        for match in re.finditer(re.escape(FATBIN_MAGIC), part):
            entries += list(_fatbin_entries(part[match.start() :], origin))
    return _checked(entries, origin)


def _fatbin_entries(data: bytes, origin: str) -> Iterator[tuple[bytes, bool, int]]:
    """Yield the payload, whether it is compressed, and the SM of every cubin in one fatbin."""
    try:
        _, _, header, size = struct.unpack_from("<IHHQ", data)
        at, end = header, header + size
        while at < end:
            kind, _, header, padded = struct.unpack_from("<HHIQ", data, at)
            (sm,) = struct.unpack_from("<I", data, at + 28)
            (flags,) = struct.unpack_from("<Q", data, at + 40)
            if header < 48 or at + header + padded > len(data):
                raise BadInputError(f"{origin} holds a truncated fatbin")
            if kind == _KIND_CUBIN:
                yield data[at + header : at + header + padded], bool(flags & _COMPRESSED), sm
            at += header + padded
    except struct.error:
        raise BadInputError(f"{origin} holds a truncated fatbin") from None


def _checked(entries: list[tuple[bytes, bool, int]], origin: str) -> list[bytes]:
    plain = [payload for payload, compressed, _ in entries if not compressed and payload.startswith(ELF_MAGIC)]
    if plain:
        return plain
    if entries:
        names = ", ".join(f"sm_{sm}" for sm in sorted({sm for *_, sm in entries}))
        raise BadInputError(
            f"the cubins in {origin} ({names}) are compressed: extract them with `cuobjdump -xelf all {origin}`, or "
            "compile with `nvcc -cubin`, or with `nvcc --no-compress`"
        )
    raise BadInputError(f"{origin} holds no cubin, only PTX perhaps: compile it with -arch=sm_75 or another sm_ name")
