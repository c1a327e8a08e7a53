"""A run in its board's roofline: the operations it executed, the bytes that moved, and what it is compared with."""

from __future__ import annotations

import dataclasses
from xml.etree import ElementTree as ET

import pytest

from simtc import arch, simulate
from simtc.errors import BadInputError
from simtc.gemm import shipped
from simtc.report.page import launch_html
from simtc.report.roofline import roofline_chart
from simtc.report.work import executed_flops
from simtc.results.launch import InstructionTime
from simtc.run.solve import operands, solve

M, N, K = 128, 128, 64


@pytest.fixture(scope="module", params=["t4", "v100_sxm2"])
def launched(request):
    one = shipped("wmma_tiled")
    arrays = operands(one, M, N, K, seed=None)
    return solve(one, arch.device(request.param), arrays, m=M, n=N, k=K, timing=True).launch


def test_tensor_cores_execute_what_the_gemm_needs(launched):
    work = executed_flops(launched.timing)
    assert work["tensor cores f16.f32"] == 2 * M * N * K  # whole blocks: nothing is padding
    assert work["FP32 units"] >= 2 * M * N  # alpha D + beta C


def test_the_point_is_operations_over_bytes_and_seconds(launched):
    chart, counters = launched.roofline(), launched.timing.counters
    flops = sum(executed_flops(launched.timing).values())
    at = {mark.name.split(":")[0].removeprefix("at "): mark for mark in chart.marks}
    stored = counters["store_sectors"]
    assert at["DRAM"].x == pytest.approx(flops / (32 * (counters["dram_sectors"] + stored)))
    assert at["L2"].x == pytest.approx(flops / (32 * (counters["l2_sectors"] + stored)))
    assert at["shared memory"].x == pytest.approx(flops / (128 * counters["wavefronts"]))
    assert [mark.y for mark in chart.marks] == pytest.approx([1e-12 * flops / launched.seconds] * 3)
    board = arch.device(launched.device).at(launched.timing.clock_mhz)
    roofs = {one.name.rpartition(",")[0]: one.points[0][1] for one in chart.series}
    assert roofs["tensor cores f16.f32"] == pytest.approx(board.tensor_peak_tflops("f16", "f32"))
    for mark in chart.marks:
        assert mark.y <= max(roofs.values())
    drawn = ET.fromstring(chart.to_svg())  # noqa: S314 - our own text
    words = [one.text for one in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"FLOP/byte", "TFLOPS"} <= set(words)
    assert all(mark.name in words for mark in chart.marks)
    assert "Roofline: wmma_tiled on" in launch_html(launched, "a launch")


def test_a_prediction_counts_useful_operations():
    found = simulate("hgemm", m=1000, n=1000, k=1000, device="a100_sxm", fidelity="analytic")
    marks = {mark.name.split(":")[0]: mark for mark in found.roofline().marks}
    moved = sum(count for name, count in found.traffic.items() if name.startswith("DRAM"))
    assert marks["at DRAM"].x == pytest.approx(2e9 / moved)
    assert marks["at DRAM"].y == pytest.approx(found.tflops)


def test_a_board_of_closed_forms_alone_has_a_roofline():
    found = simulate("sgemm", m=960, n=960, k=960, device="gtx280", fidelity="analytic")
    assert [mark.name.split(":")[0] for mark in found.roofline().marks] == ["at DRAM"]


@pytest.mark.parametrize(
    ("text", "unit", "each"),
    [
        ("@!P0 FFMA R1, R2, R3, R4", "FP32 units", 64),
        ("HFMA2.MMA R1, R2, R3, R4", "FP16 units", 128),
        ("DADD R2, R4, R6", "FP64 units", 32),
        ("HMMA.884.F16.F16.STEP0 R1, R2, R3, R4", "tensor cores f16.f16", 1024),
        ("HMMA.884.F32.F32.STEP3 R1, R2, R3, R4", "tensor cores f16.f32", 512),
        ("HMMA.16816.F32.BF16 R1, R2, R3, R4", "tensor cores bf16.f32", 4096),
        ("HMMA.1684.F32.TF32 R1, R2, R3, R4", "tensor cores tf32.f32", 1024),
        ("IMMA.16832.U8.S8 R1, R2, R3, R4", "tensor cores s8.s32", 8192),
        ("IMMA.8832.S4.S4 R1, R2, R3, R4", "tensor cores s4.s32", 4096),
        ("BMMA.168256.XOR.POPC R1, R2, R3, R4", "tensor cores b1.s32", 65536),
        ("DMMA.884 R1, R2, R3, R4", "tensor cores f64.f64", 512),
        ("QMMA.16832.F32.E4M3.E5M2 R1, R2.ROW, R3.COL, R4", "tensor cores fp8.f32", 8192),
        ("HGMMA.64x256x16.F32 R1, gdesc[UR4]", "tensor cores f16.f32", 2 * 64 * 256 * 16),
        ("QGMMA.64x256x32.F16.E4M3.E4M3 R1, gdesc[UR4]", "tensor cores fp8.f16", 2 * 64 * 256 * 32),
    ],
)
def test_what_one_instruction_does(launched, text, unit, each):
    row = InstructionTime(address=0, text=text, source=None, issued=3, cycles=3, top_stall="wait", conflicts=0)
    assert executed_flops(dataclasses.replace(launched.timing, by_instruction=(row,))) == {unit: 3 * each}


def test_what_has_no_place_says_why(launched):
    idle = InstructionTime(address=0, text="MOV R1, R2", source=None, issued=3, cycles=3, top_stall="", conflicts=0)
    copied = dataclasses.replace(launched, timing=dataclasses.replace(launched.timing, by_instruction=(idle,)))
    with pytest.raises(BadInputError, match="executed no floating-point instruction"):
        roofline_chart(copied)
    assert "ceilings" not in launch_html(copied, "a copy")
    with pytest.raises(BadInputError, match="Try: timing=True"):
        dataclasses.replace(launched, timing=None).roofline()
