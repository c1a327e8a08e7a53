"""A cubin's ELF: which kernels it holds, their code, and what a launch needs to know of them."""

from __future__ import annotations

import io
import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import Section, Symbol, SymbolTableSection

from simtc.errors import BadInputError
from simtc.isa import Parameter, Relocation
from simtc.sass.lines import Place, source_lines

__all__ = ["ADDRESS_BANK", "EM_CUDA", "GENERATIONS", "Image", "generation", "open_elf", "read_cubin"]

EM_CUDA = "EM_CUDA"
_ENTRY = 0x10  # STO_CUDA_ENTRY, a bit of a symbol's st_other
GENERATIONS = (70, 72, 75, 80, 86, 87, 89, 90)
_BANKS = range(1, 32)  # of constants; bank 0 is the driver's
ADDRESS_BANK = 4  # the addresses of global variables, which only the driver knows
_GLOBALS = (".nv.global.init", ".nv.global")
_GLOBAL_ALIGNMENT, _GLOBAL_LIMIT = 256, 1 << 28
_RESERVED_SHARED = 1024  # what the driver keeps at the start of shared memory from sm_90 on

# .nv.info attributes (their numbers are those that cuobjdump --dump-elf names EIATTR_...)
_MAX_THREADS, _PARAM_CBANK, _MIN_STACK, _PARAMETER = 0x05, 0x0A, 0x12, 0x17
_REGISTERS, _NUM_BARRIERS = 0x2F, 0x4C
_WARP_WIDE, _MASKS, _IN_REGISTER = 0x28, 0x29, 0x05  # where warps synchronise, and where each place's mask is


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """One kernel of a cubin as the ELF describes it, not yet disassembled."""

    name: str
    sm: int
    code: bytes
    parameters: tuple[Parameter, ...] = ()
    parameter_base: int = 0x160
    registers: int = 255
    shared_bytes: int = 0
    shared_reserved_bytes: int = 0
    local_bytes: int = 0
    barriers: int = 0
    max_threads: int = 1024
    constants: dict[int, bytes] = field(default_factory=dict)
    relocations: tuple[Relocation, ...] = ()  # of the code, and of bank 4, which is shared by the cubin's kernels
    warp_masks: tuple[tuple[int, int], ...] = ()
    global_data: bytes = b""  # every global variable of the cubin, the initialised ones first
    lines: dict[int, Place] = field(default_factory=dict)  # in the source, by the address from which they count


def open_elf(data: bytes, origin: str) -> ELFFile:
    """Open an ELF file held in memory.

    Raises:
        BadInputError: it is truncated or no ELF at all.

    """
    try:
        elf = ELFFile(io.BytesIO(data))
        end = max((_end(section) for section in elf.iter_sections()), default=0)
    except Exception as error:  # noqa: BLE001 - on corrupt input pyelftools raises whatever its parser met
        raise BadInputError(f"{origin} is no readable ELF file ({str(error) or type(error).__name__})") from None
    if end > len(data):
        raise BadInputError(f"{origin} is truncated: its sections reach byte {end}, it has {len(data)}")
    return elf


def _end(section: Section) -> int:
    if section["sh_type"] in ("SHT_NOBITS", "SHT_NULL"):
        return 0
    return int(section["sh_offset"] + section["sh_size"])


def _open_cubin(data: bytes, origin: str) -> ELFFile:
    elf = open_elf(data, origin)
    if elf["e_machine"] != EM_CUDA:
        raise BadInputError(f"{origin} is an ELF file for {elf['e_machine']}, not a cubin (which is for {EM_CUDA})")
    return elf


def generation(data: bytes, origin: str) -> int:
    """Return a cubin's generation, such as 75, known to simtc or not.

    Raises:
        BadInputError: it is no cubin.

    """
    return _generation(_open_cubin(data, origin))


def _generation(elf: ELFFile) -> int:
    # Its place inside e_flags moved when the ABI version went from 7 to 8.
    return int(elf["e_flags"] >> 8 & 0xFF if elf["e_ident"]["EI_ABIVERSION"] >= 8 else elf["e_flags"] & 0xFF)


