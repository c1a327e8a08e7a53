"""Number formats, the fused dot product, and MMA instructions as chains of it, to the bit.

Only `simtc.numerics.compiled` (which `mma` loads when it is called) needs numba.
"""

from simtc.numerics.formats import FORMATS, Format, format_named
from simtc.numerics.instructions import Instruction, instruction_named, instructions
from simtc.numerics.rules import ARCHITECTURES, Kind, Rule, architecture_named, rule_index, rules

__all__ = [
    "ARCHITECTURES", "FORMATS", "Format", "Instruction", "Kind", "Rule", "architecture_named", "format_named",
    "instruction_named", "instructions", "rule_index", "rules",
]  # fmt: skip
