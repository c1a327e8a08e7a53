"""The opcode table: what its rows name is there, and the machine executes nothing that has no row."""

from __future__ import annotations

from dataclasses import fields

import pytest

from simtc import arch
from simtc.arch.sections import Pipes
from simtc.isa.opcodes import Opcode, opcodes
from simtc.machine.lowering.lower import supported

TABLE = opcodes()


def test_what_is_executed_has_a_row():
    assert set(supported()) - set(TABLE) == set()
    assert set(TABLE) - set(supported()) == {"FSWZADD"}  # read, and refused by name


def test_a_row_is_timed_by_constants_that_there_are():
    pipes = {one.name for one in fields(Pipes)}
    known = {row.split(".")[0] for name in arch.sm_names() for row in (*arch.sm(name).memory, *arch.sm(name).special)}
    for name, row in TABLE.items():
        assert row.row in {"", *pipes, *known}, name
        assert row.like in {"", "MUFU", *known}, name


def test_what_goes_through_the_memory_queue_says_how():
    for name, row in TABLE.items():
        if row.access:
            assert row.unit == "lsu", name
            assert row.access == "group" or row.spaces or row.access == "exchange", name
    assert {name for name, row in TABLE.items() if row.is_long} >= {"LDG", "LDGSTS", "LDGDEPBAR", "ATOM", "STL"}
    assert not TABLE["LDS"].is_long


@pytest.mark.parametrize("wrong", [{"access": "load"}, {"unit": "alu2"}, {"row": "LDG", "like": "STG"}, {"does": ""}])
def test_a_row_that_cannot_be_is_refused(wrong):
    right = {"unit": "lsu", "latency": "variable", "writes": "R", "does": "loads"}
    assert Opcode(name="LDX", **right)
    with pytest.raises(ValueError, match="LDX is described wrongly"):
        Opcode(name="LDX", **right | wrong)
