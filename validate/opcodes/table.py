"""What the opcode campaign asks of a chip: every operation once, as CUDA C++ of its own, grouped by operands.

An operation is a name, the number of words it gives, and a statement that sets r0 (and r1). In it a, b, c (and d, e, f,
their upper words) are the thread's inputs as u32, A, B, C as u64; fa, fb, fc as f32; da, db, dc as f64; ha, hb, hc
as u16; i is the thread, lane its lane, and mine a word of global memory of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

__all__ = ["DOMAINS", "Group", "Op", "groups", "inputs", "source"]

OPS_PER_KERNEL = 24
DOMAINS = ("integer", "single", "half", "bfloat", "double", "lanes")
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


@dataclass(frozen=True)
class Group:
    """Operations that one kernel executes over the inputs of one domain."""

    kernel: str
    domain: str
    ops: tuple[Op, ...]


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


def _integer() -> Iterator[Op]:
    for kind in ("s32", "u32"):
        yield ptx(f"mul.hi.{kind}", "r", "rr")
        yield ptx(f"mad.hi.{kind}", "r", "rrr")
        yield ptx(f"mul.wide.{kind}", "l", "rr")
        yield ptx(f"min.{kind}", "r", "rr")
        yield ptx(f"max.{kind}", "r", "rr")
        yield ptx(f"shr.{kind}", "r", "rr")
        yield ptx(f"bfe.{kind}", "r", "rrr")
        yield ptx(f"bfind.{kind}", "r", "r")
        yield ptx(f"bfind.shiftamt.{kind}", "r", "r")
        yield ptx(f"szext.clamp.{kind}", "r", "rr")
        yield ptx(f"szext.wrap.{kind}", "r", "rr")
        yield ptx(f"div.{kind}", "r", "rr")
        yield ptx(f"rem.{kind}", "r", "rr")
        yield ptx(f"sad.{kind}", "r", "rrr")
        yield compare(kind, "r", ORDERED)
    for kind in ("s64", "u64"):
        yield ptx(f"mul.hi.{kind}", "l", "ll")
        yield ptx(f"min.{kind}", "l", "ll")
        yield ptx(f"max.{kind}", "l", "ll")
        yield ptx(f"shr.{kind}", "l", "lr")
        yield ptx(f"bfind.{kind}", "r", "l")
        yield ptx(f"div.{kind}", "l", "ll")
        yield ptx(f"rem.{kind}", "l", "ll")
        yield compare(kind, "l", ORDERED)
    yield from (
        ptx(name, "r", "rr") for name in ("add.u32", "sub.u32", "mul.lo.u32", "shl.b32", "and.b32", "or.b32", "xor.b32")
    )
    yield from (ptx(name, "l", "ll") for name in ("add.u64", "sub.u64", "mul.lo.u64", "and.b64", "or.b64", "xor.b64"))
    yield from (
        ptx(name, "r", "r") for name in ("neg.s32", "abs.s32", "not.b32", "cnot.b32", "clz.b32", "popc.b32", "brev.b32")
    )
    yield from (ptx(name, "l", "l") for name in ("neg.s64", "abs.s64", "brev.b64"))
    yield from (ptx(name, "r", "l") for name in ("clz.b64", "popc.b64"))
    yield ptx("add.sat.s32", "r", "rr")
    yield ptx("sub.sat.s32", "r", "rr")
    yield ptx("mad.lo.u32", "r", "rrr")
    yield ptx("mad.hi.sat.s32", "r", "rrr")
    yield ptx("mul24.lo.s32", "r", "rr")
    yield ptx("mul24.hi.u32", "r", "rr")
    yield ptx("shl.b64", "l", "lr")
    for way in ("l", "r"):
        for bound in ("wrap", "clamp"):
            yield ptx(f"shf.{way}.{bound}.b32", "r", "rrr")
    for table in (0x96, 0xE8, 0xCA, 0x1B, 0x80, 0xFE, 0x3C, 0x6A):
        yield with_immediates("lop3.b32", "r", "rrr", hex(table))
    yield c(
        "bfi",
        '[&] { unsigned x; asm volatile("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(x) : "r"(a), "r"(b), "r"(c & 63), "r"(d & 63)); return x; }()',
    )
    yield ptx("bmsk.clamp.b32", "r", "rr")
    yield ptx("bmsk.wrap.b32", "r", "rr")
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        yield ptx(f"prmt.b32{mode}", "r", "rrr")
    for x in "su":
        for y in "su":
            yield ptx(f"dp4a.{x}32.{y}32", "r", "rrr")
            yield ptx(f"dp2a.lo.{x}32.{y}32", "r", "rrr")
            yield ptx(f"dp2a.hi.{x}32.{y}32", "r", "rrr")
    yield c(
        "add.cc addc",
        '[&] { unsigned x, y; asm volatile("add.cc.u32 %0, %2, %3; addc.u32 %1, %4, %5;" : "=r"(x), "=r"(y) : "r"(a), "r"(b), "r"(c), "r"(d)); return x | (unsigned long long)(y) << 32; }()',
        2,
    )
    yield c(
        "sub.cc subc",
        '[&] { unsigned x, y; asm volatile("sub.cc.u32 %0, %2, %3; subc.u32 %1, %4, %5;" : "=r"(x), "=r"(y) : "r"(a), "r"(b), "r"(c), "r"(d)); return x | (unsigned long long)(y) << 32; }()',
        2,
    )
    yield c(
        "mad.lo.cc madc.hi",
        '[&] { unsigned x, y; asm volatile("mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, %5;" : "=r"(x), "=r"(y) : "r"(a), "r"(b), "r"(c), "r"(d)); return x | (unsigned long long)(y) << 32; }()',
        2,
    )
    yield c("u64 lea", "A + (B << 3)", 2)
    yield c("s32 lea wide", "A + (long long)(int)(b) * 16", 2)
    yield c("u64 division by 10", "A / 10", 2)
    yield c("s32 division by 7", "int(a) / 7")
    yield c("u32 modulo 1000", "a % 1000")
    for name in ("__vadd2", "__vsub4", "__vmaxs2", "__vminu2", "__vmaxu4", "__vabsdiffu4", "__vabsdiffs2", "__vcmpgts2",
                 "__vcmpeq4", "__vavgu4", "__vhaddu2", "__vadd4", "__vsadu4", "__vseteq2", "__vaddss2", "__vsubus4"):  # fmt: skip
        yield c(name, f"{name}(a, b)")
    for name in ("__viaddmax_s32", "__viaddmin_s32_relu", "__vimax3_s32", "__vimin3_s32"):
        yield c(name, f"{name}(int(a), int(b), int(c))")
    for name in (
        "__viaddmax_u32",
        "__vimax3_u32",
        "__vimin3_u16x2",
        "__viaddmax_s16x2",
        "__viaddmin_u16x2",
        "__vimax3_s16x2_relu",
    ):
        yield c(name, f"{name}(a, b, c)")
    yield c("__vimax_s32_relu", "__vimax_s32_relu(int(a), int(b))")
    yield c(
        "__vibmax_s32", "[&] { bool p; int x = __vibmax_s32(int(a), int(b), &p); return unsigned(x) ^ unsigned(p); }()"
    )
    for kind in ("s8", "u8", "s16", "u16"):
        wide = "s32"
        yield ptx(f"cvt.sat.{kind}.{wide}", "h" if "16" in kind else "r", "r")
        yield ptx(f"cvt.sat.{kind}.u32", "h" if "16" in kind else "r", "r")
    yield ptx("cvt.pack.sat.s8.s32.b32", "r", "rrr")
    yield ptx("cvt.pack.sat.u8.s32.b32", "r", "rrr")
    yield ptx("cvt.pack.sat.u16.s32", "r", "rr")
    for mode in MODES:
        for kind, letter in (("s32", "r"), ("u32", "r"), ("s64", "l"), ("u64", "l"), ("s16", "h"), ("u16", "h")):
            yield ptx(f"cvt.{mode}.f32.{kind}", "f", letter)
            yield ptx(f"cvt.{mode}.f64.{kind}", "d", letter)
            yield ptx(f"cvt.{mode}.f16.{kind}", "h", letter)
    for kind, letter in (("s32", "r"), ("u32", "r"), ("s64", "l"), ("u64", "l"), ("s16", "h"), ("u16", "h")):
        yield ptx(f"cvt.rn.bf16.{kind}", "h", letter)
    yield c("i2f of bytes", "__float_as_uint(float((unsigned char)(a >> 8)) + float((signed char)(b >> 16)))")


def _single() -> Iterator[Op]:
    for ftz in ("", ".ftz"):
        for sat in ("", ".sat"):
            for mode in MODES:
                yield ptx(f"add.{mode}{ftz}{sat}.f32", "f", "ff")
                yield ptx(f"mul.{mode}{ftz}{sat}.f32", "f", "ff")
                yield ptx(f"fma.{mode}{ftz}{sat}.f32", "f", "fff")
        for name in ("min", "max", "min.NaN", "max.NaN", "min.xorsign.abs", "max.NaN.xorsign.abs"):
            head, *tail = name.split(".")
            rest = ".".join(["", *tail]) if tail else ""
            yield ptx(f"{head}{ftz}{rest}.f32", "f", "ff")
        yield ptx(f"neg{ftz}.f32", "f", "f")
        yield ptx(f"abs{ftz}.f32", "f", "f")
        yield compare("f32", "f", ALL, ftz)
        for mode in MODES:
            yield ptx(f"div.{mode}{ftz}.f32", "f", "ff")
            yield ptx(f"rcp.{mode}{ftz}.f32", "f", "f")
            yield ptx(f"sqrt.{mode}{ftz}.f32", "f", "f")
        for mode in ("rni", "rzi", "rmi", "rpi"):
            yield ptx(f"cvt.{mode}{ftz}.f32.f32", "f", "f")
            for kind, letter in (
                ("s32", "r"),
                ("u32", "r"),
                ("s64", "l"),
                ("u64", "l"),
                ("s16", "h"),
                ("u16", "h"),
                ("s8", "r"),
                ("u8", "r"),
            ):
                yield ptx(f"cvt.{mode}{ftz}.{kind}.f32", letter, "f")
        yield ptx(f"set.lt{ftz}.f32.f32", "f", "ff")
        yield ptx(f"set.geu{ftz}.u32.f32", "r", "ff")
        for sat in ("", ".sat"):
            yield ptx(f"cvt.rn{ftz}{sat}.f16.f32", "h", "f")
            yield ptx(f"cvt.rz{ftz}{sat}.f16.f32", "h", "f")
        yield ptx(f"cvt{ftz}.f64.f32", "d", "f")
        yield ptx(f"cvt{ftz}.sat.f32.f32", "f", "f")
    for mode in ("rn", "rz"):
        for relu in ("", ".relu"):
            yield ptx(f"cvt.{mode}{relu}.f16.f32", "h", "f")
            yield ptx(f"cvt.{mode}{relu}.bf16.f32", "h", "f")
            yield ptx(f"cvt.{mode}{relu}.f16x2.f32", "r", "ff")
            yield ptx(f"cvt.{mode}{relu}.bf16x2.f32", "r", "ff")
    for name in ("rna", "rn", "rz"):
        yield ptx(f"cvt.{name}.tf32.f32", "r", "f")
    for kind in ("e4m3x2", "e5m2x2"):
        for relu in ("", ".relu"):
            yield ptx(f"cvt.rn.satfinite{relu}.{kind}.f32", "h", "ff")
    yield ptx("copysign.f32", "f", "ff")
    yield ptx("slct.f32.f32", "f", "fff")
    for kind in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
        yield c(
            f"testp.{kind}.f32",
            f'[&] {{ unsigned x; asm volatile("{{.reg .pred p; testp.{kind}.f32 p, %1; selp.u32 %0, 1, 0, p;}}" : "=r"(x) : "f"(fa)); return x; }}()',
        )
    yield c("__fdividef fma", "__float_as_uint(fa - floorf(fa))")
    yield c("roundf", "__float_as_uint(roundf(fa))")
    yield c("fmodf", "__float_as_uint(fmodf(fa, fb))")
    yield c("hypot-free frexpf", "[&] { int n; float m = frexpf(fa, &n); return __float_as_uint(m) ^ unsigned(n); }()")


def _approximate() -> Iterator[Op]:
    for name in ("rcp", "rsqrt", "sqrt", "ex2", "lg2", "sin", "cos"):
        yield ptx(f"{name}.approx.ftz.f32", "f", "f")
        yield ptx(f"{name}.approx.f32", "f", "f")
    yield ptx("tanh.approx.f32", "f", "f")
    yield ptx("div.approx.f32", "f", "ff")
    yield ptx("div.full.f32", "f", "ff")
    yield from (
        c(f, f"__float_as_uint({f}(fa))")
        for f in (
            "expf",
            "exp2f",
            "logf",
            "log2f",
            "sinf",
            "cosf",
            "tanhf",
            "erff",
            "rsqrtf",
            "cbrtf",
            "log1pf",
            "expm1f",
            "__expf",
            "__logf",
            "__sinf",
        )
    )
    yield c("powf", "__float_as_uint(powf(fa, fb))")


def _approximate_double() -> Iterator[Op]:
    yield ptx("rcp.approx.ftz.f64", "d", "d")
    yield ptx("rsqrt.approx.ftz.f64", "d", "d")


def _packed(kind: str) -> Iterator[Op]:
    """Yield f16x2 or bf16x2 arithmetic."""
    ftzs = ("", ".ftz") if kind == "f16" else ("",)
    pair = f"{kind}x2"
    for ftz in ftzs:
        sats = ("", ".sat") if kind == "f16" else ("",)
        for sat in sats:
            yield ptx(f"add{'.rn' if kind == 'bf16' else ''}{ftz}{sat}.{pair}", "r", "rr")
            yield ptx(f"sub{'.rn' if kind == 'bf16' else ''}{ftz}{sat}.{pair}", "r", "rr")
            yield ptx(f"mul{'.rn' if kind == 'bf16' else ''}{ftz}{sat}.{pair}", "r", "rr")
            yield ptx(f"fma.rn{ftz}{sat}.{pair}", "r", "rrr")
        yield ptx(f"fma.rn{ftz}.relu.{pair}", "r", "rrr")
        for name in ("min", "max", "min.NaN", "max.NaN", "max.NaN.xorsign.abs", "min.xorsign.abs"):
            head, *tail = name.split(".")
            rest = ".".join(["", *tail]) if tail else ""
            yield ptx(f"{head}{ftz}{rest}.{pair}", "r", "rr")
        if kind == "f16":
            yield ptx(f"neg{ftz}.{pair}", "r", "r")
            yield ptx(f"abs{ftz}.{pair}", "r", "r")
            yield compare("f16", "h", ALL, ftz)
            for relation in ("lt", "geu", "eq", "nan"):
                yield ptx(f"set.{relation}{ftz}.f16x2.f16x2", "r", "rr")
            yield ptx(f"add{ftz}.f16", "h", "hh")
            yield ptx(f"fma.rn{ftz}.f16", "h", "hhh")
    if kind == "bf16":
        yield ptx("neg.bf16x2", "r", "r")
        yield ptx("abs.bf16x2", "r", "r")
        yield compare("bf16", "h", ALL)
        yield ptx("set.ltu.bf16x2.bf16x2", "r", "rr")
        yield ptx("fma.rn.bf16", "h", "hhh")
        yield ptx("add.rn.bf16", "h", "hh")
        yield ptx("cvt.f32.bf16", "f", "h")
        yield ptx("cvt.rzi.s32.bf16", "r", "h")
        yield ptx("cvt.rni.u32.bf16", "r", "h")
        yield ptx("cvt.rn.f16.bf16", "h", "h")
        return
    yield ptx("cvt.f32.f16", "f", "h")
    yield ptx("cvt.ftz.f32.f16", "f", "h")
    yield ptx("cvt.f64.f16", "d", "h")
    yield ptx("cvt.rn.bf16.f16", "h", "h")
    for mode in ("rni", "rzi", "rmi", "rpi"):
        yield ptx(f"cvt.{mode}.f16.f16", "h", "h")
        for to, letter in (
            ("s32", "r"),
            ("u32", "r"),
            ("s64", "l"),
            ("u64", "l"),
            ("s16", "h"),
            ("u16", "h"),
            ("u8", "r"),
            ("s8", "r"),
        ):
            yield ptx(f"cvt.{mode}.{to}.f16", letter, "h")
    for form in ("e4m3x2", "e5m2x2"):
        yield ptx(f"cvt.rn.satfinite.{form}.f16x2", "h", "r")
        yield ptx(f"cvt.rn.satfinite.relu.{form}.f16x2", "h", "r")
        yield ptx(f"cvt.rn.f16x2.{form}", "r", "h")
        yield ptx(f"cvt.rn.relu.f16x2.{form}", "r", "h")
    yield c(
        "half2 * half2 + float",
        "__float_as_uint(fmaf(__half2float(__ushort_as_half(ha)), __half2float(__ushort_as_half(hb)), fc))",
    )
    yield c("hdiv", "__half_as_ushort(__hdiv(__ushort_as_half(ha), __ushort_as_half(hb)))")


def _double() -> Iterator[Op]:
    for mode in MODES:
        yield ptx(f"add.{mode}.f64", "d", "dd")
        yield ptx(f"mul.{mode}.f64", "d", "dd")
        yield ptx(f"fma.{mode}.f64", "d", "ddd")
        yield ptx(f"cvt.{mode}.f32.f64", "f", "d")
        yield ptx(f"cvt.{mode}.ftz.f32.f64", "f", "d")
        yield ptx(f"div.{mode}.f64", "d", "dd")
        yield ptx(f"rcp.{mode}.f64", "d", "d")
        yield ptx(f"sqrt.{mode}.f64", "d", "d")
    yield ptx("cvt.rn.f16.f64", "h", "d")
    yield ptx("cvt.rn.bf16.f64", "h", "d")
    for name in ("min", "max"):
        yield ptx(f"{name}.f64", "d", "dd")
    yield ptx("neg.f64", "d", "d")
    yield ptx("abs.f64", "d", "d")
    yield ptx("copysign.f64", "d", "dd")
    yield compare("f64", "d", ALL)
    for mode in ("rni", "rzi", "rmi", "rpi"):
        yield ptx(f"cvt.{mode}.f64.f64", "d", "d")
        for kind, letter in (("s32", "r"), ("u32", "r"), ("s64", "l"), ("u64", "l"), ("s16", "h")):
            yield ptx(f"cvt.{mode}.{kind}.f64", letter, "d")
    yield c("floor(double)", "__double_as_longlong(floor(da))", 2)
    yield c("round(double)", "__double_as_longlong(round(da))", 2)


def _lanes() -> Iterator[Op]:
    for way in ("idx", "up", "down", "bfly"):
        for clamp in ("0x1f", "0x0", "0x181f", "0x1c00", "0x1807"):
            yield c(
                f"shfl.sync.{way}.b32 {clamp}",
                f'[&] {{ unsigned x; asm volatile("{{.reg .pred p; shfl.sync.{way}.b32 %0|p, %1, %2, {clamp}, -1; @!p xor.b32 %0, %0, 0x5a5a5a5a;}}" : "=r"(x) : "r"(a), "r"(b & 31)); return x; }}()',
            )
        yield c(
            f"shfl.sync.{way}.b32 large",
            f'[&] {{ unsigned x; asm volatile("{{.reg .pred p; shfl.sync.{way}.b32 %0|p, %1, %2, %3, -1; @!p xor.b32 %0, %0, 0x5a5a5a5a;}}" : "=r"(x) : "r"(a), "r"(b), "r"(c)); return x; }}()',
        )
    yield c("ballot", "__ballot_sync(~0u, a & 1)")
    yield c("any", "__any_sync(~0u, (a & 31) == 0)")
    yield c("all", "__all_sync(~0u, (a & 31) != 0)")
    yield c(
        "uni",
        '[&] { unsigned x; asm volatile("{.reg .pred p, q; setp.ne.u32 p, %1, 0; vote.sync.uni.pred q, p, -1; selp.u32 %0, 1, 0, q;}" : "=r"(x) : "r"(a & 4096)); return x; }()',
    )
    yield c("match.any.b32", "__match_any_sync(~0u, a & 3)")
    yield c("match.any.b64", "__match_any_sync(~0u, A & 0x100000001ull)")
    yield c(
        "match.all.b32",
        "[&] { int p; unsigned m = __match_all_sync(~0u, (i & 32) ? a : 7u, &p); return m ^ unsigned(p); }()",
    )
    yield c(
        "match.all.b64",
        "[&] { int p; unsigned m = __match_all_sync(~0u, (i & 64) ? A : 7ull, &p); return m ^ unsigned(p); }()",
    )
    for name in ("add", "min", "max"):
        yield c(f"redux.{name}.u32", f"__reduce_{name}_sync(~0u, a)")
        yield c(f"redux.{name}.s32", f"__reduce_{name}_sync(~0u, int(a))")
    for name in ("and", "or", "xor"):
        yield c(f"redux.{name}", f"__reduce_{name}_sync(~0u, a | (b & c))")
    yield c(
        "divergent shfl", "(lane & 1) ? __shfl_sync(0xaaaaaaaau, a, lane ^ 2) : __shfl_sync(0x55555555u, b, lane ^ 4)"
    )
    yield c("divergent redux", "(a & 1) ? __reduce_add_sync(__activemask(), 1u) : __popc(__activemask()) + 100u")
    yield c("divergent loop", "[&] { unsigned x = a & 15, s = 0; while (x--) s += b >> x; return s; }()")
    yield c(
        "switch",
        "[&] { switch (a % 9) { case 0: return b + c; case 1: return b - c; case 2: return b * c; case 3: return b ^ c; case 4: return b & c; case 5: return b >> (c & 31); case 6: return b << (c & 31); case 7: return ~b; default: return b / (c | 1); } }()",
    )
    for name in ("laneid", "lanemask_eq", "lanemask_lt", "lanemask_le", "lanemask_gt", "lanemask_ge"):
        yield c(f"%{name}", f'[&] {{ unsigned x; asm volatile("mov.u32 %0, %%{name};" : "=r"(x)); return x; }}()')
    yield c(
        "identity",
        "threadIdx.x + 7 * threadIdx.y + 11 * threadIdx.z + 131 * blockIdx.x + 17 * blockDim.x + 19 * blockDim.y + 23 * gridDim.x + 29 * gridDim.y",
    )
    for kind, code in (("u32", "r"), ("s32", "r"), ("u64", "l"), ("s64", "l")):
        value, new = ("b", "c") if code == "r" else ("B", "C")
        names = ["min", "max", *(("add",) if kind != "s64" else ())]
        if kind == "u32":
            names += ["inc", "dec"]
        for name in names:
            yield _atomic(f"{name}.{kind}", code, [value])
        if kind in ("u32", "u64"):
            bits = kind.replace("u", "b")
            for name in ("and", "or", "xor", "exch"):
                yield _atomic(f"{name}.{bits}", code, [value])
            yield _atomic(f"cas.{bits}", code, [f"(i & 1) ? ({'a' if code == 'r' else 'A'}) : ({value})", new])
    yield Op(
        "atom.shared.add.u32 contended",
        1,
        "__syncthreads(); if (threadIdx.x < 32) words[threadIdx.x] = 0; __syncthreads(); atomicAdd(&words[a & 31], b); __syncthreads(); r0 = words[lane];",
    )
    yield Op(
        "atom.shared.max.s32 contended",
        1,
        "__syncthreads(); if (threadIdx.x < 32) words[threadIdx.x] = 0; __syncthreads(); atomicMax((int*)&words[a & 31], int(b)); __syncthreads(); r0 = words[lane];",
    )
    yield Op(
        "atom.shared.inc contended",
        1,
        "__syncthreads(); if (threadIdx.x < 32) words[threadIdx.x] = 0; __syncthreads(); atomicAdd(&words[a & 7], 1u); __syncthreads(); r0 = words[lane];",
    )
    yield Op(
        "atom.shared.cas loop",
        1,
        "__syncthreads(); if (threadIdx.x < 32) words[threadIdx.x] = 0; __syncthreads(); { unsigned o = words[b & 31], s; do { s = o; o = atomicCAS(&words[b & 31], s, s + (a & 255)); } while (o != s); } __syncthreads(); r0 = words[lane];",
    )
    yield Op("syncthreads_count", 1, "r0 = __syncthreads_count(a & 1);")
    yield Op(
        "syncthreads_and_or", 1, "r0 = __syncthreads_and(a != 0) + 2 * __syncthreads_or(threadIdx.x == 77 && (a & 2));"
    )
    yield Op(
        "shared bytes",
        1,
        "__syncthreads(); ((unsigned char*)words)[threadIdx.x] = a; __syncthreads(); r0 = ((unsigned char*)words)[threadIdx.x ^ 5] | ((signed char*)words)[threadIdx.x ^ 9] << 8;",
    )
    yield Op(
        "shared halves",
        1,
        "__syncthreads(); ((unsigned short*)words)[threadIdx.x] = a; __syncthreads(); r0 = ((short*)words)[threadIdx.x ^ 3] * 3;",
    )
    yield Op(
        "shared 64",
        2,
        "__syncthreads(); ((unsigned long long*)words)[threadIdx.x] = A; __syncthreads(); { auto x = ((unsigned long long*)words)[threadIdx.x ^ 3]; r0 = x, r1 = x >> 32; }",
    )
    yield Op(
        "shared 128",
        1,
        "__syncthreads(); ((uint4*)words)[threadIdx.x] = make_uint4(a, b, c, d); __syncthreads(); { uint4 x = ((uint4*)words)[threadIdx.x ^ 6]; r0 = x.x ^ 3 * x.y ^ 5 * x.z ^ 7 * x.w; }",
    )
    yield Op(
        "local array",
        1,
        "{ unsigned t[16]; for (int k = 0; k < 16; ++k) t[k] = a * k + b; t[a & 15] ^= c; r0 = t[b & 15] + t[c & 15]; }",
    )
    for count in (1, 2, 4):
        for trans in ("", ".trans"):
            regs = ", ".join(f"%{k}" for k in range(count))
            outs = ", ".join(f'"=r"(x[{k}])' for k in range(count))
            yield Op(
                f"ldmatrix.x{count}{trans}",
                1,
                f'__syncthreads(); ((uint4*)words)[threadIdx.x] = make_uint4(a, b, c, d); __syncthreads(); {{ unsigned x[4] = {{0, 0, 0, 0}}; unsigned p = (unsigned)__cvta_generic_to_shared((uint4*)words + (threadIdx.x ^ 9)); asm volatile("ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{regs}}}, [%{count}];" : {outs} : "r"(p) : "memory"); r0 = x[0] ^ 3 * x[1] ^ 5 * x[2] ^ 7 * x[3]; }}',
            )
            ins = ", ".join(f'"r"({"abcd"[k]})' for k in range(count))
            regs2 = ", ".join(f"%{k + 1}" for k in range(count))
            yield Op(
                f"stmatrix.x{count}{trans}",
                1,
                f'__syncthreads(); ((uint4*)words)[threadIdx.x] = make_uint4(0, 0, 0, 0); __syncthreads(); {{ unsigned p = (unsigned)__cvta_generic_to_shared((uint4*)words + threadIdx.x); asm volatile("stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [%0], {{{regs2}}};" :: "r"(p), {ins} : "memory"); }} __syncthreads(); {{ uint4 x = ((uint4*)words)[threadIdx.x ^ 6]; r0 = x.x ^ 3 * x.y ^ 5 * x.z ^ 7 * x.w; }}',
            )
    yield ptx("movmatrix.sync.aligned.m8n8.trans.b16", "r", "r")
    for size in (4, 8, 16):
        yield Op(
            f"cp.async {size}",
            1,
            f'__syncthreads(); ((uint4*)words)[threadIdx.x] = make_uint4(a, b, c, d); __syncthreads(); {{ unsigned p = (unsigned)__cvta_generic_to_shared((uint4*)words + threadIdx.x); asm volatile("cp.async.ca.shared.global [%0], [%1], {size}, %2; cp.async.commit_group; cp.async.wait_group 0;" :: "r"(p), "l"(in + 4 * (i & ~3)), "r"((a & 1) ? {size} : 0) : "memory"); }} __syncthreads(); {{ uint4 x = ((uint4*)words)[threadIdx.x ^ 6]; r0 = x.x ^ 3 * x.y ^ 5 * x.z ^ 7 * x.w; }}',
        )


def _atomic(name: str, letter: str, values: list[str]) -> Op:
    """Wrap one atomic on the thread's own word, in global and in shared memory; the result joins old and new."""
    places = ", ".join(f"%{k + 2}" for k in range(len(values)))
    inputs = ", ".join(f'"{letter}"({v})' for v in values)
    kind, first = ("unsigned", "a") if letter == "r" else ("unsigned long long", "A")
    code = (
        f"{{ {kind} x, y; auto* g = ({kind}*)mine; auto* s = ({kind}*)(words + 2 * threadIdx.x); *g = {first}; *s = {first}; "
        f'asm volatile("atom.global.{name} %0, [%1], {places};" : "={letter}"(x) : "l"(g), {inputs} : "memory"); '
        f'asm volatile("atom.shared.{name} %0, [%1], {places};" : "={letter}"(y) : '
        f'"r"((unsigned)__cvta_generic_to_shared(s)), {inputs} : "memory"); '
        "auto z = (*g ^ x * 3) + (*s ^ y * 5) * 7; r0 = unsigned(z); r1 = unsigned((unsigned long long)(z) >> 32); }"
    )
    return Op(f"atom.{name}", 2, code)


