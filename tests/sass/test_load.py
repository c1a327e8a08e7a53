"""Compiled files of every kind, good and bad. nvdisasm's words are recorded, so no NVIDIA tool is needed."""

from __future__ import annotations

import struct

import pytest

from simtc.errors import BadInputError, MissingToolError
from simtc.isa import Kind, Parameter, Relocation
from simtc.sass import disassembler, load, parse_listing, write_listing


@pytest.fixture
def sm75(data, recorded):
    recorded("traps_sm75.txt")
    return load(data / "traps_sm75.cubin")


@pytest.mark.parametrize("sm", [70, 75])
def test_cubin_and_its_listing_are_the_same_program(data, recorded, sm):
    recorded(f"traps_sm{sm}.txt")
    program = load(data / f"traps_sm{sm}.cubin")
    assert parse_listing(write_listing(program), program.origin) == program
    assert all(kernel.sm == sm for kernel in program.values())


def test_what_a_launch_needs(sm75):
    loops = sm75["loops"]
    assert loops.parameters == (Parameter(offset=0, size=8), Parameter(offset=8, size=4))
    assert (loops.parameter_base, loops.registers, loops.max_threads, loops.barriers) == (0x160, 46, 64, 1)
    assert (loops.shared_bytes, loops.shared_reserved_bytes, loops.local_bytes) == (256, 0, 64)
    assert loops.constants == {}
    assert loops.instructions[0].source == ("/src/traps.cu", 30)


def test_constants_and_global_variables(sm75):
    traps = sm75["traps"]
    assert struct.unpack("<8f", traps.constants[3]) == (1, 2, 3, 0, 0, 0, 0, 0)
    [relocation] = traps.relocations
    assert relocation == Relocation(symbol="counter", bank=4, offset=0, target=0)
    assert struct.unpack_from("<3i", traps.global_data) == (7, 8, 9)


def test_operands_of_the_traps(sm75):
    by_opcode = {}
    for instruction in sm75["traps"].instructions:
        by_opcode.setdefault(instruction.opcode, []).append(instruction)
    assert by_opcode["DFMA"][0].operands[3].value == 0x43380000  # 6.755399441055744e15, the high word
    assert by_opcode["HFMA2"][0].operands[3].value == 0x00013400  # 6e-8, 0.25
    assert by_opcode["CALL"][0].operands[0].kind is Kind.LABEL
    assert [operand.kind for operand in by_opcode["BRX"][0].operands] == [Kind.REGISTER, Kind.IMMEDIATE]
    assert [operand.kind for operand in by_opcode["RET"][0].operands] == [Kind.REGISTER, Kind.LABEL]


def test_labels_are_addresses_of_instructions(sm75):
    for kernel in sm75.values():
        targets = [o.value for i in kernel.instructions for o in i.operands if o.kind is Kind.LABEL]
        assert targets
        assert set(targets) <= {instruction.address for instruction in kernel.instructions}


def test_reuse_flags_agree_with_the_control_code(sm75):
    for kernel in sm75.values():
        for instruction in kernel.instructions:
            printed = sum("reuse" in operand.modifiers for operand in instruction.operands)
            assert printed == instruction.control.reuse.bit_count(), instruction.text


def test_real_nvdisasm_says_what_was_recorded(data, recorded, monkeypatch):
    try:
        found = load(data / "traps_sm75.cubin")
    except MissingToolError as error:
        pytest.skip(str(error))
    recorded("traps_sm75.txt")
    assert load(data / "traps_sm75.cubin") == found
    monkeypatch.delenv("SIMTC_NVDISASM")
    assert load(data / "traps.fatbin", sm=75).keys() == found.keys()
    assert load(data / "traps_sm90.cubin")["loops"].shared_reserved_bytes == 1024


def test_fatbin_of_two_generations(data, recorded):
    recorded("traps_sm75.txt")
    with pytest.raises(BadInputError, match="holds code for sm_75, sm_90: choose one with sm=75"):
        load(data / "traps.fatbin")
    with pytest.raises(BadInputError, match="holds code for sm_75, sm_90, not for sm_80"):
        load(data / "traps.fatbin", sm=80)
    without_lines = load(data / "traps.fatbin", sm=75)
    with_lines = load(data / "traps_sm75.cubin")
    assert [i.text for i in without_lines["traps"].instructions] == [i.text for i in with_lines["traps"].instructions]


def test_object_file_holding_a_fatbin(data, recorded, tmp_path):
    recorded("traps_sm75.txt")
    path = tmp_path / "traps.o"
    path.write_bytes(_object_with_section(b".nv_fatbin", (data / "traps.fatbin").read_bytes()))
    assert set(load(path, sm=75)) == {"traps", "loops"}


