"""A kernel of the corpus as CUDA C++: what its knobs say, written out."""

from __future__ import annotations

from collections.abc import Iterable

from simtc.numerics import instructions
from simtc.validate.corpus.attention import attention
from simtc.validate.corpus.compute import called_functions, outputs, work
from simtc.validate.corpus.knobs import Knobs, Tile, registers

__all__ = ["kernel_text", "source_text"]

_CAST = {"f64": "double"}


def source_text(kernels: Iterable[Knobs]) -> str:
    """Return one .cu file with several kernels.

    Example:
        >>> from simtc.validate.corpus.drawing import draw
        >>> '__launch_bounds__' in source_text([draw("loop_007")])
        True

    """
    many = list(kernels)
    forms = sorted({one.mma for one in many if one.mma})
    parts = ['#include "corpus.cuh"', *map(_mma_function, forms), called_functions(), *map(kernel_text, many)]
    return "\n".join(parts) + "\n"


def mma_name(form: str) -> str:
    """Return the name of the function that executes a matrix instruction."""
    return "mma_" + form.replace(".", "_")


def _mma_function(form: str) -> str:
    """Write a function of one mma.sync over 32-bit registers."""
    found = instructions("hopper")[form]
    double = found.a == "f64"
    shape, d, a, b, c, *rest = form.split(".")
    flavour = "".join(f".{x}" for x in rest)
    count = {x: registers(form, x) // (2 if double else 1) for x in "abc"}
    kind = "double" if double else "unsigned"
    letter = "d" if double else "r"
    at, places = 0, {}
    for x in "cab":
        places[x] = "{" + ", ".join(f"%{at + i}" for i in range(count[x])) + "}"
        at += count[x]
    sums = ", ".join(f'"+{letter}"(c{i})' for i in range(count["c"]))
    read = ", ".join(f'"{letter}"({x}{i})' for x in "ab" for i in range(count[x]))
    takes = ", ".join([f"{kind}& c{i}" for i in range(count["c"])]
                      + [f"{kind} {x}{i}" for x in "ab" for i in range(count[x])])  # fmt: skip
    return (
        f"__device__ __forceinline__ void {mma_name(form)}({takes}) {{\n"
        f'  asm volatile("mma.sync.aligned.{shape}.row.col.{d}.{a}.{b}.{c}{flavour} '
        f'{places["c"]}, {places["a"]}, {places["b"]}, {places["c"]};" : {sums} : {read});\n}}'
    )


def kernel_text(knobs: Knobs) -> str:
    """Write one kernel."""
    lines = [
        (
            f'extern "C" __global__ void __launch_bounds__({knobs.threads}) {knobs.name}('
            "const char* __restrict__ a, const char* __restrict__ b, char* __restrict__ d, int n) {"
        ),
        "  extern __shared__ __align__(1024) char shared[];",
        "  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;",
        (
            f"  const unsigned group = warp / {knobs.group}, in_group = warp % {knobs.group}, "
            f"t = threadIdx.x % {32 * knobs.group};"
        ),
        (
            f"  const unsigned home = (unsigned)__cvta_generic_to_shared(shared)"
            f" + group * {knobs.stages * knobs.stage_bytes};"
        ),
        "  unsigned folded = lane;",
    ]
    for number, tile in enumerate(knobs.tiles):
        lines += _tile_setup(knobs, number, tile)
    state, body = (attention if knobs.kind == "attention" else work)(knobs)
    lines += _indent(state, 1)
    lines += _loop(knobs, body)
    lines += _indent(outputs(knobs), 1)
    return "\n".join([*lines, "}"])


def _indent(lines: Iterable[str], depth: int) -> list[str]:
    return ["  " * depth + line for line in lines]


def _tile_setup(knobs: Knobs, number: int, tile: Tile) -> list[str]:
    """Say where the tile lies in global memory, and where a lane's fragments begin."""
    k, threads = number, 32 * knobs.group
    rows, pointer = tile.rows(threads), "ab"[number % 2]
    down = 1 if tile.along else knobs.iterations
    lines = [
        (
            f"const char* from{k} = {pointer} + (size_t)((blockIdx.x * {knobs.groups}u + group) % {tile.share}u)"
            f" * {down * rows * tile.stride}ull;"
        )
    ]
    step = tile.row if tile.along else rows * tile.stride
    row, byte = _lane_place(knobs, tile, rows)
    pitch = tile.stride if tile.copy == "direct" else tile.pitch
    swizzle = f" ^ (row & {_mask(tile)}u) * 16" if tile.xor and tile.copy != "direct" else ""
    lines.append(
        f"unsigned read{k}; {{ const unsigned row = {row}, byte = {byte};"
        f" read{k} = row * {pitch}u + (byte{swizzle}); }}"
    )
    lines.append(f"const unsigned step{k} = {step}u;")
    return _indent(lines, 1)


def _mask(tile: Tile) -> int:
    return min(7, tile.row // 16 - 1)


def _own_rows(knobs: Knobs, rows: int) -> tuple[int, int]:
    """Return the rows that a fragment covers, and those that a warp of the group has for itself."""
    covers = min(rows, 16)
    return covers, max(covers, rows // knobs.group)


def _lane_place(knobs: Knobs, tile: Tile, rows: int) -> tuple[str, str]:
    """Return the row and the byte in it at which a lane begins to read, as expressions."""
    covers, own = _own_rows(knobs, rows)
    first = f"(in_group * {own}u) % {rows}u"
    if tile.read.startswith("ldsm"):
        return f"{first} + lane % {covers}u", f"lane / 16 * 16 % {tile.row}u"
    width = int(tile.read[3:])
    if tile.pattern == "fragment":
        return f"{first} + lane / 4 % {covers}u", f"lane % 4 * {width} % {tile.row}u"
    if tile.pattern == "linear":
        return f"{first} + lane * {width} / {tile.row}u % {covers}u", f"lane * {width} % {tile.row}u"
    if tile.pattern == "column":
        return f"{first} + lane % {covers}u", "0u"
    return first, f"lane % 4 * {width} % {tile.row}u"


def _fragment_offsets(knobs: Knobs, tile: Tile) -> list[tuple[int, int]]:
    """Return how far each fragment is from the first, in rows and bytes of a row; beyond the tile they begin anew."""
    covers, own = _own_rows(knobs, tile.rows(32 * knobs.group))
    width = int(tile.read[3:]) if tile.read.startswith("lds") and "ldsm" not in tile.read else 0
    wide = {"linear": 32 * width, "column": width}.get(tile.pattern, 4 * width) if width else 32
    across, down = max(1, tile.row // wide), max(1, own // covers)
    return [(f // across % down * covers, f % across * wide) for f in range(tile.fragments)]


def _reads(knobs: Knobs, number: int) -> list[str]:
    """Load a tile's fragments of one iteration into f{number}_*."""
    tile, k = knobs.tiles[number], number
    each = tile.words // max(1, tile.fragments)
    lines = []
    for f, (row, byte) in enumerate(_fragment_offsets(knobs, tile)):
        names = ", ".join(f"f{k}[{f * each + i}]" for i in range(each))
        if tile.copy == "direct":
            source = f"from{k} + (size_t)i * step{k} + read{k} + {row * tile.stride + byte}"
            lines.append(f"ldg_{tile.cache}<{tile.hint}>({source}, {names});")
            continue
        low, high = byte % 16, byte // 16 * 16
        at = f"(read{k} ^ {high}u) + {row * tile.pitch + low}u" if tile.xor else f"read{k} + {row * tile.pitch + byte}u"
        lines.append(f"{tile.read.rstrip('0123456789')}(at{k} + {at}, {names});")
    return lines


def _fill(knobs: Knobs, number: int, stage: str, iteration: str) -> tuple[list[str], list[str]]:
    """Return what begins to bring a tile to a stage, and what ends it (the stores behind LDG)."""
    tile, k, threads = knobs.tiles[number], number, 32 * knobs.group
    if tile.copy == "direct":
        return [], []
    lanes = tile.row // tile.width
    begin, end = [], []
    for piece in range(tile.pieces):
        index = f"(t + {piece * threads}u)" if piece else "t"
        row, byte = f"{index} / {lanes}u", f"{index} % {lanes}u * {tile.width}u"
        source = f"from{k} + (size_t){iteration} * step{k} + (size_t)({row}) * {tile.stride}u + {byte}"
        swizzle = f"{byte} ^ ({row} & {_mask(tile)}u) * 16" if tile.xor else byte
        target = (
            f"home + {stage} * {knobs.stage_bytes}u + {_tile_base(knobs, k)}u + {row} * {tile.pitch}u + ({swizzle})"
        )
        if tile.copy == "ldgsts":
            begin.append(f"ldgsts_{tile.cache}<{tile.width}, {tile.hint}>({target}, {source});")
            continue
        each = tile.width // 4
        names = ", ".join(f"g{k}[{piece * each + i}]" for i in range(each))
        begin.append(f"ldg_{tile.cache}<{tile.hint}>({source}, {names});")
        end.append(f"sts({target}, {names});")
    return begin, end


def _tile_base(knobs: Knobs, number: int) -> int:
    return sum(tile.shared_bytes(32 * knobs.group) for tile in knobs.tiles[:number])


def _barrier(knobs: Knobs) -> str:
    if knobs.group == 1:
        return "__syncwarp();"
    return "__syncthreads();" if knobs.groups == 1 else f"bar(group + 1, {32 * knobs.group});"


def _loop(knobs: Knobs, body: list[str]) -> list[str]:
    """Write the main loop: tiles come `stages` ahead, a barrier parts those who write from those who read."""
    held = [f"unsigned f{k}[{max(1, tile.words)}];" for k, tile in enumerate(knobs.tiles)]
    held += [
        f"unsigned g{k}[{tile.pieces * tile.width // 4}];" for k, tile in enumerate(knobs.tiles) if tile.copy == "ldg"
    ]
    reads = [line for k in range(len(knobs.tiles)) for line in _reads(knobs, k)]
    where = [f"const unsigned at{k} = home + stage * {knobs.stage_bytes}u + {_tile_base(knobs, k)}u;"
             for k, tile in enumerate(knobs.tiles) if tile.copy != "direct" and tile.fragments]  # fmt: skip
    brought = any(tile.copy != "direct" for tile in knobs.tiles)
    asynchronous = any(tile.copy == "ldgsts" for tile in knobs.tiles)
    commit = ["commit();"] if asynchronous else []
    stages, barrier = knobs.stages, _barrier(knobs)
    head = "for (int i = 0; i < n; i++) {"
    unroll = f"#pragma unroll {knobs.unroll}"

    def fill(stage: str, iteration: str) -> tuple[list[str], list[str]]:
        both = [_fill(knobs, k, stage, iteration) for k in range(len(knobs.tiles))]
        return [x for begin, _ in both for x in begin], [x for _, end in both for x in end]

    work_lines = [*where, *reads, *body]
    if not brought:
        return _indent([*held, unroll, head, *_indent(work_lines, 1), "}"], 1)
    if stages == 1:
        begin, end = fill("0u", "i")
        inside = ["const unsigned stage = 0;", *begin, *commit, *end, *(["arrived<0>();"] * asynchronous), barrier,
                  *work_lines, barrier]  # fmt: skip
        return _indent([*held, unroll, head, *_indent(inside, 1), "}"], 1)
    first: list[str] = []
    for stage in range(stages - 1):
        begin, end = fill(f"{stage}u", str(stage))
        first += [f"if ({stage} < n) {{", *_indent([*begin, *end], 1), "}", *commit]
    begin, end = fill("next", f"(i + {stages - 1})")
    inside = [
        *([f"arrived<{stages - 2}>();"] * asynchronous), barrier,
        f"const unsigned next = stage ? stage - 1 : {stages - 1}u;",
        f"if (i + {stages - 1} < n) {{", *_indent(begin, 1), "}", *commit, *work_lines,
        *([f"if (i + {stages - 1} < n) {{", *_indent(end, 1), "}"] if end else []),
        f"stage = stage == {stages - 1}u ? 0u : stage + 1;",
    ]  # fmt: skip
    return _indent([*held, *first, "unsigned stage = 0;", unroll, head, *_indent(inside, 1), "}"], 1)
