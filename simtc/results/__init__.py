"""The values that come out: results, stall causes, and their JSON."""

from simtc.results.launch import InstructionTime, LaunchResult, Timing
from simtc.results.stall import Stall
from simtc.results.timeline import Slice, Timeline

__all__ = ["InstructionTime", "LaunchResult", "Slice", "Stall", "Timeline", "Timing"]
