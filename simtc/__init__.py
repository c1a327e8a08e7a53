"""simtc: what a tensor-core kernel computes, how long it takes and why, and where its data lives, with no GPU."""

__version__ = "0.1.0"