def read_cubin(data: bytes, origin: str) -> list[Image]:
    """Return the kernels of a cubin, in the order of its symbol table; a library holds cubins without any.

    Raises:
        BadInputError: it is no cubin, is truncated or corrupt, or is for a chip that simtc does not know.

    """
    elf = _open_cubin(data, origin)
    sm = _generation(elf)
    if sm not in GENERATIONS:
        known = ", ".join(f"sm_{known}" for known in GENERATIONS)
        raise BadInputError(f"{origin} is compiled for sm_{sm}; simtc reads {known}")
    if elf["e_type"] == "ET_REL":
        raise BadInputError(
            f"{origin} is relocatable (-rdc=true): its addresses are not known before it is linked, so link it first: "
            "nvcc -dlink -cubin -arch=sm_75 ..."
        )
    try:
        return _images(elf, sm)
    except BadInputError as error:
        raise BadInputError(f"{origin}: {error}") from None
    except Exception as error:  # noqa: BLE001 - likewise
        raise BadInputError(f"{origin} is a corrupt cubin ({type(error).__name__}: {error})") from None


def _images(elf: ELFFile, sm: int) -> list[Image]:
    sections = {section.name: section for section in elf.iter_sections()}
    table = sections.get(".symtab")
    if not isinstance(table, SymbolTableSection):
        raise BadInputError("it has no symbol table")
    symbols = list(table.iter_symbols())
    entry_flags = table.data()[5 :: table["sh_entsize"]]  # st_other, of which pyelftools keeps only the standard bits
    facts = _by_symbol(_data(sections, ".nv.info"))
    lines = source_lines(elf)
    shared = _Shared(sections, symbols)
    found = []
    for index, symbol in enumerate(symbols):
        if entry_flags[index] & _ENTRY and f".text.{symbol.name}" in sections:
            image = _image(symbol.name, sm, shared, facts.get(index, {}))
            found.append(replace(image, lines=lines.get(symbol.name, {})))
    return found


class _Shared:
    """What the kernels of a cubin share."""

    def __init__(self, sections: dict[str, Section], symbols: list[Symbol]) -> None:
        self.sections, self.symbols = sections, symbols
        self.global_starts = _global_starts(sections)
        self.global_data = _global_data(sections)
        self.relocations = tuple(_relocations(f"nv.constant{ADDRESS_BANK}", ADDRESS_BANK, self))


def _said(info: bytes) -> tuple[dict[str, Any], list[Parameter], dict[int, tuple[int, ...]]]:
    """Return what a kernel's attributes say: fields of Image, its parameters, and addresses by attribute."""
    fields: dict[str, Any] = {}
    parameters = []
    places: dict[int, tuple[int, ...]] = {}
    for attribute, value in _attributes(info):
        if attribute == _PARAMETER:
            _, _, offset, flags = struct.unpack("<IHHI", value)
            parameters.append(Parameter(offset=offset, size=flags >> 18))
        elif attribute == _PARAM_CBANK:
            fields["parameter_base"] = struct.unpack("<IHH", value)[1]
        elif attribute == _MAX_THREADS:
            fields["max_threads"] = math.prod(struct.unpack("<III", value))
        elif attribute == _NUM_BARRIERS:
            fields["barriers"] = value[0]
        elif attribute in (_WARP_WIDE, _MASKS):
            places[attribute] = struct.unpack(f"<{len(value) // 4}I", value)
    return fields, parameters, places


