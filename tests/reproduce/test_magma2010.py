"""The numbers of "An Improved MAGMA GEMM for Fermi": what is exact, and what the notes say of the rest."""

from __future__ import annotations

import pytest

from simtc.reproduce.magma2010.factorization import lu, shares
from simtc.reproduce.reproduce import reproduce


@pytest.mark.parametrize(("item", "exact", "rederived"), [("peaks", 3, 2), ("blocking", 3, 0), ("m3", 2, 2)])
def test_what_is_arithmetic_comes_out(item, exact, rederived):
    found = reproduce(f"magma2010/{item}")
    assert [one.name for one in found.items if one.differs] == []
    assert [sum(one.kind == kind for one in found.items) for kind in ("exact", "rederived")] == [exact, rederived]


def test_peaks_before_rounding_and_the_share_of_multiply_adds():
    notes = [one.note for one in reproduce("magma2010/peaks").items]
    assert [note.split()[0] for note in notes[:5]] == ["936", "515.2", "1030.4", "537.6", "1075.2"]
    assert notes[5].endswith("374 GFLOP/s, is 60 % of this")


def test_rates_of_complex_products():
    found = {one.name: one for one in reproduce("magma2010/m3").items}
    assert [found[f"{name}, executed share, %"].simtc for name in ("zgemm", "cgemm")] == [53, 59]
    assert [found[f"{name}gemm, ceiling by {real}gemm, GFLOP/s"].simtc for name, real in ("zd", "cs")] == [400, 860]
    assert found["cgemm m3: Im (2^12 + i 2^-12)^2"].simtc == -(2.0**-24)
    assert found["zgemm m3: Im (2^27 + i 2^-27)^2"].simtc == -(2.0**-54)
    assert 390 < found["zgemm with its additions, n = 2048, GFLOP/s"].simtc < 400


def test_the_plot_of_the_factorization_has_a_line_for_each_kind_of_work():
    items, svg = lu()
    assert items[1].simtc == 650_117_120
    assert svg.count("<polyline") == 5
    assert all(name in svg for name in ("panel", "transfers", "swaps", "solve", "update"))
    with pytest.raises(IndexError):
        shares([])
