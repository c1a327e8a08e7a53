"""Every constant of every board is read: moved by itself, it changes the clock's tables or a closed form.

What it changes in the clock's tables changes cycles: tests/timing/test_every_parameter.py moves each of them. Which
module reads it is watched on the way, and kept in simtc/arch/readers.toml, and for a family's modules in its folder's;
`simtc arch` shows them. To write these files again: python tests/arch/test_every_constant.py
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from inspect import getsource
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from simtc import arch, simulate
from simtc.analytic.before_volta import bank_cycles, transactions
from simtc.analytic.intensity import ridge_flops_per_byte
from simtc.analytic.occupancy import Occupancy, occupancy
from simtc.analytic.roofline import roofline
from simtc.arch.altered import altered
from simtc.arch.reads import DOCUMENTATION, OBSERVED, READERS, readers, reads
from simtc.cli.arch import _facts
from simtc.errors import BadInputError
from simtc.gemm.family import Configured
from simtc.gemm.problem import Problem
from simtc.gemm.registry import family, family_names
from simtc.isa import Kernel, opcodes
from simtc.reproduce.microbenchmark import kernel, line
from simtc.timing.setup import new_clock
from simtc.timing.tables import clock_table

PIPES = [
    "IADD3 R6, R7, R8, RZ", "FFMA R6, R7, R8, R9", "IMAD R6, R7, R8, R9", "IMAD.WIDE R6, R7, R8, R10",
    "HFMA2 R6, R7, R8, R9", "DFMA R6, R8, R10, R12", "MUFU.RCP R6, R7", "BSYNC B0", "FADD R6, R7, c[0x0][0x160]",
    "FFMA R6, R8, R10, R12", "FFMA R7, R9, R11, R5",
]  # fmt: skip
UNIFORM = ["UIADD3 UR4, UR5, UR6, URZ", "UMOV UR4, 0x1"]
SPECIAL = {
    "S2R": "S2R R4, SR_LANEID", "CS2R": "CS2R R4, SRZ", "LDC": "LDC R4, c[0x0][R5]", "S2UR": "S2UR UR4, SR_CTAID.X",
    "MOVM": "MOVM.16.MT88 R4, R5", "R2UR": "R2UR UR4, R5", "SHFL": "SHFL.IDX PT, R4, R5, R6, 0x1f",
}  # fmt: skip
MEMORY = {
    "LDS": "LDS{} R8, [R6]", "STS": "STS{} [R6], R8", "LDG": "LDG.E{} R8, [R2]", "STG": "STG.E{} [R2], R8",
    "LDSM": "LDSM.16.M88{} R8, [R6]", "LDGSTS": "LDGSTS.E{} [R6], [R2]",
}  # fmt: skip
# A board of each generation: others of the same one have the same kinds of constants of their own.
BOARDS = list({arch.device(name).sm_name: name for name in ["h200", *arch.device_names()][::-1]}.values())
CLOSED = [name for name in arch.device_names() if not arch.device(name).cycle_level]
ROOM = Occupancy(blocks=2, warps=4, limit="warps", shared_bytes=8192)


@cache
def everything(name: str) -> Kernel:
    """Return a kernel with an instruction for each row of a generation's tables."""
    sm = arch.sm(name)
    texts = [*PIPES, *(UNIFORM if sm.pipes.uniform else []), *(SPECIAL[one] for one in sm.special)]
    for row in sm.memory:
        opcode, size = row.split(".")
        plain = "1" if opcode == "LDSM" else "32"
        texts.append(MEMORY[opcode].format("" if size == plain else f".{size}"))
    texts += [f"{row} R0, R8, R16, R24" for row in sm.tensor if row.split(".")[0] in opcodes()]
    return kernel("everything", int(name.removeprefix("sm_")), [line(text) for text in texts])


def tables(device: arch.Device) -> Iterator[Any]:
    """Yield what the clock is given of a board."""
    one = everything(device.sm_name)
    yield [array.tobytes() for array in clock_table.__wrapped__(one, device)]
    for chip in (device, device.at_rest().under_tensor_load()):
        clock = new_clock(
            one, chip, sms=4, slots=2, room=ROOM, order=np.arange(8), rested=device.at_rest(), l2_bytes=1 << 16
        )
        yield [array.tobytes() for array in (clock.chip, clock.chip_rises, clock.sms["gpc"], clock.sms["cpc"])]
        yield clock.l1_tags.shape, clock.l2_slices.shape, chip.clock_mhz


