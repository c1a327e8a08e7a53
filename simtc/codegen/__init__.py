"""Room codegen."""
