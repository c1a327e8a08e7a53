"""Kernels of a cubin, or of a file that holds cubins: what the ELF says of each, and what its code says."""

from __future__ import annotations

from typing import Any

from simtc.errors import BadInputError, MissingToolError, SimtcError
from simtc.isa import Instruction, Kernel, Kind
from simtc.sass.container import cubins_of
from simtc.sass.decoder import UnknownWordError, decode
from simtc.sass.disassembler import Line, disassemble
from simtc.sass.elf import ADDRESS_BANK, GENERATIONS, Image, generation, read_cubin
from simtc.sass.text import parse_instruction

__all__ = ["cubins_with_kernels", "load_cubins", "own_lines"]


def load_cubins(data: bytes, origin: str, sm: int | None) -> dict[str, Kernel]:
    """Return the kernels of a file's cubins, of the one generation wanted.

    Raises:
        BadInputError: the file cannot be read, or holds no kernel, or several generations of which none was chosen.
        MissingToolError: no nvdisasm here can read what simtc cannot.

    """
    kernels: dict[str, Kernel] = {}
    for cubin, images in cubins_with_kernels(data, origin, sm):
        kernels |= _load_cubin(cubin, images, origin)
    return kernels


def cubins_with_kernels(data: bytes, origin: str, sm: int | None) -> list[tuple[bytes, list[Image]]]:
    """Pair each cubin of a file, of the one generation wanted, with its kernels.

    Raises:
        BadInputError: the file cannot be read, or holds no kernel, or several generations of which none was chosen.

    """
    cubins = cubins_of(data, origin)
    made_for = [generation(cubin, origin) for cubin in cubins]
    found = sorted({made for made in made_for if made in GENERATIONS}) or sorted(set(made_for))
    if sm is None and len(found) > 1:
        raise BadInputError(f"{origin} holds code for {_names(found)}: choose one with sm={found[0]} (--sm {found[0]})")
    if sm is not None and sm not in found:
        raise BadInputError(f"{origin} holds code for {_names(found)}, not for sm_{sm}")
    chosen = [cubin for cubin, made in zip(cubins, made_for, strict=True) if made == (sm or found[0])]
    pairs = [(cubin, images) for cubin in chosen if (images := read_cubin(cubin, origin))]
    if not pairs:
        raise BadInputError(f"{origin} holds no kernel")
    return pairs


def _names(sms: list[int]) -> str:
    return ", ".join(f"sm_{sm}" for sm in sms)


def _load_cubin(cubin: bytes, images: list[Image], origin: str) -> dict[str, Kernel]:
    return {image.name: _kernel(image, lines, origin) for image, lines in read_code(cubin, images, origin)}


def read_code(cubin: bytes, images: list[Image], origin: str) -> list[tuple[Image, list[Line]]]:
    """Pair each kernel with its lines as simtc decodes them, or as nvdisasm does where simtc cannot decode them all.

    Raises:
        BadInputError: neither can.
        MissingToolError: simtc cannot, and there is no nvdisasm for this generation.

    """
    try:
        return own_lines(images, origin)
    except UnknownWordError as error:
        unknown = error
    try:
        sections = disassemble(cubin, images[0].sm)
    except MissingToolError as error:
        raise MissingToolError(f"{unknown}; nvdisasm may know it: {error}") from None
    except SimtcError as error:
        raise BadInputError(f"{unknown}; {error}") from None
    return [(image, _same_words(image, sections.get(image.name, []), origin)) for image in images]


def own_lines(images: list[Image], origin: str) -> list[tuple[Image, list[Line]]]:
    """Pair each kernel of one generation with its lines as simtc decodes them.

    Raises:
        UnknownWordError: the table has no row for a word.

    """
    try:
        decoded = decode([image.code for image in images], images[0].sm)
    except UnknownWordError as error:
        raise UnknownWordError(f"{origin}, kernel {images[error.kernel].name}: {error}") from None
    return [(image, _lines(image, texts)) for image, texts in zip(images, decoded, strict=True)]


def _lines(image: Image, texts: list[str]) -> list[Line]:
    lines, source = [], None
    for text, (address, word) in zip(texts, _words(image), strict=True):
        source = image.lines.get(address, source)
        lines.append(Line(address=address, text=text, word=word, source=source))
    return lines


def _words(image: Image) -> list[tuple[int, int]]:
    code = image.code
    return [(at, int.from_bytes(code[at : at + 16], "little")) for at in range(0, len(code), 16)]


def _same_words(image: Image, lines: list[Line], origin: str) -> list[Line]:
    """Return nvdisasm's lines, which must be of the words that the file holds."""
    if [line.word for line in lines] != [word for _, word in _words(image)]:
        raise BadInputError(f"{origin}: nvdisasm shows other code for kernel {image.name} than the file holds")
    return lines


def _kernel(image: Image, lines: list[Line], origin: str) -> Kernel:
    """Join what the ELF says and what its code says."""
    instructions = tuple(_instruction(line) for line in lines)
    fields = {name: getattr(image, name) for name in Image.__dataclass_fields__ if name in Kernel.__dataclass_fields__}
    fields |= _used_banks(image, instructions)
    try:
        return Kernel(instructions=instructions, **fields)
    except ValueError as error:
        raise BadInputError(f"{origin}, kernel {image.name}: {error}") from None


def _used_banks(image: Image, instructions: tuple[Instruction, ...]) -> dict[str, Any]:
    """Keep the constants and relocations that the code reads: every kernel of a cubin shares banks 3 and 4."""
    reads = [operand for i in instructions for operand in i.operands if operand.kind is Kind.CONSTANT]
    banks = {operand.index for operand in reads}
    anywhere = any(o.index == ADDRESS_BANK and (o.base, o.uniform) != (255, 63) for o in reads)
    places = {operand.value // 8 * 8 for operand in reads if operand.index == ADDRESS_BANK}
    relocations = tuple(
        relocation
        for relocation in sorted(image.relocations, key=lambda relocation: (relocation.bank or 0, relocation.offset))
        if relocation.bank is None or (ADDRESS_BANK in banks and (anywhere or relocation.offset in places))
    )
    return {
        "constants": {bank: data for bank, data in image.constants.items() if bank in banks},
        "relocations": relocations,
        "global_data": image.global_data if relocations else b"",
    }


def _instruction(line: Line) -> Instruction:
    try:
        return parse_instruction(line.text, address=line.address, word=line.word, source=line.source)
    except BadInputError as error:
        raise BadInputError(f"at {line.address:#06x}: {error}") from None
