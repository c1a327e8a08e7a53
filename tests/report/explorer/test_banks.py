"""What the browser computes of banks is what simtc.layout says; a typed swizzle is evaluated as C does."""

from __future__ import annotations

import random
from itertools import product

from simtc.errors import BadInputError
from simtc.layout import Access, Tile
from simtc.layout.tile import LAYOUTS, PATTERNS

SERVE = """
return arguments[0].map((given) => {
  try {
    const access = e.makeAccess(given);
    const served = (words) => words.map((one) => [one.bank, one.word, one.lanes, one.depth]);
    const phases = access.phases.map(({ lanes, wavefronts }) => [lanes, wavefronts.map(served)]);
    return { ...e.costOf(access), name: e.accessName(access), phases };
  } catch (error) { return error.message; }
});
"""
TILES = """
return arguments[0].map(({ pattern, ...given }) => {
  try {
    const tile = e.makeTile(given);
    const access = e.tileAccess(tile, pattern);
    return [tile.formula, access.addresses, e.costOf(access), e.overlapsOf(tile)];
  } catch (error) { return error.message; }
});
"""


def due(access: Access):
    phases = []
    for phase in access.phases:
        depth = {}
        for wavefront in phase.wavefronts:
            for bank, _, _ in wavefront:
                depth[bank] = depth.get(bank, 0) + 1
        served = [[[bank, word, list(lanes), depth[bank]] for bank, word, lanes in words] for words in phase.wavefronts]
        phases.append([list(phase.lanes), served])
    return {
        "wavefronts": access.wavefronts, "ideal": access.ideal, "excess": access.excess, "name": access.name,
        "phases": phases,
    }  # fmt: skip


