"""The families there are: a folder of simtc/gemm with a module `family` is one."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

import simtc.gemm
from simtc.errors import unknown
from simtc.gemm.family import Family, Option

__all__ = ["families", "family", "family_names", "options"]


@cache
def family_names() -> tuple[str, ...]:
    """Return the names of the families, without importing them.

    Example:
        >>> "hgemm" in family_names()
        True

    """
    found = (module.name for module in iter_modules(simtc.gemm.__path__) if module.ispkg)
    return tuple(sorted(name for name in found if find_spec(f"simtc.gemm.{name}.family")))


@cache
def family(name: str) -> Family:
    """Return a family.

    Raises:
        BadInputError: no such family.

    Example:
        >>> family("hgemm").summary
        'f16 operands on tensor cores, tiles through shared memory, made of tile sizes'

    """
    names = family_names()
    if name not in names:
        nearest = (get_close_matches(name, names, 1) or [names[0]])[0]
        one = import_module(f"simtc.gemm.{nearest}.family").FAMILY
        raise unknown("family", name, names, then=f"simtc simulate {one.name} {one.example}")
    found: Family = import_module(f"simtc.gemm.{name}.family").FAMILY
    return found


def families() -> tuple[Family, ...]:
    """Return all families, by name."""
    return tuple(family(name) for name in family_names())


def options() -> dict[str, dict[str, Option]]:
    """Return every option that a family takes: by its name, and by the family's.

    Raises:
        ValueError: two families give one name to options of two kinds.

    Example:
        >>> options()["stages"]["hgemm"].kind
        'int'

    """
    found: dict[str, dict[str, Option]] = {}
    for one in families():
        for option in one.options:
            same = found.setdefault(option.name, {})
            if any(other.kind != option.kind for other in same.values()):
                raise ValueError(f"option {option.name} of {one.name} is of another kind than {', '.join(same)}'s")
            same[one.name] = option
    return found
