"""Campaign `profiled`: what Nsight Compute counts of kernels that families have listings of, beside the clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, ClassVar

import numpy as np

from simtc.errors import SimtcError
from simtc.gemm.family import Configured
from simtc.gemm.operands import drawn, zeros
from simtc.gemm.problem import Problem
from simtc.gemm.registry import family
from simtc.gpu import Code, Gpu, compile_one
from simtc.gpu.gpu import Prepared
from simtc.isa import Kernel
from simtc.run.launch import launch
from simtc.validate.case import Skip
from simtc.validate.chip import Chip
from simtc.validate.counted import CountedCase, counted
from simtc.validate.measured import Measured, code_digest
from simtc.validate.profiler import CYCLES, Profile

__all__ = ["ProfiledCase", "cases"]


@dataclass(frozen=True, kw_only=True)
class _Launch:
    """One configuration over one problem."""

    configuration: Configured
    problem: Problem
    caches: str
    seed: int

    @property
    def name(self) -> str:
        """KERNEL/MxNxK/cold or warm."""
        one = self.problem
        return f"{self.configuration.name}/{one.m}x{one.n}x{one.k}/{self.caches}"

    def code(self, gpu: Gpu) -> Code:
        """Compile the kernel for the GPU at hand."""
        one = self.configuration.compiled()
        return compile_one(one.source, one.name, gpu, definitions=one.definitions)

    def prepared(self, gpu: Gpu) -> AbstractContextManager[Prepared]:
        """Upload the launch."""
        made = self.configuration
        args = made.arguments(self.problem, _operands(self.problem, self.seed))
        return gpu.prepared(
            self.code(gpu), made.grid_dim(self.problem), made.block_dim, args, shared_bytes=made.dynamic_shared_bytes
        )


@lru_cache(maxsize=1)  # a batch takes longer to draw than to launch, and the next kernel works on the same
def _operands(problem: Problem, seed: int) -> dict[str, np.ndarray]:
    return drawn(problem, seed)


@dataclass(frozen=True, kw_only=True)
class ProfiledCase(CountedCase):
    """One launch under the profiler."""

    compared: ClassVar[Mapping[str, str]] = {
        "instructions": "count", "elapsed_cycles": "cycles", "analytic_elapsed_cycles": "cycles",
    }  # fmt: skip
    measured_as: ClassVar[Mapping[str, str]] = {"analytic_elapsed_cycles": "elapsed_cycles"}

    launch: _Launch

    @property
    def configuration(self) -> Configured:
        """What is launched."""
        return self.launch.configuration

    def code(self, gpu: Gpu) -> Code:
        """Compile the kernel for the GPU at hand."""
        return self.launch.code(gpu)

    @cached_property
    def kernel(self) -> Kernel:
        """What is simulated."""
        return self.configuration.program()

    def predict(self) -> Measured:
        """Predict from closed forms, and with the clock; instructions are told where every block was executed."""
        made, problem, board = self.configuration, self.launch.problem, self.board
        run = launch(
            self.kernel, made.grid_dim(problem), made.block_dim, made.arguments(problem, zeros(problem)),
            shared_bytes=made.dynamic_shared_bytes, device=board, timing=True, fidelity="sampled",
            caches=self.launch.caches,
        )  # fmt: skip
        seen = counted(run, board)
        values = {"elapsed_cycles": seen["elapsed_cycles"]}
        if run.timing and "instructions" not in run.timing.extrapolated:
            values["instructions"] = seen["instructions"]
        closed = made.closed_form(problem, board.under_tensor_load() if made.uses_tensor_cores else board)
        values["analytic_elapsed_cycles"] = closed.cycles + closed.launch_cycles
        return Measured(values=values, code=code_digest(self.kernel))


def cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[ProfiledCase | Skip]:
    """Yield every launch of the settings."""
    found = [one for group in settings["launches"] for one in _group(group, settings["seed"], chip)]
    names = {one.name: one.caches for one in found if isinstance(one, _Launch)}
    profile = Profile("profiled", settings, names, passes=(CYCLES,))
    for one in found:
        yield one if isinstance(one, Skip) else ProfiledCase(launch=one, board=chip.board, profile=profile)


def _group(group: Mapping[str, Any], seed: int, chip: Chip) -> Iterator[_Launch | Skip]:
    one = family(group["family"])
    for number, (entry, size, caches) in enumerate(product(group["choices"], group["sizes"], group["caches"])):
        choices = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
        label = "/".join((one.name, str(number), "x".join(map(str, size)), caches))
        if not chip.known:
            yield Skip(name=label, reason=f"simtc has no constants of {chip.name or 'this board'}")
            continue
        sizes = dict(zip("mnk", size, strict=True)) | ({"batch": (group["batch"],)} if "batch" in group else {})
        try:
            problem = one.problem(sizes, choices)
            made = one.configure(problem, chip.board, choices)
        except SimtcError as error:
            yield Skip(name=label, reason=str(error))
            continue
        why = made.not_executed()
        launched = _Launch(configuration=made, problem=problem, caches=caches, seed=seed)
        yield Skip(name=launched.name, reason=why) if why else launched
