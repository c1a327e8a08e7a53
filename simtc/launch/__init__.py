"""`launch` and `simulate`: program, machine, clock and fidelity joined."""

from simtc.launch.launch import launch

__all__ = ["launch"]
