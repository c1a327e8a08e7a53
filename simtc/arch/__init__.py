"""Room arch."""