def _float_atomics() -> Iterator[Op]:
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


def _half_atomics(kind: str) -> Iterator[Op]:
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


def _half_approximate() -> Iterator[Op]:
    yield ptx("ex2.approx.f16x2", "r", "r")
    yield ptx("tanh.approx.f16x2", "r", "r")


def _bfloat_approximate() -> Iterator[Op]:
    yield ptx("ex2.approx.ftz.bf16x2", "r", "r")
    yield ptx("tanh.approx.bf16x2", "r", "r")


def groups() -> tuple[Group, ...]:
    """Return every group; names that begin with approximate_ are compared within a bound, the rest bit for bit."""
    exact = {
        "integer": list(_integer()),
        "single": [*_single()],
        "half": [*_packed("f16"), *_half_atomics("f16x2")],
        "bfloat": [*_packed("bf16"), *_half_atomics("bf16x2")],
        "double": [*_double()],
        "lanes": list(_lanes()),
        "single_atomics": list(_float_atomics())[:2],
        "double_atomics": list(_float_atomics())[2:],
        "approximate_single": list(_approximate()),
        "approximate_double": list(_approximate_double()),
        "approximate_half": list(_half_approximate()),
        "approximate_bfloat": list(_bfloat_approximate()),
    }
    out = []
    for name, ops in exact.items():
        domain = next(d for d in DOMAINS if d in name.split("_"))
        for first in range(0, len(ops), OPS_PER_KERNEL):
            out.append(Group(f"{name}_{first // OPS_PER_KERNEL}", domain, tuple(ops[first : first + OPS_PER_KERNEL])))
    return tuple(out)


