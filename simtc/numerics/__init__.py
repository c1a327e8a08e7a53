"""Room numerics."""
