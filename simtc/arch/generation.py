"""One SM generation: sm_70, sm_75, ... as the data files describe it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import get_type_hints

from simtc.arch.constant import Constant, find
from simtc.arch.load import Reader
from simtc.arch.memory import L1, MemoryOperation, SharedMemory
from simtc.arch.sections import Fetch, Issue, Launch, Limits, Pipes, SpecialOperation, TensorInstruction, prove_names
from simtc.arch.unit_tables import NOTHING, Tables
from simtc.errors import BadInputError, unknown
from simtc.results.display import Columns, Display, by_column

__all__ = ["ALIASES", "Sm", "input_type", "sm", "sm_names"]

_FOLDER = Path(__file__).resolve().parent / "sm"
ALIASES = {"volta": "sm_70", "turing": "sm_75", "ampere": "sm_80", "ada": "sm_89", "hopper": "sm_90"}
_MEMORY = tuple(f"{opcode}.{bits}" for opcode in ("LDS", "STS", "LDG", "STG") for bits in (32, 64, 128))
_SPECIAL = ("S2R", "CS2R", "LDC", "SHFL")


_INPUTS = {"HMMA": "f16", "HGMMA": "f16", "IMMA": "s8", "IGMMA": "s8", "BMMA": "b1", "DMMA": "f64"}
_INPUTS |= {"QMMA": "fp8", "QGMMA": "fp8"}


def input_type(mnemonic: str) -> str:
    """Return the input type that a mnemonic names, or its opcode implies."""
    opcode, _, *types = mnemonic.split(".")
    named = [kind for kind in types if kind in ("TF32", "S8", "S4")]
    if not named and opcode not in _INPUTS:
        raise unknown("tensor opcode", opcode, _INPUTS)
    return named[0].lower() if named else _INPUTS[opcode]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Sm(Display):
    """One SM generation.

    Example:
        >>> turing = sm("turing")
        >>> turing, turing.tensor["HMMA.1688.F16"].issue_interval_cycles
        (sm('sm_75'), 8)
        >>> turing.provenance("tensor.HMMA.1688.F16.latency_first_cycles").source
        'yan2020'

    """

    name: str  # sm_75
    architecture: str  # turing
    limits: Limits
    issue: Issue
    fetch: Fetch
    launch: Launch
    pipes: Pipes
    observed_latency_cycles: Mapping[str, float]  # by opcode, where a chain shows another latency than its pipe's
    tensor: Mapping[str, TensorInstruction]  # by SASS mnemonic, such as HMMA.1688.F32
    tensor_rate: Mapping[str, float]  # by "input.accumulator" type, dense multiply-adds a cycle and SM, full rate
    memory: Mapping[str, MemoryOperation]  # LDS.32 .. STG.128, LDSM.1 .. LDSM.4, LDGSTS.128
    special: Mapping[str, SpecialOperation]  # S2R, LDC, SHFL, ...
    shared: SharedMemory
    l1: L1
    clock: Tables  # what units of the clock declare themselves; a board's own value comes first
    constants: Mapping[str, Constant]  # provenance, by path

    def __post_init__(self) -> None:
        prove_names("[memory]", self.memory, _MEMORY)
        prove_names("[special]", self.special, _SPECIAL)
        for name, instruction in self.tensor.items():
            rate = self.limits.sub_cores * instruction.fma / instruction.issue_interval_cycles
            kind = input_type(name)
            documented = max(
                (rate for pair, rate in self.tensor_rate.items() if pair.startswith(f"{kind}.")), default=0
            )
            if rate > documented:
                raise BadInputError(
                    f"{self.name}: {name} would reach {rate:g} multiply-adds a cycle, not {documented:g}"
                )

    def provenance(self, path: str) -> Constant:
        """Return the constant behind a path such as `pipes.alu.issue_interval_cycles`.

        Raises:
            BadInputError: nothing has that path.

        """
        return find(self.constants, path, self.name)

    def headline(self) -> str:
        """Return the chip in one line."""
        return f"{self.name} ({self.architecture})"

    def columns(self) -> Columns:
        """Return one row a constant, as `simtc arch` prints it."""
        names = ("name", "value", "unit", "status", "source", "note")
        return by_column([{name: getattr(one, name) for name in names} for one in self.constants.values()])

    def __repr__(self) -> str:
        return f"sm({self.name!r})"


@cache
def _names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def sm_names() -> list[str]:
    """Return the SM generations that have data, oldest first."""
    return list(_names())


def sm(name: str) -> Sm:
    """Return an SM generation by its name or its architecture's.

    Raises:
        BadInputError: no such generation, or its file is at fault.

    Example:
        >>> sm("volta").limits.warps
        64

    """
    key = ALIASES.get(name, name)
    if key not in sm_names():
        raise unknown("architecture", name, [*ALIASES, *sm_names()], then="simtc arch")
    return load_sm(_FOLDER / f"{key}.toml")


@cache
def load_sm(path: Path) -> Sm:
    """Read an SM generation from a file."""
    reader = Reader(path)
    name, architecture = reader.text("name"), reader.text("architecture")
    said_apart = ("name", "architecture", "clock", "constants")
    tables = {key: reader.take(hint, key) for key, hint in get_type_hints(Sm).items() if key not in said_apart}
    clock = reader.take(Tables, "clock", NOTHING)
    return Sm(name=name, architecture=architecture, **tables, clock=clock, constants=reader.finish())
