"""On the GPU at hand: `pytest --gpu`."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import simtc.gpu
from simtc import arch
from simtc.gemm.shipped import shipped
from simtc.gpu.cublas import gemm
from simtc.run.launch import launch
from simtc.run.solve import operands
from simtc.validate.campaigns.kernels import cases
from simtc.validate.case import Skip
from simtc.validate.chip import Chip
from simtc.validate.measured import same_code
from simtc.validate.stopwatch import stopwatch
from simtc.validate.validate import campaign_settings, cases_of

pytestmark = pytest.mark.gpu


@pytest.fixture(params=["pycuda", "cupy"])
def gpu(request):
    if importlib.util.find_spec(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    return simtc.gpu.open_gpu(request.param)


def test_the_gpu_says_what_it_is(gpu):
    found = gpu.description
    assert found.sm >= 70
    assert found.sms > 0
    assert found.clock_mhz > 100


def test_both_launches_give_the_same_bits(gpu):
    kernel = shipped("wmma_ragged")
    m, n, k = 37, 53, 29
    settings = {"ragged": [[m, n, k]], "sizes": [], "seed": 1, "alpha": 3, "beta": -2}
    chip = Chip(gpu.description.sm, gpu.description.device)
    board = next(c for c in cases(settings, chip) if c.name.startswith("wmma_ragged/")).board
    given = operands(kernel, m, n, k, seed=1)
    results = []
    for run in ("gpu", "simulated"):
        arrays = {name: array.copy() for name, array in given.items()}
        args = kernel.arguments(arrays, m, n, k, 1, 0)
        if run == "gpu":
            code = simtc.gpu.compile_shipped(kernel.source, gpu)[kernel.name]
            gpu.launch(code, kernel.grid(m, n), kernel.threads, args)
        else:
            launch(kernel.kernel(board), kernel.grid(m, n), kernel.threads, args, device=board)
        results.append(arrays["D"].view(np.uint32))
    np.testing.assert_array_equal(*results)


def test_a_cubin_from_a_file_launches_and_is_timed(gpu, tmp_path):
    kernel = shipped("mma_async_f32")
    if gpu.description.sm < 80:
        pytest.skip("cp.async came with sm_80")
    code = simtc.gpu.compile_shipped(kernel.source, gpu)[kernel.name]
    (tmp_path / "k.cubin").write_bytes(code.image)
    again = simtc.gpu.load(tmp_path / "k.cubin")[kernel.name]
    arrays = operands(kernel, 128, 128, 64, seed=2)
    args = kernel.arguments(arrays, 128, 128, 64, 1, 0)
    done = gpu.launch(
        again, kernel.grid(128, 128), kernel.threads, args, shared_bytes=kernel.dynamic_shared_bytes, timing=True
    )
    assert 0 < done.seconds < 1
    assert np.abs(arrays["D"]).max() > 0
    if code.toolkit == "nvcc 13.0.88" and gpu.description.sm == 90:
        assert same_code(code, kernel.kernel(arch.device("h200")))


def test_a_refused_launch_is_told(gpu):
    kernel = shipped("wmma_naive")
    code = simtc.gpu.compile_shipped(kernel.source, gpu)[kernel.name]
    arrays = operands(kernel, 16, 16, 16, seed=2)
    with pytest.raises(simtc.gpu.GpuError, match="wmma_naive on "):
        gpu.launch(code, 1, 1024, kernel.arguments(arrays, 16, 16, 16, 1, 0), shared_bytes=1 << 20)
    assert gpu.alive()


def test_cupys_nvrtc_compiles(gpu):
    made = gpu.driver.nvrtc(
        'extern "C" __global__ void k(int* p) { *p = 42; }', "k.cu", (f"-arch=sm_{gpu.description.sm}",)
    )
    if made is None:
        pytest.skip("PyCUDA compiles with nvcc alone")
    out = np.zeros(1, np.int32)
    gpu.launch(simtc.gpu.code.codes_of(made[0], "k.cu")["k"], 1, 1, [out])
    assert out.tolist() == [42]


@pytest.mark.parametrize("campaign", ["microbench", "timing", "configured"])
def test_a_case_of_each_campaign_is_measured_and_predicted(gpu, campaign):
    chip = Chip(gpu.description.sm, gpu.description.device)
    found = cases_of(campaign, campaign_settings(campaign), chip.sm, chip.name)
    ran = [case for case in found if not isinstance(case, Skip)]
    if not ran:
        pytest.skip(found[0].reason)
    taken, predicted = ran[0].measure(gpu), ran[0].predict()
    assert 0 < taken.values["least_cycles"] <= taken.values["cycles"] <= taken.values["most_cycles"] < 1e9
    assert set(predicted.values) & set(taken.values)
    assert taken.note or predicted.code == taken.code


def test_cublas_multiplies(gpu):
    with gemm(gpu, "f16.f32", 64, 32, 128) as enqueue:
        enqueue()
        gpu.driver.synchronize()


def test_the_clock_of_a_stamp_agrees_with_the_events(gpu):
    with stopwatch(gpu) as watch:
        taken = watch.times(watch.spin, 5, cold=False)
    assert min(taken.cycles) > 300_000
    assert min(taken.cycles) / (gpu.description.clock_mhz * 1e6) < 2 * min(taken.seconds) + 1e-4
