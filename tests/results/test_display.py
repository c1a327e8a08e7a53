"""Every result shows itself: short, as a table, as a frame."""

from __future__ import annotations

from importlib.util import find_spec
from xml.etree import ElementTree as ET

import pytest

from simtc import arch, fragment, simulate
from simtc.analytic.roofline import roofline
from simtc.errors import BadInputError, MissingToolError
from simtc.gemm import shipped
from simtc.gpu import Launched
from simtc.layout import Access, Tile, explain, ldmatrix
from simtc.report.cards import card
from simtc.report.lessons import lesson
from simtc.reproduce.reproduce import reproduce
from simtc.resources import folder
from simtc.results.display import Display, html_table
from simtc.run.compare import compare_runs
from simtc.run.explore import explore
from simtc.run.simulate import simulation
from simtc.run.solve import operands, solve
from simtc.validate.capture import read_capture
from simtc.validate.compare import Compared, Replay
from simtc.validate.validate import Validated

INSTR = "m16n8k8.f32.f16.f16.f32"


@pytest.fixture(scope="session")
def solved():
    one, t4 = shipped("wmma_naive"), arch.device("t4")
    arrays = operands(one, 32, 32, 16)
    return solve(one, t4, arrays, m=32, n=32, k=16, timing=True, timeline=True, caches="warm")


@pytest.fixture(scope="session")
def results(solved):
    """One of every kind of result."""
    one = solved.launch
    case = simulation("hgemm", m=512, n=512, k=512, device="t4", fidelity="analytic")
    capture = read_capture(folder("validate") / "captures" / "h200" / "timing-pycuda.json")
    run = solved.to_dict()
    return [
        solved, one, one.timing, one.timeline, case.predict(), explore(case, case.predict()), compare_runs(run, run),
        fragment(INSTR, operand="a", arch="turing"), explain(INSTR, 3, 5, arch="turing"), ldmatrix(4, trans=True),
        Tile(rows=256, cols=32), Tile(rows=256, cols=32).ldmatrix(4), Access(addresses=(0, None, 128)),
        roofline(arch.device("t4")), roofline(arch.device("t4")).chart(), reproduce("yan2020/fig3"),
        shipped("wmma_tiled").kernel(arch.device("t4")), arch.device("t4"), arch.sm("turing"), arch.device("gtx280"),
        capture, Replay(capture=capture, cases=(Compared(name="a", elements=3),)),
        Validated(capture=capture, path=folder("validate")), card("HMMA"), lesson("banks"),
        Launched(kernel="k", device="GPU", grid=(1, 1, 1), block=(32, 1, 1), event_seconds=1e-6),
    ]  # fmt: skip


def test_results_show_themselves(results):
    kinds = set()
    for one in results:
        assert isinstance(one, Display)
        assert len(repr(one)) < 240, repr(one)
        assert "\n" not in repr(one)
        columns = one.columns()
        assert columns
        assert len({len(values) for values in columns.values()}) == 1, type(one)
        page = one._repr_html_()
        ET.fromstring(page.replace("&nbsp;", " "))  # noqa: S314 - our own text; every element is closed
        kinds.add(type(one).__name__)
    assert _subclasses(Display) - {"Program", "Harnessed", "Verdict"} <= kinds, "a kind of result is not shown here"


def _subclasses(kind):
    found = {one.__name__: one for one in kind.__subclasses__() if one.__module__.startswith("simtc.")}
    return set(found)


@pytest.mark.skipif(find_spec("pandas") is None, reason="needs the extra: pip install 'simtc[notebook]'")
def test_frames(results):
    for one in results:
        frame = one.to_frame()
        assert list(frame.columns) == list(one.columns())
        assert len(frame) == len(next(iter(one.columns().values())))


