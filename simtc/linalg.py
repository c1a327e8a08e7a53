"""LU with partial pivoting on a simulated chip: the panel on the host, everything else matrix products of the chip.

Right-looking and blocked, as LAPACK's dgetrf and the hybrid codes for GPUs have it: a panel of nb columns is factored,
its row swaps are applied, a triangular solve gives nb rows of U, and one DGEMM updates what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from simtc import arch
from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.gemm.registry import family

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Factors", "Host", "LuTime", "Step", "lu", "lu_flops", "lu_time"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """A = P^T L U as LAPACK stores it.

    `packed` is (n, n) float64: U, and below its diagonal L, whose own diagonal is 1. `pivots` says of each row with
    which one it was swapped. `singular` is the first column whose pivot is 0, None where none is.
    """

    packed: np.ndarray
    pivots: np.ndarray
    singular: int | None

    @property
    def lower(self) -> np.ndarray:
        """L, (n, n)."""
        import numpy as np  # noqa: PLC0415 - closed forms start without it

        return np.tril(self.packed, -1) + np.eye(len(self.packed))

    @property
    def upper(self) -> np.ndarray:
        """U, (n, n)."""
        import numpy as np  # noqa: PLC0415 - as above

        return np.triu(self.packed)

    def permuted(self, A: np.ndarray) -> np.ndarray:
        """Return P A."""
        rows = A.copy()
        for row, other in enumerate(self.pivots):
            rows[[row, other]] = rows[[other, row]]
        return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What is assumed of the host and the way to it: no measurement stands behind these."""

    panel_gflops: float = 20.0  # of an unblocked panel, which memory bounds
    gb_per_s: float = 12.0  # each way, as PCIe 3.0 x16 gives
    transfer_us: float = 10.0  # before the first byte


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Seconds of one panel and what follows from it."""

    panel: float  # on the host: assumed
    transfers: float  # of the panel, both ways: assumed
    swaps: float  # rows of the chip's DRAM, at its bandwidth
    solve: float  # the product with the inverse of the diagonal block
    update: float  # the product that updates what is left


@dataclass(frozen=True, slots=True, kw_only=True)
class LuTime:
    """Where the time of an LU goes.

    Example:
        >>> one = lu_time(512, nb=64, device="a100_sxm", fidelity="analytic")
        >>> len(one.steps), one.seconds > lu_time(512, device="a100_sxm", fidelity="analytic", look_ahead=True).seconds
        (8, True)

    """

    n: int
    nb: int
    device: str
    fidelity: str
    look_ahead: bool
    host: Host
    steps: tuple[Step, ...]

    @property
    def parts(self) -> Mapping[str, float]:
        """Seconds by kind of work, whether or not they overlap."""
        return {name: sum(getattr(one, name) for one in self.steps) for name in Step.__slots__}

    @property
    def seconds(self) -> float:
        """The time: the sum; with look-ahead a panel and its transfers go beside the update before it."""
        total, hidden = 0.0, 0.0
        for step in self.steps:
            panel = step.panel + step.transfers
            total += max(panel, hidden) if self.look_ahead else panel + hidden
            total += step.swaps + step.solve
            hidden = step.update
        return total + hidden

    @property
    def tflops(self) -> float:
        """Teraflops, 2 n^3 / 3 of them."""
        return 1e-12 * lu_flops(self.n, self.nb)["all"] / self.seconds

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON types, with the keys of schema simtc.simulate/1."""
        flops = lu_flops(self.n, self.nb)
        return {
            "schema": "simtc.simulate/1", "algorithm": "lu", "device": self.device, "n": self.n, "nb": self.nb,
            "fidelity": self.fidelity, "look_ahead": self.look_ahead, "seconds": self.seconds, "tflops": self.tflops,
            "parts": dict(self.parts), "flops": flops, "assumed": {name: getattr(self.host, name) for name in
            Host.__slots__},
        }  # fmt: skip


