"""How fast kernels execute: `python tests/benchmarks/bench_machine.py` (a few minutes), a line a measurement.

The peer is a plain numpy interpreter of the same listing's integer and move instructions: what a straightforward
simulator in Python would do, a numpy operation of 32 lanes an instruction.
"""

from __future__ import annotations

import os
import resource
import time

import numpy as np

from simtc.isa import Kind
from simtc.resources import folder
from simtc.run.launch import launch
from simtc.sass import load, parse_instruction

LISTINGS = folder("kernels") / "listings"


def gemm(size: int, threads: int | None) -> tuple[float, int]:
    """Return seconds and warp-instructions of wmma_tiled for sm_75."""
    kernel = load(LISTINGS / "sm_75" / "wmma_tiled.sass")["wmma_tiled"]
    rng = np.random.default_rng(1)
    A, B = (rng.standard_normal((size, size)).astype(np.float16) for _ in range(2))
    C, D = np.zeros((size, size), np.float32), np.zeros((size, size), np.float32)
    one = np.float32(1)
    args = [A, B, C, D, *(np.int32(size),) * 3, one, one]
    start = time.perf_counter()
    result = launch(kernel, (size // 128, size // 128), 256, args, threads=threads)
    return time.perf_counter() - start, result.instructions


def without_matrix_instructions(threads: int | None) -> tuple[float, int]:
    """Time wmma_tiled with its HMMAs replaced by NOPs: the integer and memory mix of a tiled GEMM."""
    kernel = load(LISTINGS / "sm_75" / "wmma_tiled.sass")["wmma_tiled"]
    from dataclasses import replace  # noqa: PLC0415

    code = tuple(
        replace(parse_instruction("NOP", address=i.address), control=i.control) if i.opcode == "HMMA" else i
        for i in kernel.instructions
    )
    mix = replace(kernel, instructions=tuple(i for i in code))
    size = 512
    half, single = np.zeros((size, size), np.float16), np.zeros((size, size), np.float32)
    args = [half, half.copy(), single, single.copy(), *(np.int32(size),) * 3, np.float32(1), np.float32(1)]
    start = time.perf_counter()
    result = launch(mix, (size // 128, size // 128), 256, args, threads=threads)
    return time.perf_counter() - start, result.instructions


def numpy_interpreter() -> float:
    """Return the warp-instructions a second of a numpy interpreter over the same kernel's IADD3, LOP3 and MOV."""
    kernel = load(LISTINGS / "sm_75" / "wmma_tiled.sass")["wmma_tiled"]
    registers = np.zeros((256, 32), np.uint32)
    code = [i for i in kernel.instructions if i.opcode in ("IADD3", "LOP3", "MOV", "IMAD")]

    def read(operand):
        if operand.kind is Kind.REGISTER:
            return registers[operand.index] if operand.index != 255 else np.uint32(0)
        return np.uint32(operand.value & 0xFFFFFFFF)

    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < 2:
        for i in code:
            regs = [o for o in i.operands if o.kind in (Kind.REGISTER, Kind.IMMEDIATE, Kind.CONSTANT)]
            values = [read(o) for o in regs[1:]]
            active = np.full(32, True)
            result = values[0] + values[1] if len(values) > 1 else values[0]
            registers[regs[0].index] = np.where(active, result, registers[regs[0].index])
            done += 1
    return done / (time.perf_counter() - start)


def main() -> None:
    """Print every measurement."""
    gemm(128, 1)  # compile, or read the cache
    cores = os.cpu_count() or 1
    for threads in (1, None):
        seconds, count = without_matrix_instructions(threads)
        print(
            f"integer and memory mix, {threads or cores} thread(s): "
            f"{count / seconds / 1e6:.2f} million warp-instructions/s"
        )
    print(f"plain numpy interpreter, 1 thread: {numpy_interpreter() / 1e6:.4f} million warp-instructions/s")
    for size in (512, 1024):
        seconds, count = gemm(size, None)
        print(f"wmma_tiled {size} cubed, sm_75, {cores} cores: {seconds:.1f} s, {count} warp-instructions")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory: {peak:.0f} MiB")


if __name__ == "__main__":
    main()
