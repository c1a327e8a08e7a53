"""Tiny products, bit for bit: a chain of multiply-adds, or one matrix instruction for several problems."""

from __future__ import annotations

import numpy as np
import pytest

from simtc import arch
from simtc.errors import BadInputError
from simtc.gemm.gemm_small.configuration import PACKED, GemmSmall
from simtc.gemm.operands import drawn, logical
from simtc.gemm.registry import family
from simtc.run.launch import launch

BOARDS = {70: "v100_pcie", 75: "t4", 80: "a100_pcie", 90: "h200"}


def bits_off(made, *, alpha, beta, batch):
    n = made.size
    problem = made.problem({"m": n, "n": n, "k": n, "alpha": alpha, "beta": beta, "batch": (batch,), "lda": n + 2})
    arrays = drawn(problem, n)
    expected = np.ascontiguousarray(made.reference(problem, arrays))
    args = made.arguments(problem, arrays)
    launch(made.program(), made.grid_dim(problem), made.block_dim, args, device=BOARDS[made.sm])
    D = np.ascontiguousarray(logical(problem, "D", arrays["D"]))
    return int((D.view(f"u{D.itemsize}") != expected.view(f"u{D.itemsize}")).sum())


@pytest.mark.parametrize("sm", BOARDS)
def test_every_size_gives_the_chains_bits(sm):
    for size in range(1, 33):
        for planes in (1, 2):
            made = GemmSmall(size=size, sm=sm, planes=planes)
            assert bits_off(made, alpha=-0.5, beta=float(size % 2), batch=3 if size > 4 else 40) == 0, made.name
    for size in range(1, PACKED + 1):
        made = GemmSmall(size=size, sm=sm, packed=True)
        assert bits_off(made, alpha=1.5, beta=float(size % 2), batch=21) == 0, made.name


def test_what_it_takes():
    one, board = family("gemm_small"), arch.device("t4")
    with pytest.raises(BadInputError, match="square matrices of 1 to 32"):
        one.problem({"m": 8, "n": 9, "k": 8}, {})
    with pytest.raises(BadInputError, match="square matrices of 1 to 32"):
        one.problem({"m": 33, "n": 33, "k": 33}, {})
    with pytest.raises(BadInputError, match="packed of 1 to 8"):
        one.problem({"m": 9, "n": 9, "k": 9}, {"packed": True})
    with pytest.raises(BadInputError, match="--packed is of real numbers"):
        one.problem({"m": 8, "n": 8, "k": 8}, {"packed": True, "types": "c32"})
    problem = one.problem({"m": 4, "n": 4, "k": 4, "batch": (100,)}, {})
    assert one.configure(problem, board, {}).grid_dim(problem) == (13, 1, 1)