_KERNEL = """
extern "C" __global__ void %s(const unsigned* in, unsigned* out, unsigned* scratch, int n)
{
    __shared__ __align__(16) unsigned words[1024];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lane = threadIdx.x & 31;
    const unsigned a = in[i], b = in[n + i], c = in[2 * n + i], d = in[3 * n + i], e = in[4 * n + i], f = in[5 * n + i];
    const unsigned long long A = a | (unsigned long long)(d) << 32, B = b | (unsigned long long)(e) << 32, C = c | (unsigned long long)(f) << 32;
    const float fa = __uint_as_float(a), fb = __uint_as_float(b), fc = __uint_as_float(c);
    const double da = __longlong_as_double(A), db = __longlong_as_double(B), dc = __longlong_as_double(C);
    const unsigned short ha = a, hb = b, hc = c;
    unsigned* const mine = scratch + 2 * i;
    unsigned r0, r1;
%s
}
"""


def source() -> str:
    """Return the campaign as one CUDA source: a kernel a group, a result a row of `out`."""
    text = ["#include <cuda_fp16.h>", "#include <cuda_bf16.h>"]
    for group in groups():
        lines, row = [], 0
        for op in group.ops:
            stores = f"out[{row} * n + i] = r0;" + (f" out[{row + 1} * n + i] = r1;" if op.words == 2 else "")
            lines.append(f"    {op.code} {stores}")
            row += op.words
        text.append(_KERNEL % (group.kernel, "\n".join(lines)))
    return "\n".join(text)


