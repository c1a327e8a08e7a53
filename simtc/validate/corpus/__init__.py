"""A corpus that no one chose: kernels whose every property is drawn from their names."""
