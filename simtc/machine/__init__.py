"""Room machine."""
