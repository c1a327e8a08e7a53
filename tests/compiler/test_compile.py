"""CUDA C++ to a Program: what is asked of the compiler, what is kept, and every way in which it can be refused."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import simtc
from simtc.arch import device
from simtc.cli import main
from simtc.compiler import CompileError, compile_source
from simtc.compiler.cache import kept_at, sources_of
from simtc.compiler.nvrtc import Made, nvrtc
from simtc.errors import BadInputError, MissingToolError
from simtc.gemm.shipped import shipped
from simtc.resources import folder
from simtc.run.solve import operands, solve

module = sys.modules["simtc.compiler.program"]
CUBIN = (Path(__file__).parents[1] / "sass/data/traps_sm75.cubin").read_bytes()
SOURCE = '#include "own.h"\n__global__ void traps() {}\n'


class FakeNvrtc:
    """A compiler that knows one program, and refuses what has an error in it."""

    version = "NVRTC 12.8"

    def __init__(self):
        self.asked = []

    def architectures(self):
        return (70, 75, 80, 90)

    def compile(self, text, path, flags, expressions):
        name = path.name
        self.asked.append((name, list(flags), list(expressions)))
        if "oops" in text:
            log = f'{name}(2): error: identifier "oops" is undefined\n\n1 error detected'
            return Made(cubin=None, log=log, names={})
        log = "nvrtc: warning: Architectures prior to '<compute/sm>_75' are deprecated and so on\nk.cu(1): warning"
        return Made(cubin=CUBIN, log=log, names=dict.fromkeys(expressions, "loops"))


@pytest.fixture
def fake(monkeypatch, tmp_path):
    tool = FakeNvrtc()
    monkeypatch.setattr(module, "nvrtc", lambda: tool)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "k.cu").write_text(SOURCE)
    (tmp_path / "own.h").write_text("// one\n")
    return tool


def test_flags_names_and_words(fake, tmp_path):
    said = []
    made = compile_source(tmp_path / "k.cu", device="t4", definitions=["N=4"], includes=[tmp_path], say=said.append)
    [(name, flags, expressions)] = fake.asked
    assert (name, expressions) == ("k.cu", [])
    assert flags[:4] == ["-arch=sm_75", "-std=c++17", "-lineinfo", "-DN=4"]
    assert flags[4:] == [f"-I{tmp_path}"] * 2
    assert set(made) == {"traps", "loops"}
    assert said == ["k.cu(1): warning"]
    assert compile_source(tmp_path / "k.cu", device="sm_80", kernel="loops")["loops"].name == "loops"
    assert compile_source(tmp_path / "k.cu", kernel="scale<float, 4>")["scale<float, 4>"].name == "loops"
    assert fake.asked[-1][2] == ["scale<float, 4>"]


def test_what_was_made_is_kept_until_something_in_it_changes(fake, tmp_path):
    for _ in range(2):
        compile_source(tmp_path / "k.cu", kernel="scale<int>")
    assert len(fake.asked) == 1
    (tmp_path / "own.h").write_text("// two\n")
    compile_source(tmp_path / "k.cu", kernel="scale<int>")
    compile_source(tmp_path / "k.cu", kernel="scale<int>", definitions=["X"])
    compile_source(tmp_path / "k.cu", kernel="scale<int>", device="h200")
    assert len(fake.asked) == 4


def test_included_files_are_part_of_the_key(tmp_path):
    (tmp_path / "a.h").write_text('#include <b.h>\n#include "nowhere.h"\n')
    (tmp_path / "b.h").write_text('#include "a.h"\nint b;\n')
    assert sorted(sources_of('#include "a.h"\n', [tmp_path])) == sorted(
        ['#include "a.h"\n', (tmp_path / "a.h").read_text(), (tmp_path / "b.h").read_text()]
    )
    assert kept_at(["a", "b"]) != kept_at(["ab"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"source": "nowhere.cu"}, "cannot read nowhere.cu: No such file or directory"),
        ({"device": "t5"}, "unknown device 't5'.*did you mean 't4'"),
        ({"device": "sm_86"}, "unknown architecture of NVRTC 12.8 'sm_86': known are sm_70, sm_75, sm_80, sm_90"),
        ({"device": "sm_61"}, "unknown generation to compile for 'sm_61': known are sm_70, sm_72, sm_75, sm_80"),
        ({"device": "gtx280"}, "unknown generation of gtx280 to compile for 'sm_13': known are sm_70"),
        ({"compiler": "gcc"}, "unknown compiler 'gcc': known are nvrtc, nvcc"),
        ({"includes": ["/nowhere"]}, "-I /nowhere: there is no such folder"),
        ({"kernel": "trap"}, r"unknown kernel in source.cu 'trap': known are .*traps.*did you mean 'traps'"),
        ({"kernel": "a<int>", "compiler": "nvcc"}, "is a name expression, which nvcc does not take"),
    ],
)
@pytest.mark.usefixtures("fake")
def test_what_is_refused(words, message):
    with pytest.raises(BadInputError, match=message) as caught:
        compile_source(**{"source": SOURCE} | words)
    assert caught.value.exit_code == 2


@pytest.mark.usefixtures("fake")
def test_the_compilers_words_are_kept():
    with pytest.raises(CompileError, match=r"does not compile source.cu for sm_75: .* error: identifier") as caught:
        compile_source("void k() {\noops }")
    assert caught.value.log.endswith("1 error detected")


def test_without_a_compiler_the_error_says_how_to_get_one(monkeypatch):
    from simtc.compiler import nvrtc as binding  # noqa: PLC0415

    nvrtc.cache_clear()
    monkeypatch.setattr(binding, "_file", lambda *_: None)
    with pytest.raises(MissingToolError, match=r"nvidia-cuda-nvrtc-cu12.*pip install 'simtc\[compile\]'") as caught:
        nvrtc()
    assert caught.value.exit_code == 3
    monkeypatch.setenv("NVCC", "/nowhere/nvcc")
    with pytest.raises(MissingToolError, match="/nowhere/nvcc cannot be run"):
        compile_source(SOURCE, compiler="nvcc")


@pytest.mark.parametrize("sm", [70, 75, 80, 90])
def test_real_nvrtc_makes_what_runs(monkeypatch, tmp_path, sm):
    try:
        nvrtc()
    except MissingToolError as error:
        pytest.skip(str(error))
    monkeypatch.setattr(module, "kept_at", lambda parts: tmp_path / kept_at(parts).name)
    text = """#include <cstdint>
