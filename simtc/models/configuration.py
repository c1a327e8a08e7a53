"""A configured HGEMM: its tile sizes, and what they ask of an SM."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from simtc.arch import Device
from simtc.errors import BadInputError, unknown
from simtc.layout import Tile, fragment
from simtc.models.occupancy import Occupancy, occupancy

__all__ = ["ACCUMULATORS", "ADDRESS_REGISTERS", "LAYOUTS", "Configuration", "Shape", "step_unit"]

Shape = tuple[int, int, int]  # m, n, k
ACCUMULATORS = {"f16": 2, "f32": 4}  # bytes
LAYOUTS = ("none", "pad", "xor")
ADDRESS_REGISTERS = 8  # two 64-bit global pointers, two offsets for shared stores, two for shared loads: the least
_WARP_BYTES = 128  # of one register of a warp
_LINE = 64  # halves in the 128 bytes that the 32 banks hold side by side
# SM generation -> the m, n, k that one warp's step must be a multiple of, and the HMMA that it is made of. On Volta
# four quad pairs' m8n8k4, two and two sharing A and B, cover 16x16x4.
_INSTRUCTIONS: dict[int, tuple[Shape, str]] = {
    70: ((16, 16, 4), "HMMA.884"),
    75: ((16, 8, 8), "HMMA.1688"),
    80: ((16, 8, 16), "HMMA.16816"),
}
_LOADS = {70: "LDS.128", 75: "LDS.32", 80: "LDSM.4"}  # on Turing as Yan et al., whose HGEMM this is


def _generation(device: Device) -> int:
    number = int(device.sm.name.removeprefix("sm_"))
    return max(known for known in _INSTRUCTIONS if known <= number)


def step_unit(device: Device) -> Shape:
    """Return the m, n, k that a warp's step is a multiple of: one HMMA's, on Volta a set of four.

    Example:
        >>> from simtc import arch
        >>> [step_unit(arch.device(name)) for name in ("v100_pcie", "t4", "h200")]
        [(16, 16, 4), (16, 8, 8), (16, 8, 16)]

    """
    return _INSTRUCTIONS[_generation(device)][0]


@cache
def _copies(generation: int) -> int:
    """Return how many lanes hold each element of A and B: two on Volta, where quad pairs share them."""
    if generation > 70:
        return 1
    return fragment("wmma.m16n16k16.f16.f16.f16.f16", operand="a", arch="volta", major="row").copies


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """A two-level blocked HGEMM on one board. Operands are f16; A and B wait in shared memory, C in registers.

    With one stage the next tiles of A and B wait in registers (prefetch); with more, from Ampere on, LDGSTS writes
    them into shared memory, and no register is spent.

    Raises:
        BadInputError: shapes that do not divide, or that the board cannot hold. `configure` says what would fit.

    Source: Yan et al. 2020, section VI.A: what limits block and warp sizes.

    Example:
        >>> from simtc import arch
        >>> yan = Configuration(device=arch.device("t4"), block=(256, 256, 32), warp=(128, 64, 8))
        >>> yan.warps, yan.shared_bytes, yan.accumulator_registers, yan.registers, yan.occupancy.blocks
        (8, 36864, 128, 192, 1)

    """

    device: Device
    block: Shape
    warp: Shape
    layout: str = "pad"
    stages: int = 1
    accumulator: str = "f16"
    occupancy: Occupancy = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._prove_names()
        reason = self._mismatch() or self._overflow()
        if reason is not None:
            raise BadInputError(reason)
        room = occupancy(self.device, threads=self.threads, registers=self.registers, shared_bytes=self.shared_bytes)
        if room.blocks == 0:  # only the allocation units are left to exceed
            raise BadInputError(f"block {_text(self.block)}: {self.device.name} has too little {room.limit} for it")
        object.__setattr__(self, "occupancy", room)

    @property
    def instruction(self) -> str:
        """The tensor instruction, by its SASS mnemonic."""
        return f"{_INSTRUCTIONS[_generation(self.device)][1]}.{self.accumulator.upper()}"

    @property
    def shared_load(self) -> str:
        """The instruction that reads fragments from shared memory."""
        return _LOADS[_generation(self.device)]

    @property
    def fragment_copies(self) -> int:
        """Lanes that hold each element of A and B."""
        return _copies(_generation(self.device))

    @property
    def warps(self) -> int:
        """Warps of a block."""
        return (self.block[0] // self.warp[0]) * (self.block[1] // self.warp[1])

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return 32 * self.warps

    @property
    def asynchronous(self) -> bool:
        """Whether global memory is copied to shared memory by LDGSTS, without passing through registers."""
        return self.stages > 1 and "LDGSTS.128" in self.device.sm.memory

    @property
    def tiles(self) -> tuple[Tile, Tile]:
        """The tiles of A (bm x bk) and B (bn x bk) in shared memory; padding is 8 halves after each 128 bytes."""
        rows, cols, depth = self.block
        pad_every = max(1, _LINE // depth)
        a, b = (Tile(rows=extent, cols=depth, layout=self.layout, pad_every=pad_every) for extent in (rows, cols))
        return a, b

    @property
    def shared_bytes(self) -> int:
        """Shared memory of a block, padding and stages included."""
        return self.stages * sum(tile.shared_bytes for tile in self.tiles)

    @property
    def copy_bytes(self) -> int:
        """Bytes of A and B that a block copies to shared memory in one iteration."""
        return 2 * (self.block[0] + self.block[1]) * self.block[2]

    @property
    def accumulator_registers(self) -> int:
        """Registers of a thread that hold C."""
        return self.warp[0] * self.warp[1] * ACCUMULATORS[self.accumulator] // _WARP_BYTES

    @property
    def fragment_registers(self) -> int:
        """Registers of a thread that hold one step's A and B."""
        return (self.warp[0] + self.warp[1]) * self.warp[2] * 2 * self.fragment_copies // _WARP_BYTES

    @property
    def prefetch_registers(self) -> int:
        """Registers of a thread that hold its share of the next tiles."""
        return 0 if self.asynchronous else -(-self.copy_bytes // (4 * self.threads))

    @property
    def register_shares(self) -> dict[str, int]:
        """Registers of a thread, by what they hold."""
        return {
            "C": self.accumulator_registers,
            "A and B": self.fragment_registers,
            "prefetch": self.prefetch_registers,
            "addresses": ADDRESS_REGISTERS,
        }

    @property
    def registers(self) -> int:
        """Registers of a thread: the least that the tiles ask for. A compiler's code needs some more."""
        return sum(self.register_shares.values())

    def to_dict(self) -> dict[str, Any]:
        """Return the configuration as JSON types, in the words of cuBLAS' users."""
        return {
            "block": list(self.block),
            "warp": list(self.warp),
            "instr": self.instruction,
            "stages": self.stages,
            "layout": self.layout,
            "accumulator": self.accumulator,
        }

    def _prove_names(self) -> None:
        for what, got, allowed in (("layout", self.layout, LAYOUTS), ("accumulator", self.accumulator, ACCUMULATORS)):
            if got not in allowed:
                raise unknown(what, got, allowed)
        for name, shape in (("block", self.block), ("warp", self.warp)):
            if min(shape) < 1:
                raise BadInputError(f"{name} {shape}: sizes m,n,k are at least 1, such as 256,256,32")
        if self.stages < 1:
            raise BadInputError(f"stages {self.stages}: at least 1")

    def _mismatch(self) -> str | None:
        """Return why the shapes do not divide, if they do not."""
        for name, inner, outer in (("warp", step_unit(self.device), self.warp), ("block", self.warp, self.block)):
            unit = self.instruction if name == "warp" else "warp"
            if any(big % small for small, big in zip(inner, outer, strict=True)):
                return f"{name} {_text(outer)} is no multiple of the {unit}'s {_text(inner)}"
        if self.block[2] % 8 or (self.layout == "xor" and self.block[2] & (self.block[2] - 1)):
            rule = "a power of two for the xor layout" if self.layout == "xor" else "a multiple of 8, 16 bytes"
            return f"block k is {self.block[2]}: it must be {rule}"
        return None

    def _overflow(self) -> str | None:
        """Return which limit of the board the shapes exceed, if they do."""
        limits, board = self.device.limits, f"{self.device.name} ({self.device.sm_name})"
        if self.threads > limits.block_threads:
            return f"block {_text(self.block)} has {self.threads} threads; {board} allows {limits.block_threads}"
        if self.registers > limits.thread_registers:
            shares = ", ".join(f"{count} for {use}" for use, count in self.register_shares.items())
            needed = f"{self.registers} registers a thread ({shares})"
            return f"warp {_text(self.warp)} needs {needed}; {board} has {limits.thread_registers}"
        if self.accumulator_registers * self.threads >= limits.registers:
            taken = self.accumulator_registers * self.threads
            return f"block {self.block[0]}x{self.block[1]} holds C in {taken} registers; {board} has {limits.registers}"
        if self.registers * self.threads > limits.registers:
            needed = f"{self.registers * self.threads} registers, {self.registers} a thread"
            return f"block {_text(self.block)} needs {needed}; {board} has {limits.registers}"
        room = limits.block_shared_optin_bytes
        if self.shared_bytes > room:
            excess = self.shared_bytes - self.stages * self.copy_bytes
            padding = f", {excess} of them padding" if excess else ""
            needed = f"{self.shared_bytes} bytes of shared memory{padding}"
            return f"block {_text(self.block)} needs {needed}; {board} has {room}"
        return None


def _text(shape: Shape) -> str:
    return ",".join(map(str, shape))
