"""Ask the host's memory for what compiled code is going to read.

The tables of a chip's caches are larger than the host's own, and an address is spread over them as if by chance: a read
of one that nobody announced takes as long as a hundred instructions.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import int64, types
from numba.extending import intrinsic

__all__ = ["prefetch"]

_I32 = ir.IntType(32)
_READ, _KEEP, _DATA = 0, 3, 1  # of llvm.prefetch: what for, how long to keep it, and not code


def _prefetch(_context: Any, array: Any, place: Any) -> Any:  # noqa: ARG001 - numba's signature
    """Ask for the host's line around an element of a one-dimensional array."""

    def emit(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        data = context.make_array(sig.args[0])(context, builder, values[0]).data
        address = builder.bitcast(builder.gep(data, [values[1]]), ir.IntType(8).as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [address.type, _I32, _I32, _I32])
        name = "llvm.prefetch.p0i8"
        function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name=name)
        builder.call(function, [address, *(ir.Constant(_I32, value) for value in (_READ, _KEEP, _DATA))])
        return context.get_dummy_value()

    return types.void(array, int64), emit


prefetch: Any = intrinsic(_prefetch)