_CORNERS = {
    "integer": [0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 1 << 24,
                0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFF0, 0xFFFFFFFE, 0xFFFFFFFF, 0x01020304, 0x80FF7F00],
    "single": [0, 1, 0x400000, 0x7FFFFF, 0x800000, 0x800001, 0x1000000, 0x33000000, 0x3F000000, 0x3F7FFFFF, 0x3F800000,
               0x3F800001, 0x3FC00000, 0x40000000, 0x40200000, 0x42FE0000, 0x43000000, 0x437F0000, 0x437F8000, 0x46FFFE00,
               0x477FE000, 0x477FF000, 0x47800000, 0x4B000000, 0x4B7FFFFF, 0x4EFFFFFF, 0x4F000000, 0x4F7FFFFF, 0x4F800000,
               0x5F000000, 0x5F800000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FA00000, 0x7FC00000, 0x7FFFFFFF],
    "half": [0, 1, 0x1FF, 0x200, 0x3FF, 0x400, 0x401, 0x3800, 0x3BFF, 0x3C00, 0x3C01, 0x3E00, 0x4000, 0x4100, 0x5BF8, 0x6400,
             0x7800, 0x7BFF, 0x7C00, 0x7C01, 0x7D00, 0x7E00, 0x7FFF],
    "bfloat": [0, 1, 0x40, 0x7F, 0x80, 0x81, 0x3F00, 0x3F7F, 0x3F80, 0x3F81, 0x3FC0, 0x4000, 0x4300, 0x4F00, 0x7F7F, 0x7F80,
               0x7F81, 0x7FA0, 0x7FC0, 0x7FFF],
    "double": [0, 1, 1 << 51, (1 << 52) - 1, 1 << 52, (1 << 52) + 1, 0x36A0 << 48, 0x3690 << 48, 0x3810 << 48, 0x380FFFFFF << 28,
               0x3FE0 << 48, 0x3FEFFFFFFFFFFFFF, 0x3FF0 << 48, 0x3FF0000000000001, 0x3FF8 << 48, 0x4000 << 48, 0x4004 << 48,
               0x40EFFE << 40, 0x41DFFFFFFFC00000, 0x41E0 << 48, 0x41EFFFFFFFE00000, 0x4330 << 48, 0x43E0 << 48, 0x43F0 << 48,
               0x47EFFFFFE0000000, 0x47EFFFFFF0000000, 0x47F0 << 48, 0x7FEFFFFFFFFFFFFF, 0x7FF0 << 48, 0x7FF0000000000001,
               0x7FF4 << 48, 0x7FF8 << 48, 0x7FFFFFFFFFFFFFFF],
}  # fmt: skip
_SHAPES = {"single": (32, 23, 127), "half": (16, 10, 15), "bfloat": (16, 7, 127), "double": (64, 52, 1023)}


