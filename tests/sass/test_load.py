"""Compiled files of every kind, good and bad. What nvdisasm said is recorded, so no NVIDIA tool is needed."""

from __future__ import annotations

import contextlib
import struct
import subprocess
import sys

import pytest

from simtc.errors import BadInputError, MissingToolError
from simtc.isa import Kind, Parameter, Relocation
from simtc.sass import disassembler, load, parse_listing, write_listing
from simtc.sass.crosscheck import cross_check
from simtc.sass.cubins import own_lines
from simtc.sass.elf import read_cubin


@pytest.fixture(autouse=True)
def no_tool(monkeypatch):
    monkeypatch.setattr(disassembler, "_candidates", lambda: iter(()))


@pytest.fixture
def sm75(data):
    return load(data / "traps_sm75.cubin")


@pytest.fixture
def strange(data, tmp_path):
    """Return a cubin whose first instruction is none of simtc's table, and what nvdisasm would say of it."""

    def made(sm):
        path, cubin = tmp_path / "strange.cubin", (data / f"traps_sm{sm}.cubin").read_bytes()
        [image] = [image for image in read_cubin(cubin, "x") if image.name == "traps"]
        low = int.from_bytes(image.code[:8], "little")
        path.write_bytes(cubin.replace(image.code, (low | 0xFFF).to_bytes(8, "little") + image.code[8:]))
        text = (data / "traps_sm75.txt").read_text()
        head, tail = text.split("\n.text.traps:\n")
        return path, f"{head}\n.text.traps:\n{tail.replace(f'{low:016x}', f'{low | 0xFFF:016x}', 1)}"

    return made


@pytest.fixture
def tool(monkeypatch, tmp_path):
    """Put a shell script in nvdisasm's place."""

    def made(script):
        path = tmp_path / "nvdisasm"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setattr(disassembler, "_candidates", lambda: iter([str(path)]))

    return made


@pytest.mark.parametrize("sm", [70, 75])
def test_own_decoding_and_source_lines_are_nvdisasms(data, sm):
    said = disassembler.parse_disassembly((data / f"traps_sm{sm}.txt").read_text())
    for image, lines in own_lines(read_cubin((data / f"traps_sm{sm}.cubin").read_bytes(), "x"), "x"):
        assert lines == said[image.name]
        assert len({line.source for line in lines}) > 5


@pytest.mark.parametrize("sm", [70, 75])
def test_cubin_and_its_listing_are_the_same_program(data, sm):
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


@pytest.mark.parametrize("sm", [70, 75])
def test_nvdisasm_says_what_simtc_does(data, tool, monkeypatch, sm):
    """What it said once is compared everywhere (traps.cu names its release); what it says now, where there is one."""
    cubin = data / f"traps_sm{sm}.cubin"
    tool(f'cat "{data}/traps_sm{sm}.txt"')
    once = cross_check(cubin)
    assert (once.differences, once.other) == ((), "nvdisasm")
    assert once.compared == (data / f"traps_sm{sm}.txt").read_text().count("/* 0x") // 2
    monkeypatch.undo()
    with contextlib.suppress(MissingToolError):
        assert cross_check(cubin) == once


def test_cross_check_names_what_differs(data, tool, tmp_path):
    text = (data / "traps_sm75.txt").read_text().replace("S2R R", "S2UR R", 1)
    (tmp_path / "said.txt").write_text(text)
    tool(f'cat "{tmp_path}/said.txt"')
    found = cross_check(data / "traps_sm75.cubin")
    [one] = found.differences
    assert one.simtc.replace("S2R", "S2UR") == one.other
    assert found.compared == text.count("/* 0x") // 2


def test_fatbin_of_two_generations(data):
    with pytest.raises(BadInputError, match="holds code for sm_75, sm_90: choose one with sm=75"):
        load(data / "traps.fatbin")
    with pytest.raises(BadInputError, match="holds code for sm_75, sm_90, not for sm_80"):
        load(data / "traps.fatbin", sm=80)
    without_lines = load(data / "traps.fatbin", sm=75)
    with_lines = load(data / "traps_sm75.cubin")
    assert [i.text for i in without_lines["traps"].instructions] == [i.text for i in with_lines["traps"].instructions]


def test_object_file_holding_a_fatbin(data, tmp_path):
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


def test_what_simtc_cannot_decode_is_nvdisasms(strange, tool, tmp_path):
    path, text = strange(75)
    (tmp_path / "said.txt").write_text(text)
    tool(f'cat "{tmp_path}/said.txt"')
    first = load(path)["traps"].instructions[0]
    assert first.encoding & 0xFFF == 0xFFF
    assert first.text == "IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28]"


def test_hopper_keeps_shared_memory_for_itself(data):
    assert load(data / "traps_sm90.cubin")["loops"].shared_reserved_bytes == 1024


def test_code_that_nvdisasm_did_not_see(data, strange, tool):
    tool(f'cat "{data}/traps_sm75.txt"')
    with pytest.raises(BadInputError, match="nvdisasm shows other code for kernel"):
        load(strange(75)[0])


def test_no_tool(strange):
    with pytest.raises(MissingToolError, match=r"kernel traps: word 0x\w+fff at 0x0000 is .*'simtc\[sass\]'") as caught:
        load(strange(75)[0])
    assert caught.value.exit_code == 3


def test_tool_too_new_for_volta(strange, tool):
    tool('echo "nvdisasm fatal : architecture SM70 is deprecated" >&2; exit 1')
    with pytest.raises(MissingToolError, match=r"reads sm_70 .*pip install triton==3.5.0"):
        load(strange(70)[0])


def test_chosen_tool_that_is_none(strange, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setenv("SIMTC_NVDISASM", "/nowhere/nvdisasm")
    with pytest.raises(MissingToolError, match="SIMTC_NVDISASM is '/nowhere/nvdisasm', which is no program"):
        load(strange(75)[0])


def test_tool_that_fails(strange, tool):
    tool("echo broken >&2; exit 1")
    with pytest.raises(BadInputError, match=r"the nearest row is .*nvdisasm refuses this cubin: broken"):
        load(strange(75)[0])


def test_cubin_without_kernels(data, tmp_path):
    path = tmp_path / "none.cubin"
    path.write_bytes((data / "traps_sm75.cubin").read_bytes().replace(b".text.", b".tent."))
    with pytest.raises(BadInputError, match=r"none\.cubin holds no kernel"):
        load(path)


def test_generation_that_nobody_asked_for_is_no_obstacle(data, tmp_path):
    fatbin = bytearray((data / "traps.fatbin").read_bytes())
    second = fatbin.index(b"\x7fELF", fatbin.index(b"\x7fELF") + 4)
    fatbin[second + 0x31] = 100
    path = tmp_path / "x.fatbin"
    path.write_bytes(fatbin)
    assert {kernel.sm for kernel in load(path).values()} == {75}


def test_a_listing_is_read_without_what_cubins_need():
    """Pyelftools, the decoder's table and the finder of nvdisasm take as long to import as a listing takes to read."""
    code = (
        "import sys; from simtc.resources import folder; from simtc.sass import load; "
        "load(folder('kernels') / 'listings' / 'sm_75' / 'wmma_tiled.sass'); "
        "print(*(one for one in ('elftools', 'simtc.sass.decoder', 'simtc.sass.disassembler') if one in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