def closed_forms(device: arch.Device) -> Iterator[Any]:
    """Yield what follows from a board's constants without the clock."""
    yield _facts(device)
    for threads, registers, shared in ((33, 33, 1), (1024, 64, 0), (32, 16, 5000), (128, 255, 40000), (96, 1, 0)):
        yield occupancy(device, threads=threads, registers=registers, shared_bytes=shared)
    if device.cycle_level is None:
        for name, more in (("sgemm", {"block": (64, 64, 16)}), ("dgemm", {"block": (32, 64, 16)}), ("sgemm", {})):
            yield simulate(name, m=1000, n=70, k=900, device=device, fidelity="analytic", **more).to_dict()
        made = [one for one in family("sgemm").space(Problem(m=8, n=8, k=8), device, {}) if isinstance(one, Configured)]
        yield len(made)
        yield [(transactions(device, [stride * lane for lane in range(32)], 4)) for stride in (4, 8, 64)]
        yield [bank_cycles(device, [stride * lane for lane in range(32)], 4) for stride in (4, 8, 64, 128)]
        return
    slow = device.at(device.clock_mhz // 2)
    yield slow.l2_hit_cycles, slow.dram_cycles
    yield ridge_flops_per_byte(device)
    yield [roofline(device, accumulator=kind) for kind in ("f16", "f32")]
    for m, n, k, more in ((4096, 4096, 4096, {}), (1023, 2047, 513, {}), (8192, 256, 8190, {"accumulator": "f32"})):
        yield simulate("hgemm", m=m, n=n, k=k, device=device, fidelity="analytic", **more).to_dict()


def every_family(device: arch.Device) -> Iterator[Any]:
    """Yield what the families' closed forms say of a small problem."""
    for name in family_names():
        try:
            yield simulate(name, m=64, n=64, k=64, device=device, fidelity="analytic").to_dict()
        except BadInputError as refused:
            yield str(refused)


@cache
def given(name: str, of: Callable[[arch.Device], Iterator[Any]]) -> list[Any]:
    return list(of(arch.device(name)))


def changes(other: arch.Device, of: Callable[[arch.Device], Iterator[Any]]) -> bool:
    """Tell whether something differs from the board's own, or is refused as more than the clock has room for."""
    try:
        return _differs(other, of)
    except BadInputError:
        return True


def _differs(other: arch.Device, of: Callable[[arch.Device], Iterator[Any]]) -> bool:
    return any(one != two for one, two in zip(given(other.name, of), of(other), strict=True))


def moved(device: arch.Device, path: str) -> Iterator[arch.Device | None]:
    """Yield the board with a constant doubled, halved or put on; None where it would contradict itself."""
    value = device.provenance(path).value
    for other in {2 * value, (value + 1) // 2 if isinstance(value, int) else value / 2, value + 1, value + 7} - {value}:
        try:
            yield altered(device, path, other)
        except BadInputError:
            yield None


def is_read(device: arch.Device, path: str) -> bool:
    """Tell whether something changes: the tables are made in a tenth of the time that the closed forms take."""
    forms = [tables, closed_forms] if device.cycle_level is not None else [closed_forms]
    others = list(moved(device, path))
    return None in others or any(changes(other, of) for of in forms for other in others)


def sections() -> Iterator[tuple[type, str]]:
    """Yield each section of a chip's constants, and what their paths begin with."""
    yield arch.Device, ""
    for name, hint in {**get_type_hints(arch.Device), **get_type_hints(arch.Sm)}.items():
        for kind in (hint, *get_args(hint)):
            if is_dataclass(kind) and kind not in (arch.Device, arch.Sm, arch.Constant):
                yield kind, f"{name}.*." if get_origin(hint) is Mapping else f"{name}."
                rows = {one for inner in get_type_hints(kind).values() for one in (inner, *get_args(inner))}
                yield from ((one, f"{name}.*.") for one in rows if is_dataclass(one))
    yield arch.Sm, ""


def reader() -> str:
    """Return the module whose code asks for a constant; for the clock, the unit whose parameters are made."""
    frame = sys._getframe(2)  # noqa: SLF001 - the way to who asks
    where = frame.f_globals["__name__"]
    if not where.startswith("simtc.") or frame.f_code.co_name.startswith("__"):
        return ""
    while where == "simtc.timing.unit" and "cls" not in frame.f_locals:
        frame = frame.f_back
    where = frame.f_locals["cls"].__module__ if where == "simtc.timing.unit" else where
    return "" if where in ("simtc.arch.altered", "simtc.arch.constant", "simtc.arch.load") else where[len("simtc.") :]


def observed() -> dict[str, list[str]]:
    """Return, by pattern of a constant's path, the modules that ask for it while the clock and the forms are made."""
    found: dict[str, set[str]] = {}
    before = {kind: kind.__getattribute__ for kind, _ in sections()}

    def watched(kind: type, prefix: str) -> Callable[[Any, str], Any]:
        names = {one.name for one in fields(kind)}

        def get(self: Any, name: str) -> Any:
            if name in names and (module := reader()):
                found.setdefault(prefix + name, set()).add(module)
            return before[kind](self, name)

        return get

    try:
        for kind, prefix in sections():
            kind.__getattribute__ = watched(kind, prefix)
        for name in dict.fromkeys([*BOARDS, *CLOSED]):
            # another board, equal to it: what was made of it before is not taken from a cache
            board = altered(arch.device(name), "clock_mhz", arch.device(name).clock_mhz - 1)
            if board.cycle_level is not None:
                list(tables(board))
            list(closed_forms(board))
            list(every_family(board))
    finally:
        for kind, get in before.items():
            kind.__getattribute__ = get
    chips = [*map(arch.device, arch.device_names()), *map(arch.sm, arch.sm_names())]
    every = {path for chip in chips for path in chip.constants}
    found = {
        f"{path}.*" if path in ("tensor_rate", "observed_latency_cycles") else path: who for path, who in found.items()
    }
    return {path: sorted(who) for path, who in sorted(found.items()) if any(fnmatchcase(one, path) for one in every)}


@pytest.mark.parametrize("name", [*arch.device_names(), *arch.sm_names()])
def test_a_constant_has_a_reader_or_is_documentation(name):
    chip = arch.device(name) if name in arch.device_names() else arch.sm(name)
    assert [path for path in chip.constants if not readers(path) and not reads(path)] == []


def test_what_is_said_to_read_a_constant_does():
    assert observed() == {path: [*modules] for path, modules in OBSERVED.items()}


@pytest.mark.parametrize("name", BOARDS)
def test_every_constant_is_read_or_says_by_whom(name):
    device = arch.device(name)
    due = set(device.constants) - (set(arch.device("h200").constants) if name in CLOSED else set())
    assert [path for path in sorted(due) if not reads(path) and not is_read(device, path)] == []


@pytest.mark.parametrize(("pattern", "module"), READERS.items())
def test_a_reader_reads_it(pattern, module):
    assert re.search(rf"\b{pattern.split('.')[-1].replace('*', '[0-9]+')}\b", getsource(import_module(module)))


@pytest.mark.parametrize("pattern", READERS | DOCUMENTATION)
def test_no_entry_is_left_over(pattern):
    chips = [*map(arch.device, arch.device_names()), *map(arch.sm, arch.sm_names())]
    every = {path for chip in chips for path in chip.constants}
    assert any(fnmatchcase(path, pattern) for path in every)


def test_a_constant_that_nothing_reads_is_found():
    """What is known to be documentation alone changes nothing: the test above can fail."""
    for path in ("tdp_watts", "fetch.cold_cycles", "tensor.HMMA.16816.F32.chain_observed_cycles"):
        assert not is_read(arch.device("h200"), path)


if __name__ == "__main__":
    written: dict[Path, dict[str, list[str]]] = {}
    for path, modules in observed().items():
        for module in modules:
            room, *below = module.split(".")
            folder = Path(room, below[0]) if room == "gemm" and len(below) > 1 else Path("arch")
            written.setdefault(folder, {}).setdefault(path, []).append(module)
    head = "# By pattern of a constant's path, the modules that read it: tests/arch/test_every_constant.py wrote this."
    for folder, paths in written.items():
        lines = [f'"{path}" = {modules}'.replace("'", '"') for path, modules in paths.items()]
        file = Path(arch.__file__).parents[1] / folder / "readers.toml"
        file.write_text("\n".join([head, *lines, ""]), encoding="utf-8")
