"""Kernel arguments: numpy values to a parameter area and device buffers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.isa import Kernel, Parameter
from simtc.machine.arena import ALIGNMENT, REGION, Arena
from simtc.resources import require_memory
from simtc.run.export import Exporting, exported
from simtc.run.values import by_value

__all__ = ["Marshalled", "Pointer", "Struct", "Uninitialized", "marshal", "require_count", "uninitialized"]


_BANK_BYTES = 1 << 16
_Pointed = tuple[int, np.ndarray, int]  # a place in the area, what a pointer there points to, and where in that
_Pointers = tuple[int, list[np.ndarray]]  # a place in the area, and what the pointers of an array point to


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct passed by value that holds device pointers.

    Example:
        >>> view = Struct(bytes(16), {8: np.zeros(4, np.float32)})
        >>> len(view.data)
        16

    """

    data: bytes
    pointers: Mapping[int, np.ndarray | tuple[np.ndarray, int]]
    """By its byte in the struct, what each pointer points to: an array, or an array and a byte in it."""


@dataclass(frozen=True, slots=True)
class Uninitialized:
    """A device buffer that holds nothing yet; see uninitialized."""

    array: np.ndarray


def uninitialized(array: np.ndarray) -> Uninitialized:
    """Say that a device buffer holds nothing before the launch, as if fresh from cudaMalloc.

    With `check=True` a launch reports every use of a byte of it that the kernel has not written; without, it is like
    any other. What the kernel writes comes back in `array`.

    Raises:
        BadInputError: it is no numpy array.

    Example:
        >>> uninitialized(np.zeros(4, np.float32)).array.shape
        (4,)

    """
    if not isinstance(array, np.ndarray):
        raise BadInputError(f"uninitialized takes the numpy array that is the buffer, got {type(array).__name__}")
    return Uninitialized(array)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """A pointer in the parameter area: the byte where it stands, the buffer it points to, and the byte in that."""

    at: int
    buffer: int
    offset: int


@dataclass(slots=True, kw_only=True)
class Marshalled:
    """The parameter area, the buffers it points to, and the constant banks with the addresses that a driver adds."""

    area: bytes
    buffers: list[np.ndarray]
    tables: dict[int, list[Pointer]]
    """Of the buffers that are arrays of pointers, by buffer, what stands in them."""
    pointers: list[Pointer]
    arena: Arena
    constants: dict[int, bytes]
    unset: np.ndarray | None
    """A byte for each of the arena, 1 where it holds nothing before the launch; None where it all holds something."""


