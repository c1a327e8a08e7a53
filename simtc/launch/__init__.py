"""Room launch."""
