"""A fragment as text: both directions as a table, and CSV, Markdown and JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simtc.layout.fragment import Fragment

__all__ = ["align", "cell", "slot", "title", "to_csv", "to_json", "to_markdown", "to_table"]


def title(fragment: Fragment) -> str:
    """Return one line that says what the fragment is.

    Example:
        >>> from simtc.layout import fragment
        >>> title(fragment("m8n8k4.f32.f16.f16.f32", operand="a", arch="volta", major="col", quad_pair=2))
        'm8n8k4.f32.f16.f16.f32 on volta: A (8x4, f16), col major, quad pair 2, machine registers'

    """
    types = fragment.instr.removeprefix("wmma.").removeprefix("wgmma.").split(".")
    element = types[1 + "dabc".index(fragment.operand)]
    parts = [f"{fragment.operand.upper()} ({fragment.rows}x{fragment.cols}, {element})"]
    if fragment.major:
        parts.append(f"{fragment.major} major")
    if fragment.quad_pair is not None:
        parts.append(f"quad pair {fragment.quad_pair}")
    parts.append("machine registers" if fragment.view == "registers" else "WMMA API elements x[i]")
    return f"{fragment.instr} on {fragment.arch}: {', '.join(parts)}"


def slot(fragment: Fragment, register: int, half: int) -> str:
    """Name a place in a lane: x5 of an API fragment, R1.H0 (half), R1.B2 (byte), R1.N7, R1.b31 or R1 of the machine.

    Example:
        >>> from simtc.layout import fragment
        >>> slot(fragment("m16n8k8.f32.f16.f16.f32", operand="a", arch="turing"), 1, 0)
        'R1.H0'

    """
    if fragment.view == "api":
        return f"x{fragment.index(register, half)}"
    part = {16: f".H{half}", 8: f".B{half}", 4: f".N{half}", 1: f".b{half}"}
    return f"R{register}{part.get(fragment.width, '')}"


def cell(fragment: Fragment, row: int, col: int) -> tuple[str, str]:
    """Return the lanes and the places in a lane that hold an element, as text.

    Every lane that holds the element holds it in the same places, because a layout permutes index bits.

    Example:
        >>> from simtc.layout import fragment
        >>> cell(fragment("wmma.m16n16k16.f32.f16.f16.f32", operand="a", arch="turing", view="api"), 1, 0)
        ('T4', 'x0,x8')

    """
    holders = fragment.holders(row, col)
    lanes = sorted({holder.lane for holder in holders})
    slots = sorted({(holder.register, holder.half) for holder in holders})
    return "T" + ",".join(map(str, lanes)), ",".join(slot(fragment, *place) for place in slots)


def to_table(fragment: Fragment) -> str:
    """Return both directions as aligned text: lane (T) and register (R) of each element, and the element of each."""
    forward = [["", *map(str, range(fragment.cols))]]
    forward += [
        [str(row), *(" ".join(cell(fragment, row, col)) for col in range(fragment.cols))]
        for row in range(fragment.rows)
    ]
    lanes = sorted({element.lane for element in fragment.elements()})
    places = sorted({(element.register, element.half) for element in fragment.elements()})
    backward = [["", *(slot(fragment, *place) for place in places)]]
    backward += [[f"T{lane}", *("{},{}".format(*fragment.element(lane, *place)) for place in places)] for lane in lanes]
    head = [title(fragment), f"{fragment.status}: {fragment.source}", ""]
    return "\n".join(
        [
            *head,
            "lane and register of row, column:",
            *align(forward),
            "",
            "row,column in lane, register:",
            *align(backward),
            "",
        ]
    )


def to_csv(fragment: Fragment) -> str:
    """Return one line for every holder: row, col, lane, register and half (or byte, nibble, bit)."""
    lines = [f"row,col,lane,register,{fragment.part}"]
    lines += [",".join(map(str, element)) for element in fragment.elements()]
    return "\n".join(lines) + "\n"


def to_markdown(fragment: Fragment) -> str:
    """Return the element-to-register direction as a Markdown table."""
    lines = [
        f"**{title(fragment)}**",
        "",
        "| | " + " | ".join(map(str, range(fragment.cols))) + " |",
        "| --- |" + " --- |" * fragment.cols,
    ]
    for row in range(fragment.rows):
        cells = [" ".join(cell(fragment, row, col)) for col in range(fragment.cols)]
        lines.append(f"| **{row}** | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def to_json(fragment: Fragment) -> dict[str, Any]:
    """Return the fragment as JSON values, schema `simtc.layout/1`."""
    return {
        "schema": "simtc.layout/1",
        "instr": fragment.instr,
        "operand": fragment.operand,
        "arch": fragment.arch,
        "major": fragment.major,
        "view": fragment.view,
        "quad_pair": fragment.quad_pair,
        "rows": fragment.rows,
        "cols": fragment.cols,
        "element_bits": fragment.width,
        "lanes": fragment.lanes,
        "registers": fragment.registers,
        "copies": fragment.copies,
        "row_bits": list(fragment.row),
        "col_bits": list(fragment.col),
        "status": fragment.status,
        "source": fragment.source,
        "elements": [
            {"row": row, "col": col, "lane": lane, "register": register, fragment.part: half}
            for row, col, lane, register, half in fragment.elements()
        ],
    }


def align(rows: Iterable[Sequence[str]]) -> list[str]:
    """Return rows of text as lines with the columns aligned."""
    table = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in table]
