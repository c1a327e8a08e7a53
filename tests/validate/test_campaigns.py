"""What the campaigns emit: assembled for every generation, and executed by simtc in the GPU's place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simtc.errors import BadInputError
from simtc.gpu.compile import find_nvcc
from simtc.layout import fragment
from simtc.numerics import format_named, instructions
from simtc.validate.campaigns.simt import ListedCase
from simtc.validate.case import Skip
from simtc.validate.inputs import DISTRIBUTIONS, operands
from simtc.validate.pack import core_matrices, pack, pack_memory, unpack, unpack_memory
from simtc.validate.validate import CAMPAIGNS, campaign_settings, cases_of

SMALL = {
    "products": 4,
    "distributions": ["bits", "cancel", "subnormal"],
    "integer_distributions": ["special"],
    "wgmma_n": [8],
    "wgmma_other": [],
}


@pytest.mark.parametrize("operand", "acd")
@pytest.mark.parametrize("name", ["m16n8k16.f32.f16.f16.f32", "m8n8k4.f64.f64.f64.f64", "m16n8k32.s32.s8.s8.s32"])
def test_registers_give_back_what_was_packed(name, operand):
    held = fragment(name, operand=operand, arch="hopper")
    patterns = np.random.default_rng(1).integers(
        0, 1 << min(held.width, 62), (3, held.rows, held.cols), dtype=np.uint64
    )
    np.testing.assert_array_equal(unpack(held, pack(held, patterns)), patterns)


def test_memory_gives_back_what_was_packed_and_narrow_elements_start_at_the_lowest_bit():
    patterns = np.arange(24, dtype=np.uint64).reshape(2, 3, 4)
    np.testing.assert_array_equal(unpack_memory(pack_memory(patterns, 16), 16, (3, 4)), patterns)
    assert pack_memory(np.array([[1, 2]], np.uint64), 4).tolist() == [[0x21]]
    assert pack_memory(np.array([[1, 0, 1, 0, 0, 0, 0, 1]], np.uint64), 1).tolist() == [[0x85]]


def test_core_matrices_are_eight_columns_by_sixteen_bytes():
    B = np.arange(16 * 16, dtype=np.uint64).reshape(1, 16, 16)  # (K, N) of f16
    tile = core_matrices(B, 16).view(np.uint16).reshape(2, 2, 8, 8)  # eight columns, half of k, column, k
    assert tile[1, 0, 3, 5] == B[0, 5, 8 + 3]
    assert tile[0, 1, 2, 7] == B[0, 8 + 7, 2]


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_operands_repeat_and_stay_inside_their_format(distribution):
    for found in list(instructions("hopper").values())[::17]:
        first, second = (operands(found, distribution, 4, 5) for _ in range(2))
        for array, again, name in zip(first, second, (found.a, found.b, found.c), strict=True):
            np.testing.assert_array_equal(array, again)
            bits = format_named(name).bits
            assert bits == 64 or int(array.max()) < 1 << bits


def test_special_operands_are_special():
    found = instructions("hopper")["m8n8k4.f64.f64.f64.f64"]
    A = operands(found, "nans", 64, 5)[0].view(np.float64)
    assert np.isnan(A).sum() > 100
    assert np.isinf(A).sum() > 50
    tiny = np.abs(operands(found, "subnormal", 64, 5)[0].view(np.float64))
    assert ((tiny > 0) & (tiny < np.finfo(np.float64).tiny)).sum() > 100


@pytest.mark.parametrize("campaign", CAMPAIGNS)
@pytest.mark.parametrize("sm", [70, 75, 80, 86, 89, 90])
def test_every_chip_has_cases_with_names_of_their_own(campaign, sm):
    found = cases_of(campaign, campaign_settings(campaign), sm)
    names = [case.name for case in found]
    assert len(set(names)) == len(names) > 0
    assert len(names) > 5 or all(isinstance(case, Skip) and case.reason for case in found)


@pytest.mark.slow
@pytest.mark.parametrize("sm", [75, 80, 89, 90])
@pytest.mark.parametrize("campaign", ["numerics", "layouts"])
def test_emitted_code_means_what_it_says(campaign, sm, simulated_gpu):
    """Hold each probe to `simtc.mma`: the machine executes its registers, `mma` knows none."""
    if find_nvcc() is None:
        pytest.skip("needs nvcc")
    gpu, settings = simulated_gpu(sm), {**campaign_settings(campaign), **SMALL}
    compared = 0
    for case in list(cases_of(campaign, settings, sm))[:: 3 if campaign == "numerics" else 6]:
        if isinstance(case, Skip):
            continue
        try:
            result = case.run(gpu)
        except BadInputError:  # an instruction that the machine does not execute
            continue
        np.testing.assert_array_equal(result, case.expect(), err_msg=case.name)
        compared += 1
    assert compared > 10


def test_compiled_programs_are_compared_whole(simulated_gpu):
    """The GPU's place is taken by simtc: what the campaign compiles, launches and expects fits together."""
    if find_nvcc() is None:
        pytest.skip("needs nvcc")
    found = [case for case in cases_of("families", campaign_settings("families"), 90) if not isinstance(case, Skip)]
    assert sum(case.name.startswith("wmma_gemm") for case in found) == 68 * 3
    case = next(case for case in found if case.name.startswith("wmma_gemm_f64_m8n8k4_nt/37"))
    result = case.run(simulated_gpu(90))
    np.testing.assert_array_equal(result, case.expect())
    assert result.shape == (40, 56)


def test_listed_configurations_are_compared_and_timed(simulated_gpu):
    """Complex numbers too: what is compiled for the GPU gives the bits that simtc expects; the rest is timed."""
    if find_nvcc() is None:
        pytest.skip("needs nvcc")
    found = cases_of("simt", campaign_settings("simt"), 90, "NVIDIA H200")
    timed = [case for case in found if isinstance(case, ListedCase)]
    assert (len(found) - len(timed), len(timed)) == (52 * 3, 14)
    case = next(case for case in found if case.name.startswith("gemm_m3_f32_ct/37"))
    result = case.run(simulated_gpu(90))
    assert result.shape == (37, 2 * 53)
    np.testing.assert_array_equal(result, case.expect())
    predicted = replace(timed[0], clocked=False).predict()
    assert set(predicted.values) == {"simulate_analytic_cycles", "simulate_sampled_cycles"}
    assert 0.4 < predicted.values["simulate_analytic_cycles"] / predicted.values["simulate_sampled_cycles"] < 1.2
