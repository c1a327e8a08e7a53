"""Campaign `microbench`: the calibration set. Kernels that time themselves, on the chip and in the clock.

Each kernel's first argument is an array of two words a warp, in which it leaves the SM's clock before and after what
it measures; the second is a buffer of zeros. Both sides read the same array of the same machine code, so prediction
and measurement are the same quantity: cycles, unless the group's `quantity` in the TOML says otherwise. `mhz` is the
SM's clock by the nanosecond timer, `port_sms` how many SMs share a port.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from simtc.arch import Device
from simtc.arch.altered import altered
from simtc.errors import BadInputError
from simtc.gpu import Code, Gpu
from simtc.gpu.compile import compile_source
from simtc.gpu.gpu import Prepared
from simtc.isa import Kernel
from simtc.resources import folder
from simtc.results import LaunchResult
from simtc.run.launch import launch
from simtc.sass import load
from simtc.validate.capture import Record
from simtc.validate.case import Skip
from simtc.validate.chip import Chip
from simtc.validate.measured import Measured, MeasuredCase, code_digest, disassembled, same_code
from simtc.validate.stopwatch import flush

__all__ = ["MicroCase", "PaceCase", "PortCase", "cases", "group_cases", "sharing", "spans"]

_SHARES = 0.03  # by which an SM is faster, at the least, where others leave it their part of a port


def spans(times: NDArray[np.uint32], warps: int) -> NDArray[np.float64]:
    """Return the cycles of every block, (blocks,): from its first warp's start to its last warp's end.

    Example:
        >>> spans(np.array([10, 25, 12, 30, 4294967290, 4], np.uint32), 2).tolist()
        [20.0]
        >>> spans(np.array([4294967290, 4], np.uint32), 1).tolist()
        [10.0]

    """
    blocks = len(times) // (2 * warps)
    pairs = times[: 2 * warps * blocks].reshape(blocks, warps, 2)
    since = (pairs - pairs[:, :1, :1]).astype(np.int32)  # the word wraps around
    return np.asarray(since[:, :, 1].max(axis=1) - since[:, :, 0].min(axis=1), np.float64)


def sharing(spans_of: NDArray[np.float64], all_spans: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how many SMs share the port of each pair of SMs that was idle, (pairs,): those that were faster, and it.

    Args:
        spans_of: the cycles of every SM while a pair was idle, (pairs, SMs); 0 where it was idle itself.
        all_spans: while none was, (SMs,).

    Example:
        >>> four = np.full(6, 100.0)
        >>> sharing(np.array([[0, 0, 60, 61, 99, 101], [70, 70, 0, 0, 100, 99], [100, 100, 99, 100, 0, 0]]), four)
        array([4, 4, 2])

    """
    sizes = []
    for row in spans_of:
        ratios = np.sort((row / all_spans)[row > 0])
        usual, fastest = float(np.median(ratios[len(ratios) // 2 :])), float(ratios[1])
        mates = int((ratios < (usual + fastest) / 2).sum()) if fastest < usual - _SHARES else 0
        sizes.append(mates + int((row == 0).sum()))
    return np.array(sizes, np.int64)


@dataclass(frozen=True, kw_only=True)
class MicroCase(MeasuredCase):
    """One microbenchmark: a kernel, its launch and its counts."""

    quantity: ClassVar[str] = "cycles"  # what is measured, predicted, and fitted on

    kernel_name: str
    source: str
    sm: int  # of the listing
    board: Device
    grid: int
    block: int
    args: tuple[int | str, ...]
    data_bytes: int
    shared_bytes: int
    caches: str
    repeats: int

    @property
    def name(self) -> str:
        """KERNEL/BLOCKSxTHREADS/ARGUMENTS/cold or warm."""
        args = ",".join(str(arg).replace(" ", "") for arg in self.args)
        return f"{self.kernel_name}/{self.grid}x{self.block}/{args or '-'}/{self.caches}"

    def _launched(self) -> tuple[NDArray[np.uint32], list[Any]]:
        times = np.zeros(2 * self.grid * self._warps, np.uint32)
        data = np.zeros(self.data_bytes, np.uint8)
        data.flags.writeable = False  # nobody wants it back
        return times, [times, data, *map(_argument, self.args)]

    @property
    def _warps(self) -> int:
        return -(-self.block // 32)

    def code(self, gpu: Gpu) -> Code:
        """Compile the kernel for the GPU at hand."""
        return compile_source(folder("validate") / "microbench" / self.source, gpu)[self.kernel_name]

    def prepared(self, gpu: Gpu) -> AbstractContextManager[Prepared]:
        """Upload the launch."""
        args = self._launched()[1]
        return gpu.prepared(self.code(gpu), self.grid, self.block, args, shared_bytes=self.shared_bytes)

    def measure(self, gpu: Gpu) -> Measured:
        """Launch again and again; the cycles are the mean over blocks, then the median over launches."""
        code = self.code(gpu)
        times, args = self._launched()
        taken = [self._read(seen) for seen in self._runs(gpu, code, times, args)]
        return self._told(code, statistics.median(taken), min(taken), max(taken))

    def _runs(self, gpu: Gpu, code: Code, times: NDArray[np.uint32], args: list[Any]) -> Iterator[NDArray[np.uint32]]:
        """Launch again and again, and yield what each launch left in `times`."""
        times[:] = 0
        with (
            flush(gpu) if self.caches == "cold" else nullcontext(lambda: None) as before,
            gpu.prepared(code, self.grid, self.block, args, shared_bytes=self.shared_bytes) as ready,
        ):
            ready.seconds()
            for _ in range(self.repeats):
                before()
                ready.seconds()
                ready.buffers.write_back()
                yield times

    def _read(self, times: NDArray[np.uint32]) -> float:
        """Return the quantity of one launch."""
        return float(spans(times, self._warps).mean())

    def _told(self, code: Code, value: float, least: float, most: float) -> Measured:
        """Return what was measured, with its spread and the machine code that ran."""
        note = ""
        if not same_code(code, self.kernel):
            note = f"{code.toolkit} compiled other machine code than the shipped listing's"
            self.__dict__["kernel"] = disassembled(code)  # then this is what must be simulated
        values = {self.quantity: value, f"least_{self.quantity}": least, f"most_{self.quantity}": most}
        return Measured(values=values, code=code_digest(code), note=note)

    @cached_property
    def kernel(self) -> Kernel:
        """What is simulated: the shipped listing, unless another compiler made other code for the GPU."""
        return _listing(self.source, self.sm)[self.kernel_name]

    def predict(self) -> Measured:
        """Launch with the clock of the chip's own board."""
        return self.predict_on(self.board)

    def predict_on(self, board: Device) -> Measured:
        """Launch with the clock of any board, such as one whose constants are being fitted."""
        times, args = self._launched()
        if self.caches == "cold":  # only L2 is filled with other data: the SMs keep the code of the launch before
            board = altered(board, "fetch.first_cycles", 0)
        self._run(board, self.kernel, args)
        return Measured(values={self.quantity: self._read(times)}, code=code_digest(self.kernel))

    def resolution(self, record: Record) -> float:
        """Return what a measurement resolves: half of the spread of its launches, at least a cycle or a MHz."""
        most, least = (record.measured[f"{end}_{self.quantity}"] for end in ("most", "least"))
        return max(1.0, (most - least) / 2)

    def simulate(self, board: Device, kernel: Kernel) -> LaunchResult:
        """Launch with the clock."""
        return self._run(board, kernel, self._launched()[1])

    def _run(self, board: Device, kernel: Kernel, args: list[Any]) -> LaunchResult:
        return launch(
            kernel, self.grid, self.block, args, shared_bytes=self.shared_bytes, device=board, timing=True,
            caches=self.caches,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PaceCase(MicroCase):
    """One whose kernel also reads the nanosecond timer: how fast the SM's clock goes."""

    quantity: ClassVar[str] = "mhz"
    compared: ClassVar[Mapping[str, str]] = {"mhz": "MHz"}

    def _launched(self) -> tuple[NDArray[np.uint32], list[Any]]:
        times = np.zeros(4 * self.grid * self._warps, np.uint32)
        return times, [times, *super()._launched()[1][1:]]

    def _read(self, times: NDArray[np.uint32]) -> float:
        clock, timer = np.split(times, 2)
        return float(1e3 * (spans(clock, self._warps) / spans(timer, self._warps)).mean())

    def predict_on(self, board: Device) -> Measured:
        """Return the clock at which a board executes the launch, in the mean."""
        run = self.simulate(board, self.kernel)
        return Measured(values={"mhz": 1e-6 * run.cycles / (run.seconds or 1.0)}, code=code_digest(self.kernel))


@dataclass(frozen=True, kw_only=True)
class PortCase(MicroCase):
    """One in which all SMs are at work but for a pair of them, each pair in its turn: how many SMs share a port."""

    quantity: ClassVar[str] = "ports"
    compared: ClassVar[Mapping[str, str]] = {"ports": "ports"}

    def measure(self, gpu: Gpu) -> Measured:
        """Launch with each pair idle; the number of ports, and how many SMs share one in the median."""
        code, (times, args), pairs = self.code(gpu), self._launched(), self.board.sm_count // 2

        def of_each(idle: int) -> NDArray[np.float64]:
            launches = self._runs(gpu, code, times, [*args, np.int32(idle)])
            return np.median([spans(seen, self._warps) for seen in launches], axis=0)

        seen = np.array([of_each(idle) for idle in range(-1, pairs)])
        sizes = sharing(seen[1:], seen[0])
        ports = float((2 / sizes).sum())
        told = self._told(code, ports, ports, ports)
        return Measured(values={**told.values, "port_sms": float(np.median(sizes))}, code=told.code, note=told.note)

    def predict_on(self, board: Device) -> Measured:
        """Return into how many groups the clock puts a board's SMs: those that store by CPC, those that load by GPC."""
        from simtc.timing.placing import neighbours  # noqa: PLC0415 - compiles

        gpcs, cpcs = neighbours(board, board.sm_count)
        ports = len(np.unique(cpcs if "store" in self.kernel_name else gpcs))
        return Measured(values={"ports": float(ports)}, code=code_digest(self.kernel))

    def resolution(self, record: Record) -> float:  # noqa: ARG002 - SMs are counted
        """Return 0: a count is right or wrong."""
        return 0.0


_KINDS: Mapping[str, type[MicroCase]] = {"cycles": MicroCase, "mhz": PaceCase, "port_sms": PortCase}


@cache
def _listing(source: str, sm: int) -> Mapping[str, Kernel]:
    return load(folder("validate") / "microbench" / "listings" / f"sm_{sm}" / f"{source.removesuffix('.cu')}.sass")


def _argument(value: int | str) -> Any:
    """Read an argument: a whole number is an int, "zeros N" a struct of N bytes."""
    return np.int32(value) if isinstance(value, int) else bytes(int(value.removeprefix("zeros ")))


def cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[MicroCase | Skip]:
    """Yield every combination of every group of the campaign's TOML that the chip can run."""
    seen = set()  # "grid" blocks may be as many as a number beside it
    for group in settings["cases"]:
        if group.get("counters"):  # these leave no clock: campaign `counters` has them
            continue
        for case in group_cases(group, settings, chip):
            if case.name not in seen:
                seen.add(case.name)
                yield case


def group_cases(group: Mapping[str, Any], settings: Mapping[str, Any], chip: Chip) -> Iterator[MicroCase | Skip]:
    """Yield every combination of the lists of one group.

    Raises:
        BadInputError: caches that are neither warm nor cold.

    """
    able = [
        sm for sm in settings["listings"][group["source"]]
        if sm // 10 == chip.sm // 10 and group.get("sm", 0) <= sm <= chip.sm
    ]  # fmt: skip
    if not able or not chip.known:
        why = f"simtc has no constants of {chip.name or 'this board'}" if able else f"not compiled for sm_{chip.sm}"
        yield from (Skip(name=name, reason=why) for name in group["kernels"])
        return
    lists = (group["kernels"], group.get("grids", [1]), group["blocks"], group["args"], group.get("caches", ["warm"]))
    for kernel, grid, block, args, caches in product(*lists):
        if caches not in ("warm", "cold"):
            raise BadInputError(f"microbench.toml: {kernel}: caches {caches!r} are neither 'warm' nor 'cold'")
        grid = chip.board.sm_count if grid == "sms" else grid  # noqa: PLW2901 - a word for a number
        yield _KINDS[group.get("quantity", "cycles")](
            kernel_name=kernel, source=group["source"], sm=max(able), board=chip.board, grid=grid, block=block,
            args=tuple(grid if arg == "grid" else arg for arg in args), data_bytes=group.get("data_bytes", 4096),
            shared_bytes=group.get("shared_bytes", 0), caches=caches, repeats=settings["repeats"],
        )  # fmt: skip
