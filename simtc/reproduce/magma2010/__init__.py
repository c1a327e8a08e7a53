"""Nath, Tomov and Dongarra, "An Improved MAGMA GEMM for Fermi Graphics Processing Units", IJHPCA 24(4), 2010."""
