"""nvdisasm: where it is, and what it says of a cubin."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from simtc.errors import BadInputError, MissingToolError
from simtc.sass.lines import own_place

__all__ = ["Line", "disassemble", "parse_disassembly"]

_SECONDS = 120
# PyPI distributions that carry an nvdisasm: the one of simtc[sass], and one whose 3.5.0 carries 12.8 (it reads sm_70).
_DISTRIBUTIONS = ("nvidia-cuda-nvdisasm", "nvidia-cuda-nvdisasm-cu12", "triton")
_OLD_CHIP = re.compile(r"deprecated|not supported|unsupported|unrecognized", re.IGNORECASE)

_SECTION = re.compile(r"//-+ \.text\.(\S+)")
_LABEL = re.compile(r"([.$\w]+):\s*\Z")
_CODE = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;\s*/\* 0x([0-9a-f]{16}) \*/")
_HIGH = re.compile(r"\s*/\* 0x([0-9a-f]{16}) \*/\s*\Z")
_PLACE = re.compile(r'File "([^"]*)", line (\d+)')
_TARGET = re.compile(r"`\(([^()]*)\)")
_COMMENT = re.compile(r"\s*\(\*.*?\*\)")
_RELOCATED = re.compile(r"\b(?:32@(?:lo|hi)|fun@R_CUDA\w*|[a-z]+@\w*)\(.*\)")


class Line(NamedTuple):
    """One instruction as disassembled, its branch target a hexadecimal address."""

    address: int
    text: str
    word: int
    source: tuple[str, int] | None


def disassemble(cubin: bytes, sm: int) -> dict[str, list[Line]]:
    """Run nvdisasm over a cubin; return the lines of every `.text.NAME` section by NAME.

    Raises:
        MissingToolError: there is no nvdisasm, or none that reads this generation.
        BadInputError: nvdisasm refused the cubin for another reason.

    """
    refused: list[str] = []
    with tempfile.TemporaryDirectory(prefix="simtc-") as scratch:
        path = Path(scratch) / "kernel.cubin"
        path.write_bytes(cubin)
        for tool in _candidates():
            try:
                run = subprocess.run(  # noqa: S603 - the user's own tool, no shell
                    [tool, "-hex", "-c", "-gi", path.name],
                    cwd=scratch, capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False,
                )  # fmt: skip
            except OSError as error:
                refused.append(f"{tool}: {error.strerror}")
                continue
            except subprocess.TimeoutExpired:
                raise BadInputError(f"nvdisasm did not finish with this cubin in {_SECONDS} s: it is corrupt") from None
            if run.returncode == 0:
                return parse_disassembly(run.stdout)
            said = " ".join((run.stderr or run.stdout or f"exit status {run.returncode}").split())
            if not _OLD_CHIP.search(said):
                raise BadInputError(f"nvdisasm refuses this cubin: {said}")
            refused.append(f"{tool}: {said}")
    raise _no_tool(sm, refused)


def _no_tool(sm: int, refused: list[str]) -> MissingToolError:
    if not refused:
        return MissingToolError(
            "reading a cubin needs nvdisasm, which is not here: pip install 'simtc[sass]', or set SIMTC_NVDISASM to "
            "the nvdisasm of a CUDA toolkit (a listing that simtc wrote needs no tool)"
        )
    old = "; CUDA 12's nvdisasm can: pip install triton==3.5.0, or" if sm < 75 else ": pip install 'simtc[sass]', or"
    return MissingToolError(
        f"no nvdisasm here reads sm_{sm} ({'; '.join(refused)}){old} set SIMTC_NVDISASM to the nvdisasm of a toolkit "
        f"that knows sm_{sm}"
    )


def _candidates() -> Iterator[str]:
    """Yield the places where an nvdisasm may be, the user's own choice first and alone."""
    if chosen := os.environ.get("SIMTC_NVDISASM"):
        if not shutil.which(chosen):
            raise MissingToolError(f"SIMTC_NVDISASM is {chosen!r}, which is no program that can be run")
        yield chosen
        return
    if found := shutil.which("nvdisasm"):
        yield found
    for toolkit in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if toolkit and (found := shutil.which("nvdisasm", path=str(Path(toolkit) / "bin"))):
            yield found
    for name in _DISTRIBUTIONS:
        try:
            files = metadata.files(name) or []
        except metadata.PackageNotFoundError:
            continue
        for file in files:
            if file.stem == "nvdisasm" and (path := shutil.which(str(file.locate()))):
                yield path


def parse_disassembly(output: str) -> dict[str, list[Line]]:
    """Read `nvdisasm -hex -c -gi` output; return the lines of every `.text.NAME` section by NAME.

    Raises:
        BadInputError: the output is not in that form.

    """
    sections: dict[str, list[_Pending]] = {}
    labels: dict[str, dict[str, int]] = {}
    current: list[_Pending] | None = None
    waiting: list[str] = []
    places: list[tuple[str, int]] = []
    source: tuple[str, int] | None = None
    for row in output.splitlines():
        if match := _SECTION.match(row):
            current = sections.setdefault(match[1], [])
            waiting, places, source = [], [], None
            here = labels.setdefault(match[1], {})
        elif current is None:
            continue
        elif "//##" in row:
            found = _PLACE.search(row)
            places += [(found[1], int(found[2]))] if found else []
        elif match := _CODE.match(row):
            address = int(match[1], 16)
            here.update(dict.fromkeys(waiting, address))
            if places:
                source = own_place(places)
            current.append(_Pending(address=address, text=match[2], low=int(match[3], 16), source=source))
            waiting, places = [], []
        elif (match := _HIGH.match(row)) and current:
            current[-1].high = int(match[1], 16)
        elif match := _LABEL.match(row):
            waiting.append(match[1])
    return {name: [line.finish(labels[name]) for line in lines] for name, lines in sections.items()}


@dataclass(slots=True, kw_only=True)
class _Pending:
    address: int
    text: str
    low: int
    source: tuple[str, int] | None
    high: int | None = None

    def finish(self, labels: dict[str, int]) -> Line:
        """Put addresses for labels and drop the disassembler's remarks."""
        if self.high is None:
            raise BadInputError(f"nvdisasm printed half an encoding at {self.address:#x}")
        text = " ".join(_COMMENT.sub("", self.text).split())
        text = _TARGET.sub(lambda found: f"`({labels.get(found[1], 0):#x})" if found[1] in labels else found[0], text)
        word = self.high << 64 | self.low
        return Line(address=self.address, text=_unlink(text, word), word=word, source=self.source)


def _unlink(text: str, word: int) -> str:
    """Put the bits that the word holds for an immediate which a linker would fill in."""
    return _RELOCATED.sub(f"{word >> 32 & 0xFFFFFFFF:#x}", text)
