"""Room layout."""
