"""The opcode campaign's operations on floats: single, double, and pairs of halves."""

from __future__ import annotations

from collections.abc import Iterator

from operation import ALL, MODES, Op, c, compare, ptx

__all__ = ["approximate", "approximate_double", "bfloat_approximate", "double", "half_approximate", "packed", "single"]


def single() -> Iterator[Op]:
    """Yield the operations on single precision that are exact, or rounded as IEEE says."""
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


def approximate() -> Iterator[Op]:
    """Yield those that are compared within a bound."""
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


def approximate_double() -> Iterator[Op]:
    """Yield the approximations of doubles."""
    yield ptx("rcp.approx.ftz.f64", "d", "d")
    yield ptx("rsqrt.approx.ftz.f64", "d", "d")


def packed(kind: str) -> Iterator[Op]:
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


def double() -> Iterator[Op]:
    """Yield the operations on double precision."""
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


def half_approximate() -> Iterator[Op]:
    """Yield the approximations of pairs of f16."""
    yield ptx("ex2.approx.f16x2", "r", "r")
    yield ptx("tanh.approx.f16x2", "r", "r")


def bfloat_approximate() -> Iterator[Op]:
    """Yield the approximations of pairs of bf16."""
    yield ptx("ex2.approx.ftz.bf16x2", "r", "r")
    yield ptx("tanh.approx.bf16x2", "r", "r")
