"""One PTX kernel for every matrix instruction: operands from memory, one instruction, the result to memory.

`mma` and `wgmma` take their registers as `simtc.layout` says, so a wrong layout shows as wrong numbers; `wmma` loads
and stores through its own instructions, whose registers are opaque.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from simtc.errors import BadInputError
from simtc.layout import Fragment, fragment
from simtc.numerics import Instruction, format_named

__all__ = [
    "family",
    "fragment_of",
    "header",
    "ldmatrix_ptx",
    "mma_ptx",
    "target",
    "wgmma_ptx",
    "wmma_load_ptx",
    "wmma_ptx",
]

_LOAD = {"f32": "f32", "f64": "f64"}  # PTX's register type; every other element travels in .b32


def family(found: Instruction) -> str:
    """Return mma, wmma or wgmma."""
    prefix = found.name.partition(".")[0]
    return prefix if prefix in ("wmma", "wgmma") else "mma"


def target(found: Instruction, sm: int) -> str:
    """Return what to compile an instruction for: wgmma is of sm_90a alone."""
    return f"sm_{sm}a" if family(found) == "wgmma" else f"sm_{sm}"


def header(sm: str, *, newest: bool = False) -> str:
    """Return the first lines of a PTX file; `newest` where an instruction is younger than its chip."""
    number = int(sm.removeprefix("sm_").rstrip("a"))
    version = (
        "8.7" if newest else "8.0" if number >= 90 else "7.8" if number >= 86 else "7.1" if number >= 80 else "7.0"
    )
    return f".version {version}\n.target {sm}\n.address_size 64\n"


def fragment_of(found: Instruction, operand: str, quad_pair: int | None = None) -> Fragment:
    """Return the register layout of an operand, with A by rows and B by columns where there is a choice."""
    major = {"a": "row", "b": "col"}.get(operand)
    choose = found.opcode == "HMMA.884" and found.m == 8
    return fragment(
        found.name, operand=operand, arch=found.arch, view="registers", quad_pair=quad_pair,
        major=major if choose else None,
    )  # fmt: skip


def _type(element: str) -> str:
    return _LOAD.get(element, "b32")


def _registers(found: Instruction, operand: str, count: int | None = None) -> tuple[str, int]:
    """Return the PTX type and number of an operand's registers."""
    held = fragment_of(found, operand)
    kind = _type(getattr(found, operand))
    return kind, count or (held.count if kind == "f64" else held.registers)


def _entry(parameters: int) -> Iterator[str]:
    """Start the kernel: %p0, %p1, ... are its pointers in the global space, %block and %lane who it is."""
    yield f".visible .entry probe({', '.join(f'.param .u64 q{i}' for i in range(parameters))})\n{{"
    yield f".reg .b64 %p<{parameters}>, %t; .reg .b32 %block, %lane, %place, %s; .reg .pred %on;"
    for i in range(parameters):
        yield f"ld.param.u64 %p{i}, [q{i}]; cvta.to.global.u64 %p{i}, %p{i};"
    yield "mov.u32 %block, %ctaid.x; mov.u32 %lane, %tid.x;"


def _declare(name: str, kind: str, count: int) -> str:
    return f".reg .{kind} %{name}<{count}>;"


def _braces(name: str, count: int) -> str:
    return "{" + ", ".join(f"%{name}{i}" for i in range(count)) + "}"


def _own(pointer: int, count: int, kind: str, lanes: int) -> str:
    """Point %t at this lane's first register in an array (block, register, lane)."""
    size = 8 if kind == "f64" else 4
    return f"mad.lo.u32 %place, %block, {count * lanes}, %lane; mad.wide.u32 %t, %place, {size}, %p{pointer};"


def _move(name: str, pointer: int, count: int, kind: str, lanes: int, *, store: bool = False) -> Iterator[str]:
    """Load, or store, an operand's registers."""
    size = 8 if kind == "f64" else 4
    yield _own(pointer, count, kind, lanes)
    for i in range(count):
        at = f"[%t+{i * lanes * size}]"
        yield f"st.global.{kind} {at}, %{name}{i};" if store else f"ld.global.{kind} %{name}{i}, {at};"


