"""The listing: a compiled kernel as plain text, which simtc writes and reads without any NVIDIA tool.

One directive or one instruction a line; `#` starts a comment line. A file opens with its format, then come kernels:

    simtc-listing 1
    .kernel wmma_tiled
    .sm 75
    .registers 173              per thread
    .shared 37888               static bytes per block, the reserved ones included
    .reserved 1024              of them, what the driver keeps (left out where 0, as the next three)
    .local 8                    bytes per thread
    .barriers 1
    .max_threads 256            left out where 1024
    .parameter_base 0x160
    .parameter 0x0 8            offset and size in bytes, one line each
    .constant 2 00ff...         bank, bytes in hexadecimal
    .relocation 4 0x8 0x100 symbol   bank (code where it is none), offset, the variable's offset in .global (- if none)
    .warp_mask 0x90 6           where a warp synchronises, and the register that holds the mask, one line each
    .global 512 00ff...         bytes of global variables, and their hexadecimal start (zeros follow)
    .file 1 wmma_tiled.cu       source files that instructions name
    .code
    0040  0000001fff037819 001fe40000011400  1:53  SHF.R.S32.HI R3, RZ, 0x1f, R0
    .end

An instruction is its address, the low and the high 64 bits of its word, where its source line is (- where unknown) and
its text as nvdisasm prints it, branch targets as `(0x...). The control code is in the word; nothing is written twice
but what the reader compares: text and word must agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from simtc.errors import BadInputError, unknown
from simtc.isa import Instruction, Kernel, Parameter, Program, Relocation
from simtc.sass.text import parse_instruction

__all__ = ["HEADER", "parse_listing", "write_listing"]

HEADER = "simtc-listing 1"
_CODE = re.compile(r"([0-9a-f]{4,8})  ([0-9a-f]{16}) ([0-9a-f]{16})  (?:(\d{1,4}):(\d{1,7})|-) +(\S.*)\Z")
# Directives with one number, which are fields of Kernel; a field at its default is left out.
_NUMBERS = {
    "registers": "registers",
    "shared": "shared_bytes",
    "reserved": "shared_reserved_bytes",
    "local": "local_bytes",
    "barriers": "barriers",
    "max_threads": "max_threads",
    "parameter_base": "parameter_base",
}
_LIMIT = 1 << 32
_LAST_REGISTER = 255
_GLOBAL_LIMIT = 1 << 28


def write_listing(program: Program) -> str:
    """Write a program as a listing.

    Raises:
        BadInputError: an instruction has no encoding (generated code has none).

    """
    return "\n".join([HEADER, *(line for kernel in program.values() for line in _kernel_lines(kernel)), ""])


def _kernel_lines(kernel: Kernel) -> Iterator[str]:
    yield f"\n.kernel {kernel.name}"
    yield f".sm {kernel.sm}"
    for directive, name in _NUMBERS.items():
        value = getattr(kernel, name)
        if value != Kernel.__dataclass_fields__[name].default:
            yield f".{directive} {value:#x}" if directive == "parameter_base" else f".{directive} {value}"
    for parameter in kernel.parameters:
        yield f".parameter {parameter.offset:#x} {parameter.size}"
    for bank, data in kernel.constants.items():
        yield f".constant {bank} {data.hex()}"
    for relocation in kernel.relocations:
        place = "code" if relocation.bank is None else f"{relocation.bank}"
        target = "-" if relocation.target is None else f"{relocation.target:#x}"
        yield f".relocation {place} {relocation.offset:#x} {target} {relocation.symbol}"
    for address, register in kernel.warp_masks:
        yield f".warp_mask {address:#x} {register}"
    if kernel.global_data:
        yield f".global {len(kernel.global_data)} {kernel.global_data.rstrip(bytes(1)).hex() or '-'}"
    files = {name: number for number, name in enumerate(dict.fromkeys(s[0] for s in _sources(kernel)), start=1)}
    for name, number in files.items():
        yield f".file {number} {name}"
    yield ".code"
    for instruction in kernel.instructions:
        yield _code_line(instruction, files, kernel)
    yield ".end"


def _sources(kernel: Kernel) -> Iterator[tuple[str, int]]:
    return (instruction.source for instruction in kernel.instructions if instruction.source)


def _code_line(instruction: Instruction, files: Mapping[str, int], kernel: Kernel) -> str:
    if instruction.encoding is None:
        raise BadInputError(
            f"kernel {kernel.name} was generated and has no encodings: it cannot be written as a listing"
        )
    low, high = instruction.encoding & (1 << 64) - 1, instruction.encoding >> 64
    place = f"{files[instruction.source[0]]}:{instruction.source[1]}" if instruction.source else "-"
    return f"{instruction.address:04x}  {low:016x} {high:016x}  {place:<6} {instruction.text}"


def parse_listing(text: str, origin: str = "listing") -> Program:
    """Read a listing.

    Raises:
        BadInputError: a line is not as the format wants it; the message names it.

    """
    lines = [line.rstrip() for line in text.split("\n")]
    if lines[0] != HEADER:
        raise BadInputError(f"{origin} is neither an ELF file nor a listing, whose first line is {HEADER!r}")
    reader = _Reader()
    for number, line in enumerate(lines[1:], start=2):
        try:
            reader.read(line)
        except ValueError as error:
            raise BadInputError(f"{origin}, line {number}: {error}") from None
    if reader.kernel is not None:
        raise BadInputError(f"{origin} is truncated: kernel {reader.kernel['name']} has no .end")
    if not reader.kernels:
        raise BadInputError(f"{origin} holds no kernel")
    return Program(kernels=reader.kernels, origin=origin)


class _Reader:
    """Collects one kernel after another, a line at a time."""

    def __init__(self) -> None:
        self.kernels: dict[str, Kernel] = {}
        self.kernel: dict[str, Any] | None = None
        self.code: list[Instruction] | None = None
        self.files: dict[int, str] = {}

    def read(self, line: str) -> None:
        if not line or line.startswith("#"):
            return
        if self.code is not None and not line.startswith("."):
            self.code.append(self._instruction(line))
            return
        directive, _, rest = line.partition(" ")
        actions: dict[str, Callable[[str], None]] = {
            ".kernel": self._begin, ".sm": self._sm, ".parameter": self._parameter, ".constant": self._constant,
            ".relocation": self._relocation, ".warp_mask": self._mask, ".global": self._global, ".file": self._file,
            ".code": self._start, ".end": self._end,
        }  # fmt: skip
        actions |= dict.fromkeys((f".{name}" for name in _NUMBERS), lambda value: self._number(directive[1:], value))
        if directive not in actions:
            raise unknown("listing directive", directive, actions)
        if (directive == ".kernel") != (self.kernel is None):
            raise BadInputError(f"{directive} stands {'inside' if self.kernel else 'outside'} a kernel")
        if self.code is not None and directive != ".end":
            raise BadInputError(f"{directive} stands inside the code")
        actions[directive](rest)

    def _begin(self, name: str) -> None:
        if not re.fullmatch(r"\S+", name) or name in self.kernels:
            raise BadInputError(f"{name!r} is no kernel name, or was there before")
        self.kernel = {"name": name, "parameters": (), "constants": {}, "relocations": (), "warp_masks": ()}
        self.files = {}

    @property
    def _open(self) -> dict[str, Any]:
        if self.kernel is None:
            raise BadInputError("no kernel is open")
        return self.kernel

    def _sm(self, value: str) -> None:
        self._open["sm"] = _integer(value)

    def _number(self, directive: str, value: str) -> None:
        self._open[_NUMBERS[directive]] = _integer(value)

    def _parameter(self, rest: str) -> None:
        offset, size = map(_integer, _words(rest, 2))
        self._open["parameters"] += (Parameter(offset=offset, size=size),)

    def _constant(self, rest: str) -> None:
        bank, data = _words(rest, 2)
        self._open["constants"][_integer(bank)] = bytes.fromhex(data)

    def _relocation(self, rest: str) -> None:
        bank, offset, target, symbol = _words(rest, 4)
        found = Relocation(
            symbol=symbol,
            bank=None if bank == "code" else _integer(bank),
            offset=_integer(offset),
            target=None if target == "-" else _integer(target),
        )
        self._open["relocations"] += (found,)

    def _mask(self, rest: str) -> None:
        address, register = map(_integer, _words(rest, 2))
        if register > _LAST_REGISTER:
            raise BadInputError(f"R{register} is no register")
        self._open["warp_masks"] += ((address, register),)

    def _global(self, rest: str) -> None:
        size, start = _words(rest, 2)
        data = b"" if start == "-" else bytes.fromhex(start)
        if not len(data) <= _integer(size) <= _GLOBAL_LIMIT:
            raise BadInputError(f"{size} bytes of global variables are fewer than given or more than {_GLOBAL_LIMIT}")
        self._open["global_data"] = data.ljust(_integer(size), b"\0")

    def _file(self, rest: str) -> None:
        number, _, name = rest.partition(" ")
        self.files[_integer(number)] = name

    def _start(self, rest: str) -> None:
        _words(rest, 0)
        if "sm" not in self._open:
            raise BadInputError(f"kernel {self._open['name']} has no .sm before its code")
        self.code = []

    def _instruction(self, line: str) -> Instruction:
        match = _CODE.match(line)
        if not match:
            raise BadInputError(f"{line!r} is no instruction (address, low word, high word, source, text)")
        address, low, high, file, row, text = match.groups()
        due = 16 * len(self.code or ())
        if int(address, 16) != due:
            raise BadInputError(f"the instruction is at 0x{address}, not at {due:#06x}, where the one before it ends")
        if file and int(file) not in self.files:
            raise BadInputError(f"source file {file} has no .file line")
        source = (self.files[int(file)], int(row)) if file else None
        return parse_instruction(text, address=due, word=int(high, 16) << 64 | int(low, 16), source=source)

    def _end(self, rest: str) -> None:
        _words(rest, 0)
        if not self.code:
            raise BadInputError(f"kernel {self._open['name']} has no code")
        self.kernels[self._open["name"]] = Kernel(instructions=tuple(self.code), **self._open)
        self.kernel = self.code = None


def _words(text: str, count: int) -> list[str]:
    words = text.split()
    if len(words) != count:
        raise BadInputError(f"{count} values are due here, not {len(words)}")
    return words


def _integer(text: str) -> int:
    if not re.fullmatch(r"\d{1,10}|0x[0-9a-f]{1,8}", text) or int(text, 0 if text.startswith("0x") else 10) >= _LIMIT:
        raise BadInputError(f"{text!r} is no number that fits 32 bits")
    return int(text, 0 if text.startswith("0x") else 10)
