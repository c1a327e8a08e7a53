"""The values that come out: results, predictions, timelines, stall causes."""

from simtc.results.launch import LaunchResult

__all__ = ["LaunchResult"]
