"""The catalog, the sources and the listings belong together."""

from __future__ import annotations

import re
import tomllib

import pytest

from simtc.resources import folder
from simtc.sass import load

KERNELS = folder("kernels")
TABLE = tomllib.loads((KERNELS / "kernels.toml").read_text())
SIZES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "s8": 1, "u8": 1, "s32": 4, "i32": 4}
PROGRAMS = {path: load(path) for path in sorted((KERNELS / "listings").glob("*/*.sass"))}


def resolve(name):
    own = TABLE[name]
    return (resolve(own["like"]) if "like" in own else {}) | own


def listing(kernel, sm):
    return KERNELS / "listings" / f"sm_{sm}" / kernel["source"].replace(".cu", ".sass")


@pytest.mark.parametrize("name", TABLE)
def test_catalog_describes_the_compiled_kernel(name):
    kernel = resolve(name)
    m, n, _ = kernel["block"]
    for sm in kernel["sms"]:
        compiled = PROGRAMS[listing(kernel, sm)][name]
        assert compiled.sm == sm
        assert compiled.max_threads == kernel["threads"]
        sizes = [8 if "*" in parameter else SIZES[parameter.split()[0]] for parameter in kernel["parameters"]]
        assert [parameter.size for parameter in compiled.parameters] == sizes
        assert not compiled.relocations
        assert compiled.parameter_base == (0x210 if sm >= 90 else 0x160)
    assert m % kernel["multiple"][0] == n % kernel["multiple"][1] == 0


@pytest.mark.parametrize("name", TABLE)
def test_types_are_those_of_the_instruction(name):
    kernel = resolve(name)
    pointers = dict(reversed(parameter.split()) for parameter in kernel["parameters"] if "*" in parameter)
    d, a, b, c = kernel["mma"].split(".")[-4:]
    in_memory = {"tf32": "f32"}  # rounded by the kernel itself
    expected = {"A": a, "B": b, "C": c, "D": d}
    assert pointers == {matrix: f"{in_memory.get(kind, kind)}*" for matrix, kind in expected.items()}


def test_every_listed_kernel_is_in_the_catalog():
    for path, program in PROGRAMS.items():
        sm = int(path.parent.name.removeprefix("sm_"))
        described = {name for name in TABLE if listing(resolve(name), sm) == path and sm in resolve(name)["sms"]}
        assert set(program) == described


def test_listings_name_no_machine():
    for path, program in PROGRAMS.items():
        for kernel in program.values():
            for instruction in kernel.instructions:
                if instruction.source:  # the compiler's own first and last instructions may have none
                    assert (KERNELS / instruction.source[0]).is_file()
            assert sum(i.source is not None for i in kernel.instructions) > 0.5 * len(kernel.instructions), path


def test_padding_and_swizzle_cost_what_the_sources_say():
    for sm, reserved in ((75, 0), (90, 1024)):
        tiled = PROGRAMS[KERNELS / "listings" / f"sm_{sm}" / "wmma_tiled.sass"]
        assert tiled["wmma_tiled"].shared_bytes == 2 * 2 * (128 * 40 + 32 * 136) + reserved
        assert tiled["wmma_tiled_unpadded"].shared_bytes == 2 * 2 * (128 * 32 + 32 * 128) + reserved


def test_mma_forms_are_those_of_the_generation():
    forms = {}
    for path, program in PROGRAMS.items():
        found = {i.mnemonic for k in program.values() for i in k.instructions if re.match(r"[HID]MMA", i.opcode)}
        forms.setdefault(path.parent.name, set()).update(found)
    assert forms["sm_70"] == {f"HMMA.884.F32.F32.STEP{i}" for i in range(4)} | {
        f"HMMA.884.F16.F16.STEP{i}" for i in (0, 1)
    }
    assert forms["sm_75"] == {"HMMA.1688.F16", "HMMA.1688.F32", "IMMA.8816.S8.S8", "IMMA.8816.U8.U8"}
    half = {"HMMA.1688.F16", "HMMA.1688.F32", "HMMA.16816.F16", "HMMA.16816.F32"}
    newer = half | {"HMMA.16816.F32.BF16", "HMMA.1684.F32.TF32", "IMMA.16816.S8.S8", "IMMA.16816.U8.U8"}
    assert forms["sm_80"] == newer | {"DMMA.884"}
    assert forms["sm_90"] == newer | {"DMMA.8x8x4"}
