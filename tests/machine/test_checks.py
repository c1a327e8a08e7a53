"""What a launch says of a kernel that goes wrong: what, where, who; and that no array was touched."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from simtc.errors import BadInputError, KernelFaultError
from simtc.isa import Instruction, Kernel, Kind, Operand
from simtc.machine.lowering import lower
from simtc.resources import folder
from simtc.run.arguments import uninitialized
from simtc.run.launch import launch
from simtc.run.specs import arguments_from_specs
from simtc.sass import load, parse_instruction, write_listing
from simtc.sass.listing import parse_listing

CHECKS = Path(__file__).with_name("checks")
TABLE = tomllib.loads((CHECKS / "checks.toml").read_text())
DEVICES = {75: "t4", 80: "a100_sxm", 90: "h200"}
LISTINGS = {
    (sm, part == "faulty"): load(CHECKS / f"{part}_sm{sm}.sass") for sm in DEVICES for part in ("faulty", "correct")
}
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


def checked(sm, name, how, threads=None):
    """Launch a kernel of checks/ under check=True; return what is reported, or nothing."""
    out, read = np.zeros(4096, np.float32), np.random.default_rng(1).permutation(np.arange(4096) % 201)
    args = [uninitialized(out) if how.get("fresh") else out, read.astype(np.float32), np.int32(how.get("n", 100))]
    kernel = LISTINGS[sm, "finds" in how][name]
    blocks, block, shared = how.get("blocks", 1), how.get("threads", 128), how.get("shared", 0)
    try:
        launch(kernel, blocks, block, args, shared_bytes=shared, device=DEVICES[sm], check=True, threads=threads)
    except KernelFaultError as error:
        assert not out.any()
        return str(error)
    return ""


@pytest.mark.parametrize("sm", DEVICES)
def test_faulty_kernels_are_found(sm):
    found = {name: checked(sm, name, how) for name, how in TABLE["faulty"].items() if sm in how.get("sms", DEVICES)}
    assert [name for name, says in found.items() if TABLE["faulty"][name]["finds"] not in says] == []


@pytest.mark.parametrize("sm", DEVICES)
def test_correct_kernels_are_clean(sm):
    found = {name: checked(sm, name, how) for name, how in TABLE["correct"].items() if sm in how.get("sms", DEVICES)}
    assert {name: says for name, says in found.items() if says} == {}


def test_every_kernel_is_in_the_table():
    for (_, faulty), program in LISTINGS.items():
        assert set(program) <= set(TABLE["faulty" if faulty else "correct"])


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("race_named_barrier", (r"shared memory race \(.* after .*\): race_named_barrier at 0x[0-9a-f]{4} \S+.* "
         r"\(faulty.cu:\d+\), block \(0, 0, 0\), warp \d, lanes 0-31, shared address 0x[0-9a-f]+, and 0x\w{4} .* "
         r"\(faulty.cu:\d+\) of warp \d, lane \d+: nothing orders the two; a __syncthreads\(\) between them is")),
        ("race_diverged", r".*of warp 0, lane \d+: nothing orders the two; a __syncwarp\(\) between them is missing"),
        ("race_copy_no_wait", r".*LDGSTS.* of warp 0, lane 31: a wait for the copy's group \(cp.async.wait_group"),
        ("race_same_instruction", r".*nothing says which of them writes last"),
        ("sync_half_warp", r"divergent threads at a barrier: .* \(faulty.cu:\d+\), block \(0, 0, 0\), warp \d, lanes "),
        ("sync_one_warp", (r"divergent threads at a barrier: .* warp \d, lanes 0-31, come here after they took barrier "
         r"0 \d times, others \d times \(0x[0-9a-f]{4} .*BAR")),
        ("sync_mask", r"invalid mask of a warp's synchronisation: .* warp 0, lanes 8-15, mask 0x000000ff: it must"),
        ("sync_bad_count", r"invalid argument of a barrier: .* barrier 1 of 33 threads: give a multiple of 32"),
        ("sync_counts_differ", r"(?s)barrier 1 of \d+ threads, where 0x[0-9a-f]{4} .* gives \d+: all must give"),
        ("init_shared", (r"use of a value from shared memory that nothing wrote: init_shared at .* STG.* warp 0, "
         r"lanes 0-27, register R\d+, loaded at 0x[0-9a-f]{4} LDS.* \(faulty.cu:\d+\)")),
        ("init_shared_branch", r".*, predicate P\d, loaded at 0x[0-9a-f]{4} LDS"),
        ("init_shared_counter", r"atomic on memory that nothing wrote: .*, shared address 0x[0-9a-f]+"),
        ("init_global", r"use of a value from global memory that nothing wrote: .* loaded at 0x[0-9a-f]{4} LDG"),
        ("init_global_counter", r"atomic on memory that nothing wrote: .* address 0x7f0000000000: byte 0 of buffer 0"),
    ],
)  # fmt: skip
def test_what_a_finding_says(name, says):
    text = checked(80, name, TABLE["faulty"][name])
    assert re.search(says, text), text
    assert text.endswith(TAIL)


def test_several_findings_are_told_apart():
    text = checked(75, "race_warp_reduction", TABLE["faulty"]["race_warp_reduction"])
    count = int(re.match(r"(\d+) faults:\n", text)[1])
    pairs = re.findall(r"^  \d+\. .*? at (0x\w+) .*, and (0x\w+) ", text, re.MULTILINE)
    assert count > 10 == len(pairs) == len({frozenset(pair) for pair in pairs})
    assert f"\n  and {count - 10} more. No array" in text


def test_findings_do_not_depend_on_threads():
    how = TABLE["faulty"]["race_scan"] | {"blocks": 9}
    assert checked(80, "race_scan", how, threads=1) == checked(80, "race_scan", how, threads=3) != ""


def test_a_fault_that_ends_the_run_comes_with_what_was_found_before():
    args = [np.zeros(128, np.float32)]
    text = message("deadlock", args, check=True)
    assert "a barrier that can never complete: deadlock at" in text


def test_uninitialized_is_spelled_on_the_command_line_too():
    parsed = arguments_from_specs(["f32[4096]=uninitialized", "f32[4096]=iota", "i32=1"])
    with pytest.raises(KernelFaultError, match="use of a value from global memory that nothing wrote"):
        launch(LISTINGS[75, True]["init_global"], 1, 128, parsed.values, check=True)
    assert sorted(parsed.digests()) == [0, 1]


def test_a_listing_keeps_the_masks_of_warps():
    program = LISTINGS[90, True]
    (mask,) = program["sync_mask_of_half"].warp_masks
    assert program["sync_mask_of_half"].instructions[mask[0] // 16].opcode == "NOP"
    assert parse_listing(write_listing(program))["sync_mask_of_half"].warp_masks == (mask,)
    broken = write_listing(program).replace(f".warp_mask {mask[0]:#x} {mask[1]}", ".warp_mask 0x10 256")
    with pytest.raises(BadInputError, match="R256 is no register"):
        parse_listing(broken)


def test_uninitialized_is_an_ordinary_buffer_without_checks():
    out, read = np.ones(4096, np.float32), np.ones(4096, np.float32)
    launch(LISTINGS[75, True]["init_global"], 1, 128, [uninitialized(out), read, np.int32(1)])
    assert out[:128].tolist() == [2.0] * 128
    with pytest.raises(BadInputError, match="uninitialized takes the numpy array that is the buffer, got int"):
        uninitialized(4)


def test_a_register_that_nothing_wrote():
    code = [
        parse_instruction(text, address=16 * place)
        for place, text in enumerate(["MOV R2, R7", "IADD3 R3, R2, 0x1, RZ", "LDS R4, [R3]", "EXIT"])
    ]
    with pytest.raises(
        KernelFaultError, match=r"use of a register that nothing wrote: k at 0x0020 LDS .*lanes 0-31, register R3"
    ):
        launch(Kernel(name="k", sm=75, instructions=tuple(code), shared_bytes=64), 1, 32, [], check=True)


_PACKED = [
    "LOP3.LUT R3, R3, 0xffffbfff, RZ, 0xc0, !PT",
    "LOP3.LUT R3, R3, 0x4000, RZ, 0xc0, !PT",
    "LDS R4, [R3]",
    "EXIT",
]


def test_predicates_in_the_bits_of_a_register_that_nothing_wrote():
    """R3 &= ~bit is the compiler's; what was loaded from memory that nothing wrote is found behind it as well."""
    code = [parse_instruction(text, address=16 * place) for place, text in enumerate(_PACKED)]
    launch(Kernel(name="k", sm=75, instructions=tuple(code), shared_bytes=64), 1, 32, [], check=True)
    loaded = ["MOV R2, 0x10", "LDS R3, [R2]", *_PACKED]
    code = [parse_instruction(text, address=16 * place) for place, text in enumerate(loaded)]
    with pytest.raises(KernelFaultError, match="use of a value from shared memory that nothing wrote: k at 0x0040 LDS"):
        launch(Kernel(name="k", sm=75, instructions=tuple(code), shared_bytes=64), 1, 32, [], check=True)
    code = [parse_instruction(text, address=16 * place) for place, text in enumerate([_PACKED[1], *_PACKED[2:]])]
    with pytest.raises(KernelFaultError, match="use of a register that nothing wrote: k at 0x0010 LDS"):
        launch(Kernel(name="k", sm=75, instructions=tuple(code), shared_bytes=64), 1, 32, [], check=True)


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
