import os

import pytest

from simtc.errors import BadInputError
from simtc.gpu.compile import assemble, nvcc_version


@pytest.fixture
def counting_nvcc(tmp_path, monkeypatch):
    """Install a compiler that counts its runs and gives its source back."""
    nvcc = tmp_path / "nvcc"
    nvcc.write_text(
        "#!/bin/sh\n"
        'if [ "$1" = --version ]; then echo "release 99.1, V99.1.2"; exit; fi\n'
        f"echo run >> {tmp_path}/runs\n"
        'for last; do :; done; if grep -q wrong "$last"; then echo "$last: line 1 is wrong" >&2; exit 2; fi\n'
        'while [ "$1" != -o ]; do shift; done; cat "$last" > "$2"\n'
    )
    nvcc.chmod(0o755)
    monkeypatch.setenv("NVCC", os.fspath(nvcc))
    monkeypatch.setenv("XDG_CACHE_HOME", os.fspath(tmp_path / "cache"))
    nvcc_version.cache_clear()
    yield lambda: (tmp_path / "runs").read_text().count("run") if (tmp_path / "runs").exists() else 0
    nvcc_version.cache_clear()


def test_what_was_compiled_is_kept(counting_nvcc):
    assert [assemble("a", "sm_75") for _ in range(2)] == [(b"a", "nvcc 99.1.2")] * 2
    assert counting_nvcc() == 1
    assemble("a", "sm_80")
    assemble("b", "sm_75")
    assert counting_nvcc() == 3


def test_a_source_that_does_not_compile_is_told_without_the_scratch_path(counting_nvcc):
    with pytest.raises(BadInputError, match=r"nvcc cannot compile kernel\.ptx: kernel\.ptx: line 1 is wrong"):
        assemble("wrong", "sm_75")
    assert counting_nvcc() == 1


def test_without_nvcc_the_driver_gets_the_ptx(monkeypatch):
    monkeypatch.setattr("simtc.gpu.compile.find_nvcc", lambda: None)
    assert assemble("ptx", "sm_75") == (b"ptx", "")
