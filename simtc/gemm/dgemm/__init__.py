"""`dgemm`: double precision, outside the tensor cores; simtc.gemm.simt has what the four such families share."""
