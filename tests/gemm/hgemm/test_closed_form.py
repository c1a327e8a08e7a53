"""The prediction of a configured HGEMM: what must hold of it."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simtc
from simtc import arch
from simtc.errors import BadInputError
from simtc.run.simulate import simulate

YAN = {"block": (256, 256, 32), "warp": (128, 64, 8)}


def hgemm(m=4096, n=None, k=None, **options):
    return simulate("hgemm", m=m, n=n or m, k=k or m, **{"device": "rtx2070", "fidelity": "analytic", **YAN, **options})


def test_the_contract():
    one = simtc.simulate("hgemm", m=4096, n=4096, k=4096, device="rtx2070", fidelity="analytic", **YAN)
    assert one.seconds == one.cycles / 1620e6
    assert one.tflops == pytest.approx(2 * 4096**3 / one.seconds * 1e-12)
    assert one.peak_share == one.tflops / one.peak_tflops
    data = json.loads(one.to_json())
    assert list(data)[:12] == [
        "schema", "device", "m", "n", "k", "config", "fidelity", "cycles", "seconds", "tflops", "peak_share", "bound",
    ]  # fmt: skip
    assert data["schema"] == "simtc.simulate/1"
    assert data["config"] == {
        "block": [256, 256, 32], "warp": [128, 64, 8], "instr": "HMMA.1688.F16", "stages": 1, "copy": "ldg",
        "layout": "pad", "types": "f16", "accumulator": "f16", "loads": "lds", "sts_interleave": 5, "epilogue": "none",
        "split_k": 1,
    }  # fmt: skip
    assert data["left_out"]


@settings(deadline=None)  # the first of a board computes every layout's bank conflicts
@given(
    m=st.integers(1, 4000), n=st.integers(1, 4000), k=st.integers(1, 4000),
    board=st.sampled_from(["v100_sxm2", "t4", "a100_sxm", "h200"]), transpose=st.sampled_from(["tn", "nn", "nt", "tt"]),
)  # fmt: skip
def test_any_size_stays_below_the_peak_and_above_each_resource(m, n, k, board, transpose):
    one = simulate("hgemm", m=m, n=n, k=k, device=board, transpose=transpose, fidelity="analytic")
    assert 0 < one.peak_share < 1
    assert all(one.cycles >= cycles - 1e-6 for name, cycles in one.resources.items())
    assert one.resources[one.bound] == max(one.resources.values())
    block_m, block_n, _ = one.config["block"]
    assert one.blocks == -(-m // block_m) * -(-n // block_n)


def test_padding_costs_what_the_padded_problem_costs():
    part, full = hgemm(4088), hgemm(4096)
    assert part.tile_waste == pytest.approx(1 - (4088 / 4096) ** 2)
    assert part.depth_waste == pytest.approx(8 / 4096)
    assert part.resources["tensor pipe"] == full.resources["tensor pipe"]
    assert part.tflops < full.tflops


def test_waves_are_quantized():
    one, two = hgemm(1536, 1536), hgemm(1536, 1537)  # 36 tiles for 36 SMs, and 42
    assert (one.waves, two.waves, one.wave_waste) == (1, 2, 0)
    assert two.resources["tensor pipe"] == 2 * one.resources["tensor pipe"]


def test_t4_runs_into_dram_where_a_wave_spans_no_row():
    """At 12800 a row of C is 50 blocks: those of a wave of 40 share strips of A alone."""
    assert hgemm(8192, device="t4").bound == "tensor pipe"
    wide = hgemm(12800, device="t4")
    assert wide.bound == "DRAM"
    assert wide.peak_share < hgemm(8192, device="t4").peak_share
    assert wide.peak_share < hgemm(12800).peak_share


def test_conflicts_halve_the_throughput():
    assert hgemm(layout="none").tflops / hgemm().tflops == pytest.approx(0.5, abs=0.05)
    assert hgemm(layout="none").bound == "memory I/O"


def test_larger_blocks_win_at_large_sizes():
    small = hgemm(8192, block=(128, 128, 64), warp=(64, 64, 8), layout="none")
    assert small.bound == "memory I/O"
    assert small.tflops < hgemm(8192).tflops


@pytest.mark.parametrize(("transpose", "aligned"), [("tn", 16), ("nn", 16), ("nt", 2), ("tt", 2)])
def test_the_contiguous_dimension_sets_the_width_of_loads(transpose, aligned):
    one = hgemm(4096, 4097, 4096, transpose=transpose)
    assert (f"rows of B are aligned to {aligned} bytes" in " ".join(one.notes)) == (aligned < 16)


def test_a_beta_reads_c_too_and_split_k_its_partial_sums():
    plain, beta, split = hgemm(), hgemm(beta=1), hgemm(256, 256, 65536, split_k=32)
    assert beta.traffic["DRAM epilogue"] == 2 * plain.traffic["DRAM epilogue"]
    assert split.blocks == 32
    assert split.cycles < hgemm(256, 256, 65536).cycles


def test_the_clock_scales_what_the_memory_does_not():
    slow, fast = hgemm(clock_mhz=1000), hgemm(clock_mhz=2000)
    assert slow.resources["tensor pipe"] == fast.resources["tensor pipe"]
    assert slow.resources["DRAM"] < fast.resources["DRAM"]
    assert slow.peak_tflops == fast.peak_tflops / 2


def test_a_board_may_be_changed():
    board = dataclasses.replace(arch.device("t4"), sm_count=80)
    assert hgemm(8192, device=board).peak_tflops == 2 * hgemm(8192, device="t4").peak_tflops


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"transpose": "nn", "device": "v100_sxm2", "block": None, "warp": None},
            "transpose nn: sm_70 has no LDSM to turn fragments with. Try: --fidelity analytic",
        ),
        (
            {"split_k": 3, "device": "h200", "block": None, "warp": None},
            "split_k 3: generated kernels do not split k; closed forms do. Try: --fidelity analytic",
        ),
        ({"fidelity": "ful"}, r"unknown fidelity 'ful': known are analytic, sampled, full; did you mean 'full'\?"),
        ({"device": "t5"}, r"unknown device 't5'"),
        ({"device": "gtx280", "block": None, "warp": None}, r"gtx280 \(sm_13\) has no tensor cores"),
        ({"m": 0}, "m is 0: 1 to 16777216"),
        ({"transpose": "ab", "fidelity": "analytic"}, "unknown transpose 'ab': known are tn, nn, nt, tt"),
        ({"split_k": 0, "fidelity": "analytic"}, "split_k is 0|slices is 0|split_k 0"),
        ({"clock_mhz": 0}, "clock 0: a positive number of MHz"),
    ],
)
def test_bad_input(options, message):
    given_ = {"m": 512, "n": 512, "k": 512, "device": "t4", **YAN, **options}
    with pytest.raises(BadInputError, match=message):
        simulate("hgemm", **given_)


def test_other_families_are_unknown():
    with pytest.raises(BadInputError, match=r"unknown family 'hgem': known are .*hgemm, .*; did you mean 'hgemm'\?"):
        simulate("hgem", m=1, n=1, k=1)
