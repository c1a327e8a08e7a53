"""The family `hcgemm_batched`: batches of half-complex products."""

from __future__ import annotations

from simtc.gemm.hgemm_batched.family import OPTIONS, Batched

__all__ = ["FAMILY"]


class _Complex(Batched):
    name = "hcgemm_batched"
    summary = "batches of small half-complex products, four real ones a step"
    example = "-m 32 -n 32 -k 32 --batch 1000 --device v100_pcie --version 4019"
    options = OPTIONS
    planes = 2


FAMILY = _Complex()
