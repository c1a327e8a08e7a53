"""Yan, Wang and Chu, Demystifying tensor cores to optimize half-precision matrix multiply, IPDPS 2020."""
