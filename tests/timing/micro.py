"""The microbenchmarks of `simtc.reproduce`, under the name that the tests of the clock use."""

from __future__ import annotations

from simtc.reproduce.microbenchmark import cycles, each, kernel, line

__all__ = ["cycles", "each", "kernel", "line"]
