"""The opcode campaign's operations between lanes, on shared memory, and atomics on integers."""

from __future__ import annotations

from collections.abc import Iterator

from operation import Op, c, ptx

__all__ = ["atomic", "elected", "lanes"]


def lanes() -> Iterator[Op]:
    """Yield them."""
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
            yield atomic(f"{name}.{kind}", code, [value])
        if kind in ("u32", "u64"):
            bits = kind.replace("u", "b")
            for name in ("and", "or", "xor", "exch"):
                yield atomic(f"{name}.{bits}", code, [value])
            yield atomic(f"cas.{bits}", code, [f"(i & 1) ? ({'a' if code == 'r' else 'A'}) : ({value})", new])
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


def elected() -> Iterator[Op]:
    """Yield elect.sync, by all lanes and by those that are here, with which of them it elects."""
    text = (
        '{ unsigned x, y; asm volatile("{.reg .pred p; elect.sync %%0|p, %%2; selp.u32 %%1, 1, 0, p;}" '
        ': "=r"(x), "=r"(y) : "r"(%s)); r0 = x + 100 * y; }'
    )
    yield Op("elect.sync", 1, text % "~0u")
    yield Op("divergent elect.sync", 1, f"r0 = 7; if (a & 3) {text % '__activemask()'}")


def atomic(name: str, letter: str, values: list[str]) -> Op:
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
