"""Many arrays as one argument of compiled code.

numba passes an array as seven words and a tuple of arrays as all of them, copied at every call and counted at every
use. A bundle passes one pointer: to a table of the arrays' addresses and shapes. In compiled code its attributes are
the arrays; an array of one record may appear as that record.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba import extending, types
from numba.core.datamodel import models
from numba.core.typing import templates

__all__ = ["Bundle", "BundleType", "bundle"]

_T = TypeVar("_T")

# numba is partly typed; to the type checker its extension points are whatever they are.
_Type: Any = types.Type
_PrimitiveModel: Any = models.PrimitiveModel
_AttributeTemplate: Any = templates.AttributeTemplate
_numba: Any = extending

_SLOTS = 3  # words of the table for each array: address, first and second dimension


class BundleType(_Type):  # type: ignore[misc] # its base is Any
    """The numba type of a bundle: the names of its arrays and their types.

    They are contiguous, of one or two dimensions; a record type stands for an array of that one record.
    """

    def __init__(self, name: str, fields: Mapping[str, Any]) -> None:
        self.fields = dict(fields)
        super().__init__(name=f"Bundle({name}, {', '.join(f'{key}: {kind}' for key, kind in fields.items())})")

    @property
    def mangling_args(self) -> tuple[str, tuple[str]]:
        """What stands for the type in the names of compiled functions: all of them would be longer than the code."""
        return "Bundle", (hashlib.sha256(self.name.encode()).hexdigest()[:16],)


class Bundle:
    """Arrays on their way into compiled code.

    Example:
        >>> from numba import int64
        >>> pair = BundleType("pair", {"a": int64[::1], "b": int64[:, ::1]})
        >>> Bundle(pair, {"a": np.zeros(5, int), "b": np.zeros((3, 2), int)}).table[:, 1:].tolist()
        [[5, 0], [3, 2]]

    """

    __slots__ = ("arrays", "table", "type")

    def __init__(self, kind: BundleType, arrays: Mapping[str, Any]) -> None:
        self.type = kind
        self.arrays = tuple(arrays[name] for name in kind.fields)  # kept alive as long as the pointer
        self.table = np.zeros((len(kind.fields), _SLOTS), np.int64)
        for row, (name, due), array in zip(self.table, kind.fields.items(), self.arrays, strict=True):
            dimensions = 1 if isinstance(due, types.Record) else due.ndim
            if not array.flags.c_contiguous or array.ndim != dimensions:
                raise ValueError(f"array {name} should be contiguous, of {dimensions} dimensions")
            row[0] = array.ctypes.data  # numpy's other way describes all fields of a record: 80 us, not 5
            row[1 : 1 + array.ndim] = array.shape

    @property
    def address(self) -> int:
        """Where the table is."""
        return int(self.table.ctypes.data)


def bundle(kind: BundleType, arrays: _T) -> _T:
    """Bundle a named tuple of arrays; to the type checker it stays that tuple, whose attributes compiled code sees."""
    fields: Any = arrays
    packed: Any = Bundle(kind, fields._asdict())
    return cast("_T", packed)


@_numba.register_model(BundleType)
class _Model(_PrimitiveModel):  # type: ignore[misc] # its base is Any
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.IntType(64).as_pointer())


@_numba.typeof_impl.register(Bundle)
def _typeof(value: Bundle, _: Any) -> BundleType:
    return value.type


@_numba.unbox(BundleType)
def _unbox(_: Any, value: Any, native: Any) -> Any:
    address = native.pyapi.object_getattr_string(value, "address")
    pointer = native.pyapi.long_as_voidptr(address)
    native.pyapi.decref(address)
    return _numba.NativeValue(native.builder.bitcast(pointer, ir.IntType(64).as_pointer()))


@_numba.infer_getattr
class _Attributes(_AttributeTemplate):  # type: ignore[misc]
    key = BundleType

    def generic_resolve(self, kind: Any, name: str) -> Any:
        return kind.fields.get(name)


@_numba.lower_getattr_generic(BundleType)
def _get(context: Any, builder: Any, kind: Any, pointer: Any, name: str) -> Any:
    """Build an array from its row of the table, or point to its one record. It owns nothing, so nothing is counted."""
    array_type = kind.fields[name]
    first = _SLOTS * list(kind.fields).index(name)
    word = ir.IntType(64)

    def load(slot: int) -> Any:
        loaded = builder.load(builder.gep(pointer, [ir.Constant(word, first + slot)]))
        # the table stays as it is, whatever compiled code stores: what was loaded once is not loaded again
        loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
        return loaded

    if isinstance(array_type, types.Record):
        return builder.inttoptr(load(0), context.get_value_type(array_type))
    array = context.make_array(array_type)(context, builder)
    itemsize = ir.Constant(word, context.get_abi_sizeof(context.get_data_type(array_type.dtype)))
    shape = [load(1 + axis) for axis in range(array_type.ndim)]
    strides = [itemsize] if array_type.ndim == 1 else [builder.mul(shape[1], itemsize), itemsize]
    from numba.np.arrayobj import populate_array  # noqa: PLC0415 - slow to import, and only compilation needs it

    populate_array(
        array,
        data=builder.inttoptr(load(0), array.data.type),
        shape=shape,
        strides=strides,
        itemsize=itemsize,
        meminfo=None,
        parent=None,
    )
    return array._getvalue()  # noqa: SLF001 - numba's way to read a structure