def _image(name: str, sm: int, shared: _Shared, facts: dict[int, int]) -> Image:
    sections = shared.sections
    code = _data(sections, f".text.{name}")
    if not code or len(code) % 16:
        raise BadInputError(f"kernel {name} has {len(code)} bytes of code, which is no number of 16-byte instructions")
    fields, parameters, places = _said(_data(sections, f".nv.info.{name}"))
    static = sections.get(f".nv.shared.{name}")
    flags = sections[f".text.{name}"]["sh_flags"]
    reserved = _RESERVED_SHARED if sm >= 90 else 0
    return Image(
        name=name,
        sm=sm,
        code=code,
        parameters=tuple(sorted(parameters, key=lambda parameter: parameter.offset)),
        registers=facts.get(_REGISTERS, 255),
        shared_bytes=max(int(static["sh_size"]) if static is not None else 0, reserved),
        shared_reserved_bytes=reserved,
        local_bytes=facts.get(_MIN_STACK, 0),
        constants=_constants(name, sections),
        warp_masks=tuple(
            (address, mask & 0xFF)
            for address, mask in zip(places.get(_WARP_WIDE, ()), places.get(_MASKS, ()), strict=False)
            if mask >> 24 == _IN_REGISTER
        ),
        relocations=(
            *_relocations(f"text.{name}", None, shared),
            *shared.relocations,
        ),
        global_data=shared.global_data,
        **({"barriers": flags >> 20 & 0x1F} | fields),  # before CUDA 13 the section's flags hold it
    )


def _data(sections: dict[str, Section], name: str) -> bytes:
    return bytes(sections[name].data()) if name in sections else b""


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Walk an .nv.info section: a format byte, an attribute byte, then two bytes or as many as those two say."""
    at = 0
    while at + 4 <= len(data):
        kind, attribute, short = struct.unpack_from("<BBH", data, at)
        size = short if kind == 4 else 0
        if at + 4 + size > len(data):
            raise BadInputError("an .nv.info section ends inside an attribute")
        yield attribute, data[at + 4 : at + 4 + size] if size else data[at + 2 : at + 4]
        at += 4 + size


def _by_symbol(data: bytes) -> dict[int, dict[int, int]]:
    """Return what .nv.info says of each function, by symbol number and attribute."""
    found: dict[int, dict[int, int]] = {}
    for attribute, value in _attributes(data):
        if attribute in (_REGISTERS, _MIN_STACK):
            symbol, number = struct.unpack("<II", value)
            found.setdefault(symbol, {})[attribute] = number
    return found


def _constants(name: str, sections: dict[str, Section]) -> dict[int, bytes]:
    """Return the constant banks other than the driver's bank 0: shared by all kernels, or one kernel's own."""
    named = {(bank, suffix): f".nv.constant{bank}{suffix}" for bank in _BANKS for suffix in ("", f".{name}")}
    return {bank: _data(sections, section) for (bank, _), section in named.items() if section in sections}


def _relocations(section_name: str, bank: int | None, shared: _Shared) -> Iterator[Relocation]:
    for kind in ("rel", "rela"):
        section = shared.sections.get(f".{kind}.{section_name}")
        if not isinstance(section, RelocationSection):
            continue
        for entry in section.iter_relocations():
            symbol = shared.symbols[entry["r_info_sym"]]
            start = shared.global_starts.get(symbol["st_shndx"])
            target = None if start is None else start + symbol["st_value"] + entry.entry.get("r_addend", 0)
            yield Relocation(symbol=symbol.name, bank=bank, offset=entry["r_offset"], target=target)


def _global_starts(sections: dict[str, Section]) -> dict[int, int]:
    """Return where each section of global variables starts, by section number, when they are laid one after another."""
    starts, at = {}, 0
    for number, (name, section) in enumerate(sections.items()):
        if name in _GLOBALS:
            starts[number] = at
            at += -(-int(section["sh_size"]) // _GLOBAL_ALIGNMENT) * _GLOBAL_ALIGNMENT
    return starts


def _global_data(sections: dict[str, Section]) -> bytes:
    size = sum(int(sections[name]["sh_size"]) for name in _GLOBALS if name in sections)
    if size > _GLOBAL_LIMIT:
        raise BadInputError(f"its global variables take {size} bytes; simtc's limit is {_GLOBAL_LIMIT}")
    parts = [bytes(section.data()) for name, section in sections.items() if name in _GLOBALS]
    return b"".join(part.ljust(-(-len(part) // _GLOBAL_ALIGNMENT) * _GLOBAL_ALIGNMENT, b"\0") for part in parts)
