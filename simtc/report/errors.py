"""Errors of predictions as the rows of tables; the first row is the head."""

from __future__ import annotations

from collections.abc import Sequence

from simtc.validate.capture import Capture
from simtc.validate.measured import Point, errors

__all__ = ["cublas_rows", "error_rows", "percent", "top_causes", "worst_rows"]

_WORST = 8


def percent(share: float, *, signed: bool = True) -> str:
    """Write a share.

    Example:
        >>> percent(-0.0512), percent(0.25, signed=False)
        ('-5.1 %', '25.0 %')

    """
    return f"{100 * share:{'+' if signed else ''}.1f} %"


def error_rows(points: Sequence[Point], *, by_group: bool = False) -> list[tuple[str, ...]]:
    """Return the errors of each quantity, or of each kernel; shares of stalls are one quantity."""
    by: dict[str, list[Point]] = {}
    for point in points:
        key = point.group if by_group else "stall shares" if point.unit == "share" else point.quantity
        by.setdefault(key, []).append(point)
    head = ("kernel" if by_group else "quantity", "compared", "mean abs error", "bias", "worst", "of")
    rows: list[tuple[str, ...]] = [head]
    for key, some in by.items():
        found = errors(some)
        mean, bias, worst = percent(found.mean, signed=False), percent(found.bias), percent(found.worst)
        rows.append((key, str(found.count), mean, bias, worst, found.case))
    return rows


def worst_rows(points: Sequence[Point]) -> list[tuple[str, ...]]:
    """Return the cases whose cycles are farthest off."""
    cycles = sorted((p for p in points if p.unit == "cycles"), key=lambda p: -abs(p.error))[:_WORST]
    head = ("case", "quantity", "measured", "predicted", "error")
    return [
        head,
        *((p.case, p.quantity, f"{p.measured:,.0f}", f"{p.predicted:,.0f}", percent(p.error)) for p in cycles),
    ]


def top_causes(points: Sequence[Point]) -> list[tuple[str, ...]]:
    """Return how often the cause that warps wait for most is the profiler's, and each case where it is another."""
    by: dict[str, list[Point]] = {}
    for point in points:
        if point.quantity.startswith("stall_") and point.quantity != "stall_selected":
            by.setdefault(point.case, []).append(point)
    rows: list[tuple[str, ...]] = [("case", "profiler", "simtc")]
    agree = 0
    for case, some in by.items():
        theirs, ours = (max(some, key=lambda p, what=what: getattr(p, what)) for what in ("measured", "predicted"))  # type: ignore[misc]
        agree += theirs.quantity == ours.quantity
        if theirs.quantity != ours.quantity:
            pair = [
                f"{p.quantity.removeprefix('stall_')} {percent(getattr(p, what), signed=False)}"
                for p, what in ((theirs, "measured"), (ours, "predicted"))
            ]
            rows.append((case, *pair))
    if by:
        rows.insert(1, ("the same cause", f"{agree} of {len(by)}", ""))
    return rows


def cublas_rows(capture: Capture) -> list[tuple[str, ...]]:
    """Return each kernel's rate beside cuBLAS's on the same size, types and caches."""
    from simtc.gemm.shipped import shipped, shipped_names  # noqa: PLC0415 - reads the kernels' table

    rows: list[tuple[str, ...]] = [("kernel", "size", "caches", "measured", "cuBLAS", "share")]
    for name, record in capture.cases.items():
        kernel, _, where = name.partition("/")
        size, _, caches = where.partition("/")
        if kernel not in shipped_names() or "seconds" not in record.measured:
            continue
        d, a, *_ = shipped(kernel).mma.split(".")[-4:]
        beside = capture.cases.get(f"cublas.{a}.{d}/{size}/{caches}")
        if beside is None or "seconds" not in beside.measured:
            continue
        m, n, k = (int(x) for x in size.split("x"))
        own, theirs = (2e-12 * m * n * k / r.measured["seconds"] for r in (record, beside))
        rows.append((kernel, size, caches, f"{own:.1f}", f"{theirs:.1f}", percent(own / theirs, signed=False)))
    return rows
