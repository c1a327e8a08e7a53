"""simtc arch: what it prints, its JSON, its errors, how fast it starts."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from simtc import arch
from simtc.arch.reads import readers
from simtc.arch.unsaid import unsaid
from simtc.cli import main


@pytest.fixture
def simtc(monkeypatch, capsys):
    """Run the command line in this process; return exit code, stdout, stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["simtc", *arguments])
        with pytest.raises(SystemExit) as exit_:
            main()
        out, err = capsys.readouterr()
        return int(exit_.value.code or 0), out, err

    return run


def test_lists_every_chip(simtc):
    code, out, err = simtc("arch")
    assert (code, err) == (0, "")
    words = {line.split()[0] for line in out.splitlines() if line}
    assert words >= {*arch.device_names(), *arch.sm_names()}
    (row,) = [line for line in out.splitlines() if line.startswith("rtx2070 ")]
    assert row.split() == ["rtx2070", "GeForce", "RTX", "2070", "sm_75", "36", "1620", "448", "59.7", "29.9"]
    assert "gtx280" in out
    assert "\x1b" not in out


@pytest.mark.parametrize("name", ["t4", "gtx280", "sm_75", "hopper"])
def test_shows_every_constant_of_a_chip_with_unit_status_and_source(simtc, name):
    code, out, err = simtc("arch", name)
    chip = arch.device(name) if name in arch.device_names() else arch.sm(name)
    assert (code, err.count("says nothing of")) == (0, bool(unsaid(chip)))
    body, sources = out.split("\n[sources]\n")
    section, found = "", {}
    for line in body.splitlines()[2:]:
        if line.startswith("["):
            section = line.strip("[]").replace("board", "")
        elif line:
            found[f"{section}.{line.split()[0]}".lstrip(".")] = line
    assert found.keys() == chip.constants.keys()
    for path, line in found.items():
        constant = chip.provenance(path)
        assert f"  {constant.unit} " in line
        assert f"  {constant.status} " in line
        assert all(module in line for module in readers(path)[:2])
        assert constant.source in line.split()
        assert line.endswith(constant.note)
    assert {line.split()[0] for line in sources.splitlines()} == {c.source for c in chip.constants.values()}


def test_names_forgive_case_and_dashes(simtc):
    assert simtc("arch", "V100-PCIe") == simtc("arch", "v100_pcie")
    assert simtc("arch", "turing") == simtc("arch", "sm_75")


def test_filters_by_status(simtc):
    code, out, _ = simtc("arch", "t4", "--status", "assumed")
    assert code == 0
    assert " assumed " in out
    assert " published " not in out.split("[sources]")[0]
    code, out, err = simtc("arch", "t4", "--status", "fitted")
    assert (code, err) == (0, "simtc: no constant of t4 is fitted\n")
    assert "[sources]" not in out


def test_json_of_a_board(simtc):
    code, out, _ = simtc("arch", "rtx2070", "--json")
    data = json.loads(out)
    assert code == 0
    assert next(iter(data)) == "schema"
    assert data["schema"] == "simtc.arch/1"
    assert (data["name"], data["sm"]) == ("rtx2070", "sm_75")
    assert data["tensor_peak_tflops"]["f16.f16"] == pytest.approx(59.72, abs=0.01)
    assert {c["name"]: c["value"] for c in data["constants"]} == {
        path: list(c.value) if isinstance(c.value, tuple) else c.value
        for path, c in arch.device("rtx2070").constants.items()
    }
    assert all(c["source"] in data["sources"] for c in data["constants"])
    read_by = {c["name"]: c["read_by"] for c in data["constants"]}
    assert read_by["l1.tag_queue_entries"] == ["timing.units.l1"]
    assert "timing.hazards" in read_by["pipes.fma.safe_same_cycles"]
    assert read_by["tdp_watts"] == []
    boards = [arch.device(name) for name in arch.device_names()]
    off = set(data["off"])  # what others say and it may leave out: mechanisms that were measured elsewhere
    assert off & set(arch.device("rtx2070").constants) == set()
    assert off <= {path for board in boards for path in board.constants}
    assert off >= {"tensor_fall_ns", "l1.copies_pending", "issue.barrier_defers", "clock.dram.turn_ns"}
    assert off >= {path for board in boards for path in board.constants if path.startswith("clock.")}


def test_says_what_a_board_leaves_out(simtc):
    _, out, err = simtc("arch", "gtx280")
    off = ["tensor_fall_ns", *(f"l2_{what}_bytes" for what in ("dirty", "fill", "turn")), "l2_far_cycles"]
    off += ["gpc_pairs", "first_pairs", "near_gpcs"]
    assert err == f"simtc: gtx280 says nothing of {', '.join(off)}: off\n"
    assert "l2_turn_bytes" not in out
    assert json.loads(simtc("arch", "gtx280", "--json")[1])["off"] == off


def test_json_of_a_generation_and_of_the_list(simtc):
    assert json.loads(simtc("arch", "ada", "--json")[1])["architecture"] == "ada"
    listing = json.loads(simtc("arch", "--json")[1])
    assert listing["schema"] == "simtc.arch/1"
    assert [device["name"] for device in listing["devices"]][:2] == ["gtx280", "c2050"]
    assert sorted(device["name"] for device in listing["devices"]) == arch.device_names()
    assert len(listing["architectures"]) == 7


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("arch", "t5"), "simtc: unknown device or architecture 't5': known are a10, a100_pcie, "),
        (("arch", "t5"), "; did you mean 't4'? Try: simtc arch\n"),
        (("arch", "turring"), "; did you mean 'turing'? Try: simtc arch\n"),
        (
            ("arch", "t4", "--status", "assumd"),
            "simtc: unknown status 'assumd': known are documented, published, measured",
        ),
        (("arch", "t4", "--status", "assumd"), "did you mean 'assumed'? Try: simtc arch t4 --status assumed\n"),
        (("arch", "--status", "assumed"), "simtc: --status needs a chip. Try: simtc arch t4 --status assumed\n"),
        (("arch", "t4", "--jsn"), "simtc: No such option"),
        (("arch", "t4", "sm_75"), "simtc: Got unexpected extra argument"),
    ],
)
def test_bad_input_gets_one_clear_line(simtc, arguments, message):
    code, out, err = simtc(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_terminal_gets_a_table_of_its_width(simtc, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "90")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    code, out, _ = simtc("arch", "t4")
    assert code == 0
    assert max(map(len, out.split("[board]")[1].splitlines())) <= 90
    assert "constant_operand_first_cycles" in out
    assert "…" not in out  # a name cut short could not be typed back


def test_starts_without_numba_or_rich():
    code = (
        "import sys; sys.argv = ['simtc', 'arch', 'h200']\n"
        "from simtc.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([name for name in ('numba', 'rich', 'numpy') if name in sys.modules], file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stderr.splitlines()[-1] == "[]"


def test_a_closed_pipe_is_quiet():
    command = [sys.executable, "-c", "from simtc.cli import main; main()", "arch", "h200"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline().startswith("h200: H200 SXM 141 GB, sm_90, 132 SMs at 1980 MHz")
        process.stdout.close()
        assert process.stderr.read() == ""
