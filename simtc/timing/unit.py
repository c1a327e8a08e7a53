"""What a unit of the clock says of itself: its parameters, its state, its stall causes and its counters.

A unit's functions work on records that hold the state of all units. So a unit only declares them, and `link` compiles
them once all units are known: see pipeline.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final, Self, TypeAlias, TypeVar

import numpy as np
from numba import from_dtype

from simtc.arch import Device
from simtc.arch.unit_tables import CLOCK as OWN
from simtc.bundle import BundleType
from simtc.errors import BadInputError
from simtc.jit import finish, jit
from simtc.results.stall import Stall
from simtc.timing.constants import Counter

__all__ = [
    "CLOCK",
    "FLOAT",
    "INT",
    "SM",
    "SUB",
    "WARP",
    "Cells",
    "Launched",
    "Parameters",
    "Scale",
    "Sizes",
    "Unit",
    "compiled",
    "constant",
    "derived",
    "joined",
    "launched",
    "link",
    "paths",
]

# The records that all units' fields make up; which they are, `link` is told.
CLOCK: Final = "Clock"
SM: Final = "SM"
SUB: Final = "SUB"  # a sub-core
WARP: Final = "WARP"
FLOAT, INT = np.dtype(np.float64), np.dtype(np.int64)

_F = TypeVar("_F", bound=Callable[..., Any])
_Fields: TypeAlias = tuple[tuple[Any, ...], ...]  # of a numpy record
_declared: list[tuple[Any, Any, tuple[Any, ...]]] = []  # and not complete yet
_types: dict[str, Any] = {}  # what the names above stand for, once all units are known


@dataclass(frozen=True, slots=True, kw_only=True)
class Launched:
    """What a launch makes of an SM."""

    slots: int  # resident blocks
    warps: int  # of a block
    l1_sets: int
    l2_sets: int
    block_shared_bytes: int = 0  # of a block, with what the driver keeps of it
    is_cold: bool = False  # its code is still to be fetched


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """What simulated SMs are of the chip's, in a wave of blocks."""

    share: float  # of the wave's blocks
    merged: float  # sectors that GPCs ask L2 for, for each that SMs do: of the chip's, by that of these SMs
    cpc_crowd: float  # blocks that share a CPC's port, for each that does on the chip
    gpc_crowd: float  # likewise a GPC's


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much of everything there is."""

    sms: int
    slots: int
    warps: int
    sub_cores: int
    instructions: int
    blocks: int
    l1_lines: int
    l2_lines: int
    gpcs: int = 1
    cpcs: int = 1
    l2_slices: int = 1
    buffers: int = 0  # whose sectors count otherwise than as one
    laps: int = 0  # backward branches to keep
    timeline: int = 0  # slices to keep


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """State that is neither an SM's nor a sub-core's nor a warp's: an array, or one record."""

    of: np.dtype[Any]
    shape: Callable[[Sizes], tuple[int, ...]] | None = None  # None for one record
    fill: float = 0

    @property
    def type(self) -> Any:
        """The type that compiled code sees."""
        kind = from_dtype(self.of)
        if self.shape is None:
            return kind
        one = Sizes(sms=1, slots=1, warps=1, sub_cores=1, instructions=1, blocks=1, l1_lines=1, l2_lines=1)
        return kind[::1] if len(self.shape(one)) == 1 else kind[:, ::1]

    def shape_of(self, sizes: Sizes) -> tuple[int, ...]:
        """Return the shape of its array."""
        return (1,) if self.shape is None else self.shape(sizes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """What a unit needs to know of a board; fields are made by `constant`, `derived` and `launched`."""

    @classmethod
    def of(cls, device: Device, launch: Launched) -> Self:
        """Return a board's; a mechanism that the board does not mention is off.

        Raises:
            BadInputError: a queue is longer than the clock has room for.

        """
        found = {one.name: float(one.metadata["read"](device, launch)) for one in fields(cls)}
        for one in fields(cls):
            room = one.metadata["room"]
            if room is not None and found[one.name] > room:
                (path,) = one.metadata["paths"]
                raise BadInputError(
                    f"{path} of {device.name} is {found[one.name]:g}: the clock has room for {room}, or fewer. "
                    f"Try: simtc arch {device.name}"
                )
        return cls(**found)

    @classmethod
    def from_record(cls, record: np.ndarray) -> Self:
        """Return what a record of `PARAMETERS` says of the unit."""
        return cls(**{one.name: float(record[one.name][0]) for one in fields(cls)})

    def scaled(self, scale: Scale) -> dict[str, float]:
        """Return those that are others where some SMs stand for the chip."""
        scaling = {one.name: one.metadata["scales"] for one in fields(self) if one.metadata["scales"]}
        return {name: scales(self, scale) for name, scales in scaling.items()}


def constant(
    path: str,
    *,
    default: float = 0.0,
    scales: Callable[[Any, Scale], float] | None = None,
    room: int | None = None,
) -> Any:
    """Declare a parameter that is a board's constant, such as "l1.request_cycles", or "dram_cycles".

    Args:
        path: where the board's TOML has it. A unit's own, such as "clock.dram.turn_ns", stands in `[clock.dram]` of the
            board or its generation; the comment behind the parameter is its meaning. What is in ns is read as cycles.
        default: what a unit's own is where neither says anything: the mechanism is off.
        scales: what it is where some SMs stand for the chip, if it is another one then.
        room: how large it may be, where the clock keeps so many of something.

    """
    if path.startswith(OWN):
        return derived(lambda device, _: device.clocked(path, default), path, scales=scales, room=room)
    read = attrgetter(f"sm.{path}" if "." in path else path)
    return derived(lambda device, _: read(device), path, scales=scales, room=room)


def derived(
    read: Callable[[Device, Launched], float],
    *paths: str,
    scales: Callable[[Any, Scale], float] | None = None,
    room: int | None = None,
) -> Any:
    """Declare a parameter that follows from constants."""
    return field(metadata={"read": read, "paths": paths, "scales": scales, "room": room})


def launched(name: str) -> Any:
    """Declare a parameter that a launch decides."""
    return derived(lambda _, launch: getattr(launch, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A hardware unit: what it reads, what it remembers, what it makes warps wait for and what it counts."""

    name: str
    parameters: type[Parameters] | None = None
    sm: _Fields = ()  # what each SM's remembers
    sub: _Fields = ()  # each sub-core's
    warp: _Fields = ()  # of each warp
    chip: Mapping[str, Cells] = field(default_factory=dict)
    stalls: tuple[Stall, ...] = ()  # causes that are its own
    counters: tuple[Counter, ...] = ()

    def __post_init__(self) -> None:
        if others := [path for path in paths([self]) if path.startswith(OWN) and path.split(".")[1] != self.name]:
            raise ValueError(f"{self.name} declares {', '.join(others)}: its own are [clock.{self.name}]'s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """The records of all units together."""

    sm: np.dtype[Any]
    sub: np.dtype[Any]
    warp: np.dtype[Any]
    parameters: np.dtype[Any]  # a record of each unit's
    cells: Mapping[str, Cells]
    clock: BundleType

    @property
    def types(self) -> dict[str, Any]:
        """What the names in declarations stand for."""
        return {CLOCK: self.clock, SM: from_dtype(self.sm), SUB: from_dtype(self.sub), WARP: from_dtype(self.warp)}


def joined(units: Iterable[Unit]) -> Joined:
    """Join the state of units.

    Raises:
        ValueError: two of them call something the same.

    """
    units = tuple(units)
    parameters = np.dtype(
        [
            (unit.name, [(one.name, FLOAT) for one in fields(unit.parameters)])
            for unit in units
            if unit.parameters is not None and fields(unit.parameters)
        ]
    )
    sm, sub, warp = (_record([one for unit in units for one in getattr(unit, kind)]) for kind in ("sm", "sub", "warp"))
    cells = {
        "chip": Cells(of=parameters),
        "chip_values": Cells(of=FLOAT, shape=lambda _: (0,)),  # the same numbers, one after another
        "chip_rises": Cells(of=FLOAT, shape=lambda _: (0,)),  # by what a rise of the clock multiplies each of them
        "sms": Cells(of=sm, shape=lambda sizes: (sizes.sms,)),
        "subs": Cells(of=sub, shape=lambda sizes: (sizes.sms * sizes.sub_cores,)),
        "warps": Cells(of=warp, shape=lambda sizes: (sizes.sms * sizes.slots * sizes.warps,)),
    }
    for unit in units:
        if twice := cells.keys() & unit.chip.keys():
            raise ValueError(f"{unit.name}: {', '.join(twice)} is another unit's")
        cells |= unit.chip
    clock = BundleType("Clock", {name: one.type for name, one in cells.items()})
    return Joined(sm=sm, sub=sub, warp=warp, parameters=parameters, cells=MappingProxyType(cells), clock=clock)


def _record(given: list[Any]) -> np.dtype[Any]:
    """Return a record whose numbers come before its arrays: they are used together, in a few lines of the cache."""
    return np.dtype(sorted(given, key=lambda one: np.dtype([one]).itemsize), align=True)


def compiled(returns: Any, *takes: Any, from_python: bool = False) -> Callable[[_F], _F]:
    """Declare a compiled function of a unit, with the types that it returns and takes, which `link` completes.

    Python calls none of them but those that are declared `from_python`.
    """

    def declare(function: _F) -> _F:
        declared = jit(None, from_python=from_python)(function)
        _declared.append((declared, returns, takes))
        if _types:
            _complete()
        return declared

    return declare


def link(records: Joined) -> None:
    """Complete the types of all that was declared, and of what will be."""
    _types.update(records.types)
    _complete()


def _complete() -> None:
    for function, returns, takes in _declared:
        finish(function, returns(*(_types[one] if isinstance(one, str) else one for one in takes)))
    _declared.clear()


def paths(units: Iterable[Unit]) -> dict[str, str]:
    """Return the constants that units read, and by which."""
    own = [(unit.name, one) for unit in units if unit.parameters for one in fields(unit.parameters)]
    return {path: name for name, one in own for path in one.metadata["paths"]}
