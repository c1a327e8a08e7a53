"""Indices of compiled code count from an array's beginning: a negative one does not count from its end.

Python's rule costs a comparison, an addition and a choice at every access, and with them LLVM does not see that lanes
which follow one another lie side by side, so it does not vectorise a loop over them. An index is taken as unsigned
instead, as in C. A constant one, such as `a[-1]`, keeps Python's meaning: it costs nothing.
"""

from __future__ import annotations

from typing import Any

from numba.core import ir
from numba.core import types as _types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.typed_passes import NopythonRewrites

__all__ = ["Compiler"]

types: Any = _types  # numba is partly typed


def _unsigned(index: Any) -> Any:
    """Return the type of an index, each signed number of it unsigned.

    Example:
        >>> from numba import types
        >>> _unsigned(types.int64), _unsigned(types.UniTuple(types.int32, 2))
        (uint64, UniTuple(uint64, 2))

    """
    if isinstance(index, types.BaseTuple):
        return types.BaseTuple.from_types([_unsigned(one) for one in index])
    return types.uintp if isinstance(index, types.Integer) and index.signed else index


def _access(statement: Any) -> Any:
    """Return what of a statement reads or writes at an index that is known only when it runs, or None."""
    if isinstance(statement, ir.SetItem):
        return statement
    value = statement.value if isinstance(statement, ir.Assign) else None
    return value if isinstance(value, ir.Expr) and value.op == "getitem" else None


@register_pass(mutates_CFG=False, analysis_only=False)  # type: ignore[no-untyped-call]
class _ForwardIndices(FunctionPass):
    """After types are known, ask at each access for the one that takes an unsigned index."""

    _name = "simtc_forward_indices"

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    def run_pass(self, state: Any) -> bool:
        changed = False
        for block in state.func_ir.blocks.values():
            for access in filter(None, map(_access, block.body)):
                signature = state.calltypes[access]
                array, index, *value = signature.args
                forward = _unsigned(index)
                if isinstance(array, types.Buffer) and forward != index:
                    del state.calltypes[access]  # which takes a key only once
                    state.calltypes[access] = signature.replace(args=(array, forward, *value))
                    changed = True
        return changed


class Compiler(CompilerBase):
    """numba's compiler, with the pass above."""

    def define_pipelines(self) -> list[Any]:
        """Return its one pipeline."""
        passes: Any = DefaultPassBuilder.define_nopython_pipeline(self.state)  # type: ignore[no-untyped-call]
        passes.add_pass_after(_ForwardIndices, NopythonRewrites)
        passes.finalize()
        return [passes]
