import json
import subprocess
import sys

from click.testing import CliRunner

from simtc.cli.validate import validate
from simtc.errors import BadInputError
from simtc.gpu import Description
from simtc.validate import validate as campaigns

COMMAND = [sys.executable, "-c", "from simtc.cli import main; main()"]


def run(*args, env=None):
    return subprocess.run([*COMMAND, *args], capture_output=True, text=True, check=False, env=env)


def test_without_the_package_exit_3_and_the_command_that_helps(tmp_path):
    (tmp_path / "cupy.py").write_text("raise ImportError('not here')")
    done = run("validate", "kernels", "--backend", "cupy", env={"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin:/bin"})
    assert (done.returncode, done.stdout) == (3, "")
    assert "pip install 'simtc[cupy-cuda13x]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_campaign_is_told_before_a_missing_gpu():
    done = run("validate", "kernel")
    assert (done.returncode, done.stdout) == (2, "")
    assert "unknown campaign 'kernel': known are numerics, layouts, kernels" in done.stderr
    assert "did you mean 'kernels'" in done.stderr


def test_a_wrong_backend_is_told():
    done = run("validate", "kernels", "--backend", "cuda")
    assert done.returncode == 2
    assert "unknown backend 'cuda': known are pycuda, cupy" in done.stderr


def test_list_needs_no_gpu():
    done = run("validate", "--list")
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(campaigns.CAMPAIGNS)


def test_no_campaign_names_the_next_command():
    outcome = CliRunner().invoke(validate, [])
    assert isinstance(outcome.exception, BadInputError)
    assert "simtc validate --list" in str(outcome.exception)


def test_interrupted_exits_130_and_keeps_what_is_finished(tmp_path):
    code = (
        "import sys, simtc.gpu as g, simtc.validate.validate as v\n"
        "def stop(*a, **k): raise KeyboardInterrupt\n"
        "v.validate = stop\n"
        "class G: description = type('D', (), {'device': 'NVIDIA T4'})()\n"
        "g.open_gpu = lambda backend: G()\n"
        "from simtc.cli import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "validate", "kernels"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 130
    assert "interrupted" in done.stderr


def test_a_whole_run_writes_capture_and_report(tmp_path, monkeypatch):
    """With the GPU's place taken by cases that repeat simtc's own results."""

    class Echo:
        def __init__(self, case):
            self._case = case

        def __getattr__(self, name):
            return getattr(self._case, name)

        def run(self, gpu):  # noqa: ARG002 - the protocol's
            return self._case.expect()

    class Gpu:
        description = None

    Gpu.description = Description(
        device="NVIDIA T4", compute_capability=(7, 5), sms=40, memory_bytes=1, clock_mhz=1590, memory_clock_mhz=5001,
        driver="1", cuda=13000, backend="fake 1",
    )  # fmt: skip
    whole = campaigns.cases_of
    monkeypatch.setattr(campaigns, "cases_of", lambda *a: [Echo(c) for c in whole(*a) if c.name.startswith("ldmatrix")])
    monkeypatch.setattr("simtc.gpu.open_gpu", lambda _: Gpu())
    monkeypatch.chdir(tmp_path)
    outcome = CliRunner().invoke(validate, ["layouts", "--json"])
    assert outcome.exit_code == 0
    result = json.loads(outcome.stdout)
    assert result["schema"] == "simtc.validate/1"
    assert (result["ran"], result["differing"], result["capture"]) == (6, {}, "layouts-t4-pycuda.json")
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        f"layouts-t4-pycuda.{e}" for e in ("html", "json", "md", "npz")
    ]
    assert "| ldmatrix.x4.trans | 1 | 0 |" in (tmp_path / "layouts-t4-pycuda.md").read_text()
