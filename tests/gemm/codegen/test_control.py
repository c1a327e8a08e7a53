"""The control codes keep what the hardware does not check."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simtc import arch
from simtc.gemm.codegen.assembly import Line
from simtc.gemm.codegen.control import control_codes
from simtc.gemm.hgemm import generate
from simtc.isa import Kind, opcode_of, registers_read, registers_written
from simtc.sass import parse_instruction
from tests.gemm.hgemm.gemms import EVERY, name

PREDICATES = (Kind.PREDICATE, Kind.UNIFORM_PREDICATE)


def _codes(lines, sm="turing", turns=1):
    instructions = [parse_instruction(line.text, address=16 * place) for place, line in enumerate(lines)]
    return control_codes(instructions, lines, arch.sm(sm), [list(range(len(lines))) * turns])


def test_a_chain_of_additions():
    codes = _codes([Line("IADD3 R1, R0, 0x1, RZ"), Line("IADD3 R2, R1, 0x1, RZ"), Line("STS [R2], R1", read=0)])
    pipe = arch.sm("turing").pipes.alu
    assert [code.stall for code in codes] == [pipe.safe_same_cycles, pipe.safe_memory_cycles, 2]


def test_a_distance_counts_what_lies_between():
    apart = _codes([Line("MOV R1, R0"), *[Line("MOV R9, R0")] * 5, Line("MOV R2, R1")])
    assert sum(code.stall for code in apart[:-1]) == 6


def test_a_loop_carries_its_distances_around():
    lines = [Line("MOV R2, R1"), Line("MOV R1, R0")]
    assert _codes(lines)[1].stall == 1
    assert _codes(lines, turns=2)[1].stall == arch.sm("turing").pipes.alu.safe_same_cycles


def test_a_guard_waits_longer_than_a_register():
    codes = _codes([Line("ISETP.GE.AND P0, PT, R1, 0x1, PT"), Line("@P0 MOV R1, R2")])
    assert codes[0].stall == arch.sm("turing").pipes.safe_predicate_cycles


def test_loads_are_waited_for_once():
    codes = _codes([Line("LDS R1, [R0]", write=2), Line("MOV R2, R1"), Line("MOV R3, R1")])
    assert [code.wait_mask for code in codes] == [0, 4, 0]


def test_sources_are_kept_until_they_have_been_read():
    codes = _codes([Line("STS [R0], R1", read=3), Line("MOV R2, R1"), Line("MOV R1, R2")])
    assert [code.wait_mask for code in codes] == [0, 0, 8]


def test_a_later_signal_covers_an_earlier_result():
    lines = [Line("HMMA.1688.F16 R0, R8, R12, R0"), Line("HMMA.1688.F16 R2, R8, R13, R2", write=5), Line("MOV R20, R0")]
    assert [code.wait_mask for code in _codes(lines)] == [0, 0, 32]


def test_a_result_without_a_signal_is_refused():
    with pytest.raises(ValueError, match="nothing signals when R0 is free"):
        _codes([Line("HMMA.1688.F16 R0, R8, R12, R0"), Line("MOV R20, R0")])


def _audit(kernel):
    """Return what a kernel uses before a scoreboard has told that it may: another reading of the same rules.

    Every transition is taken by going straight through and turning each loop twice more. For each register the last
    producer and the readers since are kept; a use is safe if a wait, after the operation or a later one of its opcode
    raised the scoreboard, stands before it.
    """
    instructions = kernel.instructions
    branch = max((i.address // 16 for i in instructions if i.opcode == "BRA"), default=0)
    head = instructions[branch].operands[-1].value // 16
    trace = [*range(branch + 1), *list(range(head, branch + 1)) * 2, *range(branch + 1, len(instructions))]
    raised: dict[tuple[str, int], int] = {}  # (opcode, scoreboard) -> latest step that raised it
    done: dict[str, int] = {}  # opcode -> results up to this step are there
    read: dict[str, int] = {}  # opcode -> sources up to this step have been read
    producer: dict[tuple[Kind, int], tuple[str, int]] = {}
    readers: dict[tuple[Kind, int], list[tuple[str, int]]] = {}
    found = []
    results: set[tuple[str, int]] = set()
    for step, place in enumerate(trace):
        instruction, control = instructions[place], instructions[place].control
        for (opcode, board), when in raised.items():
            if control.wait_mask >> board & 1:
                read[opcode] = max(read.get(opcode, -1), when)
                if (opcode, board) in results:
                    done[opcode] = max(done.get(opcode, -1), when)
        reads = {r for r in registers_read(instruction) if r[0] not in PREDICATES}
        writes = registers_written(instruction)
        found += [place for r in reads | writes if r in producer and done.get(producer[r][0], -1) < producer[r][1]]
        found += [place for r in writes for opcode, when in readers.pop(r, []) if read.get(opcode, -1) < when]
        for r in writes:
            producer.pop(r, None)
        if opcode_of(instruction).is_fixed_latency(kernel.sm):
            continue
        opcode = instruction.opcode
        producer |= dict.fromkeys(writes, (opcode, step))
        for r in reads:
            readers[r] = [(opcode, step)]  # of one opcode the last is enough; no register has readers of two
        if control.write_barrier is not None:
            raised[opcode, control.write_barrier] = step
            results.add((opcode, control.write_barrier))
        if control.read_barrier is not None:
            raised[opcode, control.read_barrier] = step
    return found


@pytest.mark.parametrize("configuration", EVERY, ids=name)
def test_nothing_is_used_before_its_scoreboard_told(configuration):
    assert _audit(generate(configuration)) == []


def test_the_audit_sees_a_missing_wait():
    kernel = generate(EVERY[0])
    waiting = [place for place, one in enumerate(kernel.instructions) if one.control.wait_mask]
    seen = 0
    for place in waiting:
        instructions = list(kernel.instructions)
        instructions[place] = replace(instructions[place], control=replace(instructions[place].control, wait_mask=0))
        seen += bool(_audit(replace(kernel, instructions=tuple(instructions))))
    assert seen > len(waiting) // 2  # the others are waits of a barrier, or on another way through the code


@pytest.mark.parametrize("configuration", EVERY, ids=name)
def test_scoreboards_and_registers_exist(configuration):
    kernel = generate(configuration)
    used = {index for i in kernel.instructions for kind, index in registers_read(i) | registers_written(i)
            if kind is Kind.REGISTER}  # fmt: skip
    assert max(used) < kernel.registers <= 255
