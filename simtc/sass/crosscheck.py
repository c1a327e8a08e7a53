"""simtc's decoding beside a second opinion: nvdisasm's of a cubin, or what a listing says."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from simtc.isa import Program
from simtc.sass.container import ELF_MAGIC, FATBIN_MAGIC
from simtc.sass.cubins import cubins_with_kernels
from simtc.sass.decoder import texts
from simtc.sass.disassembler import disassemble
from simtc.sass.load import load

__all__ = ["CrossCheck", "Difference", "cross_check"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One instruction that is not read alike; `simtc` is None where the table has no row for the word."""

    kernel: str
    address: int
    word: int
    simtc: str | None
    other: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossCheck:
    """How many instructions were compared, with what, and which differ."""

    compared: int
    other: str
    differences: tuple[Difference, ...]


def cross_check(path: str | os.PathLike[str], *, sm: int | None = None) -> CrossCheck:
    """Decode every instruction of a file, and compare with nvdisasm, or with the text that a listing has.

    Args:
        path: a cubin, a file that holds cubins, or a listing.
        sm: which generation to take from a file that holds several.

    Raises:
        BadInputError: the file cannot be read, or nvdisasm refuses it.
        MissingToolError: it is a cubin, and no nvdisasm here reads its generation.

    Example:
        >>> from simtc.resources import folder
        >>> found = cross_check(folder("kernels") / "listings" / "sm_80" / "wmma_naive.sass")
        >>> found.other, found.differences
        ('the listing', ())

    """
    name = os.fspath(path)
    compared, found = 0, []
    opinions, other = _opinions(name, sm)
    for generation, kernel, code, said in opinions:
        [ours] = texts([code], generation)
        compared += len(ours)
        for place, (own, text) in enumerate(zip(ours, said, strict=True)):
            if own != text:
                word = int.from_bytes(code[16 * place : 16 * place + 16], "little")
                found.append(Difference(kernel=kernel, address=16 * place, word=word, simtc=own, other=text))
    return CrossCheck(compared=compared, other=other, differences=tuple(found))


def _opinions(name: str, sm: int | None) -> tuple[list[tuple[int, str, bytes, list[str]]], str]:
    """Return the generation, name, code and texts of every kernel, and who says them."""
    with Path(name).open("rb") if Path(name).is_file() else Path(os.devnull).open("rb") as file:
        magic = file.read(4)
    if magic not in (ELF_MAGIC, FATBIN_MAGIC):
        return _of_listing(load(name, sm=sm)), "the listing"
    opinions = []
    for cubin, images in cubins_with_kernels(Path(name).read_bytes(), name, sm):
        sections = disassemble(cubin, images[0].sm)
        said = {name: [line.text for line in lines] for name, lines in sections.items()}
        opinions += [(image.sm, image.name, image.code, said.get(image.name, [])) for image in images]
    return opinions, "nvdisasm"


def _of_listing(program: Program) -> list[tuple[int, str, bytes, list[str]]]:
    return [
        (
            kernel.sm,
            kernel.name,
            b"".join((instruction.encoding or 0).to_bytes(16, "little") for instruction in kernel.instructions),
            [instruction.text for instruction in kernel.instructions],
        )
        for kernel in program.values()
    ]
