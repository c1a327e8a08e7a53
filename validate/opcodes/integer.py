"""The opcode campaign's operations on integers, and on bits of any kind."""

from __future__ import annotations

from collections.abc import Iterator

from operation import MODES, ORDERED, Op, c, compare, ptx, with_immediates

__all__ = ["integer"]


def integer() -> Iterator[Op]:
    """Yield them."""
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
