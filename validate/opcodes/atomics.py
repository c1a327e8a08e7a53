"""The opcode campaign's atomics on floats."""

from __future__ import annotations

from collections.abc import Iterator

from operation import Op

__all__ = ["float_atomics", "half_atomics"]


def float_atomics() -> Iterator[Op]:
    """Yield those on single and on double precision, in global and in shared memory."""
    for name, letter, value in (("add.f32", "f", "fb"), ("add.f64", "d", "db")):
        kind, first = ("float", "fa") if letter == "f" else ("double", "da")
        store = "__float_as_uint" if letter == "f" else "__double_as_longlong"
        for space in ("global", "shared"):
            where = "mine" if space == "global" else "words + 2 * threadIdx.x"
            pointer = '"l"(g)' if space == "global" else '"r"((unsigned)__cvta_generic_to_shared(g))'
            yield Op(
                f"atom.{space}.{name}",
                2,
                f'{{ {kind} x; auto* g = ({kind}*)({where}); *g = {first}; asm volatile("atom.{space}.{name} %0, [%1], %2;" : "={letter}"(x) : {pointer}, "{letter}"({value}) : "memory"); unsigned long long z = {store}(*g); r0 = unsigned(z), r1 = unsigned(z >> 32); }}',
            )


def half_atomics(kind: str) -> Iterator[Op]:
    """Yield those on pairs of halves of a kind."""
    yield Op(
        f"atom.global.add.noftz.{kind}",
        1,
        f'{{ unsigned x; *mine = a; asm volatile("atom.global.add.noftz.{kind} %0, [%1], %2;" : "=r"(x) : "l"(mine), "r"(b) : "memory"); r0 = *mine; }}',
    )
    yield Op(
        f"red.global.add.noftz.{kind}",
        1,
        f'*mine = a; asm volatile("red.global.add.noftz.{kind} [%0], %1;" :: "l"(mine), "r"(b) : "memory"); r0 = *mine;',
    )