def test_frames_without_pandas(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(MissingToolError, match=r"columns\(\) gives the same without it. Try: pip install pandas"):
        Tile(rows=16, cols=32).to_frame()


def test_tables_hold_what_the_result_says(solved):
    one = solved.launch
    row = one.columns()
    assert (row["cycles"], row["instructions"], row["wait"]) == ([one.cycles], [one.instructions], [one.stalls["wait"]])
    stalls = dict(one.timing.tables())["where the warps' cycles went"]
    assert sum(stalls["warp-cycles"]) == one.timing.warp_cycles
    assert len(one.timing.columns()["text"]) == len(one.timing.by_instruction)
    assert solved.columns()["digest"] == [solved.digest]
    assert "cycles" not in type(one)(kernel="k", device="t4", grid=(1, 1, 1), block=(1, 1, 1), instructions=1).columns()


def test_columns_of_a_timeline(solved):
    timeline = solved.launch.timeline
    found = timeline.columns()
    first = next(iter(timeline))
    assert (found["start"][0], found["end"][0], found["cause"][0]) == (first.start, first.end, first.cause.name)
    cut = timeline.between(100, 200)
    assert 0 < len(cut) < len(timeline)
    assert (min(cut.columns()["start"]), cut.end) == (100, 200)
    inside = sum(max(min(one.end, 200) - max(one.start, 100), 0) for one in timeline)
    assert sum(one.end - one.start for one in cut) == inside
    assert timeline.to_svg(first=100, last=200).startswith("<svg")
    assert not timeline.between(10**9, 10**9 + 1).pictures()


def test_columns_of_layouts():
    a = fragment(INSTR, operand="a", arch="turing")
    assert list(zip(*a.columns().values(), strict=True)) == [tuple(one) for one in a.elements()]
    tile = Tile(rows=256, cols=32)
    found = dict(zip(tile.columns()["pattern"], tile.columns()["wavefronts"], strict=True))
    assert found["ldsm.x4"] == tile.ldmatrix(4).wavefronts
    for layout, colors in (("none", 2), ("pad", 8), ("xor", 8)):
        drawn = ET.fromstring(Tile(rows=256, cols=32, layout=layout).to_svg())  # noqa: S314 - our own text
        column = [one.get("fill") for one in drawn.iter("{http://www.w3.org/2000/svg}rect") if one.get("x") == "64"]
        assert (len(column), len(set(column[:8]))) == (16, colors)  # an 8x8 matrix: as many colours as wavefronts allow
    access = tile.ldmatrix(4)
    served = list(zip(access.columns()["phase"], access.columns()["wavefront"], strict=True))
    assert len(set(served)) == access.wavefronts
    matrices = ldmatrix(2)
    picture = matrices.to_svg()
    assert picture.count("<rect") == 2 * 65 + 1
    assert all(f">T{matrices.holder(1, row, 0).lane}<" in picture for row in range(8))


def test_a_table_of_many_rows_is_cut_and_says_so():
    page = html_table({"n": list(range(100))})
    assert "and 60 more rows: to_frame() has all" in page
    assert page.count("<tr>") == 41
    assert "&lt;b&gt;" in html_table({"<b>": ["<b>", "<b>"]})


def test_brackets_launch(solved):
    one, t4 = shipped("wmma_naive"), arch.device("t4")
    kernel, arrays = one.kernel(t4), operands(one, 32, 32, 16)
    args = one.arguments(arrays, 32, 32, 16, 1.0, 0.0)
    result = kernel[one.grid(32, 32), one.threads](*args, device="t4", timing=True, timeline=True, caches="warm")
    assert (arrays["D"] == solved.D).all()
    assert result.cycles == solved.launch.cycles
    for bad in (1, (1,), (1, 2, 3)):
        with pytest.raises(BadInputError, match=r"kernel\[grid, block\]\(\*args\)"):
            kernel[bad]
    with pytest.raises(TypeError, match="not iterable"):
        iter(kernel)


def test_a_simulation_keeps_its_timeline():
    case = {"m": 64, "n": 64, "k": 32, "device": "t4", "block": (64, 64, 32), "warp": (32, 32, 8)}
    found = simulate("hgemm", **case, fidelity="full", timeline=True)
    assert found.timeline.end > 0
    issued = sum(one.cause.name == "selected" for one in found.timeline)
    assert issued == found.stalls["selected"]
    assert "timeline" not in found.to_dict()
    assert simulate("hgemm", **case, fidelity="full").timeline is None
    with pytest.raises(BadInputError, match=r"it executes nothing\. Try: --fidelity sampled"):
        simulate("hgemm", **case, fidelity="analytic", timeline=True)


def test_a_sampled_run_keeps_a_timeline_of_what_it_executed():
    """Of 16 laps a few are executed, and of 256 blocks some: each cycle of them has one cause, as in a full run."""
    case = {"m": 2048, "n": 2048, "k": 512, "device": "t4", "block": (128, 128, 32), "warp": (64, 64, 8)}
    found = simulate("hgemm", **case, fidelity="sampled", timeline=True)
    assert found.fidelity == "sampled"
    assert found.extrapolated
    raw = found.timeline.raw
    assert 0 < found.timeline.end < found.cycles
    for warp in sorted(set(raw[:, 0].tolist()))[:4]:
        mine = raw[raw[:, 0] == warp]
        assert (mine[1:, 3] >= mine[:-1, 4]).all()  # one cause at a time
    assert found.timeline.place(int(raw[:, 0].max()))[0] < 40  # fewer SMs than the board's, from 0 on
    assert simulate("hgemm", **case, fidelity="sampled").cycles == found.cycles
