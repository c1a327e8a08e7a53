"""A launch of a kernel of the corpus: its buffers, the same on the chip and here."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simtc.arch import Device
from simtc.gpu import Code, Gpu
from simtc.isa import Kernel
from simtc.results import LaunchResult
from simtc.run.launch import launch
from simtc.validate.archived import ArchivedLaunch
from simtc.validate.corpus import archive
from simtc.validate.corpus.allocated import settled
from simtc.validate.corpus.drawing import draw
from simtc.validate.corpus.knobs import Knobs

__all__ = ["CorpusLaunch", "bits", "numbers"]

_PATTERN = 1 << 20


@dataclass(frozen=True, kw_only=True)
class CorpusLaunch(ArchivedLaunch):
    """One kernel, cold or warm."""

    program: str
    places: tuple[int, ...] = ()  # of the arrays on the chip, in bytes from a multiple of 2 MiB; () where not known
    far: tuple[int, ...] = ()  # of each array, which 2 MiB hang on the half of L2 far from the first SM: see `settled`

    @property
    def title(self) -> str:
        """PROGRAM."""
        return self.program

    @property
    def knobs(self) -> Knobs:
        """What the kernel was made of."""
        return draw(self.program)

    @property
    def code(self) -> Code:
        """The machine code, for a GPU."""
        return archive.code(self.program)

    @property
    def kernel(self) -> Kernel:
        """The machine code, for simtc."""
        return archive.kernel(self.program)

    def arguments(self) -> list[Any]:
        """Return a, b, d and n: what is read is finite in every type, what is written begins as zeros."""
        made = self.knobs
        a, b, d = made.array_bytes
        return [_values(a), _values(b), np.zeros(d, np.uint8), np.int32(made.iterations)]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Blocks, threads, and bytes of dynamic shared memory."""
        return self.knobs.blocks, self.knobs.threads, self.knobs.shared_bytes

    def arguments_on(self, gpu: Gpu) -> list[Any]:  # noqa: ARG002 - the same everywhere
        """Return the arguments, as a GPU gets them."""
        return self.arguments()

    def simulate(self, board: Device, fidelity: str = "full") -> tuple[LaunchResult, int]:
        """Launch with the clock; return also the checksum of what was written."""
        made, args = self.knobs, self.arguments()
        lie = settled(made.array_bytes, self.places, self.far, board.memory_half_bits) if self.far else self.places
        run = launch(
            self.kernel, made.blocks, made.threads, args, shared_bytes=made.shared_bytes, device=board,
            timing=True, caches=self.caches, fidelity=fidelity, places=lie,
        )  # fmt: skip
        return run, bits(args[2])


def bits(written: NDArray[np.uint8]) -> int:
    """Return the CRC-32 of a launch's results."""
    return zlib.crc32(written.tobytes())


@cache
def _pattern() -> NDArray[np.uint8]:
    """Return bytes that are small finite numbers in every type: signs, and no large exponents."""
    drawn = np.random.Generator(np.random.PCG64(18)).integers(0, 1 << 16, _PATTERN // 2, dtype=np.uint16)
    return (drawn & np.uint16(0x87BF) | np.uint16(0x3000)).view(np.uint8)


def numbers(size: int) -> NDArray[np.uint8]:
    """Return that many bytes of finite numbers.

    Example:
        >>> bool(np.isfinite(numbers(4096).view(np.float32)).all())
        True

    """
    return np.resize(_pattern(), size)


def _values(size: int) -> NDArray[np.uint8]:
    values = numbers(size)
    values.flags.writeable = False
    return values
