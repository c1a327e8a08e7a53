"""What simtc says of a published kernel: compiled, launched on the board, timed."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from simtc.compiler import compile_source
from simtc.errors import BadInputError, SimtcError
from simtc.isa import Kernel
from simtc.results import LaunchResult
from simtc.run.launch import launch
from simtc.validate.ladders.cut import cut, defined, digest
from simtc.validate.ladders.ladder import Figure, Ladder, LadderKernel

__all__ = ["Prediction", "predict", "source_of"]

_BUFFER = re.compile(r"(\w+)\[(\d+)\]\Z")
_DOUBTFUL = 0.1
_AFFORDABLE = 6_000_000  # warp-instructions: half a minute or so
_PATIENT = 60_000_000
_VALUE = re.compile(r"(\w+) (-?[\d.]+)\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """One figure as simtc has it; `refused` says why there is none."""

    figure: str
    cycles: int = 0
    seconds: float = 0.0
    fidelity: str = ""
    doubt: float = 0.0  # by how much of it the cycles may be off, as the sampling says
    limit: str = ""  # what bounds it
    refused: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON, without what it does not have."""
        return {key: value for key, value in asdict(self).items() if value}


def source_of(kernel: LadderKernel, home: Path) -> str:
    """Return the text to compile: the kernel, and what it needs of its file.

    Args:
        kernel: a ladder's.
        home: the folder of the fetched repository.

    Raises:
        BadInputError: the file is not there, lacks the kernel, or has another one than the figures belong to.

    """
    path = home / kernel.file
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise BadInputError(f"cannot read {path}: {error}; fetch it first: the ladder's toml says where") from None
    if kernel.change:
        text = text.replace(kernel.change[0], kernel.change[1])
    body = cut(text, kernel.function)
    if digest(body) != kernel.digest:
        raise BadInputError(f"{path}: kernel {kernel.function} is another one: digest {digest(body)}")
    macros = [f"#define {name.replace('=', ' ', 1)}" for name in kernel.definitions]
    lines = [f"#include <{name}>" for name in kernel.includes] + macros
    return "\n".join([*lines, *(defined(text, name) for name in kernel.lines), body, ""])


@cache
def _compiled(kernel: LadderKernel, board: str, home: Path) -> Kernel:
    name = kernel.instance or kernel.function
    return compile_source(source_of(kernel, home), device=board, kernel=name)[name]


def predict(ladder: Ladder, figure: Figure, home: Path, *, whole: bool = False) -> Prediction:
    """Compile a figure's kernel for the board, and time its launch; a refusal is a result too.

    A sample that doubts itself is followed by the whole launch, where that takes no more than a minute.

    Args:
        ladder: that the figure is of.
        figure: to be predicted.
        home: the folder of the fetched repository.
        whole: whether the launch may take some minutes.

    Raises:
        BadInputError: the sources are not those of the ladder.
        MissingToolError: NVRTC is not here.

    """
    kernel = _compiled(ladder.kernels[figure.kernel], ladder.board, home)
    try:
        ran = _ran(ladder, figure, kernel, "sampled")
        timing = ran.timing
        if timing and timing.error_estimate > _DOUBTFUL and ran.instructions <= (_PATIENT if whole else _AFFORDABLE):
            timing = _ran(ladder, figure, kernel, "full").timing
    except SimtcError as error:
        return Prediction(figure=figure.name, refused=str(error).splitlines()[0])
    if timing is None:
        raise SimtcError("a launch with timing has none")
    return Prediction(
        figure=figure.name, cycles=int(timing.cycles), seconds=float(timing.seconds), fidelity=timing.fidelity,
        doubt=round(float(timing.error_estimate), 3), limit=str(timing.limit),
    )  # fmt: skip


def _ran(ladder: Ladder, figure: Figure, kernel: Kernel, fidelity: str) -> LaunchResult:
    return launch(
        kernel, figure.grid, figure.block, [_argument(text) for text in figure.args], device=ladder.board,
        shared_bytes=figure.shared_bytes, timing=True, fidelity=fidelity, values=False, caches=ladder.caches,
    )  # fmt: skip


def _argument(text: str) -> Any:
    if match := _BUFFER.match(text):
        return np.zeros(int(match[2]), np.dtype(match[1]))
    if match := _VALUE.match(text):
        return np.dtype(match[1]).type(match[2])
    raise BadInputError(f"argument {text!r}: allowed are a buffer of zeros, float32[4096], and a value, int32 1024")
