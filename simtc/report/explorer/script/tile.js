// A tile of 16-bit elements in shared memory: where an offset formula puts them, and the accesses that kernels make.

const CHUNK = 8; // elements in 16 bytes
const LINE = 64; // elements in the 128 bytes that the 32 banks hold side by side

/**
 * Return a tile: {rows, cols, formula, offset(row, col)}, offsets in elements. `layout` is none, pad, xor, paper, or
 * "expression" with the C expression in `expression`. Throws an Error that says what cannot be.
 */
function makeTile({ rows, cols, layout, padEvery, padHalves, expression }) {
  if (rows < 1 || cols < 1) throw new Error(`a tile of ${rows}x${cols} has no elements`);
  if (rows * cols > 65536) throw new Error(`a tile of ${rows}x${cols} has more than 65536 elements`);
  if (padEvery < 1 || padHalves < 0) {
    throw new Error(`padding adds 0 or more halves after every 1 or more rows, not ${padHalves} after ${padEvery}`);
  }
  const chunks = Math.floor(cols / CHUNK);
  if (layout === "xor" && (cols % CHUNK || chunks & (chunks - 1) || chunks === 0)) {
    throw new Error(`an xor swizzle needs rows of 8 times a power of two elements, not ${cols}`);
  }
  const lines = Math.max(1, Math.floor(LINE / cols));
  const turns = Math.min(8, chunks);
  const line = `${lines === 1 ? "row" : `row/${lines}`}%${turns}`;
  const formula = {
    none: `row*${cols} + col`,
    pad: `row*${cols} + row/${padEvery}*${padHalves} + col`,
    paper: `row*${cols} + row%${padEvery}*${padHalves} + col`,
    xor: `row*${cols} + ((col/8 ^ ${line}) * 8) + col%8`,
    expression,
  }[layout];
  if (formula === undefined) throw new Error(`unknown layout "${layout}"`);
  return { rows, cols, layout, formula, offset: compileExpression(formula) };
}

/** Return how many elements share their place with an earlier one: 0 for a layout that can be used. */
function overlapsOf(tile) {
  const seen = new Set();
  for (let row = 0; row < tile.rows; row += 1) {
    for (let col = 0; col < tile.cols; col += 1) seen.add(tile.offset(row, col));
  }
  return tile.rows * tile.cols - seen.size;
}

/** Return the (row, col) at which each lane of a named access begins, with its width, and whether it stores. */
function patternOf(tile, pattern) {
  const [opcode, size] = pattern.split(".");
  if (opcode === "ldsm") {
    const places = [];
    for (let matrix = 0; matrix < Number(size.slice(1)); matrix += 1) {
      for (let row = 0; row < 8; row += 1) places.push([(matrix % 2) * 8 + row, Math.floor(matrix / 2) * 8]);
    }
    return { places, width: 128, store: false, matrix: true };
  }
  const width = Number(size);
  const each = width / 16;
  const inRow = opcode === "sts" ? Math.max(1, Math.floor(tile.cols / each)) : 128 / width;
  const places = [...Array(32).keys()].map((lane) => [Math.floor(lane / inRow), (lane % inRow) * each]);
  return { places, width, store: opcode === "sts", matrix: false };
}

/** Return the access of a pattern to a tile. Throws an Error where it reaches outside the tile. */
function tileAccess(tile, pattern) {
  const { places, width, store, matrix } = patternOf(tile, pattern);
  const addresses = places.map(([row, col]) => {
    if (row < 0 || row >= tile.rows || col + width / 16 > tile.cols) {
      throw new Error(`${width} bits at ${row},${col} reach outside the ${tile.rows}x${tile.cols} tile`);
    }
    return 2 * tile.offset(row, col);
  });
  return makeAccess({ addresses, width, store, matrix });
}