def drawn_accesses(count: int):
    """Draw accesses of every kind: strides, heaps, broadcasts, inactive lanes, and some that cannot be."""
    rng = random.Random(5)  # noqa: S311 - the same accesses each time
    for _ in range(count):
        width, matrix = rng.choice((32, 64, 128)), rng.random() < 0.2
        width = 128 if matrix else width
        lanes = rng.choice((8, 16, 32)) if matrix else rng.choice((32, 32, 32, 7, 1))
        each, kind = width // 8, rng.randrange(4)
        near = rng.choice((1, 2, 4, 32))
        stride = rng.choice((1, 2, 3, 5, 8, 17, 32))
        addresses = [
            (lane // near * stride if kind < 2 else rng.randrange(0, 64 if kind == 2 else 2048)) * each
            for lane in range(lanes)
        ]
        if not matrix and kind == 3:
            addresses = [None if rng.random() < 0.2 else address for address in addresses]
        if rng.random() < 0.05:
            addresses[0] = rng.choice((2, -4, 6))
        yield {"addresses": addresses, "width": width, "store": rng.random() < 0.5, "matrix": matrix}


def test_accesses_are_served_alike(explorer):
    accesses = list(drawn_accesses(800))
    for given, shown in zip(accesses, explorer.run(SERVE, accesses), strict=True):
        try:
            access = Access(**given | {"addresses": tuple(given["addresses"])})
        except BadInputError as error:
            assert shown == str(error)  # noqa: PT017 - whichever of the two it is, they must agree
        else:
            assert shown == due(access), given


def test_tiles_and_their_accesses(explorer):
    shapes = list(product((16, 64), (4, 8, 16, 32, 40, 64, 128), LAYOUTS, ((2, 8), (1, 4), (4, 2)), PATTERNS))
    given = [
        {"rows": rows, "cols": cols, "layout": layout, "padEvery": every, "padHalves": halves, "pattern": pattern}
        for rows, cols, layout, (every, halves), pattern in shapes
    ]
    answered = 0
    for (rows, cols, layout, (every, halves), pattern), shown in zip(shapes, explorer.run(TILES, given), strict=True):
        try:
            tile = Tile(rows=rows, cols=cols, layout=layout, pad_every=every, pad_halves=halves)
            access = tile.named(pattern)
        except BadInputError as error:
            assert shown == str(error)  # noqa: PT017 - as above
            continue
        cost = {"wavefronts": access.wavefronts, "ideal": access.ideal, "excess": access.excess}
        assert shown == [tile.formula, list(access.addresses), cost, tile.overlaps]
        answered += 1
    assert answered > 500


def drawn_expression(rng, depth=0) -> str:
    if depth > 3 or rng.random() < 0.25:
        return rng.choice(("row", "col", str(rng.randrange(40)), hex(rng.randrange(1, 99))))
    sign = rng.choice(("+", "-", "*", "/", "%", "^", "&", "|", "<<", ">>"))
    left, right = (drawn_expression(rng, depth + 1) for _ in range(2))
    if sign in "/%<<>>":
        right = str(rng.randrange(1, 5))
    space = rng.choice(("", " "))
    text = f"{left}{space}{sign}{space}{right}"
    return f"({text})" if rng.random() < 0.5 else text


def test_expressions_as_python_evaluates_them(explorer):
    rng = random.Random(11)  # noqa: S311 - the same expressions each time
    texts = [drawn_expression(rng) for _ in range(400)]
    script = """
      const spots = arguments[1];
      const value = (f, row, col) => { try { return f(row, col); } catch (error) { return error.message; } };
      return arguments[0].map((text) => spots.map(([row, col]) => value(e.compileExpression(text), row, col)));
    """
    spots = [[0, 0], [1, 7], [13, 5], [255, 31]]
    compared = 0
    for text, values in zip(texts, explorer.run(script, texts, spots), strict=True):
        for (row, col), value in zip(spots, values, strict=True):
            try:
                expected = eval(text.replace("/", "//"), {}, {"row": row, "col": col})  # noqa: S307 - drawn above
            except (ValueError, ZeroDivisionError, OverflowError, MemoryError):
                assert isinstance(value, str), (text, row, col)
                continue
            if isinstance(value, str):
                assert "more than 32 bits" in value or "a shift by" in value, (text, row, col, value)
                continue
            assert value == expected, (text, row, col)
            compared += 1
    assert compared > 1000


WRONG = {
    "row*32 +": "ends too early",
    "row*(32 + col": "a ) is missing",
    "row*32) + col": "is left over",
    "row*pitch + col": 'unknown name "pitch"',
    "row # col": "is no number, name or operator",
    "row / (col - col)": "division by 0",
    "row << 40": "0 to 31 are allowed",
    " ": "ends too early",
}


def test_a_wrong_expression_is_one_clear_line(explorer):
    explorer.open("banks?layout=expression")
    box = next(
        one
        for one in explorer.all(".control input")
        if one.is_displayed() and one.get_attribute("value").startswith("row*32")
    )
    for text, words in WRONG.items():
        box.clear()
        box.send_keys(text)
        assert words in explorer.until("return document.querySelector('.problem').textContent")


def test_typing_a_swizzle_shows_what_it_costs(explorer):
    explorer.open("banks?layout=expression&pattern=ldsm.x4")
    box = next(
        one
        for one in explorer.all(".control input")
        if one.is_displayed() and one.get_attribute("value").startswith("row*32")
    )
    box.clear()
    box.send_keys("row*40 + col")
    access = Access(
        addresses=tuple(2 * (40 * (m % 2 * 8 + r) + m // 2 * 8) for m in range(4) for r in range(8)),
        width=128,
        matrix=True,
    )
    assert (
        explorer.find(".verdict").text
        == f"LDSM.x4: {access.wavefronts} wavefronts, ideal 4, excess {access.excess}. Offset of (row, col): "
        "row*40 + col"
    )
    assert "expr=row*40" in explorer.address.replace("%2A", "*")


def test_typed_addresses_and_playing_the_wavefronts(explorer):
    addresses = " ".join(str(8 * lane) for lane in range(32))
    explorer.load("banks?source=typed&width=64")
    box = next(one for one in explorer.all(".control input") if one.is_displayed())
    box.clear()
    box.send_keys(addresses)
    access = Access(addresses=tuple(8 * lane for lane in range(32)), width=64)
    assert (
        explorer.find(".verdict").text
        == f"LDS.64: {access.wavefronts} wavefronts, ideal {access.ideal}, excess {access.excess}"
    )
    explorer.watch("return document.querySelector('.spoken').textContent;")
    explorer.find(".play").click()
    explorer.until("return noted.some((text) => text.startsWith('Phase')) && noted.at(-1).startsWith('All')")
    seen = [text for text in explorer.noted if text.startswith("Phase")]
    for text, phase in zip(seen, access.phases, strict=True):
        lanes = ", ".join(map(str, phase.lanes))
        assert text.endswith(f"32 banks serve lanes {lanes}.")


def test_banks_are_named_and_the_table_chooses(explorer):
    explorer.open("banks?at=1")
    axis = explorer.run(
        "return [...document.querySelectorAll('.picture svg:nth-of-type(2) text')].map((t) => t.textContent)"
    )
    assert axis[1:34] == ["bank", *map(str, range(32))]
    button = explorer.find('[aria-label^="lds.128, pad"]')
    access = Tile(rows=256, cols=32, layout="pad").named("lds.128")
    assert button.text == f"{access.wavefronts} ({access.ideal})"
    button.click()
    assert "layout=pad" in explorer.address
    assert "pattern=lds.128" in explorer.address
    assert explorer.find(".verdict").text.startswith(f"LDS.128: {access.wavefronts} wavefronts")
