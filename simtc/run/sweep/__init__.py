"""`sweep`: a family's whole space ranked by closed forms, and the best of it timed in the clock."""

from simtc.run.sweep.plan import Sweep, sweep

__all__ = ["Sweep", "sweep"]
