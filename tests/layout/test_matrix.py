"""ldmatrix, stmatrix and movmatrix against plain array operations and the fragments they feed."""

from __future__ import annotations

import numpy as np
import pytest

from simtc.errors import BadInputError
from simtc.layout import Ldmatrix, fragment, ldmatrix, movmatrix


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("trans", [False, True])
def test_both_directions(count, trans):
    move = ldmatrix(count, trans=trans)
    for matrix in range(count):
        seen = {move.holder(matrix, row, col) for row in range(8) for col in range(8)}
        assert len(seen) == 64
        for row in range(8):
            for col in range(8):
                assert move.element(*move.holder(matrix, row, col)) == (row, col)
    addressed = [move.address(lane) for lane in range(32)]
    assert [place is not None for place in addressed] == [lane < 8 * count for lane in range(32)]
    assert addressed[8 * count - 1] == (count - 1, 7)


def test_x4_of_a_16x16_tile_is_the_a_of_m16n8k16():
    a = fragment("m16n8k16.f32.f16.f16.f32", operand="a", arch="ampere")
    for matrix, (top, left) in enumerate([(0, 0), (8, 0), (0, 8), (8, 8)]):
        for row in range(8):
            for col in range(8):
                assert a.holders(top + row, left + col) == (ldmatrix(4).holder(matrix, row, col),)


def test_trans_of_a_row_major_b_is_the_b_of_m16n8k8():
    b = fragment("m16n8k8.f32.f16.f16.f32", operand="b", arch="turing")
    for row in range(8):
        for col in range(8):
            assert b.holders(row, col) == (ldmatrix(1, trans=True).holder(0, row, col),)


def test_movmatrix_transposes():
    matrix = np.arange(64).reshape(8, 8)
    load = ldmatrix(1)
    held = {(lane, half): matrix[load.element(lane, 0, half)] for lane in range(32) for half in (0, 1)}
    moved = {place: held[movmatrix(*place)] for place in held}
    assert all(moved[place] == matrix.T[load.element(place[0], 0, place[1])] for place in held)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ldmatrix(3), "1, 2 or 4 matrices, not 3"),
        (lambda: ldmatrix(1).holder(1, 0, 0), "outside 1 8x8 matrices"),
        (lambda: ldmatrix(2).element(0, 2, 0), "ldmatrix.x2 fills no lane 0, register 2"),
        (lambda: Ldmatrix(count=4).address(32), r"lane 32 is outside 0\.\.31"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(BadInputError, match=words):
        call()
