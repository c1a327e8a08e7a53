"""Room models."""