def lu_flops(n: int, nb: int) -> dict[str, int]:
    """Return the operations of an LU, and those of its updates.

    Example:
        >>> lu_flops(1024, 64)
        {'all': 715303424, 'update': 650117120}

    """
    _require(n, nb)
    update = sum(2 * (n - end) ** 2 * (end - start) for start, end in _panels(n, nb))
    return {"all": (4 * n**3 - 3 * n**2 - n) // 6, "update": update}


def lu(A: np.ndarray, *, nb: int = 64, device: str | Device = "a100_sxm") -> Factors:
    """Factor a matrix with partial pivoting, its updates computed by the chip's DGEMM, bit for bit.

    Args:
        A: (n, n) float64.
        nb: columns of a panel.
        device: the board whose DGEMM it is.

    Raises:
        BadInputError: no square matrix of float64, or a panel without columns.

    Example:
        >>> import numpy as np
        >>> A = np.array([[1.0, 2.0], [4.0, 3.0]])
        >>> found = lu(A, nb=1)
        >>> found.pivots.tolist(), bool((found.permuted(A) == found.lower @ found.upper).all())
        ([1, 1], True)

    """
    import numpy as np  # noqa: PLC0415 - as above

    given = np.asarray(A)
    if given.ndim != 2 or given.shape[0] != given.shape[1] or given.dtype != np.float64:
        raise BadInputError(f"lu takes a square matrix of float64, got {given.dtype}{list(given.shape)}")
    board = arch.device(device) if isinstance(device, str) else device
    made, n = given.copy(), len(given)
    _require(n, nb)
    pivots, singular = np.arange(n), None
    for start, end in _panels(n, nb):
        first = _factor_panel(made, pivots, start, end)
        singular = first if singular is None else singular
        for row in range(start, end):  # the swaps that the panel asked for, in the columns beside it
            for beside in (made[:, :start], made[:, end:]):
                beside[[row, pivots[row]]] = beside[[pivots[row], row]]
        if end == n:
            break
        for row in range(start + 1, end):  # U12 = L11^-1 A12
            made[row, end:] -= made[row, start:row] @ made[start:row, end:]
        made[end:, end:] = _updated(made[end:, start:end], made[start:end, end:], made[end:, end:], board)
    return Factors(packed=made, pivots=pivots, singular=singular)


def lu_time(
    n: int,
    *,
    nb: int = 64,
    device: str | Device = "a100_sxm",
    fidelity: str = "sampled",
    look_ahead: bool = False,
    host: Host | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> LuTime:
    """Return where the time of an LU goes: products by the clock, the host and the transfers as assumed.

    Args:
        n: rows and columns.
        nb: columns of a panel.
        device: the board.
        fidelity: of the products: analytic, sampled or full.
        look_ahead: factor the next panel while the rest is updated.
        host: what is assumed of it.
        progress: called with (steps done, steps).

    Raises:
        BadInputError: sizes below 1, an unknown fidelity, or a board that this fidelity does not know.

    """
    _require(n, nb)
    board = arch.device(device) if isinstance(device, str) else device
    assumed = Host() if host is None else host

    panels, steps = list(_panels(n, nb)), []
    for number, (start, end) in enumerate(panels):
        width, tall, rest = end - start, n - start, n - end
        moved = 8 * tall * width
        steps.append(
            Step(
                panel=(tall * width**2 - width**3 / 3) / (1e9 * assumed.panel_gflops),
                transfers=2 * (1e-6 * assumed.transfer_us + moved / (1e9 * assumed.gb_per_s)),
                swaps=4 * 8 * width * (n - width) / (1e9 * board.dram_measured_gb_per_s),
                solve=_seconds(width, rest, width, board, fidelity) if rest else 0.0,
                update=_seconds(rest, rest, width, board, fidelity) if rest else 0.0,
            )
        )
        if progress:
            progress(number + 1, len(panels))
    return LuTime(
        n=n, nb=nb, device=board.name, fidelity=fidelity, look_ahead=look_ahead, host=assumed, steps=tuple(steps)
    )


@cache
def _seconds(m: int, n: int, k: int, device: Device, fidelity: str) -> float:
    """Return the time of one update; factorizations of several sizes ask for many of the same."""
    from simtc.run.simulate import simulate  # noqa: PLC0415 - as above

    sizes: dict[str, Any] = {"m": m, "n": n, "k": k, "alpha": -1.0, "beta": 1.0}
    return simulate("dgemm", device=device, fidelity=fidelity, caches="warm", **sizes).seconds


def _require(n: int, nb: int) -> None:
    if n < 1 or nb < 1:
        raise BadInputError(f"lu of {n} rows in panels of {nb} columns: both are at least 1")


def _panels(n: int, nb: int) -> list[tuple[int, int]]:
    return [(start, min(start + nb, n)) for start in range(0, n, nb)]


def _factor_panel(made: np.ndarray, pivots: np.ndarray, start: int, end: int) -> int | None:
    """Factor columns in place, as dgetf2 does; return the first that has no pivot."""
    import numpy as np  # noqa: PLC0415 - as above

    panel, singular = made[:, start:end], None
    for column in range(start, end):
        inside = column - start
        row = column + int(np.argmax(np.abs(panel[column:, inside])))
        pivots[column] = row
        if panel[row, inside] == 0:
            singular = column if singular is None else singular
            continue
        panel[[column, row]] = panel[[row, column]]
        panel[column + 1 :, inside] /= panel[column, inside]
        panel[column + 1 :, inside + 1 :] -= np.outer(panel[column + 1 :, inside], panel[column, inside + 1 :])
    return singular


def _updated(left: np.ndarray, right: np.ndarray, old: np.ndarray, device: Device) -> np.ndarray:
    """Return old - left right, as the board's DGEMM computes it."""
    import numpy as np  # noqa: PLC0415 - as above

    from simtc.run.launch import launch  # noqa: PLC0415

    dgemm = family("dgemm")
    sizes = {"m": left.shape[0], "n": right.shape[1], "k": left.shape[1], "alpha": -1.0, "beta": 1.0}
    problem = dgemm.problem(sizes, {})
    made = dgemm.configure(problem, device, {})
    arrays = {name: np.ascontiguousarray(one.T) for name, one in (("A", left), ("B", right), ("C", old))}
    arrays["D"] = np.zeros_like(arrays["C"])
    launch(made.program(), made.grid_dim(problem), made.block_dim, made.arguments(problem, arrays), device=device)
    return np.ascontiguousarray(arrays["D"].T)