def marshal(
    kernel: Kernel, args: Any, *, contents: bool = True, board: Device | None = None, places: Sequence[int] = ()
) -> Marshalled:
    """Turn arguments into a parameter area.

    A numpy array, or another one on the CPU that exports itself by DLPack, is a device buffer (a parameter of 8 bytes),
    a list of arrays an array of pointers, a numpy scalar or bytes a value of exactly the parameter's size, a Struct
    such a value with pointers in it. A Python int is a whole number of the parameter's size, a Python float an f32 or
    f64 by it: machine code says how large its parameters are, and not which of the two they mean. Arrays that share
    memory, one being a view of the other, are one buffer. Without `contents` the buffers hold zeros, whatever the
    arrays hold. Large ones begin with a page of the board's memory; `places` says of each buffer where it begins
    instead, in bytes from a multiple of 2 MiB.

    Raises:
        BadInputError: wrong count, type or size, with the parameter's number.

    """
    require_count(kernel, args)
    blank = [number for number, arg in enumerate(args) if isinstance(arg, Uninitialized)]
    args = [arg.array if isinstance(arg, Uninitialized) else arg for arg in args]
    area = bytearray(kernel.parameter_bytes)
    found, lists = _laid_out(kernel, args, area)
    owners, where = _owners(kernel, [array for _, array, _ in found] + [one for _, many in lists for one in many])
    pointers, tables = _pointers(found, lists, where, len(owners))
    _require_places(kernel, places, len(owners))
    buffers = [*owners, *(np.zeros(max(len(inside), 1), np.uint64) for inside in tables.values())]
    require_memory(2 * sum(buffer.nbytes for buffer in buffers), f"{kernel.name} with these arguments")
    variables = np.frombuffer(kernel.global_data, np.uint8).copy()
    every = [*buffers, *([variables] if variables.size else [])]
    pages: dict[str, Any] = {"places": places}
    if board:
        pages |= {"page_bytes": 1 << min(board.memory_half_bits), "large_bytes": board.memory_large_bytes}
    addresses = Arena(
        every, empty=len(every), **pages
    ).addresses  # where each will be; the tables' contents depend on it
    for table, inside in tables.items():
        for one in inside:
            buffers[table][one.at // 8] = addresses[one.buffer] + one.offset
    for one in pointers:
        area[one.at : one.at + 8] = (addresses[one.buffer] + one.offset).to_bytes(8, "little")
    blanks = {kernel.parameters[number].offset: args[number].nbytes for number in blank}
    arena = Arena(every, empty=0 if contents else len(owners), **pages)
    return Marshalled(
        area=bytes(area),
        buffers=buffers,
        tables=tables,
        pointers=pointers,
        arena=arena,
        unset=arena.unset([(one.buffer, one.offset, blanks[one.at]) for one in pointers if one.at in blanks]),
        constants=_linked(kernel, addresses[-1] if variables.size else 0),
    )


def _require_places(kernel: Kernel, places: Sequence[int], buffers: int) -> None:
    """Refuse places that are not one for each buffer, or not where cudaMalloc puts one."""
    if not places:
        return
    if len(places) != buffers:
        raise BadInputError(f"places has one entry for each buffer of {kernel.name}: {buffers}, got {len(places)}")
    for place in places:
        if place < 0 or place % ALIGNMENT:
            raise BadInputError(
                f"a place is a multiple of {ALIGNMENT} bytes, 0 or more, got {place}. "
                f"Try: the array's address % {REGION}"
            )


def _laid_out(kernel: Kernel, args: Sequence[Any], area: bytearray) -> tuple[list[_Pointed], list[_Pointers]]:
    """Write the values into the area; return what pointers will stand in it, and what arrays of pointers."""
    found: list[_Pointed] = []
    lists: list[_Pointers] = []
    for place, (given, parameter) in enumerate(zip(args, kernel.parameters, strict=True)):
        arg = _imported(kernel, place, given)
        if isinstance(arg, np.ndarray) and arg.ndim > 0:
            found.append((parameter.offset, _buffer(kernel, place, arg, parameter.size), 0))
        elif isinstance(arg, (list, tuple)):
            lists.append((parameter.offset, [_buffer(kernel, place, item, parameter.size) for item in arg]))
        elif isinstance(arg, Struct):
            end = parameter.offset + parameter.size
            area[parameter.offset : end] = by_value(kernel, place, arg.data, parameter.size)
            found += [
                (parameter.offset + at, array, offset) for at, array, offset in _inside(kernel, place, arg, parameter)
            ]
        else:
            area[parameter.offset : parameter.offset + parameter.size] = by_value(kernel, place, arg, parameter.size)
    return found, lists


def _pointers(
    found: list[_Pointed], lists: list[_Pointers], where: list[tuple[int, int]], owners: int
) -> tuple[list[Pointer], dict[int, list[Pointer]]]:
    """Return the pointers in the area, and those in each array of pointers, whose buffers come behind the owners'."""
    pointers = [
        Pointer(at=at, buffer=buffer, offset=start + offset)
        for (at, _, offset), (buffer, start) in zip(found, where, strict=False)
    ]
    tables: dict[int, list[Pointer]] = {}
    rest = iter(where[len(found) :])
    for at, many in lists:
        pointers.append(Pointer(at=at, buffer=owners + len(tables), offset=0))
        inside = [Pointer(at=8 * i, buffer=b, offset=o) for i, (b, o) in zip(range(len(many)), rest, strict=False)]
        tables[owners + len(tables)] = inside
    return pointers, tables


def require_count(kernel: Kernel, args: Any) -> None:
    """Refuse another number of arguments than the kernel takes."""
    if not isinstance(args, Sequence) or isinstance(args, str | bytes):
        raise BadInputError(f"the arguments of {kernel.name} are a list, not {type(args).__name__}")
    if len(args) != len(kernel.parameters):
        sizes = ", ".join(str(p.size) for p in kernel.parameters)
        raise BadInputError(
            f"{kernel.name} takes {len(kernel.parameters)} arguments ({sizes} bytes), got {len(args)}. "
            f"Try: simtc sass on its file, which lists them"
        )


def _inside(kernel: Kernel, place: int, struct: Struct, parameter: Parameter) -> Iterator[tuple[int, np.ndarray, int]]:
    """Yield each pointer of a struct: its byte, the array, and the byte in the array."""
    for at, target in struct.pointers.items():
        array, offset = target if isinstance(target, tuple) else (target, 0)
        if not 0 <= at <= parameter.size - 8:
            raise BadInputError(
                f"argument {place} of {kernel.name}: a pointer at byte {at} does not fit into {parameter.size} bytes"
            )
        yield at, _buffer(kernel, place, array, 8), int(offset)


def _owners(kernel: Kernel, arrays: Sequence[np.ndarray]) -> tuple[list[np.ndarray], list[tuple[int, int]]]:
    """Return the arrays that hold all others, and for each array given its owner and the byte where it starts in it."""
    owners: list[np.ndarray] = []
    starts = [int(array.__array_interface__["data"][0]) for array in arrays]
    ends = [start + array.nbytes for start, array in zip(starts, arrays, strict=True)]
    holder = list(range(len(arrays)))
    last: int | None = None  # the owner that reaches farthest of those that start before
    for mine in sorted(range(len(arrays)), key=lambda i: (starts[i], -ends[i])):  # stable: of equals, the first given
        inside = last is not None and starts[mine] < ends[last] and starts[last] < ends[mine]
        if last is None or not inside:
            last = mine if ends[mine] > starts[mine] or last is None else last
        elif ends[mine] <= ends[last]:
            holder[mine] = last
        else:
            raise BadInputError(
                f"two buffers of {kernel.name} overlap, and neither holds the other: pass views of one array with it"
            )
    number: dict[int, int] = {}
    for one in holder:
        if one not in number:
            number[one] = len(owners)
            owners.append(arrays[one])
    return owners, [(number[one], starts[i] - starts[one]) for i, one in enumerate(holder)]


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


def _imported(kernel: Kernel, place: int, arg: Any) -> Any:
    """Return an argument with the arrays of other libraries in it as numpy's, over the same memory."""
    if isinstance(arg, list | tuple):
        return [_imported(kernel, place, one) for one in arg]
    if isinstance(arg, np.ndarray | np.generic) or not isinstance(arg, Exporting):  # a protocol, which is slow to ask
        return arg
    try:
        return exported(arg)
    except BadInputError as error:
        raise BadInputError(f"argument {place} of {kernel.name}: {error}") from None


def _buffer(kernel: Kernel, place: int, given: Any, size: int) -> np.ndarray:
    array = _imported(kernel, place, given)
    if not isinstance(array, np.ndarray):
        raise BadInputError(
            f"argument {place} of {kernel.name}: pointers lead to numpy arrays, got {type(array).__name__}"
        )
    if size != 8:
        raise BadInputError(
            f"argument {place} of {kernel.name} is a value of {size} bytes, got {array.dtype}{list(array.shape)}; "
            f"pass a numpy scalar such as np.int32(…), or bytes for a struct"
        )
    if array.dtype.hasobject or not array.dtype.isnative:
        raise BadInputError(
            f"argument {place} of {kernel.name}: a buffer holds numbers in this machine's byte order, "
            f"got an array of {array.dtype!r}; pass array.astype(...) of it"
        )
    if not array.flags.c_contiguous:
        raise BadInputError(
            f"argument {place} of {kernel.name}: the array must be C-contiguous; pass np.ascontiguousarray of it"
        )
    return array
