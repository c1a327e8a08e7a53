"""What a launch says of a kernel that goes wrong: what, where, who; and that no array was touched."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from simtc.errors import BadInputError, KernelFaultError
from simtc.isa import Instruction, Kernel, Kind, Operand
from simtc.machine.lowering import lower
from simtc.resources import folder
from simtc.run.launch import launch
from simtc.sass import load, parse_instruction

PROGRAM = load(Path(__file__).with_name("data") / "faulty_sm75.sass")
TAIL = "No array was written: all are as they were before the launch"


def message(name, args, threads=128, **options):
    before = [arg.copy() for arg in args]
    with pytest.raises(KernelFaultError) as caught:
        launch(PROGRAM[name], 1, threads, args, **options)
    assert caught.value.exit_code == 4
    assert all(np.array_equal(a, b) for a, b in zip(before, args, strict=True))
    assert str(caught.value).endswith(TAIL)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("war", (r"shared memory race: another warp \w+ this byte since the last barrier: war at 0x[0-9a-f]{4} \S+ .*"
                r"\(faulty.cu:4\), block \(0, 0, 0\), warp 1, lane 0, address 0x0")),
        ("unwritten", (r"use of a value from shared memory that nothing wrote: unwritten at 0x0090 STG.E.SYS .*"
                      r"\(faulty.cu:5\), block \(0, 0, 0\), warp 3, lanes 4-31, register R5, loaded at 0x0080")),
    ],
)  # fmt: skip
def test_checked_shared_memory(name, says):
    out = np.zeros(128, np.float32)
    assert re.match(says, message(name, [out], check=True))
    launch(PROGRAM[name], 1, 128, [out])  # without checks it runs
    assert out.any()


def test_a_clean_kernel_is_clean():
    out = np.zeros(128, np.float32)
    launch(PROGRAM["norace"], 1, 128, [out], check=True)
    assert np.array_equal(out, np.arange(128) ^ 32)


def test_a_register_that_nothing_wrote():
    code = [
        parse_instruction(text, address=16 * place)
        for place, text in enumerate(["MOV R2, R7", "IADD3 R3, R2, 0x1, RZ", "EXIT"])
    ]
    with pytest.raises(
        KernelFaultError, match=r"use of a register that nothing wrote: k at 0x0010 IADD3 .*lanes 0-31, register R2"
    ):
        launch(Kernel(name="k", sm=75, instructions=tuple(code)), 1, 32, [], check=True)


def test_a_barrier_that_can_never_complete():
    says = message("deadlock", [np.zeros(128, np.float32)])
    assert re.match(
        r"a barrier that can never complete: deadlock at 0x0070 @P0 BAR.SYNC 0x2, 0x80 \(faulty.cu:6\), "
        r"block \(0, 0, 0\), warp 3, lanes 0-31 wait there", says
    )  # fmt: skip


def test_one_byte_past_the_end():
    says = message("past", [np.zeros(64, np.uint8), np.int32(1)], threads=64)
    assert "warp 1, lane 31, address 0x7f0000000040: 0 bytes past the end of buffer 0 (64 bytes)" in says
    assert says.startswith("out-of-bounds global access: past at 0x0090 STG.E.U8.SYS")


def test_a_misaligned_vector():
    says = message("wide", [np.zeros(16, np.int32), np.int32(8)], threads=1)
    assert says.startswith("misaligned access: wide at 0x00a0 STG.E.128.SYS")
    assert "address 0x7f0000000008: byte 8 of buffer 0 (64 bytes)" in says


def test_an_endless_loop():
    says = message("spin", [np.zeros(4, np.int32)], threads=32, instruction_limit=10_000)
    assert says.startswith("instruction limit reached: spin at 0x")
    assert "raise the limit with --max-instructions (instruction_limit=)" in says


def test_checks_and_timing_exclude_each_other():
    with pytest.raises(BadInputError, match="check and timing exclude each other"):
        launch(PROGRAM["norace"], 1, 128, [np.zeros(128, np.float32)], check=True, timing=True)


def test_an_unknown_opcode_is_named():
    code = (Instruction(address=0, opcode="HGMMA", text="HGMMA.64x64x16.F32 R24, gdesc[UR4]"),)
    says = r"at 0x0000: HGMMA.64x64x16.F32 .*: k uses HGMMA, which simtc does not execute; the nearest .* is HMMA"
    with pytest.raises(BadInputError, match=says):
        launch(Kernel(name="k", sm=90, instructions=code), 1, 32, [], device="h200")


def test_an_unknown_modifier_is_named():
    register = Operand(kind=Kind.REGISTER, index=2)
    code = (
        Instruction(
            address=0, opcode="FADD", modifiers=("WARP",), operands=(register,) * 3, text="FADD.WARP R2, R2, R2"
        ),
    )
    with pytest.raises(
        BadInputError, match=r"at 0x0000: FADD.WARP R2, R2, R2: the modifier .WARP of FADD is not modelled"
    ):
        launch(Kernel(name="k", sm=75, instructions=code), 1, 32, [])


@pytest.mark.parametrize("sm", [70, 75, 80, 90])
@pytest.mark.parametrize("name", ["wmma_tiled", "wmma_ragged", "mma_m16n8k8_f32", "mma_async_f32"])
def test_shipped_kernels_are_clean(gemm, name, sm):
    kernel = gemm.catalog[name]
    if sm not in kernel["sms"]:
        pytest.skip(f"{name} does not exist for sm_{sm}")
    gemm.Problem(name, kernel, sm, gemm.sizes_of(kernel)[1], "even", seed=1).run(check=True)


def test_no_listing_uses_an_opcode_that_is_refused():
    for path in sorted((folder("kernels") / "listings").rglob("*.sass")):
        for kernel in load(path).values():
            lower(kernel)
