"""Compile faulty.cu and correct.cu for each generation: `python tests/machine/checks/build.py`, with nvcc 13."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

from simtc.isa import Instruction, Kernel, Program
from simtc.sass import load, write_listing

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Write every listing."""
    for source in ("faulty.cu", "correct.cu"):
        for sm in (75, 80, 90):
            with tempfile.TemporaryDirectory() as folder:
                cubin = Path(folder) / "k.cubin"
                command = ["nvcc", "-std=c++17", "-lineinfo", f"-arch=sm_{sm}", "-cubin", "-o", str(cubin), source]
                subprocess.run(command, cwd=HERE, check=True)
                program = load(cubin)
            kernels = {name: _lean(program[name]) for name in sorted(program)}
            target = HERE / source.replace(".cu", f"_sm{sm}.sass")
            target.write_text(write_listing(Program(kernels=kernels, origin=source)), encoding="utf-8")


def _lean(kernel: Kernel) -> Kernel:
    """Return a kernel without the NOPs that pad its end, and with the names of its files alone."""
    code = list(kernel.instructions)
    while code[-1].opcode == "NOP":
        code.pop()
    return replace(kernel, instructions=tuple(_named(one) for one in code))


def _named(one: Instruction) -> Instruction:
    return replace(one, source=(Path(one.source[0]).name, one.source[1])) if one.source else one


if __name__ == "__main__":
    main()
