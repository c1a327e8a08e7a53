"""The provenance of a D element: the steps of each generation, and the registers that really meet."""

from __future__ import annotations

import pytest

from simtc.errors import BadInputError
from simtc.layout import explain
from simtc.layout.lanes import quad_pair


@pytest.mark.parametrize(
    ("instr", "arch", "unit", "steps"),
    [
        ("m8n8k4.f32.f16.f16.f32", "volta", "HMMA.884", [4]),
        ("wmma.m16n16k16.f32.f16.f16.f32", "volta", "HMMA.884", [4, 4, 4, 4]),
        ("m16n8k8.f32.f16.f16.f32", "turing", "HMMA.1688", [8]),
        ("wmma.m16n16k16.f16.f16.f16.f16", "turing", "HMMA.1688", [8, 8]),
        ("m16n8k16.f32.f16.f16.f32", "ampere", "HMMA.16816", [8, 8]),
        ("m16n8k8.f32.tf32.tf32.f32", "ampere", "HMMA.1688", [4, 4]),
        ("m16n8k16.f32.f16.f16.f32", "hopper", "HMMA.16816", [16]),
        ("m16n8k8.f32.tf32.tf32.f32", "hopper", "HMMA.1688", [8]),
        ("m8n8k4.f64.f64.f64.f64", "ampere", "DMMA.884", [1, 1, 1, 1]),
        ("m8n8k16.s32.s8.s8.s32", "turing", "IMMA.8816", [16]),
    ],
)
def test_steps(instr, arch, unit, steps):
    found = explain(instr, 3, 5, arch=arch)
    assert found.unit == unit
    assert [len(step) for step in found.steps] == steps
    assert [product.k for step in found.steps for product in step] == list(range(sum(steps)))


@pytest.mark.parametrize(
    ("arch", "instr"), [("volta", "wmma.m32n8k16.f32.f16.f16.f32"), ("turing", "m16n8k8.f32.f16.f16.f32")]
)
def test_every_register_named_holds_the_element(arch, instr):
    found = explain(instr, 7, 2, arch=arch, major_a="row", major_b="col")
    d, a, b, _ = found.operands
    assert d.element(*found.d) == (7, 2)
    for product in (product for step in found.steps for product in step):
        assert a.element(*product.a) == (7, product.k)
        assert b.element(*product.b) == (product.k, 2)


def test_a_quad_pair_reads_its_own_registers():
    for row in range(16):
        for col in range(16):
            found = explain("wmma.m16n16k16.f32.f16.f16.f32", row, col, arch="volta")
            lanes = {holder.lane for step in found.steps for product in step for holder in (product.a, product.b)}
            assert {quad_pair(lane) for lane in lanes} == {quad_pair(found.d.lane)}


def test_hopper_fp8_takes_the_lower_bytes_of_every_register_first():
    found = explain("m16n8k32.f32.e4m3.e4m3.f32", 0, 0, arch="hopper")
    assert [product.k % 4 for product in found.steps[0]] == [0, 1] * 8
    assert {product.a.half for product in found.steps[1]} == {2, 3}
    assert found.first == "0"
    assert "C is added" in found.last


def test_text_and_json_say_the_same():
    found = explain("m16n8k8.f16.f16.f16.f16", 9, 6, arch="turing")
    lines = found.to_text().splitlines()
    assert lines[0] == "D[9,6] of m16n8k8.f16.f16.f16.f16 on turing: lane 7, R1.H0"
    assert "  A[9,0] lane 4 R1.H0  x  B[0,6] lane 24 R0.H0" in lines
    values = found.to_json()
    assert values["schema"] == "simtc.layout/1"
    assert values["steps"][0][0] == {
        "k": 0,
        "a": {"lane": 4, "register": 1, "half": 0},
        "b": {"lane": 24, "register": 0, "half": 0},
    }


def test_bad_input():
    with pytest.raises(BadInputError, match="shared memory"):
        explain("wgmma.m64n8k16.f32.f16.f16.f32", 0, 0, arch="hopper")
    with pytest.raises(BadInputError, match=r"rows are 0\.\.15"):
        explain("m16n8k8.f32.f16.f16.f32", 16, 0, arch="turing")
