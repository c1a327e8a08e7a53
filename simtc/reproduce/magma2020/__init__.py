"""Abdelfattah, Tomov and Dongarra (2020): batched GEMM in half and half-complex precision, as MAGMA has it."""
