"""One operation of the opcode campaign: a name, the words of its result, and the C++ that computes them.

The C++ sets r0 (and r1). In it a, b, c (and d, e, f, their upper words) are the thread's inputs as u32, A, B, C as u64;
fa, fb, fc as f32; da, db, dc as f64; ha, hb, hc as u16; i is the thread, lane its lane, and mine a word of global
memory of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ALL", "MODES", "ORDERED", "Op", "c", "compare", "ptx", "with_immediates"]

_CONSTRAINT = {"r": ("r", "abc"), "f": ("f", ("fa", "fb", "fc")), "l": ("l", "ABC"), "d": ("d", ("da", "db", "dc")),
               "h": ("h", ("ha", "hb", "hc"))}  # fmt: skip
_RESULT = {
    "r": ("unsigned x", "r0 = x"),
    "f": ("float x", "r0 = __float_as_uint(x)"),
    "h": ("unsigned short x", "r0 = x"),
    "l": ("unsigned long long x", "r0 = unsigned(x), r1 = unsigned(x >> 32)"),
    "d": ("double x", "r0 = __double2loint(x), r1 = __double2hiint(x)"),
}


@dataclass(frozen=True)
class Op:
    """One operation: its name, its result's words, and the C++ that computes r0 and r1."""

    name: str
    words: int
    code: str


def ptx(instruction: str, result: str, sources: str) -> Op:
    """Wrap one PTX instruction; `sources` has a letter an operand, or digits for immediates in parentheses."""
    declare, store = _RESULT[result]
    places, values = [], []
    for number, letter in enumerate(sources):
        constraint, names = _CONSTRAINT[letter]
        places.append(f"%{number + 1}")
        values.append(f'"{constraint}"({names[number]})')
    text = f"{instruction} %0, {', '.join(places)};"
    code = f'{{ {declare}; asm volatile("{text}" : "={_CONSTRAINT[result][0]}"(x) : {", ".join(values)}); {store}; }}'
    return Op(f"{instruction}", 2 if result in "ld" else 1, code)


def with_immediates(instruction: str, result: str, sources: str, tail: str) -> Op:
    """Wrap one PTX instruction whose last operands are written out."""
    op = ptx(instruction, result, sources)
    return Op(f"{instruction} {tail}", op.words, op.code.replace(';" :', f', {tail};" :', 1))


def compare(kind: str, letter: str, relations: str, extra: str = "") -> Op:
    """Pack the results of setp for every relation into one word, the first in bit 0."""
    sources = {"r": '"r"(a), "r"(b)', "f": '"f"(fa), "f"(fb)', "l": '"l"(A), "l"(B)', "d": '"d"(da), "d"(db)',
               "h": '"h"(ha), "h"(hb)'}[letter]  # fmt: skip
    lines = " ".join(
        f'{{ unsigned x; asm volatile("{{.reg .pred p; setp.{relation}{extra}.{kind} p, %1, %2; selp.u32 %0, 1, 0, p;}}" '
        f': "=r"(x) : {sources}); r0 |= x << {place}; }}'
        for place, relation in enumerate(relations.split())
    )
    return Op(f"setp.*{extra}.{kind}", 1, f"r0 = 0; {lines}")


def c(name: str, expression: str, words: int = 1) -> Op:
    """Give a C++ expression a name; two words for a 64-bit one."""
    if words == 1:
        return Op(name, 1, f"r0 = unsigned({expression});")
    return Op(name, 2, f"{{ unsigned long long x = {expression}; r0 = unsigned(x), r1 = unsigned(x >> 32); }}")


ORDERED = "lt le eq ne gt ge"
ALL = "lt le eq ne gt ge ltu leu equ neu gtu geu num nan"
MODES = ("rn", "rz", "rm", "rp")
