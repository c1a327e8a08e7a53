"""What the first warp of a block asks of shared and global memory in a step: addresses, as the sources compute them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simtc.gemm.problem import Problem

if TYPE_CHECKING:
    from simtc.gemm.simt.configuration import SimtGemm

__all__ = ["Request", "requests"]

_SIDE = 16
_LANES = range(32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An access that a warp makes `times` in a step, of one element a lane."""

    space: str  # shared or global
    store: bool
    times: int
    addresses: tuple[int, ...]  # of lanes 0 to 31, in bytes
    width_bytes: int


def requests(made: SimtGemm, problem: Problem) -> Iterator[Request]:
    """Yield the kinds of accesses in a step: strips from memory to shared memory, and operands from there."""
    part, blocking, method = made.numbers.real_bytes, made.blocking, made.how
    m, n, depth = blocking.block
    element = part * method.parts
    if blocking.kind == "register":
        rows, columns = blocking.each
        for name, lines, each, along_lines in (
            ("A", m, rows, made.transpose[0] == "n"),
            ("B", n, columns, made.transpose[1] != "n"),
        ):
            times = each * depth // _SIDE
            places = [_place(lines, thread, along_lines=along_lines) for thread in _LANES]
            step = problem.leading(name) * element
            yield Request(
                space="global", store=False, times=times, width_bytes=element,
                addresses=tuple(element * near + step * far for near, far in (_turned(p, along_lines) for p in places)),
            )  # fmt: skip
            yield _shared(
                times * method.parts, [part * (line + (lines + 1) * k) for line, k in places], part, store=True
            )
        yield _shared(depth * rows * method.parts, [part * (lane % _SIDE) for lane in _LANES], part)
        yield _shared(depth * columns * method.parts, [part * (lane // _SIDE) for lane in _LANES], part)
        return
    x, _ = blocking.threads
    times, along_lines = depth * n // blocking.count, made.transpose[1] != "n"
    across = n if along_lines else x
    step = problem.leading("B") * element
    yield Request(
        space="global", store=False, times=times, width_bytes=element,
        addresses=tuple(element * (lane % across) + step * (lane // across) for lane in _LANES),
    )  # fmt: skip
    places = [(lane % across, lane // across) if along_lines else (lane // across, lane % across) for lane in _LANES]
    yield _shared(times, [part * (line + (n + 1) * k) for line, k in places], part, store=True)
    yield Request(
        space="global", store=False, times=blocking.each[0] * depth, width_bytes=element,
        addresses=tuple(element * lane for lane in _LANES),
    )  # fmt: skip
    yield _shared(depth * n, [0] * 32, part)


def _place(lines: int, thread: int, *, along_lines: bool) -> tuple[int, int]:
    """Return the line and the k that a thread brings first: see Strip in kernels/include/simt.cuh."""
    if not along_lines:
        return thread // _SIDE, thread % _SIDE
    across = 64 if lines % 64 == 0 else 32 if lines % 32 == 0 else _SIDE
    return thread % across, thread // across


def _turned(place: tuple[int, int], along_lines: bool) -> tuple[int, int]:  # noqa: FBT001 - of one caller
    """Return a place as it lies in memory: what is near, and what a leading dimension apart."""
    return place if along_lines else (place[1], place[0])


def _shared(times: int, addresses: list[int], width: int, *, store: bool = False) -> Request:
    return Request(space="shared", store=store, times=times, addresses=tuple(addresses), width_bytes=width)
