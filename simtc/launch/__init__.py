"""`launch` and `simulate`: program, machine, clock and fidelity joined.

The room has the name of its main function, and `simtc.launch` means whichever of the two Python found first. So the
room can be called too.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from simtc.launch.arguments import Struct, uninitialized
from simtc.launch.launch import launch
from simtc.launch.specs import arguments_from_specs
from simtc.results import LaunchResult

__all__ = ["Struct", "arguments_from_specs", "launch", "uninitialized"]


class _Room(ModuleType):
    def __call__(self, *args: Any, **options: Any) -> LaunchResult:
        return launch(*args, **options)


sys.modules[__name__].__class__ = _Room