#include <cuda_fp16.h>
#include <mma.h>
#include <cooperative_groups.h>
template <typename T> __global__ void scale(T* x, T by) { x[threadIdx.x] *= by; }
__global__ void plain(__half* x, uint32_t n) { if (threadIdx.x < n) x[threadIdx.x] = __hadd(x[threadIdx.x], x[0]); }
"""
    program = simtc.compile(text, device=f"sm_{sm}", kernel="scale<float>")
    assert program["scale<float>"].sm == sm
    assert {i.source for i in program["scale<float>"].instructions} == {("source.cu", 5)}
    assert simtc.compile(text, device=f"sm_{sm}", kernel="plain")["plain"].name == "_Z5plainP6__halfj"
    board = {70: "v100_pcie", 75: "t4", 80: "a100_sxm", 90: "h200"}[sm]
    x = np.arange(32, dtype=np.float32)
    simtc.launch(program["scale<float>"], 1, 32, [x, np.float32(3)], device=board)
    np.testing.assert_array_equal(x, 3 * np.arange(32))


@pytest.mark.parametrize("board", ["v100_pcie", "t4", "a100_sxm", "h200"])
def test_a_wmma_gemm_from_its_source_has_the_shipped_kernels_bits(board, monkeypatch, tmp_path):
    """One command, as a new user gives it, where pip has brought the compiler: with no toolkit on PATH."""
    try:
        nvrtc()
    except MissingToolError as error:
        pytest.skip(str(error))
    monkeypatch.setattr(module, "kept_at", lambda parts: tmp_path / kept_at(parts).name)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.chdir(tmp_path)
    m, n, k = 64, 96, 48
    kernel = shipped("wmma_naive")
    arrays = operands(kernel, m, n, k, seed=19)
    for name in "ABC":
        np.save(tmp_path / f"{name}.npy", arrays[name])
    source = folder("kernels") / kernel.source
    values = f"i32={m} i32={n} i32={k} f32=1.5 f32=-0.5".split()
    specs = ["@A.npy", "@B.npy", "@C.npy", f"f32[{m},{n}]>D.npy", *values]
    words = ["run", str(source), "wmma_naive", "-I", str(source.parent / "include"), "--device", board]
    words += ["--grid", "3,2", "--block", "128", *(word for spec in specs for word in ("--arg", spec))]
    monkeypatch.setattr(sys, "argv", ["simtc", *words])
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code == 0
    solved = solve(kernel, device(board), arrays, m=m, n=n, k=k, alpha=1.5, beta=-0.5)
    assert np.load(tmp_path / "D.npy").tobytes() == solved.D.tobytes()
    assert np.any(solved.D)
