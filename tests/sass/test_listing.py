"""The listing: what is written is read back, and every bad line is named."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simtc.errors import BadInputError
from simtc.isa import Instruction, Kernel, Parameter, Program, Relocation
from simtc.sass import parse_instruction, parse_listing, write_listing

LISTING = """simtc-listing 1

# a comment
.kernel k
.sm 75
.registers 8
.parameter 0x0 8
.file 1 k.cu
.code
0000  00000a0000017a02 000fe40000000f00  1:84   MOV R1, c[0x0][0x28]
0010  000000000000794d 000fea0003800000  -      EXIT
.end
"""
MOV = parse_instruction(
    "MOV R1, c[0x0][0x28]", address=0, word=0x000FE40000000F0000000A0000017A02, source=("a b.cu", 84)
)
EXIT = parse_instruction("EXIT", address=16, word=0x000FEA0003800000000000000000794D)


def test_small_listing():
    kernel = parse_listing(LISTING)["k"]
    assert kernel.instructions[0] == dataclasses.replace(MOV, source=("k.cu", 84))
    assert (kernel.sm, kernel.registers, kernel.parameters) == (75, 8, (Parameter(offset=0, size=8),))
    assert kernel.instructions[1].source is None
    assert write_listing(parse_listing(LISTING)) == LISTING.replace("# a comment\n", "")


@given(
    st.builds(
        Kernel,
        name=st.sampled_from(["k", "_Z5callsPfii", "$__internal_0"]),
        sm=st.sampled_from([70, 75, 80, 90]),
        instructions=st.just((MOV, EXIT)),
        parameters=st.lists(st.builds(Parameter, offset=st.integers(0, 4095), size=st.integers(0, 4096))).map(tuple),
        parameter_base=st.sampled_from([0x160, 0x210]),
        registers=st.integers(0, 255),
        shared_bytes=st.integers(0, 2**17),
        shared_reserved_bytes=st.sampled_from([0, 1024]),
        local_bytes=st.integers(0, 2**20),
        barriers=st.integers(0, 16),
        max_threads=st.integers(1, 1024),
        constants=st.dictionaries(st.integers(1, 17), st.binary(min_size=1, max_size=40)),
        relocations=st.lists(
            st.builds(
                Relocation,
                symbol=st.just("gv"),
                bank=st.sampled_from([None, 4]),
                offset=st.integers(0, 64),
                target=st.none() | st.integers(0, 64),
            )
        ).map(tuple),
        global_data=st.binary(max_size=70),
    )
)
def test_round_trip(kernel):
    program = Program(kernels={kernel.name: kernel}, origin="x.sass")
    assert parse_listing(write_listing(program), "x.sass") == program


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("simtc-listing 1", "simtc-listing 2", "neither an ELF file nor a listing"),
        (".sm 75\n", "", "x.sass, line 8: kernel k has no .sm before its code"),
        (".sm 75", ".sm seventy", "x.sass, line 5: 'seventy' is no number that fits 32 bits"),
        (".sm 75", ".sm 99999999999", "is no number that fits 32 bits"),
        (".registers", ".register", "x.sass, line 6: unknown listing directive '.register'"),
        (".registers", ".register", "did you mean '.registers'?"),
        (".parameter 0x0 8", ".parameter 0x0", "line 7: 2 values are due here, not 1"),
        (".parameter 0x0 8", ".constant 2 0g", "line 7: non-hexadecimal number"),
        (".parameter 0x0 8", ".global 1 0000", "line 7: 1 bytes of global variables are fewer than given"),
        (".kernel k\n", "", "line 4: .sm stands outside a kernel"),
        (".registers 8", ".kernel q", "line 6: .kernel stands inside a kernel"),
        (".code\n", "", "line 9: unknown listing directive '0000'"),
        ("0010  ", "0020  ", "line 11: the instruction is at 0x0020, not at 0x0010"),
        ("1:84", "2:84", "line 10: source file 2 has no .file line"),
        ("0000000f00 ", "0000000f0 ", "line 10: '0000  00000a"),
        ("MOV R1", "MUV R1 R2 R3", "line 10: 'R1 R2 R3' is no SASS operand"),
        ("EXIT", "@P0 EXIT", "line 11: '@P0 EXIT' disagrees with its encoding"),
        (".end\n", "", "x.sass is truncated: kernel k has no .end"),
        (".code\n", ".code\n.registers 9\n", "line 10: .registers stands inside the code"),
        (".code", ".code x", "line 9: 0 values are due here, not 1"),
    ],
)
def test_bad_line(old, new, message):
    text = LISTING.replace(old, new, 1)
    assert text != LISTING
    with pytest.raises(BadInputError) as caught:
        parse_listing(text, "x.sass")
    assert message in str(caught.value)


def test_no_kernel():
    with pytest.raises(BadInputError, match="holds no kernel"):
        parse_listing("simtc-listing 1\n")


def test_kernel_without_code():
    text = "\n".join(line for line in LISTING.splitlines() if not line.startswith("00")) + "\n"
    with pytest.raises(BadInputError, match="kernel k has no code"):
        parse_listing(text)


def test_generated_code_has_no_listing():
    kernel = Kernel(name="k", sm=75, instructions=(Instruction(address=0, opcode="EXIT"),))
    with pytest.raises(BadInputError, match="has no encodings"):
        write_listing(Program(kernels={"k": kernel}))
