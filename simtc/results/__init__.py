"""The values that come out: results, stall causes, and their JSON."""

from simtc.results.launch import InstructionTime, LaunchResult, Timing
from simtc.results.stall import Stall

__all__ = ["InstructionTime", "LaunchResult", "Stall", "Timing"]
