"""The microbenchmarks of `simtc.study`, under the name that the tests of the clock use."""

from __future__ import annotations

from simtc.study.microbenchmark import cycles, each, kernel, line

__all__ = ["cycles", "each", "kernel", "line"]
