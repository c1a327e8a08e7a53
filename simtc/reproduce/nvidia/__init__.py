"""NVIDIA, Matrix Multiplication Background User's Guide."""
