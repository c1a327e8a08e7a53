"""`simtc banks`: the bank and wavefront map of a shared-memory access pattern."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from simtc.cli.options import Whole, out, refuse
from simtc.cli.output import to_json
from simtc.errors import BadInputError
from simtc.files import require_writable, write_text
from simtc.layout.banks import Access
from simtc.layout.banks_view import to_svg, to_table, to_text
from simtc.layout.tile import LAYOUTS, PATTERNS, Tile

__all__ = ["banks"]

_ADDRESSES = r"[-\w\s,]*,[-\w\s,]*"  # a list, and no file's name


@click.command
@click.option("--stride", type=Whole(0), metavar="BYTES", help="lane i at i * BYTES")
@click.option(
    "--pitch", type=Whole(0), metavar="BYTES", help="lanes in rows: --cols of them side by side, rows BYTES apart"
)
@click.option("--cols", type=Whole(1, 32), default=4, show_default=True, help="lanes in a row of --pitch")
@click.option(
    "--addresses", metavar="LIST|FILE", help="32 byte addresses (0x too, '-' for an inactive lane), or a file of them"
)
@click.option("--tile", metavar="MxK", help="a tile of 16-bit elements, such as 256x32: the accesses that a GEMM makes")
@click.option("--layout", "layouts", multiple=True, help=f"of the tile: {', '.join(LAYOUTS)}; all unless given")
@click.option("--pad-every", type=int, default=2, show_default=True, metavar="ROWS", help="of --layout pad and paper")
@click.option(
    "--pad-halves", type=int, default=8, show_default=True, metavar="ELEMENTS", help="of --layout pad and paper"
)
@click.option("--pattern", help=f"one access of the tile, in full: {', '.join(PATTERNS)}")
@click.option("--width", type=int, default=32, show_default=True, help="bits that a lane moves: 32, 64 or 128")
@click.option("--store", is_flag=True, help="a store (loads alone may merge phases)")
@click.option("--ldmatrix", type=click.Choice(["x1", "x2", "x4"]), help="the addresses are those of 8x8 matrix rows")
@click.option("--format", "form", type=click.Choice(["text", "svg"]), default="text", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="JSON, schema simtc.banks/1")
@out("write there instead of to stdout")
def banks(
    *,
    stride: int | None,
    pitch: int | None,
    cols: int,
    addresses: str | None,
    tile: str | None,
    layouts: tuple[str, ...],
    pad_every: int,
    pad_halves: int,
    pattern: str | None,
    width: int,
    store: bool,
    ldmatrix: str | None,
    form: str,
    as_json: bool,
    output: Path | None,
) -> None:
    """Show which banks a warp's shared-memory access touches, and in how many wavefronts it is served.

    \b
    simtc banks --stride 8 --width 64
    simtc banks --pitch 80 --ldmatrix x4
    simtc banks --tile 256x32
    simtc banks --tile 256x32 --layout xor --pattern ldsm.x4
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    given = {"--stride": stride, "--pitch": pitch, "--addresses": addresses, "--tile": tile}
    chosen = [name for name, value in given.items() if value is not None]
    if len(chosen) != 1:
        got = " and ".join(chosen) or "none"
        raise BadInputError(f"give one of {', '.join(given)}, not {got}. Try: simtc banks --tile 256x32")
    _refuse_unread(chosen[0], layouts, matrices=ldmatrix is not None, as_json=as_json)
    require_writable(output)
    count = int(ldmatrix[1]) if ldmatrix else 0
    if tile is not None and pattern is None:
        if form == "svg":
            raise BadInputError("a picture shows one access of the tile. Try: --pattern ldsm.x4")
        tiles = _tiles(tile, layouts, pad_every, pad_halves)
        _write(_dump({"tiles": [one.to_json() for one in tiles]}) if as_json else to_table(tiles), output)
        return
    if tile is not None and pattern is not None:
        accesses = {one.formula: one.named(pattern) for one in _tiles(tile, layouts, pad_every, pad_halves)}
    else:
        places = _listed(addresses) if addresses is not None else _regular(stride, pitch, cols, width, count)
        access = Access(addresses=places, width=128 if count else width, store=store, matrix=bool(count))
        accesses = {"": access}
    if as_json:
        _write(_dump({"accesses": [{"formula": name, **one.to_json()} for name, one in accesses.items()]}), output)
    elif form == "svg":
        if len(accesses) > 1:
            raise BadInputError(f"a picture shows one layout of the tile. Try: --layout {LAYOUTS[0]}")
        _write("".join(map(to_svg, accesses.values())), output)
    else:
        shown = (f"{name}\n{to_text(one)}" if name else to_text(one) for name, one in accesses.items())
        _write("\n".join(shown), output)


def _refuse_unread(source: str, layouts: tuple[str, ...], *, matrices: bool, as_json: bool) -> None:
    """Refuse options that this source of the addresses does not ask for."""
    if source == "--tile":
        refuse("on a tile", "cols", "width", "store", "ldmatrix")
        if layouts and not {"pad", "paper"} & set(layouts):
            refuse(f"on --layout {layouts[0]}", "pad_every", "pad_halves")
    else:
        refuse(f"with {source}", "layouts", "pad_every", "pad_halves", "pattern")
    if source != "--pitch":
        refuse(f"with {source}", "cols")
    if matrices:
        refuse("with --ldmatrix", "width", "cols")
    if as_json:
        refuse("beside --json", "form")


def _tiles(text: str, layouts: tuple[str, ...], pad_every: int, pad_halves: int) -> list[Tile]:
    match = re.fullmatch(r"(\d+)x(\d+)", text)
    if not match:
        raise BadInputError(f"--tile takes ROWSxCOLUMNS such as 256x32, not {text!r}")
    tiles = []
    for name in layouts or LAYOUTS:
        try:
            tile = Tile(rows=int(match[1]), cols=int(match[2]), layout=name, pad_every=pad_every, pad_halves=pad_halves)
        except BadInputError:
            if layouts or name != "xor":  # rows that no swizzle fits have three layouts to compare
                raise
        else:
            tiles.append(tile)
    return tiles


def _regular(stride: int | None, pitch: int | None, cols: int, width: int, matrices: int) -> tuple[int, ...]:
    """Return the addresses of --stride or --pitch; of ldmatrix, one for each row of its matrices, side by side."""
    lanes = range(8 * matrices or 32)
    if stride is not None:
        return tuple(lane * stride for lane in lanes)
    if matrices:
        return tuple(lane % 8 * (pitch or 0) + lane // 8 * 16 for lane in lanes)
    return tuple(lane // cols * (pitch or 0) + lane % cols * (width // 8) for lane in lanes)


def _listed(text: str) -> tuple[int | None, ...]:
    try:
        if not re.fullmatch(_ADDRESSES, text) and Path(text).exists():
            text = Path(text).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise BadInputError(f"cannot read {text}: {error}") from error
    return tuple(_address(word) for word in re.split(r"[,\s]+", text.strip()))


def _address(word: str) -> int | None:
    if word == "-":
        return None
    try:
        return int(word, 0)
    except ValueError:
        raise BadInputError(f"{word!r} is no byte address: write 128, 0x80 or, for an inactive lane, -") from None


def _dump(values: dict[str, Any]) -> str:
    return to_json({"schema": "simtc.banks/1", **values}) + "\n"


def _write(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, text)
