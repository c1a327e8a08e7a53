"""From instructions to micro-operations, once per kernel."""

from simtc.machine.lowering.lower import Lowered, lower, supported

__all__ = ["Lowered", "lower", "supported"]
