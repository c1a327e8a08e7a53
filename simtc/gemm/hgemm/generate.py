"""`generate`: a configuration's kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

from simtc.errors import BadInputError
from simtc.gemm.codegen.assembly import Code
from simtc.gemm.codegen.control import TooCloseError, control_codes
from simtc.gemm.hgemm.configuration import Configuration
from simtc.gemm.hgemm.epilogue import write_result
from simtc.gemm.hgemm.fragments import operand
from simtc.gemm.hgemm.mainloop import iteration
from simtc.gemm.hgemm.parameters import parameter_bytes, parameters
from simtc.gemm.hgemm.prologue import set_up
from simtc.gemm.hgemm.registers import Registers, allocate
from simtc.isa import Instruction, Kernel, Parameter, Program
from simtc.sass import parse_instruction

__all__ = ["generate", "program"]

_MOST_IDLE = 4
_RESERVED = 1024  # bytes at the start of Hopper's shared memory that belong to the driver


@cache
def generate(configuration: Configuration) -> Kernel:
    """Build the kernel of a configuration: D = A B with parameters A, B, D (addresses), m, n, k (32-bit integers).

    An epilogue adds parameters C (address), alpha and beta: 32 bits each, two equal halves where D is f16. Then D is
    alpha A B, or the fused alpha A B + (beta C), in D's type. A strided kernel has leading dimensions (32 bits) and the
    elements from one product's matrix to the next (64 bits) at the end, as simtc.gemm.hgemm.parameters lists them.

    A is (m, k) float16 row-major, B (k, n) float16 column-major, D (m, n) row-major in the accumulator's type. The
    sizes are multiples of the block; a block of the grid has `configuration.threads` threads. The instructions have
    control codes and no encoding.

    Raises:
        BadInputError: choices that closed forms alone know, such as split-K.

    Example:
        >>> from simtc.gemm.hgemm import Configuration
        >>> kernel = generate(Configuration(block=(64, 64, 32), warp=(32, 32, 8)))
        >>> kernel.name, kernel.registers, kernel.shared_bytes
        ('hgemm_64x64x32_32x32x8_pad_lds_f16_1buf_sts2', 62, 9216)
        >>> next(i.text for i in kernel.instructions if i.opcode == "HMMA")
        'HMMA.1688.F16 R0, R16, R20, R0'

    """
    if configuration.not_generated:
        raise BadInputError(f"{configuration.not_generated}. Try: --fidelity analytic")
    number = configuration.sm_number
    registers = allocate(configuration)
    reserved = _RESERVED if number >= 90 else 0
    offsets = parameters(configuration).items()
    return Kernel(
        name=configuration.name,
        sm=number,
        instructions=_instructions(configuration, registers, reserved),
        parameters=tuple(Parameter(offset=offset, size=parameter_bytes(name)) for name, offset in offsets),
        parameter_base=Code(number).parameter_base,
        registers=registers.total,
        shared_bytes=configuration.shared_bytes + reserved,
        shared_reserved_bytes=reserved,
        barriers=1,
        max_threads=configuration.threads,
    )


def _instructions(configuration: Configuration, registers: Registers, reserved: int) -> tuple[Instruction, ...]:
    """Write the instructions; where a warp has too few HMMAs to keep a chain's distance, NOPs stand among them."""
    for idle in range(_MOST_IDLE):
        code, starts = _written(configuration, registers, reserved, idle)
        labels = {"loop": 16 * starts[0], "done": 16 * starts[-1]}
        instructions = [_instruction(line.text, 16 * place, labels) for place, line in enumerate(code.lines)]
        try:
            controls = control_codes(instructions, code.lines, configuration.sm, _paths(starts, len(code.lines)))
        except TooCloseError:
            continue
        return tuple(replace(i, control=c) for i, c in zip(instructions, controls, strict=True))
    raise TooCloseError(f"{configuration.name}: {_MOST_IDLE} NOPs behind each HMMA keep no distance")


def _written(configuration: Configuration, registers: Registers, reserved: int, idle: int) -> tuple[Code, list[int]]:
    """Return the lines, and where the bodies of the loop start, and what comes behind them."""
    sides = operand(configuration, registers, 0, reserved), operand(configuration, registers, 1, reserved)
    code = Code(configuration.sm_number)
    set_up(code, configuration, registers, sides)
    starts = [len(code.lines)]
    for body in range(configuration.bodies):
        code.lines += iteration(code, configuration, registers, sides, body, idle=idle)
        is_last = body == configuration.bodies - 1
        code.add("@P1 BRA `(loop)" if is_last else "@!P1 BRA `(done)")
        starts.append(len(code.lines))
    write_result(code, configuration, registers)
    code.add("EXIT")
    return code, starts


def program(configuration: Configuration) -> Program:
    """Return the kernel as the only one of a program, as the readers of compiled code return theirs."""
    kernel = generate(configuration)
    return Program(kernels={kernel.name: kernel}, origin=repr(configuration))


def _instruction(text: str, address: int, labels: dict[str, int]) -> Instruction:
    for name, place in labels.items():
        text = text.replace(f"`({name})", f"`({place:#x})")
    return parse_instruction(text, address=address)


def _paths(starts: Sequence[int], end: int) -> list[list[int]]:
    """Return ways through the code that take every transition: straight through, and around the loop with each exit."""
    before, after = range(starts[0]), range(starts[-1], end)
    bodies = [range(start, stop) for start, stop in pairwise(starts)]
    around = [place for body in bodies for place in body]
    return [
        [*before, *around * turns, *(place for body in bodies[:extra] for place in body), *after]
        for turns in (0, 1, 2)
        for extra in range(1, len(bodies) + 1)
    ]
