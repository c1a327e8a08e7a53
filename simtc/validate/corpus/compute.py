"""What a kernel of the corpus does with its fragments, and what it stores in the end."""

from __future__ import annotations

from collections.abc import Iterator

from simtc.validate.corpus.knobs import Knobs, registers

__all__ = ["called_functions", "fragments", "outputs", "work"]

_CALLED = {
    "div": "x0 = x0 / (x1 * x1 + 1.25f);",
    "mod64": "u0 += (unsigned)(((unsigned long long)u1 << 20 | u0) % ((unsigned long long)(u0 | 1u) * 77u));",
    "ddiv": "x0 = (float)((double)x0 / ((double)x1 * x1 + 1.25));",
    "noinline": "x0 = called(x0, x1, u0);",
}


def called_functions() -> str:
    """Return the function that some kernels call."""
    return (
        "__device__ __noinline__ float called(float x, float y, unsigned u) {\n"
        "  for (int i = 0; i < 4; i++) x = fmaf(x, 0.5f, y) + (float)(u >> 30);\n  return x * 0.125f;\n}"
    )


def fragments(knobs: Knobs) -> list[str]:
    """Return the names of the registers that an iteration's fragments stand in."""
    return [f"f{k}[{i}]" for k, tile in enumerate(knobs.tiles) for i in range(tile.words)]


def work(knobs: Knobs) -> tuple[list[str], list[str]]:
    """Return the registers of the loop, and what an iteration does beside bringing and reading tiles."""
    state, body = [], []
    if knobs.mma:
        state.append(_sums(knobs))
    if knobs.mix or knobs.called != "none":
        for k in range(max(2, knobs.chains)):
            whole = f"unsigned u{k} = lane * {2 * k + 3}u, h{k} = 0x38003a00u;"
            state.append(f"float x{k} = 0.25f + lane * {k + 1} * 0.001f; {whole}")
        state.append("const float y = 0.5f + n * 0.0001f, z = 0.125f; const unsigned v = n | 1u, w = 0x2c002c01u;")
    body += list(_matrix(knobs))
    used = fragments(knobs)
    if knobs.mix and used:
        body.append("u0 ^= " + " ^ ".join(used) + ";")
    elif used:
        body.append("folded ^= " + " ^ ".join(used) + ";")
    body += _guarded(knobs)
    if knobs.called != "none":
        body.append(_CALLED[knobs.called])
    return state, body + _atomics(knobs)


def _double(knobs: Knobs) -> bool:
    return "f64" in knobs.mma


def _sums(knobs: Knobs) -> str:
    count = knobs.accumulators * registers(knobs.mma, "c") // (2 if _double(knobs) else 1)
    return f"{'double' if _double(knobs) else 'unsigned'} c[{count}] = {{}};"


