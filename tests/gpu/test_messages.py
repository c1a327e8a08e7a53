import sys
from dataclasses import replace

import pytest

from simtc.errors import BadInputError, MissingToolError
from simtc.gpu import compile as compiling
from simtc.gpu import gpu as room
from simtc.gpu import open_gpu
from simtc.gpu.gpu import Gpu
from simtc.resources import folder
from simtc.sass import load as load_listing


@pytest.fixture(autouse=True)
def _forget():
    open_gpu.cache_clear()
    yield
    open_gpu.cache_clear()


@pytest.mark.parametrize(("backend", "command"), [("pycuda", "simtc[pycuda]"), ("cupy", "simtc[cupy-cuda13x]")])
def test_absent_package_exits_3_with_the_command(backend, command, monkeypatch):
    monkeypatch.setitem(sys.modules, backend, None)
    with pytest.raises(MissingToolError, match="cannot be imported") as caught:
        open_gpu(backend)
    assert f"pip install '{command}'" in str(caught.value)
    assert caught.value.exit_code == 3


def test_no_gpu_or_too_old_a_driver_is_told_with_cudas_words(monkeypatch):
    cuda = type(sys)("pycuda.driver")
    cuda.Error = type("Error", (Exception,), {})

    def init():
        raise cuda.Error("cuInit failed: CUDA driver version is insufficient for CUDA runtime version")

    cuda.init = init
    package = type(sys)("pycuda")
    package.driver, package.VERSION_TEXT = cuda, "2026.1"
    monkeypatch.setitem(sys.modules, "pycuda", package)
    monkeypatch.setitem(sys.modules, "pycuda.driver", cuda)
    with pytest.raises(MissingToolError, match=r"driver version is insufficient.*Try: nvidia-smi"):
        open_gpu("pycuda")


def test_unknown_backend():
    with pytest.raises(BadInputError, match=r"unknown backend 'cuppy': known are pycuda, cupy; did you mean 'cupy'"):
        open_gpu("cuppy")


def test_no_nvcc_names_what_to_set(monkeypatch, tmp_path, fake_driver):
    monkeypatch.setattr(compiling, "find_nvcc", lambda: None)
    (tmp_path / "k.cu").write_text("")
    with pytest.raises(MissingToolError, match=r"no nvcc was found to compile k\.cu with\. Try: NVCC="):
        compiling.compile_source(tmp_path / "k.cu", Gpu(fake_driver))


def test_a_listing_of_ones_own_cannot_be_loaded(monkeypatch, fake_driver):
    kernel = load_listing(folder("kernels") / "listings" / "sm_75" / "wmma_naive.sass")["wmma_naive"]
    monkeypatch.setattr(room, "open_gpu", lambda _: Gpu(fake_driver))
    with pytest.raises(
        BadInputError, match=r"mine is no shipped kernel.*simtc\.gpu\.load\('kernel\.cubin'\)\['mine'\]"
    ):
        room.launch(replace(kernel, name="mine"), 1, 32, [])
