"""Campaign `timing`: how long the evaluation set takes on the chip and in the clock, and cuBLAS beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from simtc.arch import Device
from simtc.errors import MissingToolError
from simtc.gpu import Gpu
from simtc.gpu.cublas import gemm
from simtc.isa import Kernel
from simtc.validate.case import Skip
from simtc.validate.chip import Chip
from simtc.validate.evaluation import GemmLaunch, evaluation_launches
from simtc.validate.idle_clock import by_fastest_clock
from simtc.validate.measured import Measured, MeasuredCase, NotHereError, code_digest, disassembled, same_code
from simtc.validate.stopwatch import stopwatch

__all__ = ["CublasCase", "TimingCase", "cases", "launch_cycles"]


def launch_cycles(board: Device) -> float:
    """Return what an empty kernel of one warp takes in the clock: the measured cycles leave it out."""
    return board.sm.launch.base_cycles + board.sm.launch.warp_cycles


@dataclass(frozen=True, kw_only=True)
class TimingCase(MeasuredCase):
    """One launch of a shipped kernel: executed whole by the clock where that is quick enough, and sampled."""

    compared: ClassVar[Mapping[str, str]] = {"cycles": "cycles", "sampled_cycles": "cycles"}
    measured_as: ClassVar[Mapping[str, str]] = {"sampled_cycles": "cycles"}

    launch: GemmLaunch
    board: Device
    launches: int
    whole: bool  # False where it is too large for the clock to execute every block

    @property
    def name(self) -> str:
        """KERNEL/MxNxK/cold or warm."""
        return self.launch.name

    def measure(self, gpu: Gpu) -> Measured:
        """Time single launches."""
        code = self.launch.code(gpu)
        with stopwatch(gpu) as watch, self.launch.prepared(gpu) as ready:
            ready.seconds()
            taken = watch.times(ready.enqueue, self.launches, cold=self.launch.caches == "cold")
        note = ""
        if not same_code(code, self.kernel):
            note = f"{code.toolkit} compiled other machine code than the shipped listing's"
            self.__dict__["kernel"] = disassembled(code)
        return Measured(values=taken.to_dict(), code=code_digest(code), note=note)

    @cached_property
    def kernel(self) -> Kernel:
        """What is simulated: the shipped listing, unless another compiler made other code for the GPU."""
        return self.launch.shipped.kernel(self.board)

    def predict(self) -> Measured:
        """Launch with the clock."""
        found = {}
        for quantity, fidelity in (("cycles", "full"), ("sampled_cycles", "sampled")):
            if self.whole or fidelity == "sampled":
                run = self.launch.simulate(self.board, self.kernel, fidelity)
                found[quantity] = by_fastest_clock(run, self.board) - launch_cycles(self.board)
        return Measured(values=found, code=code_digest(self.kernel))


@dataclass(frozen=True, kw_only=True)
class CublasCase(MeasuredCase):
    """The vendor's library on one size: measured alone."""

    types: str
    size: tuple[int, int, int]
    caches: str
    launches: int

    @property
    def name(self) -> str:
        """cublas.TYPES/MxNxK/cold or warm."""
        return f"cublas.{self.types}/{'x'.join(map(str, self.size))}/{self.caches}"

    def measure(self, gpu: Gpu) -> Measured:
        """Time single calls."""
        try:
            with stopwatch(gpu) as watch, gemm(gpu, self.types, *self.size) as enqueue:
                enqueue()
                return Measured(values=watch.times(enqueue, self.launches, cold=self.caches == "cold").to_dict())
        except MissingToolError as error:
            raise NotHereError(str(error)) from None

    def predict(self) -> None:
        """Nothing: what cuBLAS runs is not simulated."""


def cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[MeasuredCase | Skip]:
    """Yield the evaluation set, the large sizes, and cuBLAS on each pair of types and size of them."""
    beside: dict[tuple[str, tuple[int, int, int]], None] = {}
    evaluation = list(evaluation_launches(settings, chip))
    large = list(evaluation_launches({"launches": [settings["large"]]}, chip))
    for whole, launches in ((True, evaluation), (False, large)):
        for one in launches:
            if isinstance(one, Skip):
                if whole:
                    yield one
                continue
            if not chip.known:
                yield Skip(name=one.name, reason=f"simtc has no constants of {chip.name or 'this board'}")
                continue
            yield TimingCase(launch=one, board=chip.board, launches=settings["repeats"], whole=whole)
            beside[one.types, one.size] = None
    for types, size in beside:
        if types in settings["cublas"]:
            for caches in ("cold", "warm"):
                yield CublasCase(types=types, size=size, caches=caches, launches=settings["repeats"])
