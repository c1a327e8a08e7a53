"""Eight 32-bit lanes as a numba value: a row of eight outputs advances together, in one vector register.

LLVM's own vectoriser gives up on loops as short as a tile row, so the lanes are spelled out. They are plain LLVM
vectors: on a machine without 256-bit registers LLVM splits them, with the same results. `+ - & | ^ <<` and `>>`
(arithmetic) work lane by lane on integers and wrap; `*` works on integers and on floats.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeAlias

from llvmlite import ir
from numba import int32, int64, types
from numba.core.datamodel import models
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, register_model
from numpy.typing import NDArray

__all__ = [
    "FLOAT_LANES", "INT_LANES", "LANES", "Float", "Int",
    "Words", "above", "any_set", "as_float", "as_int", "equal", "fourths", "greatest",
    "least", "load", "load_four", "load_halves", "load_pairs", "population", "scalar", "select", "shift_right", "splat",
    "splat_float", "store", "store_four", "store_halves", "store_pairs", "to_float", "truncate",
]  # fmt: skip

LANES = 8
# What compiled code takes, for the reader: the decorators say how wide.
Int: TypeAlias = Any
Float: TypeAlias = Any
Words: TypeAlias = NDArray[Any]
_I32, _F32 = ir.IntType(32), ir.FloatType()
_INTS, _FLOATS = ir.VectorType(_I32, LANES), ir.VectorType(_F32, LANES)
_FOUR, _HALVES = ir.VectorType(_I32, 4), ir.VectorType(ir.IntType(16), LANES)
_ZERO = ir.Constant(_INTS, [0] * LANES)


class _Lanes(types.Type):
    """Eight int32 or eight float32 lanes."""


_ints, _floats = _Lanes("Int32x8"), _Lanes("Float32x8")
INT_LANES, FLOAT_LANES = _ints, _floats  # for signatures of compiled functions that take or return lanes


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: _Lanes) -> None:
        super().__init__(manager, kind, _INTS if kind == _ints else _FLOATS)  # type: ignore[no-untyped-call]


def _operator(function: Callable[..., Any], kind: _Lanes, method: str) -> None:
    """Let a Python operator on two values of `kind` emit the LLVM instruction `method`."""

    @infer_global(function)  # type: ignore[no-untyped-call]
    class _Typing(ConcreteTemplate):
        cases = (signature(kind, kind, kind),)  # type: ignore[no-untyped-call]

    @lower_builtin(function, kind, kind)  # type: ignore[no-untyped-call, untyped-decorator]
    def _lower(_context: Any, builder: Any, _signature: Any, operands: Any) -> Any:
        return getattr(builder, method)(*operands)


for _function, _method in (
    (operator.add, "add"), (operator.sub, "sub"), (operator.and_, "and_"), (operator.or_, "or_"),
    (operator.xor, "xor"), (operator.lshift, "shl"), (operator.rshift, "ashr"), (operator.mul, "mul"),
):  # fmt: skip
    _operator(_function, _ints, _method)
_operator(operator.mul, _floats, "fmul")


def _lanewise(result: Any, operands: tuple[Any, ...], emit: Callable[..., Any], doc: str) -> Any:
    """Make a function that compiled code can call, from what it emits."""
    made = result(*operands), lambda _context, builder, _signature, values: emit(builder, *values)
    wrappers: dict[int, Callable[..., Any]] = {  # numba asks for a fixed number of arguments
        1: lambda _context, _x: made,
        2: lambda _context, _x, _y: made,
        3: lambda _context, _x, _y, _z: made,
    }
    wrapper = wrappers[len(operands)]
    wrapper.__doc__ = doc
    return intrinsic(wrapper)


def _splat(builder: Any, value: Any) -> Any:
    one = builder.insert_element(ir.Constant(_INTS, ir.Undefined), value, ir.Constant(_I32, 0))
    return builder.shuffle_vector(one, ir.Constant(_INTS, ir.Undefined), _ZERO)


def _choose(order: str) -> Callable[..., Any]:
    return lambda builder, x, y: builder.select(builder.icmp_signed(order, x, y), x, y)


def _mask(order: str) -> Callable[..., Any]:
    return lambda builder, x, y: builder.sext(builder.icmp_signed(order, x, y), _INTS)


def _population(builder: Any, x: Any) -> Any:
    name = f"llvm.ctpop.v{LANES}i32"
    found = builder.module.globals.get(name)
    count = found or ir.Function(builder.module, ir.FunctionType(_INTS, [_INTS]), name=name)
    return builder.call(count, [x])


def _any_set(builder: Any, x: Any) -> Any:
    wide = ir.IntType(32 * LANES)
    return builder.zext(builder.icmp_signed("!=", builder.bitcast(x, wide), ir.Constant(wide, 0)), _I32)


splat = _lanewise(_ints, (int32,), _splat, "The same integer in every lane.")
splat_float = _lanewise(
    _floats, (int32,), lambda b, x: b.bitcast(_splat(b, x), _FLOATS), "The float with these bits in every lane."
)
greatest = _lanewise(_ints, (_ints, _ints), _choose(">"), "The larger, signed.")
least = _lanewise(_ints, (_ints, _ints), _choose("<"), "The smaller, signed.")
population = _lanewise(_ints, (_ints,), _population, "How many bits are set.")
shift_right = _lanewise(_ints, (_ints, _ints), lambda b, x, y: b.lshr(x, y), "Logical shift; the count is below 32.")
as_float = _lanewise(_floats, (_ints,), lambda b, x: b.bitcast(x, _FLOATS), "The same bits as floats.")
as_int = _lanewise(_ints, (_floats,), lambda b, x: b.bitcast(x, _INTS), "The same bits as integers.")
truncate = _lanewise(_ints, (_floats,), lambda b, x: b.fptosi(x, _INTS), "Round toward zero to an integer.")
to_float = _lanewise(_floats, (_ints,), lambda b, x: b.sitofp(x, _FLOATS), "Convert signed integers.")
above = _lanewise(_ints, (_ints, _ints), _mask(">"), "All bits set where x > y, signed.")
equal = _lanewise(_ints, (_ints, _ints), _mask("=="), "All bits set where x == y.")
select = _lanewise(
    _ints,
    (_ints, _ints, _ints),
    lambda b, mask, x, y: b.select(b.icmp_signed("!=", mask, _ZERO), x, y),
    "x where the mask is set, else y.",
)
any_set = _lanewise(int32, (_ints,), _any_set, "1 where any lane has a bit set, else 0.")


def _address(context: Any, builder: Any, array_type: Any, values: Any, pointee: Any) -> Any:
    array = context.make_array(array_type)(context, builder, values[0])
    return builder.bitcast(builder.gep(array.data, [values[1]]), pointee.as_pointer())


def _load(_context: Any, words: Any, place: Any) -> Any:  # noqa: ARG001 - numba's signature
    """Eight consecutive words of an int32 array, from any place on."""

    def emit(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        return builder.load(_address(context, builder, sig.args[0], values, _INTS), align=4)

    return _ints(words, int64), emit


load: Any = intrinsic(_load)


def _store(_context: Any, words: Any, place: Any, value: Any) -> Any:  # noqa: ARG001 - numba's signature
    """Write eight consecutive words of an int32 array."""

    def emit(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        builder.store(values[2], _address(context, builder, sig.args[0], values, _INTS), align=4)
        return context.get_dummy_value()

    return types.void(words, int64, _ints), emit


store: Any = intrinsic(_store)


def _scalar(_context: Any, words: Any, place: Any) -> Any:  # noqa: ARG001 - numba's signature
    """One word of an int32 or uint32 array, without Python's negative indexing."""

    def emit(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        return builder.load(_address(context, builder, sig.args[0], values, _I32))

    return int32(words, int64), emit


scalar: Any = intrinsic(_scalar)


def _load_four(_context: Any, words: Any, place: Any) -> Any:  # noqa: ARG001 - numba's signature
    """Four consecutive words in the low lanes, zeros above."""

    def emit(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        four = builder.load(_address(context, builder, sig.args[0], values, _FOUR), align=4)
        return builder.shuffle_vector(four, ir.Constant(_FOUR, [0] * 4), ir.Constant(_INTS, list(range(8))))

    return _ints(words, int64), emit


load_four: Any = intrinsic(_load_four)


def _store_four(_context: Any, words: Any, place: Any, value: Any) -> Any:  # noqa: ARG001 - numba's signature
    """Write the four low lanes."""

    def emit(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        four = builder.shuffle_vector(values[2], ir.Constant(_INTS, ir.Undefined), ir.Constant(_FOUR, list(range(4))))
        builder.store(four, _address(context, builder, sig.args[0], values, _FOUR), align=4)
        return context.get_dummy_value()

    return types.void(words, int64, _ints), emit


store_four: Any = intrinsic(_store_four)


def _load_halves(_context: Any, words: Any, place: Any) -> Any:  # noqa: ARG001 - numba's signature
    """The eight halves of four consecutive words, the low one of each first."""

    def emit(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        halves = builder.load(_address(context, builder, sig.args[0], values, _HALVES), align=4)
        return builder.zext(halves, _INTS)

    return _ints(words, int64), emit


load_halves: Any = intrinsic(_load_halves)


def _store_halves(_context: Any, words: Any, place: Any, value: Any) -> Any:  # noqa: ARG001 - numba's signature
    """Write the lanes' low halves to four consecutive words."""

    def emit(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        place = _address(context, builder, sig.args[0], values, _HALVES)
        builder.store(builder.trunc(values[2], _HALVES), place, align=4)
        return context.get_dummy_value()

    return types.void(words, int64, _ints), emit


store_halves: Any = intrinsic(_store_halves)


def _pair(context: Any, builder: Any, sig: Any, values: Any) -> tuple[Any, Any]:
    """Return where four words lie, and the four that follow 32 words behind: a register's and the next one's."""
    first = _address(context, builder, sig.args[0], values, _I32)
    second = builder.gep(first, [ir.Constant(ir.IntType(64), 32)])
    return tuple(builder.bitcast(place, _FOUR.as_pointer()) for place in (first, second))


def _load_pairs(_context: Any, words: Any, place: Any) -> Any:  # noqa: ARG001 - numba's signature
    """Four words and the four at 32 words behind them, by turns."""

    def emit(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        first, second = (builder.load(place, align=4) for place in _pair(context, builder, sig, values))
        return builder.shuffle_vector(first, second, ir.Constant(_INTS, [0, 4, 1, 5, 2, 6, 3, 7]))

    return _ints(words, int64), emit


load_pairs: Any = intrinsic(_load_pairs)


def _store_pairs(_context: Any, words: Any, place: Any, value: Any) -> Any:  # noqa: ARG001 - numba's signature
    """Write the even lanes to four words, the odd ones to the four at 32 words behind them."""

    def emit(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        for odd, four in enumerate(_pair(context, builder, sig, values)):
            take = ir.Constant(_FOUR, [odd, odd + 2, odd + 4, odd + 6])
            builder.store(builder.shuffle_vector(values[2], values[2], take), four, align=4)
        return context.get_dummy_value()

    return types.void(words, int64, _ints), emit


store_pairs: Any = intrinsic(_store_pairs)

_ROW = ir.VectorType(_I32, 4 * LANES)
_numba: Any = types  # partly typed
_FOURTHS = _numba.UniTuple(_ints, 4)


def _fourths(_context: Any, words: Any, place: Any) -> Any:  # noqa: ARG001 - numba's signature
    """Of 32 consecutive words every fourth: from the first one on, from the second, the third and the fourth."""

    def emit(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        row = builder.load(_address(context, builder, sig.args[0], values, _ROW), align=4)
        takes = [ir.Constant(_INTS, list(range(first, 4 * LANES, 4))) for first in range(4)]
        return context.make_tuple(builder, _FOURTHS, [builder.shuffle_vector(row, row, take) for take in takes])

    return _FOURTHS(words, int64), emit


fourths: Any = intrinsic(_fourths)