def _random(stream: int, count: int) -> np.ndarray:
    """Return 64 random bits a place (splitmix64), the same with every numpy."""
    with np.errstate(over="ignore"):
        z = (np.arange(count, dtype=np.uint64) + np.uint64(stream << 32)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _numbers(domain: str, stream: int, count: int) -> np.ndarray:
    """Return patterns of one operand: a quarter corner cases of either sign, a quarter any bits, half of moderate size."""
    choice, any_bits, near = (_random(stream + k, count) for k in range(3))
    corners = np.array(_CORNERS[domain], np.uint64)
    corner = corners[(choice >> np.uint64(8)) % np.uint64(len(corners))]
    if domain == "integer":
        small = (near & np.uint64(63)) | ((near >> np.uint64(6)) & np.uint64(1)) * np.uint64(0xFFFFFFC0)
        out = np.select([choice & np.uint64(3) == 0, choice & np.uint64(3) == 1], [corner, small], any_bits)
        return out & np.uint64(0xFFFFFFFF)
    width, fraction, bias = _SHAPES[domain]
    sign = (choice >> np.uint64(40)) << np.uint64(width - 1)
    spread = (near >> np.uint64(56)) % np.uint64(24)
    moderate = (near & np.uint64((1 << fraction) - 1)) | (spread + np.uint64(bias - 12)) << np.uint64(fraction)
    out = np.select(
        [choice & np.uint64(3) == 0, choice & np.uint64(3) == 1], [corner ^ sign, any_bits], moderate ^ sign
    )
    return out & np.uint64((1 << width) - 1)


def inputs(domain: str, count: int) -> np.ndarray:
    """Return the words a, b, c, d, e, f of `count` threads, (6, count) uint32."""
    streams = range(100 * DOMAINS.index(domain), 100 * DOMAINS.index(domain) + 60, 10)
    kind = "integer" if domain == "lanes" else domain
    if kind == "double":
        wide = [_numbers(kind, stream, count) for stream in streams[:3]]
        words = [x & np.uint64(0xFFFFFFFF) for x in wide] + [x >> np.uint64(32) for x in wide]
    elif kind in ("half", "bfloat"):
        words = [_numbers(kind, s, count) | _numbers(kind, s + 5, count) << np.uint64(16) for s in streams]
    else:
        words = [_numbers(kind, stream, count) for stream in streams]
    return np.array(words, np.uint64).astype(np.uint32)


if __name__ == "__main__":
    print(source())
