"""Kernel arguments: numpy values to a parameter area and device buffers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simtc.errors import BadInputError
from simtc.isa import Kernel
from simtc.machine.arena import Arena

__all__ = ["Marshalled", "marshal"]


_BANK_BYTES = 1 << 16


@dataclass(slots=True)
class Marshalled:
    """The parameter area, the buffers it points to, and the constant banks with the addresses that a driver adds."""

    area: bytes
    arena: Arena
    constants: dict[int, bytes]


def marshal(kernel: Kernel, args: Sequence[Any]) -> Marshalled:
    """Turn arguments into a parameter area.

    A numpy array is a device buffer (a parameter of 8 bytes), a list of arrays an array of pointers, a numpy scalar or
    bytes a value of exactly the parameter's size.

    Raises:
        BadInputError: wrong count, type or size, with the parameter's number.

    """
    if len(args) != len(kernel.parameters):
        sizes = ", ".join(str(p.size) for p in kernel.parameters)
        raise BadInputError(
            f"{kernel.name} takes {len(kernel.parameters)} arguments ({sizes} bytes), got {len(args)}. "
            f"Try: simtc sass on its file, which lists them"
        )
    buffers: list[np.ndarray] = []
    pointers: dict[int, list[int]] = {}
    plain: dict[int, bytes] = {}
    single: dict[int, int] = {}
    for place, (arg, parameter) in enumerate(zip(args, kernel.parameters, strict=True)):
        if isinstance(arg, np.ndarray) and arg.ndim > 0:
            single[place] = len(buffers)
            buffers.append(_buffer(kernel, place, arg, parameter.size))
        elif isinstance(arg, (list, tuple)):
            pointers[place] = list(range(len(buffers), len(buffers) + len(arg)))
            buffers.extend(_buffer(kernel, place, item, parameter.size) for item in arg)
        else:
            plain[place] = _value(kernel, place, arg, parameter.size)
    tables = {place: np.zeros(max(len(inside), 1), np.uint64) for place, inside in pointers.items()}
    table_at = {place: len(buffers) + order for order, place in enumerate(tables)}
    variables = np.frombuffer(kernel.global_data, np.uint8).copy()
    every = [*buffers, *tables.values(), *([variables] if variables.size else [])]
    addresses = Arena(every).addresses  # where each will be; the tables' contents depend on it
    for place, inside in pointers.items():
        tables[place][: len(inside)] = [addresses[i] for i in inside]
    arena = Arena(every)
    area = bytearray(kernel.parameter_bytes)
    for place, parameter in enumerate(kernel.parameters):
        where = single.get(place, table_at.get(place))
        value = plain[place] if where is None else addresses[where].to_bytes(8, "little")
        area[parameter.offset : parameter.offset + len(value)] = value
    return Marshalled(bytes(area), arena, _linked(kernel, addresses[-1] if variables.size else 0))


def _linked(kernel: Kernel, variables_at: int) -> dict[int, bytes]:
    """Return the kernel's constant banks with the addresses of its global variables in their places."""
    banks = {number: bytearray(data) for number, data in kernel.constants.items()}
    for relocation in kernel.relocations:
        if relocation.bank is None:
            raise BadInputError(
                f"{kernel.name} needs the address of {relocation.symbol} in its code, which only a chip's driver gives"
            )
        if not 0 <= relocation.offset < _BANK_BYTES:
            raise BadInputError(f"{kernel.name} places the address of {relocation.symbol} outside its constant bank")
        bank = banks.setdefault(relocation.bank, bytearray())
        bank.extend(bytes(max(0, relocation.offset + 8 - len(bank))))
        # a function that is not in the file (vprintf) is at 0: calling it is a fault that says so
        address = 0 if relocation.target is None else variables_at + relocation.target
        bank[relocation.offset : relocation.offset + 8] = address.to_bytes(8, "little")
    return {number: bytes(data) for number, data in banks.items()}


def _buffer(kernel: Kernel, place: int, array: Any, size: int) -> np.ndarray:
    if not isinstance(array, np.ndarray):
        raise BadInputError(
            f"argument {place} of {kernel.name}: a list must hold numpy arrays, got {type(array).__name__}"
        )
    if size != 8:
        raise BadInputError(
            f"argument {place} of {kernel.name} is a value of {size} bytes, got {array.dtype}{list(array.shape)}; "
            f"pass a numpy scalar such as np.int32(…), or bytes for a struct"
        )
    if not array.flags.c_contiguous:
        raise BadInputError(
            f"argument {place} of {kernel.name}: the array must be C-contiguous; pass np.ascontiguousarray of it"
        )
    return array


def _value(kernel: Kernel, place: int, value: Any, size: int) -> bytes:
    if isinstance(value, (bytes, bytearray)):
        data = bytes(value)
    elif isinstance(value, (np.generic, np.ndarray)):
        data = value.tobytes()
    else:
        raise BadInputError(
            f"argument {place} of {kernel.name}: got {type(value).__name__} {value!r}; "
            f"pass an array, a numpy scalar of {size} bytes such as np.int32({value!r}), or bytes"
        )
    if len(data) != size:
        raise BadInputError(f"argument {place} of {kernel.name} takes {size} bytes, got {len(data)} ({value!r})")
    return data
