"""Command lines that cannot be: each gets one line that names what was given, and the documented exit code."""

from __future__ import annotations

import json
import re
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simtc.cli import _simtc as simtc_cli
from simtc.cli import main
from simtc.resources import folder

LISTING = str(folder("kernels") / "listings" / "sm_75" / "wmma_naive.sass")
CAPTURES = folder("validate") / "captures" / "h200"
MMA = "m16n8k8.f32.f16.f16.f32"
LONG = "x" * 5000
TWENTY = "99999999999999999999"
FILE = f"run {LISTING} wmma_naive --grid 1 --block 128"
GEMM = "run wmma_tiled -m 128 -n 128 -k 32"
SIMULATE = "simulate hgemm -m 256 -n 256 -k 256"
LAYOUT = f"layout {MMA} --arch turing"

# What is typed, and what the error must say. The files are those of `here` below.
LINES = [
    # no such verb, option, value
    ("frobnicate", "'frobnicate'"),
    ("rum wmma_tiled", "did you mean 'run'"),
    (LONG, "unknown verb"),
    ("--loud", "--loud"),
    ("arch --loud", "--loud"),
    ("arch t5", "'t5'"),
    ("arch t4 h200", "h200"),
    (f"arch {LONG}", "unknown device"),
    ("arch t4 --status good", "'good'"),
    ("arch --status assumed", "--status"),
    # banks
    ("banks", "--stride"),
    ("banks --stride 4 --pitch 80", "--stride and --pitch"),
    ("banks --stride x", "x"),
    ("banks --stride -4", "-4"),
    (f"banks --stride {TWENTY}", TWENTY),
    ("banks --stride 3", "3"),
    ("banks --stride 4 --width 48", "48"),
    ("banks --stride 4 --cols 4", "--cols"),
    ("banks --pitch 80 --cols 0", "--cols 0"),
    ("banks --pitch 80 --cols 33", "--cols 33"),
    ("banks --pitch 80 --ldmatrix x4 --cols 8", "--cols"),
    ("banks --pitch 80 --ldmatrix x4 --width 64", "--width"),
    ("banks --pitch 80 --ldmatrix x3", "x3"),
    ("banks --addresses 1,two", "'two'"),
    ("banks --addresses no.such.file", "'no.such.file'"),
    ("banks --addresses .", "."),
    (f"banks --addresses {LONG}", "cannot read"),
    ("banks --addresses binary.bin", "binary.bin"),
    ("banks --addresses 0,4 --pattern lds.32", "--pattern"),
    ("banks --addresses 0,4 --layout pad", "--layout"),
    ("banks --addresses 0,4 --pad-every 2", "--pad-every"),
    ("banks --tile 256", "'256'"),
    ("banks --tile 0x32", "0x32"),
    ("banks --tile 256x32 --layout swirl", "'swirl'"),
    ("banks --tile 256x32 --pattern lds.48", "'lds.48'"),
    ("banks --tile 256x32 --format svg", "one access"),
    ("banks --tile 256x32 --pattern lds.32 --format svg", "one layout"),
    ("banks --tile 256x32 --width 64", "--width"),
    ("banks --tile 256x32 --store", "--store"),
    ("banks --tile 256x32 --ldmatrix x4", "--ldmatrix"),
    ("banks --tile 256x32 --cols 8", "--cols"),
    ("banks --tile 256x32 --layout xor --pad-halves 8", "--pad-halves"),
    ("banks --tile 256x32 --pad-every 0", "0"),
    ("banks --tile 256x32 --json --format text", "--format"),
    ("banks --stride 4 --format png", "'png'"),
    ("banks --stride 4 --out no/such/b.txt", "no/such/b.txt"),
    ("banks --stride 4 --out .", "folder"),
    # compare
    ("compare", "CAPTURE"),
    ("compare no.json", "no.json"),
    ("compare .", "."),
    (f"compare {LONG}", "cannot read"),
    ("compare deep.json", "nested"),
    ("compare empty.json", "empty.json"),
    ("compare list.json", "list.json"),
    ("compare nan.json", "nan.json"),
    ("compare binary.bin", "binary.bin"),
    ("compare bare_capture.json", "bare_capture.json"),
    ("compare other_capture.json", "simtc.capture/9"),
    ("compare odd_capture.json", "odd_capture.json"),
    ("compare settings_capture.json", "settings"),
    ("compare machine_capture.json", "machine_capture.json"),
    ("compare cases_capture.json", "cases_capture.json"),
    ("compare status_capture.json", "'maybe'"),
    ("compare bare_run.json", "bare_run.json"),
    ("compare run.json no.json", "no.json"),
    ("compare run.json bare_run.json", "bare_run.json"),
    ("compare run.json odd_run.json", "odd_run.json"),
    ("compare run.json deep.json", "deep.json"),
    ("compare run.json list.json", "list.json"),
    ("compare run.json timed_run.json", "--timing"),
    ("compare run.json run.json --report r.pdf", "r.pdf"),
    ("compare run.json run.json --fresh", "--fresh"),
    ("compare run.json run.json run.json", "run.json"),
    (f"compare {CAPTURES / 'layouts-pycuda.json'} --report r.pdf", "r.pdf"),
    (f"compare {CAPTURES / 'layouts-pycuda.json'} --report no/such/r.md", "no/such/r.md"),
    (f"compare {CAPTURES / 'layouts-pycuda.json'} --report folder.md", "folder.md"),
    # fit
    ("fit", "CAPTURE"),
    ("fit no.json", "no.json"),
    ("fit deep.json", "deep.json"),
    ("fit bare_capture.json", "bare_capture.json"),
    (f"fit {CAPTURES / 'layouts-pycuda.json'}", "layouts"),
    (f"fit {CAPTURES / 'microbench-pycuda.json'} --out no/such/p.patch", "no/such/p.patch"),
    (f"fit {CAPTURES / 'microbench-pycuda.json'} --only nothing.*", "nothing.*"),
    # layout
    ("layout", "INSTR"),
    (f"layout {MMA}", "--arch"),
    (f"layout {MMA} --arch kepler", "'kepler'"),
    ("layout m1n1k1 --arch turing", "m1n1k1"),
    (f"layout {LONG} --arch turing", "unknown"),
    (f"{LAYOUT} --operand e", "'e'"),
    (f"{LAYOUT} --major diagonal", "diagonal"),
    (f"{LAYOUT} --view api", "api"),
    (f"{LAYOUT} --quad-pair 4", "--quad-pair 4"),
    (f"{LAYOUT} --quad-pair -1", "--quad-pair -1"),
    (f"{LAYOUT} --quad-pair one", "--quad-pair one"),
    (f"{LAYOUT} --get 1", "'1'"),
    (f"{LAYOUT} --get 99,99", "99"),
    (f"{LAYOUT} --get 1,{TWENTY}", TWENTY),
    (f"{LAYOUT} --at 32,0", "32"),
    (f"{LAYOUT} --at 0,99", "99"),
    (f"{LAYOUT} --at 0,-1", "'0,-1'"),
    (f"{LAYOUT} --get 0,0 --at 0,0", "--get and --at"),
    (f"{LAYOUT} --get 0,0 --format csv", "--format"),
    (f"{LAYOUT} --at 0,0 --color lane", "--color"),
    (f"{LAYOUT} --format pdf", "'pdf'"),
    (f"{LAYOUT} --format csv --color lane", "--color"),
    (f"{LAYOUT} --json --format svg", "--format"),
    (f"{LAYOUT} --explain 0,0 --format svg", "--format"),
    (f"{LAYOUT} --explain 0,0 --operand a", "--operand"),
    (f"{LAYOUT} --explain 0,0 --get 0,0", "--get"),
    (f"{LAYOUT} --explain 0,0 --view registers", "--view"),
    (f"{LAYOUT} --explain 99,0", "99"),
    (f"{LAYOUT} --out no/such/l.svg", "no/such/l.svg"),
    (f"{LAYOUT} --out .", "folder"),
    # mma
    ("mma", "--arch"),
    ("mma --arch turing", "--list"),
    ("mma --arch kepler --list", "'kepler'"),
    ("mma m1 --arch turing --in abc.npz --out d.npz", "'m1'"),
    (f"mma {MMA} --arch turing", "--in"),
    (f"mma {MMA} --arch turing --in abc.npz", "--out"),
    (f"mma {MMA} --arch turing --in no.npz --json", "no.npz"),
    (f"mma {MMA} --arch turing --in . --json", "."),
    (f"mma {MMA} --arch turing --in single.npy --json", "single.npy"),
    (f"mma {MMA} --arch turing --in binary.bin --json", "binary.bin"),
    (f"mma {MMA} --arch turing --in half.npz --json", "half.npz"),
    (f"mma {MMA} --arch turing --in cut.npz --json", "cut.npz"),
    (f"mma {MMA} --arch turing --in pickled.npz --json", "pickled.npz"),
    (f"mma {MMA} --arch turing --in abc.npz --out no/such/d.npz", "no/such/d.npz"),
    (f"mma {MMA} --arch turing --in abc.npz --out .", "folder"),
    (f"mma {MMA} --arch turing --list", "has no effect"),
    ("mma --arch turing --list --in abc.npz", "--in"),
    ("mma --arch turing --list --reference", "--reference"),
    # reproduce
    ("reproduce", "--list"),
    ("reproduce nobody2020", "nobody2020"),
    ("reproduce yan2020/table99", "table99"),
    ("reproduce --list yan2020", "has no effect"),
    ("reproduce --list --plot f.svg", "--plot"),
    ("reproduce yan2020/table6 --plot no/such/f.svg", "no/such/f.svg"),
    ("reproduce nvidia --plot f.svg", "--plot"),
    # run, a shipped kernel
    ("run", "--list"),
    ("run --list wmma_tiled", "has no effect"),
    ("run --list --device t4", "--device"),
    ("run --list --timing", "--timing"),
    ("run wmma_tild -m 128 -n 128 -k 32", "'wmma_tild'"),
    (f"run {LONG}", "cannot read"),
    ("run wmma_tiled", "-m -n -k"),
    ("run wmma_tiled other -m 128 -n 128 -k 32", "'other'"),
    ("run wmma_tiled -m 1.5 -n 128 -k 32", "-m 1.5"),
    (f"run wmma_tiled -m {TWENTY} -n 128 -k 32", TWENTY),
    ("run wmma_tiled -m 0 -n 128 -k 32", "m = 0"),
    ("run wmma_tiled -m 2147483520 -n 2147483520 -k 32", "memory"),
    (f"{GEMM} --device t5", "'t5'"),
    (f"{GEMM} --device gtx280", "gtx280"),
    (f"{GEMM} --alpha one", "'one'"),
    (f"{GEMM} --seed -1", "--seed -1"),
    (f"{GEMM} --seed {TWENTY}", TWENTY),
    (f"{GEMM} --a no.npy", "no.npy"),
    (f"{GEMM} --a .", "."),
    (f"{GEMM} --a abc.npz", "abc.npz"),
    (f"{GEMM} --a zipped.npy", "zipped.npy"),
    (f"{GEMM} --a unclosed.npy", "unclosed.npy"),
    (f"{GEMM} --a giant.npy", "giant.npy"),
    (f"{GEMM} --a cut.npy", "cut.npy"),
    (f"{GEMM} --a pickled.npy", "pickled.npy"),
    (f"{GEMM} --a empty.npy", "empty.npy"),
    (f"{GEMM} --a single.npy", "float32[2]"),
    (f"{GEMM} --a deep.npy", "deep.npy"),
    (f"{GEMM} --grid 4", "--grid"),
    (f"{GEMM} --block 4", "--block"),
    (f"{GEMM} --arg i32=1", "--arg"),
    (f"{GEMM} --shared-bytes 16", "--shared-bytes"),
    (f"{GEMM} --shared-bytes -1", "--shared-bytes -1"),
    (f"{GEMM} --max-instructions 0", "--max-instructions 0"),
    (f"{GEMM} --max-instructions -5", "--max-instructions -5"),
    (f"{GEMM} --max-instructions 9223372036854775808", "9223372036854775808"),
    (f"{GEMM} --max-instructions {TWENTY}", TWENTY),
    (f"{GEMM} --max-instructions {'9' * 5000}", "--max-instructions"),
    (f"{GEMM} --caches hot", "'hot'"),
    (f"{GEMM} --caches warm", "--caches"),
    (f"{GEMM} --clock-mhz 0", "--clock-mhz 0"),
    (f"{GEMM} --clock-mhz 1000", "--clock-mhz"),
    (f"{GEMM} --timing --clock-mhz {TWENTY}", TWENTY),
    (f"{GEMM} --fidelity full", "--fidelity"),
    (f"{GEMM} --fidelity sampled", "--timing"),
    (f"{GEMM} --timing --fidelity exact", "'exact'"),
    (f"{GEMM} --timing --check", "check"),
    (f"{GEMM} --timing --fidelity sampled --out d.npy", "--out"),
    (f"{GEMM} --timing --roofline r.png", "r.png"),
    (f"{GEMM} --roofline r.svg", "--timing"),
    (f"{GEMM} --timing --roofline no/such/r.svg", "no/such/r.svg"),
    (f"{GEMM} --timing --fidelity sampled --seed 3", "--seed"),
    (f"{GEMM} --timing --fidelity sampled --a single.npy", "--a"),
    (f"{GEMM} --timeline t.json", "--timing"),
    (f"{GEMM} --timing --timeline t.png", "t.png"),
    (f"{GEMM} --timing --timeline no/such/t.svg", "no/such/t.svg"),
    (f"{GEMM} --timing --cycles 0,10", "--cycles"),
    (f"{GEMM} --timing --timeline t.json --cycles 0,10", "--cycles"),
    (f"{GEMM} --timing --timeline t.svg --cycles 9,3", "9,3"),
    (f"{GEMM} --timing --timeline t.svg --cycles {'9' * 5000},1", "--cycles"),
    (f"{GEMM} --by-instruction", "--timing"),
    (f"{GEMM} --timing --top 3", "--top"),
    (f"{GEMM} --timing --by-instruction --top 0", "--top 0"),
    (f"{GEMM} -D N=3", "-D"),
    (f"{FILE} -D N=3", "-D"),
    (f"{FILE} --compiler nvcc", "--compiler"),
    ("run no.cu k", "cannot read no.cu"),
    (f"sass {LISTING} -I .", "-I"),
    (f"sass {LISTING} --cross-check --listing", "--listing"),
    ("sass no.cubin --cross-check", "cannot read no.cubin"),
    (f"{GEMM} --html t.html", "--timing"),
    (f"{GEMM} --timing --html no/such/t.html", "no/such/t.html"),
    (f"{GEMM} --timing --html .", "folder"),
    (f"{GEMM} --out no/such/d.npy", "no/such/d.npy"),
    (f"{GEMM} --out .", "folder"),
    # run, a kernel in a file
    ("run no.cubin", "no.cubin"),
    ("run empty.cubin", "empty.cubin"),
    ("run binary.bin", "binary.bin"),
    ("run .", "."),
    (f"run {LISTING} other --grid 1 --block 128", "'other'"),
    (f"run {LISTING} wmma_naive --block 128", "--grid"),
    (f"run {LISTING} wmma_naive --grid 1", "--block"),
    (f"run {LISTING} wmma_naive --grid one --block 128", "'one'"),
    (f"run {LISTING} wmma_naive --grid 0 --block 128", "0"),
    (f"run {LISTING} wmma_naive --grid -4 --block 128", "-4"),
    (f"run {LISTING} wmma_naive --grid 1,1,1,1 --block 128", "grid"),
    (f"run {LISTING} wmma_naive --grid {TWENTY} --block 128", TWENTY),
    (f"run {LISTING} wmma_naive --grid {'9' * 5000} --block 128", "--grid"),
    (f"run {LISTING} wmma_naive --grid 1 --block 2048", "2048"),
    (f"run {LISTING} wmma_naive --grid 1 --block -32", "-32"),
    (f"{FILE}", "9 arguments"),
    (f"{FILE} -m 128", "-m"),
    (f"{FILE} --alpha 2", "--alpha"),
    (f"{FILE} --a single.npy", "--a"),
    (f"{FILE} --seed 3", "--seed"),
    (f"{FILE} --out d.npy", "--out"),
    (f"{FILE} --shared-bytes -1", "--shared-bytes -1"),
    (f"{FILE} --shared-bytes 999999", "999999"),
    (f"{FILE} --shared-bytes {TWENTY}", TWENTY),
    (f"{FILE} --device h200", "h200"),
    (f"{FILE} --arg ?", "'?'"),
    (f"{FILE} --arg i32", "'i32'"),
    (f"{FILE} --arg i33=1", "'i33'"),
    (f"{FILE} --arg i32=x", "'x'"),
    (f"{FILE} --arg i8=128", "'128'"),
    (f"{FILE} --arg u8=-1", "'-1'"),
    (f"{FILE} --arg f16=1e9", "'1e9'"),
    (f"{FILE} --arg i32={'9' * 5000}", "argument 0"),
    (f"{FILE} --arg i32[999999999999]", "i32[999999999999]"),
    (f"{FILE} --arg i32[999999,999999,999999,999999,999999]=iota", "memory"),
    (f"{FILE} --arg i32[{'9' * 5000}]", "argument 0"),
    (f"{FILE} --arg i32[{'1,' * 64}1]", "dimensions"),
    (f"{FILE} --arg i32[,]", "i32[,]"),
    (f"{FILE} --arg i32[-1]", "i32[-1]"),
    (f"{FILE} --arg f32[2]=fives", "'fives'"),
    (f"{FILE} --arg i32=1>x.npy", "i32=1>x.npy"),
    (f"{FILE} --arg f32[2]>no/such/x.npy", "no/such/x.npy"),
    (f"{FILE} --arg f32[2]>x.npy --arg f32[2]>x.npy", "x.npy"),
    (f"{FILE} --arg @no.npy", "no.npy"),
    (f"{FILE} --arg @zipped.npy", "zipped.npy"),
    (f"{FILE} --arg @unclosed.npy", "unclosed.npy"),
    (f"{FILE} --arg @giant.npy", "giant.npy"),
    (f"{FILE} --arg @{LONG}", "argument 0"),
    (f"{FILE} --timing --fidelity sampled --arg f32[2]>x.npy", "x.npy"),
    # sass
    ("sass", "FILE"),
    ("sass no.cubin", "no.cubin"),
    ("sass empty.cubin", "empty.cubin"),
    ("sass binary.bin", "binary.bin"),
    ("sass .", "."),
    (f"sass {LONG}", "cannot read"),
    (f"sass {LISTING} other", "'other'"),
    (f"sass {LISTING} --sm 90", "90"),
    (f"sass {LISTING} --sm -1", "--sm -1"),
    (f"sass {LISTING} --json --listing", "--listing"),
    (f"sass {LISTING} --write-listing no/such/x.sass", "no/such/x.sass"),
    # simulate
    ("simulate", "FAMILY"),
    ("simulate hgemm", "-m -n -k"),
    ("simulate qgemm -m 256 -n 256 -k 256", "'qgemm'"),
    ("simulate hgemm -m 0 -n 256 -k 256 --fidelity analytic", "0"),
    ("simulate hgemm -m -1 -n 256 -k 256", "-1"),
    (f"simulate hgemm -m {TWENTY} -n 256 -k 256", TWENTY),
    (f"{SIMULATE} --device t5", "'t5'"),
    (f"{SIMULATE} --device c2050", "c2050"),
    (f"{SIMULATE} --block 256", "'256'"),
    (f"{SIMULATE} --block 0,0,0", "0"),
    (f"{SIMULATE} --block 7,7,7", "7"),
    (f"{SIMULATE} --block {TWENTY},256,32", "--block"),
    (f"{SIMULATE} --block {'9' * 5000},256,32", "--block"),
    (f"{SIMULATE} --warp 1,1,1", "1"),
    (f"{SIMULATE} --layout swirl", "'swirl'"),
    (f"{SIMULATE} --stages 0", "0"),
    (f"{SIMULATE} --stages -1", "-1"),
    (f"{SIMULATE} --stages {TWENTY}", TWENTY),
    (f"{SIMULATE} --stages 3", "stages"),
    (f"{SIMULATE} --accumulator f64", "'f64'"),
    (f"{SIMULATE} --loads cp", "'cp'"),
    (f"{SIMULATE} --sts-interleave -1", "-1"),
    (f"{SIMULATE} --transpose xy", "'xy'"),
    (f"{SIMULATE} --alpha x", "'x'"),
    (f"{SIMULATE} --split-k 0", "0"),
    (f"{SIMULATE} --split-k 2", "split_k 2"),
    (f"{SIMULATE} --clock-mhz -5", "-5"),
    (f"{SIMULATE} --clock-mhz {TWENTY}", TWENTY),
    (f"{SIMULATE} --fidelity exact", "'exact'"),
    (f"{SIMULATE} --caches hot", "'hot'"),
    (f"{SIMULATE} --fidelity analytic --caches warm", "--caches"),
    # validate
    ("validate", "--list"),
    ("validate kernel", "'kernel'"),
    ("validate kernels --backend cuda", "'cuda'"),
    ("validate kernels --out k.npz", "k.npz"),
    ("validate --list kernels", "has no effect"),
    ("validate --list --fresh", "--fresh"),
    ("validate --list --out k.json", "--out"),
]


