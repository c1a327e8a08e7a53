"""Errors on the corpus in a few numbers: of each time, cold and warm, and how many counts are equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simtc.validate.compare import Compared

__all__ = ["summary"]

_NEAR = 0.12


def summary(found: Sequence[Compared]) -> dict[str, Any]:
    """Return the errors of each quantity that has a time, cold and warm, what was refused, and what was equal.

    Example:
        >>> summary([Compared(name="loop_001/warm", problem="it does not end")])["refused"]
        1

    """
    told: dict[str, Any] = {"launches": len(found), "refused": sum(bool(case.problem) for case in found)}
    for quantity in ("active_cycles", "nanoseconds"):
        for caches in ("warm", "cold"):
            errors = np.array([
                point.error for case in found for point in case.points
                if point.quantity == quantity and point.case.endswith(caches)
            ])  # fmt: skip
            told[f"{quantity} {caches}"] = _errors(errors) if len(errors) else {}
    for quantity in ("instructions", "bits"):
        points = [point for case in found for point in case.points if point.quantity == quantity]
        told[f"{quantity} equal"] = f"{sum(not point.error for point in points)} of {len(points)}"
    return told


def _errors(errors: np.ndarray[Any, np.dtype[np.float64]]) -> dict[str, Any]:
    off = abs(errors)
    return {
        "launches": len(off), "mean": round(float(off.mean()), 4), "median": round(float(np.median(off)), 4),
        "within 12 %": round(float((off <= _NEAR).mean()), 4), "worst": round(float(errors[off.argmax()]), 4),
    }  # fmt: skip