def _object_with_section(name: bytes, content: bytes) -> bytes:
    """Return the smallest x86-64 ELF file with one section beside its names."""
    names = b"\0" + name + b"\0.shstrtab\0"
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 1, 62, 1, 0, 0, 64, 0, 64, 0, 0, 64, 3, 2)
    at = 64 + 3 * 64
    sections = [
        bytes(64),
        struct.pack("<IIQQQQIIQQ", 1, 1, 0, 0, at, len(content), 0, 0, 1, 0),
        struct.pack("<IIQQQQIIQQ", 2 + len(name), 3, 0, 0, at + len(content), len(names), 0, 0, 1, 0),
    ]
    return header + b"".join(sections) + content + names


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("nowhere.cubin", "cannot read .*nowhere.cubin: No such file"),
        ("traps_compressed.fatbin", r"\(sm_75, sm_90\) are compressed: extract them with `cuobjdump -xelf all"),
        ("traps_rdc.cubin", "is relocatable"),
        ("traps.cu", "is neither an ELF file nor a listing"),
        (".", "cannot read .*: Is a directory"),
    ],
)
def test_bad_files(data, file, message):
    with pytest.raises(BadInputError, match=message):
        load(data / file)


@pytest.mark.parametrize("size", [3, 40, 64, 1000, 5000, 20000])
def test_truncated_cubin(data, tmp_path, size):
    path = tmp_path / "cut.cubin"
    path.write_bytes((data / "traps_sm75.cubin").read_bytes()[:size])
    with pytest.raises(BadInputError, match=r"no readable ELF|is truncated|corrupt|neither"):
        load(path)


def test_truncated_fatbin(data, tmp_path):
    path = tmp_path / "cut.fatbin"
    path.write_bytes((data / "traps.fatbin").read_bytes()[:9000])
    with pytest.raises(BadInputError, match="holds a truncated fatbin"):
        load(path)


def test_foreign_elf(tmp_path):
    path = tmp_path / "host.o"
    path.write_bytes(_object_with_section(b".text", b""))
    with pytest.raises(BadInputError, match="is an EM_X86_64 ELF file without CUDA code"):
        load(path)


def test_unknown_generation(data, tmp_path):
    path = tmp_path / "sm20.cubin"
    cubin = bytearray((data / "traps_sm75.cubin").read_bytes())
    cubin[0x31] = 20
    path.write_bytes(cubin)
    with pytest.raises(BadInputError, match="is compiled for sm_20; simtc reads sm_70, sm_72, sm_75"):
        load(path)


def test_code_that_nvdisasm_did_not_see(data, recorded):
    recorded("traps_sm75.txt")
    with pytest.raises(BadInputError, match="nvdisasm shows other code for kernel"):
        load(data / "traps_sm90.cubin")


def test_no_tool(data, monkeypatch):
    monkeypatch.setattr(disassembler, "_candidates", lambda: iter(()))
    with pytest.raises(MissingToolError, match=r"pip install 'simtc\[sass\]'") as caught:
        load(data / "traps_sm75.cubin")
    assert caught.value.exit_code == 3


def test_tool_too_new_for_volta(data, monkeypatch, tmp_path):
    tool = tmp_path / "nvdisasm"
    tool.write_text('#!/bin/sh\necho "nvdisasm fatal : architecture SM70 is deprecated" >&2\nexit 1\n')
    tool.chmod(0o755)
    monkeypatch.setenv("SIMTC_NVDISASM", str(tool))
    with pytest.raises(MissingToolError, match=r"reads sm_70 .*pip install triton==3.5.0"):
        load(data / "traps_sm70.cubin")


def test_chosen_tool_that_is_none(data, monkeypatch):
    monkeypatch.setenv("SIMTC_NVDISASM", "/nowhere/nvdisasm")
    with pytest.raises(MissingToolError, match="SIMTC_NVDISASM is '/nowhere/nvdisasm', which is no program"):
        load(data / "traps_sm75.cubin")


def test_tool_that_fails(data, monkeypatch, tmp_path):
    tool = tmp_path / "nvdisasm"
    tool.write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    tool.chmod(0o755)
    monkeypatch.setenv("SIMTC_NVDISASM", str(tool))
    with pytest.raises(BadInputError, match="nvdisasm refuses this cubin: broken"):
        load(data / "traps_sm75.cubin")


def test_cubin_without_kernels(data, tmp_path):
    path = tmp_path / "none.cubin"
    path.write_bytes((data / "traps_sm75.cubin").read_bytes().replace(b".text.", b".tent."))
    with pytest.raises(BadInputError, match=r"none\.cubin holds no kernel"):
        load(path)


def test_generation_that_nobody_asked_for_is_no_obstacle(data, recorded, tmp_path):
    recorded("traps_sm75.txt")
    fatbin = bytearray((data / "traps.fatbin").read_bytes())
    second = fatbin.index(b"\x7fELF", fatbin.index(b"\x7fELF") + 4)
    fatbin[second + 0x31] = 100
    path = tmp_path / "x.fatbin"
    path.write_bytes(fatbin)
    assert {kernel.sm for kernel in load(path).values()} == {75}
