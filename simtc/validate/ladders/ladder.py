"""A ladder: kernels that do the same work better and better, where they are published, and what was measured."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from simtc import arch
from simtc.errors import BadInputError, unknown
from simtc.resources import folder

__all__ = ["Figure", "Ladder", "LadderKernel", "ladders", "read_ladder"]

_SECONDS = {"us": 1e-6, "ms": 1e-3}
_RATES = {"GFLOPS": 1e9, "GB/s": 1e9}
_CACHES = ("cold", "warm")
T = TypeVar("T")
_DIGEST = re.compile(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderKernel:
    """A kernel: where its text is, and how it is compiled; the text itself is never kept here."""

    name: str
    file: str  # in the repository
    function: str
    digest: str  # SHA-256 of the kernel's text, comments and white space taken out
    instance: str = ""  # the name expression of a template's instance
    includes: tuple[str, ...] = ()  # headers that it needs
    definitions: tuple[str, ...] = ()  # macros and constants of its file, "NAME=VALUE"
    lines: tuple[str, ...] = ()  # names of macros whose #define is taken from its file
    change: tuple[str, ...] = ()  # text, and what the author writes in its place for this kernel

    def __post_init__(self) -> None:
        """Refuse what could not be found again."""
        if not _DIGEST.match(self.digest):
            raise BadInputError(f"kernel {self.name}: digest {self.digest!r} is no SHA-256 in hexadecimal")
        if len(self.change) not in (0, 2):
            raise BadInputError(f"kernel {self.name}: change is a text and its replacement, not {self.change!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One published figure: a kernel at one size."""

    kernel: str
    group: str  # figures of a group do the same work: their order is what is compared
    size: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    args: tuple[str, ...]  # "float32[4096]", a buffer of zeros; "int32 1024", a value
    printed: float
    work: int = 0  # operations or bytes of which the figure is a rate
    shared_bytes: int = 0

    @property
    def name(self) -> str:
        """KERNEL/SIZE, unique in a ladder."""
        return f"{self.kernel}/{self.size}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """A set of kernels with figures of one board."""

    name: str
    title: str
    board: str
    unit: str  # of the printed figures: us, ms, GFLOPS, GB/s
    caches: str
    level: bool  # whether times are compared too; False where size or clock is not told
    source: str  # address
    commit: str
    licence: str
    figures_in: str
    measured: str  # how
    assumed: str  # what the publication does not say
    kernels: Mapping[str, LadderKernel]
    figures: tuple[Figure, ...]
    left_out: tuple[Mapping[str, Any], ...]  # figures that are not compared, each with its reason

    def __post_init__(self) -> None:
        """Prove that every figure has its kernel, its launch, and a time."""
        arch.device(self.board)
        if self.unit not in (*_SECONDS, *_RATES):
            raise unknown(f"unit of ladder {self.name}", self.unit, (*_SECONDS, *_RATES))
        if self.caches not in _CACHES:
            raise unknown(f"caches of ladder {self.name}", self.caches, _CACHES)
        twice = [name for name, count in Counter(figure.name for figure in self.figures).items() if count > 1]
        if twice:
            raise BadInputError(f"ladder {self.name} has {twice[0]} twice")
        for figure in self.figures:
            if figure.kernel not in self.kernels:
                raise unknown(f"kernel in ladder {self.name}", figure.kernel, list(self.kernels))
            if figure.printed <= 0 or (self.unit in _RATES and figure.work <= 0):
                raise BadInputError(f"ladder {self.name}: {figure.name} needs a figure above 0, and a rate its work")

    def seconds(self, figure: Figure) -> float:
        """Return the time that a figure says."""
        if self.unit in _SECONDS:
            return figure.printed * _SECONDS[self.unit]
        return figure.work / (figure.printed * _RATES[self.unit])


def read_ladder(path: Path) -> Ladder:
    """Read a ladder.

    Args:
        path: its TOML: [ladder], [[kernel]], [[figure]] and [[left_out]].

    Raises:
        BadInputError: the file cannot be read, or lacks something, or says something that no ladder has.

    Example:
        >>> ladder = read_ladder(folder("validate") / "ladders" / "rtx2080ti_transpose.toml")
        >>> ladder.board, ladder.unit, len(ladder.figures)
        ('rtx2080ti', 'ms', 9)

    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInputError(f"cannot read ladder {path}: {error}") from None
    kernels = [_made(LadderKernel, row, path) for row in raw.pop("kernel", ())]
    own = {
        "name": path.stem,
        "kernels": {kernel.name: kernel for kernel in kernels},
        "figures": tuple(_made(Figure, row, path) for row in raw.pop("figure", ())),
        "left_out": tuple(raw.pop("left_out", ())),
    }
    return _made(Ladder, {**raw.pop("ladder", {}), **own}, path)


def ladders() -> dict[str, Ladder]:
    """Return every ladder of this installation by its name."""
    found = sorted((folder("validate") / "ladders").glob("*.toml"))
    return {path.stem: read_ladder(path) for path in found}


def _made(kind: type[T], row: Mapping[str, Any], path: Path) -> T:
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    for key in row:
        if key not in known:
            raise unknown(f"key of {kind.__name__} in {path.name}", key, known)
    try:
        return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in row.items()})
    except TypeError as error:
        raise BadInputError(f"{path.name}: {str(error).removeprefix(kind.__name__ + '.__init__() ')}") from None
