"""Whatever a kernel's instructions say: a result or a simtc error, and never a crash of the process."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from simtc.errors import SimtcError
from simtc.isa import Instruction, Kernel, Kind, Operand, Parameter
from simtc.resources import folder
from simtc.run.launch import launch
from simtc.sass import load, parse_instruction, parse_listing

DEVICES = {70: "v100_sxm2", 75: "t4", 80: "a100_sxm", 90: "h200"}
SIZE = 512
# What no listing here holds: other matrix shapes and types, and what only others' kernels use.
FOREIGN = [
    (75, "BMMA.88128.XOR.POPC R4, R8.ROW, R12.COL, R4"),
    (80, "BMMA.168256.AND.POPC R4, R8.ROW, R12.COL, R16"),
    (90, "BMMA.168128.XOR.POPC R4, R8.ROW, R12.COL, RZ"),
    (75, "IMMA.8832.S4.U4.SAT R4, R8.ROW, R12.COL, R4"),
    (80, "IMMA.16864.S4.S4 R4, R8.ROW, R12.COL, R16"),
    (80, "HMMA.1684.F32.TF32 R4, R8, R12, RZ"),
    (90, "DMMA.16x8x16 R4, R20, R36, R4"),
    (90, "VHMNMX R4, |R8|, -R9, R10, !PT"),
    (90, "VIMNMX3 R4, R8, R9, R10, !PT"),
]


@cache
def pool():
    """Return instructions that compilers wrote, by generation: every form that the listings hold."""
    found = {}
    paths = [
        *sorted((folder("kernels") / "listings").rglob("*.sass")),
        folder("validate") / "captures/h200/opcodes.sass",
    ]
    for path in paths:
        for kernel in load(path).values():
            for instruction in kernel.instructions:
                form = (instruction.mnemonic, tuple((o.kind, bool(o.modifiers)) for o in instruction.operands))
                found.setdefault(kernel.sm, {}).setdefault(form, instruction)
    for sm, text in FOREIGN:
        found[sm].setdefault((text, ()), parse_instruction(text, address=0))
    return {sm: list(forms.values()) for sm, forms in found.items()}


def mutate_operand(rng, operand, all_operands):
    choice = rng.choice([0, 1, 1, 1, 2, 2, 3, 4, 5])
    if choice == 0:
        return rng.choice(all_operands)
    if choice == 1:
        top = {Kind.REGISTER: 255, Kind.UNIFORM: 63, Kind.PREDICATE: 7, Kind.UNIFORM_PREDICATE: 7, Kind.BARRIER: 15}
        return replace(operand, index=rng.randint(0, top.get(operand.kind, 31)))
    if choice == 2:
        return replace(
            operand, value=rng.choice([0, 1, -1, 4, 15, 16, 255, 1 << 20, -(1 << 31), (1 << 31) - 1, 0xFFFFFFFF])
        )
    if choice == 3:
        return replace(operand, negate=not operand.negate)
    if choice == 4:
        return replace(operand, uniform=rng.choice([0, 4, 62, 63]), base=rng.choice([255, 2, 254]))
    return replace(operand, absolute=not operand.absolute)


def prologue(sm):
    """Put the addresses of the buffers into register pairs, so that not every access misses."""
    base = 0x210 if sm == 90 else 0x160
    for register in range(32):
        source = Operand(kind=Kind.CONSTANT, index=0, value=base + 8 * (register // 2 % 4) + 4 * (register % 2))
        target = Operand(kind=Kind.REGISTER, index=register)
        yield Instruction(address=16 * register, opcode="MOV", operands=(target, source))


def random_kernel(rng, sm):
    """Splice compiled instructions together, some of them changed, with branches that may go anywhere."""
    forms = pool()[sm]
    operands = [o for instruction in rng.sample(forms, min(60, len(forms))) for o in instruction.operands]
    count = rng.randint(3, 24)
    body = list(prologue(sm))
    first = len(body)
    for place in range(first, first + count):
        instruction = rng.choice(forms)
        while instruction.opcode in ("LDG", "STG", "LD", "ST", "EXIT", "BRA") and rng.randrange(3):
            instruction = rng.choice(forms)
        changed = list(instruction.operands)
        for _ in range(rng.choice([0, 0, 0, 0, 0, 0, 1, 2])):
            if changed:
                at = rng.randrange(len(changed))
                changed[at] = mutate_operand(rng, changed[at], operands)
        changed = [replace(o, value=16 * rng.randrange(first + count)) if o.kind is Kind.LABEL else o for o in changed]
        modifiers = instruction.modifiers
        if rng.randrange(60) == 0:
            modifiers = tuple(m for m in modifiers if rng.randrange(3))
        if rng.randrange(60) == 0:
            modifiers = (*modifiers, *rng.choice(forms).modifiers)
        guard = instruction.guard if rng.randrange(3) else Operand(kind=Kind.PREDICATE, index=rng.randrange(8))
        body.append(
            replace(instruction, address=16 * place, operands=tuple(changed), modifiers=modifiers, guard=guard, text="")
        )
    parameters = (*(Parameter(offset=8 * i, size=8) for i in range(4)), Parameter(offset=32, size=512))
    return Kernel(
        name="fuzz", sm=sm, instructions=tuple(body), parameters=parameters,
        parameter_base=0x210 if sm == 90 else 0x160,
        registers=rng.choice([8, 64, 255]), shared_bytes=rng.choice([0, 4, 1024]), local_bytes=rng.choice([0, 64]),
        constants=dict.fromkeys((2, 3, 4), bytes(512)),
    )  # fmt: skip


def run(seed):
    rng = random.Random(seed)  # noqa: S311 - chance, not secrecy
    sm = rng.choice([70, 75, 80, 90])
    kernel = random_kernel(rng, sm)
    buffers = [np.arange(SIZE, dtype=np.uint32), *(np.zeros(SIZE, np.uint32) for _ in range(3))]
    before = [buffer.copy() for buffer in buffers]
    try:
        launch(
            kernel,
            rng.choice([1, 2]),
            rng.choice([32, 33, 64]),
            [*buffers, rng.randbytes(512)],
            device=DEVICES[sm],
            instruction_limit=3000,
        )
    except SimtcError as error:
        outcome = type(error).__name__
    else:
        return "result"
    assert all(np.array_equal(a, b) for a, b in zip(before, buffers, strict=True))
    return outcome


def test_spliced_instructions():
    outcomes = {run(seed) for seed in range(1500)}
    assert outcomes == {"result", "BadInputError", "KernelFaultError"}


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_more_spliced_instructions(part):
    for seed in range(10_000 + 3000 * part, 13_000 + 3000 * part):
        run(seed)


LISTING = (folder("kernels") / "listings" / "sm_75" / "wmma_naive.sass").read_text()
PIECES = [
    "0",
    "-1",
    "255",
    "0xffffffff",
    "R",
    "RZ",
    "UR3",
    "P0",
    "PT",
    "!",
    "@P1 ",
    "c[0x0][0x160]",
    ".64",
    ", ",
    "]",
    "",
]


def mutated_listing(rng):
    """Change, drop or double some lines of a listing that runs."""
    lines = LISTING.split("\n")
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(lines))
        what, line = rng.randrange(6), lines.pop(at)
        if what == 0:
            lines[at:at] = [line, line]
        elif what > 1:
            cut, size = rng.randint(0, len(line)), rng.choice([0, 1, 1, 2, 5])
            lines.insert(at, line[:cut] + rng.choice([*PIECES, str(rng.randrange(1 << 12))]) + line[cut + size :])
    return "\n".join(lines)


def test_mutated_listings():
    outcomes = set()
    for seed in range(1200):
        rng = random.Random(seed)  # noqa: S311 - chance, not secrecy
        half, single = np.ones((16, 16), np.float16), np.ones((16, 16), np.float32)
        D = single.copy()
        args = [half, half.copy(), single, D, *(np.int32(16),) * 3, np.float32(1), np.float32(0)]
        try:
            launch(next(iter(parse_listing(mutated_listing(rng)).values())), 1, 128, args, instruction_limit=3000)
            outcomes.add("result")
        except SimtcError as error:
            outcomes.add(type(error).__name__)
            assert (D == 1).all()
        except StopIteration:  # a listing without kernels
            continue
    assert outcomes == {"result", "BadInputError", "KernelFaultError"}


@pytest.mark.parametrize(("kind", "count"), [("listings", 150), ("cubins", 100)])
def test_mutated_files_at_every_fidelity(kind, count):
    """A part of what `python tests/fuzz.py` runs by the ten thousand, in a process of its own: a crash is seen."""
    script = Path(__file__).parents[1] / "fuzz.py"
    command = [sys.executable, script, kind, "--count", str(count), "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for mode in ("values", "checked", "full", "sampled"):
        assert f"{mode} result" in done.stdout
