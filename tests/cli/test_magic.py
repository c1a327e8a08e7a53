"""%%simtc in IPython's own shell, as a notebook has it; the compiler is a stand-in where there is no NVRTC."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simtc.compiler import program
from simtc.compiler.cache import kept_at
from simtc.compiler.nvrtc import nvrtc
from simtc.errors import MissingToolError

interactive = pytest.importorskip("IPython.core.interactiveshell", reason="needs simtc[notebook]")
config = pytest.importorskip("traitlets.config", reason="needs simtc[notebook]")

CELL = """template <typename T> __global__ void scale(T* x, T by)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] *= by;
}
"""


@pytest.fixture
def shell(monkeypatch, tmp_path):
    """Return a shell of its own with the extension loaded, and what compiled files it keeps in a folder of its own."""
    monkeypatch.setattr(program, "kept_at", lambda parts: tmp_path / kept_at(parts).name)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)  # IPython warns where another environment is active
    made = interactive.InteractiveShell(config=config.Config(HistoryManager={"enabled": False}))
    made.run_cell("%load_ext simtc")
    made.run_cell("import numpy as np")
    return made


@pytest.fixture
def compiler():
    try:
        nvrtc()
    except MissingToolError as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("compiler")
def test_a_cell_is_compiled_and_run_on_the_notebooks_arrays(shell, capsys):
    shell.user_ns["x"] = np.arange(64, dtype=np.float32)
    done = shell.run_cell(f"%%simtc scale<float> --device v100_pcie --grid 2 --block 32 x np.float32(3)\n{CELL}")
    assert done.success
    np.testing.assert_array_equal(shell.user_ns["x"], 3 * np.arange(64))
    assert (done.result.device, done.result.kernel) == ("v100_pcie", "_Z5scaleIfEvPT_S0_")
    assert done.result.cycles > 0
    printed = capsys.readouterr().out
    assert "the hottest lines" in printed
    assert "source.cu:3  x[blockIdx.x * blockDim.x + threadIdx.x] *= by;" in printed
    assert f"{done.result.cycles:,} cycles" in done.result._repr_html_()
    assert shell.user_ns["_"] is done.result


@pytest.mark.usefixtures("compiler")
def test_the_compilers_words_and_one_line(shell, capsys):
    done = shell.run_cell(f"%%simtc scale<float> --grid 1 --block 32\n{CELL.replace('*= by', '*= bye')}")
    assert not done.success
    said = capsys.readouterr()
    assert 'error: identifier "bye" is undefined' in said.err
    assert "UsageError: NVRTC 12.8 does not compile source.cu for sm_75" in said.err + said.out
    assert "Traceback" not in said.err + said.out


@pytest.mark.usefixtures("compiler")
def test_a_template_is_no_kernel_before_its_types_are_named(shell, capsys):
    assert not shell.run_cell(f"%%simtc scale --grid 1 --block 32\n{CELL}").success
    assert "source.cu holds no kernel; of a template name an instance: 'scale<float>'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "Missing argument 'KERNEL'. Try: %%simtc --help"),
        ("scale --grid 1", "Missing option '--block'"),
        ("scale --grid 1 --block 32 y", "argument 0, y: NameError: name 'y' is not defined"),
        ("scale --grid 1 --block 32 'x", "No closing quotation"),
        ("scale --grid one --block 32", "--grid 'one': one to three numbers"),
        ("scale --grid 1 --block 32 --device t5", "did you mean 't4'"),
        ("scale --grid 1 --block 32 --compiler gcc", "unknown compiler 'gcc'"),
        ("scale --grid 1 --block 32 --blok 3", "No such option '--blok'"),
    ],
)
def test_what_is_wrong_with_a_line_is_one_line(shell, capsys, line, message):
    done = shell.run_cell(f"%%simtc {line}\n{CELL}")
    assert not done.success
    said = "".join(capsys.readouterr())
    assert message in said
    assert "Traceback" not in said


def test_help_says_what_a_line_may_say(shell, capsys):
    assert shell.run_cell(f"%%simtc --help\n{CELL}").success
    assert "--shared-bytes" in capsys.readouterr().out
    assert "ARGUMENTS" in shell.find_magic("simtc", "cell").__doc__
    assert Path(shell.ipython_dir).is_dir()
