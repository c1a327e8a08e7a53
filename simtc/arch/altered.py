"""A board with one of its constants replaced, for what asks how much a constant matters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from types import MappingProxyType
from typing import Any

from simtc.arch.device import Device
from simtc.arch.sections import Scalar
from simtc.errors import BadInputError

__all__ = ["altered"]


def altered(device: Device, path: str, value: float) -> Device:
    """Return the board with the constant of a path replaced; an integer constant takes the nearest integer.

    Raises:
        BadInputError: no constant has that path, or the chip cannot be so.

    Example:
        >>> from simtc.arch import device
        >>> faster = altered(device("h200"), "memory.LDS.32.latency_cycles", 20)
        >>> faster.sm.memory["LDS.32"].latency_cycles, device("h200").sm.memory["LDS.32"].latency_cycles
        (20.0, 23.0)

    """
    device.provenance(path)  # an unknown path is told with the nearest one
    if device.rested is not None:
        return altered(device.rested, path, value).under_tensor_load()
    if path in {field.name for field in fields(device)}:
        change: dict[str, Any] = {path: _number(getattr(device, path), value)}
        return replace(device, **change)
    head, *rest = path.split(".")
    if device.cycle_level is None or head == "clock":
        own: dict[str, Any] = {head: _replaced(getattr(device, head), rest, value)}
        return replace(device, **own)
    level = _replaced(device.sm, [head, *rest], value)
    return replace(device, cycle_level=level, limits=level.limits, scalar=Scalar.of(level.limits, level.pipes))


def _replaced(whole: Any, path: list[str], value: float) -> Any:
    """Return a copy of a dataclass or mapping with one number replaced; keys of mappings may hold dots."""
    if isinstance(whole, Mapping):
        length = next(n for n in range(len(path), 0, -1) if ".".join(path[:n]) in whole)
        key, rest = ".".join(path[:length]), path[length:]
        return MappingProxyType({**whole, key: _number(whole[key], value) if not rest else
                                 _replaced(whole[key], rest, value)})  # fmt: skip
    name, *rest = path
    held = getattr(whole, name)
    if not rest and not isinstance(held, (int, float)):
        raise BadInputError(f"{name} is {held!r}: only single numbers can be replaced")
    if not is_dataclass(whole) or isinstance(whole, type):
        raise BadInputError(f"{whole!r} has no constants")
    return replace(whole, **{name: _replaced(held, rest, value) if rest else _number(held, value)})


def _number(held: Any, value: float) -> float:
    return round(value) if type(held) is int else float(value)
