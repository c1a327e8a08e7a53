"""`zgemm`: double precision complex, outside the tensor cores; simtc.gemm.simt has what four families share."""
