"""Batched HGEMM with eight tuning parameters, as A. Abdelfattah, S. Tomov and J. Dongarra describe it (2020).

`space` holds the configurations in the order of MAGMA's version numbers, `kernels/hgemm_batched.cu` is the source, and
`hcgemm_batched` the same for half-complex numbers.
"""
