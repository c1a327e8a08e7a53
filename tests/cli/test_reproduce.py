"""`simtc reproduce` as a user types it."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from simtc.cli import main
from simtc.reproduce.printed import printed

SIMTC = (sys.executable, "-c", "from simtc.cli import main; main()")


def simtc(*arguments):
    done = subprocess.run([*SIMTC, "reproduce", *arguments], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    return done


def test_lists_every_item_with_the_kinds():
    done = simtc("--list")
    assert (done.returncode, done.stderr) == (0, "")
    names = [line.split()[0] for line in done.stdout.split("\n\n")[0].splitlines()]
    assert {"yan2020/table6", "yan2020/fig1", "nvidia/wave-quantization"} <= set(names)
    assert "input, simtc took it from the paper: it proves nothing" in done.stdout
    assert [entry["name"] for entry in json.loads(simtc("--list", "--json").stdout)["entries"]] == names


def test_table_6_in_text():
    done = simtc("yan2020/table6")
    assert (done.returncode, done.stderr) == (0, "simtc: 12 of 12 rederived items agree\n")
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("256x256x32 / 128x64x8 memory_io")]
    assert line.split()[3:7] == ["memory_io", "3281", "3281", "0"]
    assert line.endswith("3281.28, truncated as printed")


def test_json_of_a_whole_paper():
    done = simtc("nvidia", "--json")
    assert done.returncode == 0
    data = json.loads(done.stdout)
    assert next(iter(data.items())) == ("schema", "simtc.reproduce/1")
    for item in data["items"]:
        assert {"name", "paper", "simtc", "error", "kind"} <= item.keys()
    assert {item["kind"] for item in data["items"]} == {"exact", "rederived", "closed form"}


@pytest.mark.parametrize("name", ["yan2020/fig1", "yan2020/fig3", "yan2020/table2", "nvidia/fig2", "nvidia/fig8"])
def test_plots_are_pictures(name, tmp_path):
    path = tmp_path / "figure.svg"
    assert simtc(name, "--plot", str(path)).returncode == 0
    root = ET.parse(path).getroot()  # noqa: S314 - our own picture
    assert root.tag.endswith("svg")
    assert len(root) > 10


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name a table or figure. Try: simtc reproduce --list"),
        (("yan2020/tabel6",), "did you mean 'yan2020/table6'? Try: simtc reproduce --list"),
        (("nvidia", "--plot", "x.svg"), "--plot draws one figure, not 9. Try: simtc reproduce nvidia/intensity --plot"),
        (("yan2020/table6", "--plot", "x.svg"), "yan2020/table6 has no figure to draw. Try one of: yan2020/fig1"),
        (("yan2020/fig3", "--plot", "/nowhere/x.svg"), "cannot write /nowhere/x.svg: there is no folder /nowhere"),
    ],
)
def test_bad_input_gets_one_clear_line(arguments, message):
    done = simtc(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_exits_with_1_where_an_exact_item_differs(monkeypatch, capsys):
    row = printed("yan2020")["table6"][0]
    monkeypatch.setitem(row, "hmma", row["hmma"] + 1)
    monkeypatch.setattr(sys, "argv", ["simtc", "reproduce", "yan2020/table6"])
    with pytest.raises(SystemExit) as exit_:
        main()
    assert exit_.value.code == 1
    out, err = capsys.readouterr()
    assert " ".join(out.splitlines()[2].split()[3:7]) == "hmma 1032 1031 -0.10"
    assert err == "simtc: 11 of 12 rederived items agree; differs: yan2020/table6 128x128x32 / 64x64x8 hmma\n"


def test_closed_forms_start_without_numba():
    code = (
        "import sys; sys.argv = ['simtc', 'reproduce', 'nvidia', 'yan2020/table6']\n"
        "from simtc.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([name for name in ('numba', 'rich') if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"
