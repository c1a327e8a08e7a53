"""Room results."""