def _capture(**changes):
    machine = {"device": "NVIDIA H200", "compute_capability": [9, 0], "driver": "1", "clock_mhz": 1980,
               "toolkit": "nvcc 13", "backend": "pycuda 1"}  # fmt: skip
    whole = {"schema": "simtc.capture/1", "campaign": "layouts", "date": "2026-01-01", "simtc": "0", "settings": {},
             "machine": machine, "cases": {}}  # fmt: skip
    return whole | changes


def _captures(path):
    np.savez(path / "c.npz", rows=np.zeros(0, np.uint32), samples=np.zeros(0, np.uint8))
    for name, content in {
        "bare": {"schema": "simtc.capture/1"},
        "other": {"schema": "simtc.capture/9"},
        "odd": _capture(cases=[], settings=7),
        "settings": _capture(),
        "machine": _capture(machine={"device": 7}),
        "cases": _capture(cases={"a": 7}),
        "status": _capture(cases={"a": {"status": "maybe"}}),
    }.items():
        (path / f"{name}_capture.json").write_text(json.dumps(content))
        (path / f"{name}_capture.npz").write_bytes((path / "c.npz").read_bytes())


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    path = tmp_path_factory.mktemp("bad")
    (path / "folder.md").mkdir()
    (path / "deep.json").write_text("[" * 100_000)
    (path / "empty.json").write_text("")
    (path / "list.json").write_text("[1, 2]")
    (path / "nan.json").write_text("NaN")
    (path / "binary.bin").write_bytes(bytes(range(256)) * 8)
    (path / "empty.cubin").write_bytes(b"")
    run = {"schema": "simtc.run/1", "kernel": "k", "device": "t4", "grid": [1, 1, 1], "block": [32, 1, 1]}
    for name, content in {
        "run": run,
        "timed_run": run | {"cycles": 7},
        "bare_run": {"schema": "simtc.run/1"},
        "odd_run": run | {"grid": 7},
    }.items():
        (path / f"{name}.json").write_text(json.dumps(content))
    _captures(path)
    np.save(path / "single.npy", np.zeros(2, np.float32))
    np.savez(path / "abc.npz", A=np.zeros((16, 8), np.float16), B=np.zeros((8, 8), np.float16), C=np.zeros((16, 8)))
    np.savez(path / "half.npz", A=np.zeros((16, 8), np.float16))
    np.savez(path / "pickled.npz", A=np.array([{}], object), B=np.zeros(1), C=np.zeros(1))
    np.save(path / "pickled.npy", np.array([{}], object))
    whole = (path / "abc.npz").read_bytes()
    (path / "cut.npz").write_bytes(whole[: len(whole) // 2])
    (path / "zipped.npy").write_bytes(whole)
    (path / "empty.npy").write_bytes(b"")
    whole = (path / "single.npy").read_bytes()
    (path / "cut.npy").write_bytes(whole[:-4])
    for name, head in {
        "unclosed": "{'descr': '<f4', 'fortran_order': False, 'shape': (2,",
        "giant": "{'descr': '<f4', 'fortran_order': False, 'shape': (999999999999999, 999999999), }",
        "deep": "(" * 5000,
    }.items():
        text = head.ljust(117) + "\n"
        (path / f"{name}.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode())
    return path


@pytest.fixture
def simtc(here, monkeypatch, capsys):
    monkeypatch.chdir(here)

    def type_it(*words):
        monkeypatch.setattr(sys, "argv", ["simtc", *words])
        with pytest.raises(SystemExit) as done:
            main()
        out, err = capsys.readouterr()
        return done.value.code, out, err

    return type_it


@pytest.mark.parametrize(("line", "says"), LINES, ids=[line[:60] for line, _ in LINES])
def test_one_line_says_what_is_wrong(simtc, line, says):
    code, out, err = simtc(*line.split())
    err = err.removeprefix("simtc: compiling the simulator (first use, up to a minute) ...\n")  # fit alone begins so
    assert (code, out) == (2, "")
    assert err.startswith("simtc: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert says in err
    assert len(err) < 2500


VERBS = {name: simtc_cli.get_command(None, name) for name in simtc_cli.list_commands(None)}
FLAGS = sorted({flag for verb in VERBS.values() for option in verb.params for flag in option.opts if flag[0] == "-"})
ODD = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12),
    st.sampled_from(["", "-", "--", "-1", "0", TWENTY, "nan", "1e400", "[", "\x1b[31m", "a\nb", "deep.json"]),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(verb=st.sampled_from(sorted(VERBS)), flags=st.lists(st.sampled_from(FLAGS), max_size=3), words=st.lists(ODD))
def test_no_words_bring_a_traceback(simtc, verb, flags, words):
    code, out, err = simtc(verb, *words, *(part for flag in flags for part in (flag, words[0] if words else "x")))
    assert code in (0, 2, 3, 4) or (verb == "compare" and code == 1)
    if code:
        assert err.startswith("simtc: ")
        assert err.count("\n") == 1
        assert out == ""


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_help_keeps_its_examples_on_their_lines(simtc, verb):
    """Click's mark of such lines is a character, which a raw docstring writes as two: those were printed."""
    code, out, _ = simtc(verb, "--help")
    assert code == 0
    assert "\\b" not in out
    assert re.search(r"simtc \w+ .*[^\n]simtc \w+", out.partition("Options")[0]) is None


def test_a_file_to_write_is_named_alike_everywhere():
    for name, verb in VERBS.items():
        named = [option.opts for option in verb.params if "--output" in option.opts or "--out" in option.opts]
        assert named in ([], [["--out", "--output"]]), name


def test_help_and_no_verb_at_all(simtc):
    for words in ([], ["--help"], ["-h"]):
        code, out, err = simtc(*words)
        assert (code, err) == (0, "")
        assert "Usage: simtc" in out
    for verb in VERBS:
        text = simtc(verb, "--help")[1]
        assert "\\" not in text  # click's mark for text that keeps its lines is no letter of it
