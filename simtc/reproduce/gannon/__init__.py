"""Gannon, "GEMM on Jetson": one WMMA GEMM for every type pair."""
