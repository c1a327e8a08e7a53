"""A kernel of a family, run as its own host program would: draw, pad, launch, extract, judge."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

import numpy as np

from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.gemm.family import Configured, Verdict
from simtc.gemm.operands import embedded, logical
from simtc.gemm.problem import Problem
from simtc.results import LaunchResult
from simtc.results.display import Columns, Display
from simtc.run.launch import INSTRUCTION_LIMIT, LAUNCH_LIMIT, launch

__all__ = ["Harnessed", "harness"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Harnessed(Display):
    """What came out."""

    configuration: Configured
    problem: Problem
    launch: LaunchResult
    D: np.ndarray  # (..., m, n)
    table: tuple[tuple[str, str], ...]  # what the family's own host code prints
    host_seconds: Mapping[str, float]  # padding and extraction, on this machine
    computed: bool  # a sampled timing computes nothing
    verdicts: tuple[Verdict, ...]  # none where nobody asked

    @property
    def digest(self) -> str | None:
        """The first 16 digits of the SHA-256 of D's bytes; None where D was not computed."""
        return hashlib.sha256(np.ascontiguousarray(self.D).tobytes()).hexdigest()[:16] if self.computed else None

    @property
    def tflops(self) -> float | None:
        """Teraflops (teraops of integers), padding not counted; None where the launch was not timed."""
        timing = self.launch.timing
        return None if timing is None else 1e-12 * self.problem.flops / timing.seconds

    def headline(self) -> str:
        """Return what was run in one line."""
        one, speed = self.problem, f", {self.tflops:.2f} TFLOPS" if self.tflops else ""
        return f"{self.launch.kernel} {one.m} x {one.n} x {one.k} on {self.launch.device}{speed}"

    def columns(self) -> Columns:
        """Return one row: the launch's, the sizes, and what came out."""
        one = self.problem
        row = {"m": one.m, "n": one.n, "k": one.k, "tflops": self.tflops, "digest": self.digest}
        return {**self.launch.columns(), **{name: [value] for name, value in row.items()}}

    def tables(self) -> Sequence[tuple[str, Columns]]:
        """Return the launch's tables."""
        return self.launch.tables()

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON types, with the keys of schema simtc.run/1."""
        one = self.problem
        return self.launch.to_dict() | {
            "m": one.m,
            "n": one.n,
            "k": one.k,
            "tflops": self.tflops,
            "digest": self.digest,
            "config": self.configuration.to_dict(),
            "table": dict(self.table),
            "verdicts": [asdict(verdict) for verdict in self.verdicts],
        }


def harness(
    made: Configured,
    problem: Problem,
    device: Device,
    *,
    pad: bool = False,
    verify: bool = False,
    seed: int = 0,
    timing: bool = False,
    fidelity: str = "full",
    caches: str = "cold",
    timeline: bool = False,
    check: bool = False,
    instruction_limit: int = INSTRUCTION_LIMIT,
    launch_limit: int = LAUNCH_LIMIT,
    progress: Callable[[int, int], None] | None = None,
) -> Harnessed:
    """Run a kernel over a problem.

    Args:
        made: the kernel, from its family.
        problem: what it computes.
        device: the board to be.
        pad: fill the matrices up with zeros to whole blocks first, as the family's host code does.
        verify: judge the result.
        seed: of the drawn matrices.
        timing: count cycles too.
        fidelity: of the timing; "sampled" computes nothing.
        caches: "cold" or "warm".
        timeline: with timing, also keep what every warp did.
        check: also find reads of what nothing wrote.
        instruction_limit: the most instructions one warp may execute.
        launch_limit: the most that all warps of the blocks under way may have executed together.
        progress: called with (blocks done, blocks).

    Raises:
        BadInputError: sizes that need padding, or a result to judge that nobody computes.
        KernelFaultError: the kernel faulted.

    Example:
        >>> from simtc import arch
        >>> from simtc.gemm.registry import family
        >>> wmma, board, choices = family("wmma_gemm"), arch.device("t4"), {"types": "s8"}
        >>> problem = wmma.problem({"m": 20, "n": 30, "k": 40, "alpha": -2, "beta": 3}, choices)
        >>> done = harness(wmma.configure(problem, board, choices), problem, board, pad=True, verify=True)
        >>> [(verdict.rule, verdict.correct) for verdict in done.verdicts]
        [("the document's", True), ('exact arithmetic', True)]

    """
    computed = fidelity == "full"
    if verify and not computed:
        raise BadInputError("--verify needs --fidelity full: a sampled run computes nothing")
    whole = problem.padded(made.pad_to) if pad else problem
    if not pad:
        _require_whole(made, problem)
    before = made.draw(problem, seed)
    start = perf_counter()
    arrays = embedded(problem, whole, before)
    padded = perf_counter()
    args = made.arguments(whole, arrays)
    outcome = launch(
        made.program(), made.grid_dim(whole), made.block_dim, args, shared_bytes=made.dynamic_shared_bytes,
        device=device, timing=timing, fidelity=fidelity, caches=caches, timeline=timeline, check=check,
        instruction_limit=instruction_limit, launch_limit=launch_limit, progress=progress,
    )  # fmt: skip
    launched = perf_counter()
    D = np.ascontiguousarray(logical(whole, "D", arrays["D"])[..., : problem.m, : problem.n])
    return Harnessed(
        configuration=made,
        problem=problem,
        launch=outcome,
        D=D,
        table=tuple(made.table(problem, whole)),
        host_seconds={"Padding": padded - start, "Extraction": perf_counter() - launched} if pad else {},
        computed=computed,
        verdicts=tuple(made.verdicts(problem, before, D)) if verify else (),
    )


def _require_whole(made: Configured, problem: Problem) -> None:
    for name, multiple in zip("mnk", made.multiple, strict=True):
        size = getattr(problem, name)
        if size % multiple:
            near = max(multiple, round(size / multiple) * multiple)
            raise BadInputError(
                f"{name} = {size}: {made.name} takes multiples of {multiple}; the nearest is {near}. Try: --pad"
            )