def _split(found: Instruction) -> tuple[str, str]:
    """Return the bare shape, and what follows the types, such as .satfinite."""
    match = re.match(r"(?:w(?:g)?mma\.)?(m\d+n\d+k\d+)\.\w+\.\w+\.\w+\.\w+(.*)$", found.name)
    if match is None:
        raise BadInputError(f"{found.name} is no SHAPE.D.A.B.C")
    return match[1], match[2]


def mma_ptx(found: Instruction, sm: int) -> str:
    """Return kernel probe(A, B, C, D) for an mma.sync: registers as (products, register, lane)."""
    shape, suffix = _split(found)
    types = f".{found.d}.{found.a}.{found.b}.{found.c}"
    flavour = (f"{suffix}{types}", "") if suffix == ".satfinite" else (types, suffix)
    name = f"mma.sync.aligned.{shape}.row.col{''.join(flavour)}"
    young = found.a in ("e4m3", "e5m2")
    lines = [header(f"sm_{sm}", newest=young), *_entry(4)]
    held = {x: _registers(found, x) for x in "abcd"}
    lines += [_declare(x, *held[x]) for x in "abcd"]
    for pointer, x in enumerate("abc"):
        lines += _move(x, pointer, held[x][1], held[x][0], 32)
    lines.append(f"{name} {', '.join(_braces(x, held[x][1]) for x in 'dabc')};")
    lines += _move("d", 3, held["d"][1], held["d"][0], 32, store=True)
    return "\n".join([*lines, "ret;", "}"]) + "\n"


