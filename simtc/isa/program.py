"""Instruction, Kernel and Program: what both readers and the generator produce, and what everything else consumes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from simtc.errors import BadInputError, unknown
from simtc.isa.control import ControlCode
from simtc.isa.operand import Operand
from simtc.results.display import Columns, Display, above, by_column

__all__ = ["Instruction", "Kernel", "Parameter", "Program", "Relocation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One machine instruction. `opcode` is the base name (HMMA), `modifiers` what follows it (1688, F32)."""

    address: int
    opcode: str
    modifiers: tuple[str, ...] = ()
    operands: tuple[Operand, ...] = ()
    guard: Operand | None = None  # @P0, @!UP1; None is @PT
    control: ControlCode = field(default_factory=ControlCode)
    encoding: int | None = None  # the 128-bit word; None for generated code
    text: str = ""  # as the disassembler prints it, without predicate brackets removed
    source: tuple[str, int] | None = None  # (file, line), where the kernel was compiled with -lineinfo

    @property
    def mnemonic(self) -> str:
        """The opcode with its modifiers, as SASS writes it."""
        return ".".join((self.opcode, *self.modifiers))


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One kernel parameter: its place in the parameter area, in bytes."""

    offset: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Relocation:
    """Eight bytes of a constant bank that the driver sets to a global variable's address when it loads the kernel.

    Where `bank` is None the place is in the code itself and no driver but the chip's can fill it; where `target` is
    None the symbol is no global variable of the file. simtc can run neither.
    """

    symbol: str
    bank: int | None
    offset: int
    target: int | None = None  # the variable's byte offset in Kernel.global_data


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Kernel(Display):
    """One entry function with all that a launch needs to know of it."""

    name: str
    sm: int  # 70, 75, 80, 90
    instructions: tuple[Instruction, ...]
    parameters: tuple[Parameter, ...] = ()
    parameter_base: int = 0x160  # where parameters start in constant bank 0
    registers: int = 255  # per thread, as allocated
    shared_bytes: int = 0  # static shared memory per block
    shared_reserved_bytes: int = 0  # of it, what the driver reserves at its start (1024 on sm_90)
    local_bytes: int = 0  # local memory (stack and spills) per thread
    barriers: int = 0  # named barriers used
    max_threads: int = 1024  # __launch_bounds__, or the chip's limit
    constants: Mapping[int, bytes] = field(default_factory=dict)  # banks other than 0: {2: b"...", 3: b"..."}
    relocations: tuple[Relocation, ...] = ()  # addresses that the driver would fill in
    warp_masks: tuple[
        tuple[int, int], ...
    ] = ()  # of __syncwarp() and its like: the address, the register with the mask
    global_data: bytes = b""  # the global variables that relocations point into, with their initial values

    def __post_init__(self) -> None:
        for place, instruction in enumerate(self.instructions):
            if instruction.address != 16 * place:
                found, due = instruction.address, 16 * place
                raise ValueError(f"{self.name}: instruction {place} is at {found:#x}, not {due:#x}")

    def __hash__(self) -> int:  # cheap and consistent with equality; constants are a mapping and stay out of it
        return hash((self.name, self.sm, self.registers, len(self.instructions)))

    def __getitem__(self, shape: Any) -> Callable[..., Any]:
        """Return `simtc.launch` of this kernel with a grid and a block: `kernel[grid, block](*args, device="t4")`.

        Raises:
            BadInputError: something other than a grid and a block stands in the brackets.

        """
        if not isinstance(shape, tuple) or len(shape) != 2:
            raise BadInputError(f"kernel[{shape!r}]: kernel[grid, block](*args), such as kernel[(4, 4), 256](A, B, C)")
        launch, (grid, block) = above("run.launch", "launch"), shape
        return lambda *args, **options: partial(launch, self, grid, block)(args, **options)

    __iter__ = None  # brackets hold a grid and a block: a kernel is no sequence

    def headline(self) -> str:
        """Return the kernel in one line."""
        needs = f"{self.registers} registers, {self.shared_bytes:,} bytes of shared memory"
        return f"{self.name} (sm_{self.sm}): {len(self.instructions):,} instructions, {needs}"

    def columns(self) -> Columns:
        """Return one row an instruction: address, text, and what its control code says."""
        return by_column(
            [
                {
                    "address": one.address,
                    "text": one.text or one.mnemonic,
                    "stall": one.control.stall,
                    "write_barrier": one.control.write_barrier,
                    "read_barrier": one.control.read_barrier,
                    "wait_mask": one.control.wait_mask,
                }
                for one in self.instructions
            ]
        )

    @property
    def parameter_bytes(self) -> int:
        """The size of the parameter area."""
        return max((p.offset + p.size for p in self.parameters), default=0)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Program(Display, Mapping[str, Kernel]):
    """The kernels of one cubin or listing, by name.

    Example:
        >>> program = Program(kernels={"k": Kernel(name="k", sm=75, instructions=())}, origin="k.cubin")
        >>> program["k"].sm, list(program)
        (75, ['k'])
        >>> program["q"]
        Traceback (most recent call last):
        simtc.errors.BadInputError: unknown kernel 'q': known are k. Try: simtc sass k.cubin

    """

    kernels: Mapping[str, Kernel]
    origin: str = ""  # the file it came from, or the configuration

    def __getitem__(self, name: str) -> Kernel:
        if name not in self.kernels:
            raise unknown("kernel", name, self.kernels, then=f"simtc sass {self.origin}")
        return self.kernels[name]

    def headline(self) -> str:
        """Return the kernels in one line."""
        names = list(self.kernels)
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        return f"{self.origin[:60]}: {', '.join(names[:3])}{more}"

    def columns(self) -> Columns:
        """Return one row a kernel."""
        names = ("name", "sm", "registers", "shared_bytes", "local_bytes", "max_threads")
        return by_column(
            [
                {name: getattr(one, name) for name in names} | {"instructions": len(one.instructions)}
                for one in self.kernels.values()
            ]
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self.kernels)

    def __len__(self) -> int:
        return len(self.kernels)
