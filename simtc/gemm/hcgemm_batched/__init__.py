"""Batched GEMM of half-complex numbers: hgemm_batched over planes of real and imaginary parts."""
