"""What units of the clock declare themselves of `[clock.UNIT]`: found in their sources, so that nothing is compiled."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from simtc.arch import Device, Sm
from simtc.arch.unit_tables import CLOCK
from simtc.errors import unknown

__all__ = ["declared", "left_out", "prove_declared"]

_UNITS = Path(__file__).resolve().parent / "units"


@cache
def declared() -> Mapping[str, str]:
    """Return the paths of these constants, each with the comment behind its parameter: what it means.

    Example:
        >>> declared()["clock.dram.turn_ns"]
        'that it loses in turning to such a batch and back'

    """
    texts = [path.read_text(encoding="utf-8") for path in sorted(_UNITS.glob("*.py"))]
    return MappingProxyType({path: meaning for text in texts if CLOCK in text for path, meaning in _found(text)})


def _found(text: str) -> Iterator[tuple[str, str]]:
    """Yield the constants that a unit's parameters are made of, each where it is met first."""
    lines, met = text.splitlines(), set[str]()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Call):
            for one in node.value.args:
                path = one.value if isinstance(one, ast.Constant) and isinstance(one.value, str) else ""
                if path.startswith(CLOCK) and path not in met:
                    met.add(path)
                    yield path, lines[node.lineno - 1].partition("  # ")[2]


def left_out(board: Device) -> tuple[str, ...]:
    """Return the paths of those that neither a board's file nor its generation's has: their defaults turn them off.

    Example:
        >>> from simtc.arch import device
        >>> left_out(device("h200"))[0], left_out(device("gtx280"))
        ('clock.dram.batch_bytes', ())

    """
    return tuple(path for path in sorted(declared()) if path not in board.constants) if board.cycle_level else ()


def prove_declared(chip: Device | Sm) -> None:
    """Prove that a unit declares what a chip's file says in `[clock]`.

    Raises:
        BadInputError: none does; the nearest name is told.

    """
    if isinstance(chip, Device) and chip.cycle_level is not None:
        prove_declared(chip.cycle_level)  # what is wrong there is told of that file
    known = [path.split(".")[1:] for path in declared()]
    for unit, table in chip.clock.items():
        names = [name for owner, name in known if owner == unit]
        if not names:
            raise unknown(f"table of [clock] of {chip.name}", unit, sorted({owner for owner, _ in known}))
        for name in table:
            if name not in names:
                raise unknown(f"constant of [clock.{unit}] of {chip.name}", name, names)