def wgmma_ptx(found: Instruction, sm: int) -> str:
    """Return kernel probe(A, B, C, D) for a wgmma: A, C, D as registers, B as the bytes of its shared memory.

    B's columns stand in core matrices of 8 columns by 16 bytes of k, without swizzle: the two that continue k lie 128
    bytes apart, the next 8 columns 256.
    """
    shape, _ = _split(found)
    types = f".{found.d}.{found.a}.{found.b}"
    held = {x: _registers(found, x) for x in "acd"}
    size = found.n * 32
    half = found.a in ("f16", "bf16")
    lines = [header(f"sm_{sm}a"), f".shared .align 128 .b8 tile[{size}];", *_entry(4)]
    lines += [_declare(x, *held[x]) for x in "ad"]
    lines += [".reg .b32 %w; .reg .b64 %desc, %u;"]
    lines += _move("a", 0, held["a"][1], "b32", 128)
    lines += _move("d", 2, held["d"][1], held["d"][0], 128)
    lines += [f"mad.wide.u32 %t, %block, {size}, %p1;"]
    for start in range(0, size // 4, 128):
        lines += [
            f"add.u32 %place, %lane, {start}; setp.lt.u32 %on, %place, {size // 4}; shl.b32 %place, %place, 2;",
            "cvt.u64.u32 %u, %place; add.u64 %u, %u, %t; mov.u32 %s, tile; add.u32 %s, %s, %place;",
            "@%on ld.global.b32 %w, [%u]; @%on st.shared.b32 [%s], %w;",
        ]
    fields = (128 >> 4) << 16 | (256 >> 4) << 32
    lines += [
        "fence.proxy.async; bar.sync 0;",
        "mov.u32 %s, tile; shr.u32 %s, %s, 4; cvt.u64.u32 %desc, %s;",
        f"or.b64 %desc, %desc, {fields}; setp.eq.u32 %on, %lane, %lane;",
        "wgmma.fence.sync.aligned;",
        f"wgmma.mma_async.sync.aligned.{shape}{types} {_braces('d', held['d'][1])}, {_braces('a', held['a'][1])},",
        f"    %desc, %on, 1, 1{', 0' if half else ''};",
        "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;",
    ]
    lines += _move("d", 3, held["d"][1], held["d"][0], 128, store=True)
    return "\n".join([*lines, "ret;", "}"]) + "\n"


def _api_registers(found: Instruction, operand: str, major: str | None = None) -> tuple[str, int]:
    """Return the PTX type and number of a wmma fragment's registers."""
    held = fragment(found.name, operand=operand, arch=found.arch, view="api", major=major)
    kind = _type(getattr(found, operand))
    return kind, held.count if kind == "f64" else held.registers


def matrix_bytes(found: Instruction, operand: str) -> int:
    """Return the bytes of a whole operand in memory."""
    rows, cols = {"a": (found.m, found.k), "b": (found.k, found.n)}.get(operand, (found.m, found.n))
    return rows * cols * format_named(getattr(found, operand)).bits // 8


def _tile(found: Instruction, operand: str, pointer: int) -> str:
    return f"mad.wide.u32 %t, %block, {matrix_bytes(found, operand)}, %p{pointer};"


def _wmma_load(found: Instruction, operand: str, major: str) -> str:
    shape, _ = _split(found)
    rows, cols = {"a": (found.m, found.k), "b": (found.k, found.n)}.get(operand, (found.m, found.n))
    count = _api_registers(found, operand, _choice(operand, major))[1]
    stride = cols if major == "row" else rows
    element = getattr(found, operand)
    return (
        f"wmma.load.{operand}.sync.aligned.{major}.{shape}.global.{element} {_braces(operand, count)}, [%t], {stride};"
    )


def _choice(operand: str, major: str) -> str | None:
    return major if operand in "ab" else None


def wmma_ptx(found: Instruction, sm: int) -> str:
    """Return kernel probe(A, B, C, D) for a wmma: A by rows, B by columns, C and D by rows."""
    shape, suffix = _split(found)
    majors = {"a": "row", "b": "col", "c": "row", "d": "row"}
    held = {x: _api_registers(found, x, _choice(x, majors[x])) for x in "abcd"}
    if found.a == "f16":
        name = f"wmma.mma.sync.aligned.row.col.{shape}.{found.d}.{found.c}"
    elif found.a == "b1":
        name = f"wmma.mma{suffix}.sync.aligned.row.col.{shape}.s32.b1.b1.s32"
    else:
        name = f"wmma.mma.sync.aligned.row.col.{shape}.{found.d}.{found.a}.{found.b}.{found.c}{suffix}"
    lines = [header(f"sm_{sm}"), *_entry(4), *(_declare(x, *held[x]) for x in "abcd")]
    for pointer, x in enumerate("abc"):
        lines += [_tile(found, x, pointer), _wmma_load(found, x, majors[x])]
    lines.append(f"{name} {', '.join(_braces(x, held[x][1]) for x in 'dabc')};")
    lines += [
        _tile(found, "d", 3),
        f"wmma.store.d.sync.aligned.row.{shape}.global.{found.d} [%t], {_braces('d', held['d'][1])}, {found.n};",
    ]
    return "\n".join([*lines, "ret;", "}"]) + "\n"


def wmma_load_ptx(found: Instruction, operand: str, major: str, sm: int) -> str:
    """Return kernel probe(matrix, registers): what wmma.load puts where."""
    kind, count = _api_registers(found, operand, _choice(operand, major))
    lines = [header(f"sm_{sm}"), *_entry(2), _declare(operand, kind, count), _tile(found, operand, 0)]
    lines.append(_wmma_load(found, operand, major))
    lines += _move(operand, 1, count, kind, 32, store=True)
    return "\n".join([*lines, "ret;", "}"]) + "\n"


def ldmatrix_ptx(count: int, sm: int, *, trans: bool) -> str:
    """Return kernel probe(matrices, registers): 8x8 matrices of 16 bits, one after another, through ldmatrix."""
    lines = [header(f"sm_{sm}"), ".shared .align 128 .b8 tile[512];", *_entry(2), _declare("r", "b32", count)]
    lines += [".reg .b32 %w;"]
    for i in range(4):  # 512 bytes, 4 words a lane
        lines += [
            f"mad.wide.u32 %t, %lane, 4, %p0; ld.global.b32 %w, [%t+{128 * i}];",
            f"mov.u32 %s, tile; mad.lo.u32 %s, %lane, 4, %s; st.shared.b32 [%s+{128 * i}], %w;",
        ]
    lines += ["bar.sync 0; mov.u32 %s, tile; mad.lo.u32 %s, %lane, 16, %s;"]
    flavour = ".trans" if trans else ""
    lines.append(f"ldmatrix.sync.aligned.m8n8.x{count}{flavour}.shared.b16 {_braces('r', count)}, [%s];")
    lines += _move("r", 1, count, "b32", 32, store=True)
    return "\n".join([*lines, "ret;", "}"]) + "\n"