def _matrix(knobs: Knobs) -> Iterator[str]:
    """Multiply fragments, by turns, into independent sums."""
    if not knobs.mma:
        return
    held = fragments(knobs) or ["0x38003800u"]
    size = 2 if _double(knobs) else 1
    count = {x: registers(knobs.mma, x) // size for x in "abc"}
    at = 0
    for number in range(knobs.mmas):
        sums = [f"c[{number % knobs.accumulators * count['c'] + i}]" for i in range(count["c"])]
        read = []
        for _ in range(count["a"] + count["b"]):
            words = [held[(at + i) % len(held)] for i in range(size)]
            read.append(words[0] if size == 1 else f"__hiloint2double({words[1]}, {words[0]})")
            at += size
        yield f"mma_{knobs.mma.replace('.', '_')}({', '.join([*sums, *read])});"


def _one(kind: str, k: int) -> str:
    """Return one scalar instruction on a chain."""
    return {
        "ffma": f"x{k} = fmaf(x{k}, y, z);",
        "hfma2": f"hfma2(h{k}, w);",
        "imad": f"u{k} = u{k} * v + {2 * k + 1}u;",
        "mufu": f"x{k} = ex2(-x{k});",
        "shfl": f"u{k} += __shfl_xor_sync(~0u, u{k}, {1 << k % 5});",
        "lop": f"u{k} = (u{k} ^ v) & ~(u{k} >> 3);",
    }[kind]


def _guarded(knobs: Knobs) -> list[str]:
    """Return the scalar instructions, some of them for a part of the lanes or warps alone."""
    every = [_one(kind, number % knobs.chains) for number, kind in enumerate(knobs.mix)]
    if knobs.guard == "none" or len(every) < 2:
        return every
    third = max(1, len(every) // 3)
    some = [line for line in every[:third] if "shfl" not in line] or ["x0 = fmaf(x0, y, z);"]
    rest = every[third:]
    if knobs.guard == "predicate":
        return ["if (lane & 1) {", *(f"  {line}" for line in some[:2]), "}", *some[2:], *rest]
    if knobs.guard == "warp":
        return ["if (warp & 1) {", *(f"  {line}" for line in some), "}", *rest]
    if knobs.guard == "diverge":
        other = [line.replace("z)", "y)") for line in reversed(some)]
        halves = [*(f"  {line}" for line in some), "} else {", *(f"  {line}" for line in other)]
        return [f"if (lane < {4 + 5 * third % 24}u) {{", *halves, "}", *rest]
    return ["#pragma unroll 1", "for (unsigned j = 0; j < (lane & 3u); j++) {", *(f"  {x}" for x in some), "}", *rest]


def _atomics(knobs: Knobs) -> list[str]:
    where = f"(threadIdx.x + blockIdx.x) % {knobs.spread}u * 4"
    if knobs.atomics == "shared":
        base = f"shared + {knobs.groups * knobs.stages * knobs.stage_bytes}"
        return [f"atomicAdd((unsigned*)({base} + {where}), 3u);"]
    if knobs.atomics == "global":
        return [f"atomicAdd((unsigned*)(d + {where}), 1u);"]
    if knobs.atomics == "global_return":
        return [f"folded += atomicMax((unsigned*)(d + {where}), 7u) >> 31;"]
    return []


def outputs(knobs: Knobs) -> list[str]:
    """Store the results as the epilogue's rows."""
    out = knobs.epilogue
    words = _results(knobs)
    lanes, each = max(1, out.piece // out.width), out.width // 4
    pieces = max(1, 32 // lanes)
    lines = [] if len(words) <= out.stores * each else ["folded ^= " + " ^ ".join(words[out.stores * each :]) + ";"]
    words = ["folded", *words[: out.stores * each - 1]] if len(words) > out.stores * each else words
    first = f"(size_t)(blockIdx.x * {knobs.warps}u + warp) * {out.stores * pieces}u + lane / {lanes}u"
    lines.append(f"char* out = d + 4096 + ({first}) * {out.gap}u + lane % {lanes}u * {out.width}u;")
    for store in range(out.stores):
        values = ", ".join(words[(store * each + i) % len(words)] for i in range(each))
        at = f"out + {store * pieces * out.gap}"
        lines.append(f"{'combine' if out.reads else 'stg'}({at}, {values});")
    return lines


def _results(knobs: Knobs) -> list[str]:
    """Return every register that holds a result, as an expression of 32 bits."""
    found = ["folded"]
    if knobs.kind == "attention":
        wide = 4 * knobs.tiles[1].fragments
        return [*found, *(f"o[{i}]" for i in range(wide)), "__float_as_uint(total)"]
    if knobs.mma:
        count = knobs.accumulators * registers(knobs.mma, "c") // (2 if _double(knobs) else 1)
        found += [f"__double2hiint(c[{i}])" if _double(knobs) else f"c[{i}]" for i in range(count)]
    if knobs.mix or knobs.called != "none":
        for k in range(max(2, knobs.chains)):
            found += [f"__float_as_uint(x{k})", f"u{k}", f"h{k}"]
    return found
