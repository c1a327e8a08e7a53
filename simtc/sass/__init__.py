"""Room sass."""
