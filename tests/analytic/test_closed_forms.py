"""Intensity, quantization, traffic, split-K, eligibility, the tile menu and the roofline."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simtc import arch
from simtc.analytic.chart import Chart, Series
from simtc.analytic.eligibility import eligibility
from simtc.analytic.intensity import arithmetic_intensity, blocking_intensity, is_math_bound, ridge_flops_per_byte
from simtc.analytic.menu import MENU, by_efficiency
from simtc.analytic.quantization import Quantization
from simtc.analytic.roofline import roofline
from simtc.analytic.split_k import reduction_bytes, slice_depth
from simtc.analytic.traffic import wave_traffic
from simtc.errors import BadInputError

V100 = arch.device("v100_sxm2")
SIZES = st.integers(1, 5000)


@given(m=SIZES, n=SIZES, k=SIZES)
def test_intensity_is_that_of_every_order_and_below_each_size(m, n, k):
    value = arithmetic_intensity(m, n, k)
    assert value == pytest.approx(arithmetic_intensity(n, m, k)) == pytest.approx(arithmetic_intensity(k, m, n))
    assert value < min(m, n, k)


@given(m=SIZES, k=SIZES)
def test_a_matrix_vector_product_is_memory_bound_anywhere(m, k):
    assert arithmetic_intensity(m, 1, k) < 1
    assert not is_math_bound(V100, m, 1, k)


def test_the_guides_ratio_and_verdicts():
    assert 125e3 / V100.dram_gb_per_s == pytest.approx(138.9, abs=0.05)
    assert ridge_flops_per_byte(V100) == pytest.approx(138.9, rel=0.003)
    assert (is_math_bound(V100, 8192, 128, 8192), is_math_bound(V100, 8192, 8192, 8192)) == (False, True)


def test_no_work_is_refused():
    with pytest.raises(BadInputError, match="a GEMM of 0 x 1 x 1 has no work"):
        arithmetic_intensity(0, 1, 1)


@given(m=SIZES, n=SIZES, tile=st.sampled_from(MENU), wave=st.integers(1, 200))
def test_quantization_covers_the_result_and_no_more(m, n, tile, wave):
    one = Quantization(m=m, n=n, tile_m=tile[0], tile_n=tile[1], wave=wave)
    assert one.rows * tile[0] >= m > (one.rows - 1) * tile[0]
    assert one.columns * tile[1] >= n > (one.columns - 1) * tile[1]
    assert (one.waves - 1) * wave + one.tail == one.tiles
    assert 1 <= one.tail <= wave
    assert 0 <= one.tile_waste < 1
    assert 0 <= one.wave_waste < 1


def test_the_guides_quantization():
    part, full = (Quantization(m=m, n=256, tile_m=128, tile_n=128, wave=1) for m in (257, 256))
    assert part.tiles / full.tiles == 1.5
    assert pytest.approx(0.0039, abs=5e-5) == 257 / 256 - 1
    with pytest.raises(BadInputError, match="n is 0: at least 1"):
        Quantization(m=1, n=0, tile_m=1, tile_n=1, wave=1)


@given(rows=st.integers(1, 12), columns=st.integers(1, 12), wave=st.integers(1, 40), slices=st.integers(1, 3))
def test_traffic_agrees_with_counting_block_by_block(rows, columns, wave, slices):
    q = Quantization(m=64 * rows, n=32 * columns, tile_m=64, tile_n=32, wave=wave, slices=slices)
    waves = wave_traffic(q, depth=100, l2_bytes=0)
    counted = 0
    for first in range(0, q.tiles, wave):
        blocks = range(first, min(first + wave, q.tiles))
        of_a = {block // columns for block in blocks}
        of_b = {(block // (rows * columns), block % columns) for block in blocks}
        counted += 200 * (64 * len(of_a) + 32 * len(of_b))
    assert sum(one.times for one in waves) == q.waves
    assert sum(one.times * one.blocks for one in waves) == q.tiles
    assert sum(one.times * one.l2_bytes for one in waves) == q.tiles * 200 * 96
    assert sum(one.times * one.dram_bytes for one in waves) == counted


def test_what_fits_l2_comes_from_dram_once():
    q = Quantization(m=512, n=512, tile_m=64, tile_n=64, wave=8)
    bytes_ = 2 * 256 * (512 + 512)
    assert sum(w.times * w.dram_bytes for w in wave_traffic(q, depth=256, l2_bytes=bytes_)) == pytest.approx(bytes_)
    assert sum(w.times * w.dram_bytes for w in wave_traffic(q, depth=256, l2_bytes=bytes_ - 1)) > bytes_


def test_split_k():
    assert [slice_depth(4096, 32, split) for split in (1, 2, 3, 128)] == [4096, 2048, 1376, 32]
    assert reduction_bytes(10, 10, 2) == 100 * (2 * 4 + 2 * 4 + 2)
    with pytest.raises(BadInputError, match=r"split_k 129: k = 4096 has 128 iterations of 32, so 1 to 128"):
        slice_depth(4096, 32, 129)


@pytest.mark.parametrize(
    ("inputs", "board", "version", "k", "tensor", "efficient"),
    [
        ("f16", "v100_sxm2", (10, 2), 1024, True, True),
        ("f16", "v100_sxm2", (10, 2), 1028, False, False),
        ("f16", "v100_sxm2", (11, 0), 1028, True, False),
        ("s8", "t4", (10, 1), 1024, True, True),
        ("s8", "t4", (10, 1), 1032, False, False),
        ("tf32", "a100_sxm", (10, 2), 1024, False, True),
        ("tf32", "a100_sxm", (11, 0), 1028, True, False),
        ("f16", "a100_sxm", (11, 0), 1032, True, False),
        ("f16", "a100_sxm", (11, 0), 1088, True, True),
        ("f64", "a100_sxm", (11, 0), 1040, True, True),
    ],
)
def test_eligibility(inputs, board, version, k, tensor, efficient):
    one = eligibility(2048, 2048, k, inputs=inputs, device=arch.device(board), version=version)
    assert (one.tensor_cores, one.efficient) == (tensor, efficient)


@pytest.mark.parametrize(
    ("inputs", "multiple", "on_a100"), [("s8", 16, 128), ("f16", 8, 64), ("tf32", 4, 32), ("f64", 2, 16)]
)
def test_the_multiples_of_the_guides_table(inputs, multiple, on_a100):
    for board, due in (("v100_sxm2", multiple), ("a100_sxm", on_a100)):
        assert eligibility(1, 1, 1, inputs=inputs, device=arch.device(board)).multiple == due


def test_eligibility_of_cudnn_and_of_boards_without_tensor_cores():
    old, new = (
        eligibility(8, 8, 9, inputs="f16", device=V100, library="cudnn", version=version)
        for version in ((7, 6, 2), (7, 6, 3))
    )
    assert (old.tensor_cores, new.tensor_cores) == (False, True)
    assert old.sentence == "no tensor cores: this library needs multiples of 8"
    assert new.sentence == "tensor cores, below their best: loads of 2 bytes; pad to multiples of 8"
    assert not eligibility(8, 8, 8, inputs="f16", device=arch.device("gtx280")).tensor_cores
    with pytest.raises(BadInputError, match=r"unknown input type 'fp16': known are s8, f16, tf32, f64"):
        eligibility(8, 8, 8, inputs="fp16", device=V100)


def test_the_menus_order_is_that_of_reuse():
    assert [tile for _, tiles in by_efficiency() for tile in tiles] == list(MENU)
    assert [blocking_intensity(*tile) for tile in MENU] == sorted((blocking_intensity(*t) for t in MENU), reverse=True)


def test_roofline():
    one = roofline(arch.device("rtx2070"))
    ridge = one.ridge_flops_per_byte("DRAM")
    assert one.attainable_tflops(ridge, "DRAM") == pytest.approx(one.peaks_tflops["tensor cores"])
    assert (one.bound(ridge * 0.99, "DRAM"), one.bound(ridge * 1.01, "DRAM")) == ("DRAM", "tensor cores")
    assert one.to_svg().count("<polyline") == 5
    with pytest.raises(BadInputError, match="unknown memory level 'L3'"):
        one.bound(1, "L3")
    with pytest.raises(BadInputError, match=r"gtx280 .* has no cycle-level data"):
        roofline(arch.device("gtx280"))


def test_charts_refuse_what_they_cannot_draw():
    with pytest.raises(BadInputError, match="has no points"):
        Chart(title="t", across="x", up="y", series=())
    with pytest.raises(BadInputError, match="at or below 0 on a logarithmic axis"):
        Chart(title="t", across="x", up="y", series=(Series(name="s", points=((0, 1),)),), log=(True, False))
    flat = Chart(title="<t>", across="x", up="y", series=(Series(name="s", points=((1, 0), (1, 0))),)).to_svg()
    assert "&lt;t&gt;" in flat
    assert "nan" not in flat
