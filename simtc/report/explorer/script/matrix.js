// One operand as a matrix of cells: the lane that holds an element and its place there; and the same by lanes.

const CHAR = 6.9; // the widest usual letter of 12 px text

/** Return the cells of an operand: elements, or for those narrower than a byte the whole register's worth of them. */
function cellsOf(fragment) {
  const run = fragment.width < 8 ? fragment.perRegister : 1;
  const [down, right] = fragment.operand === "b" ? [run, 1] : [1, run];
  const cells = [];
  for (let row = 0; row < fragment.rows; row += down) {
    for (let col = 0; col < fragment.cols; col += right) {
      const holders = holdersOf(fragment, row, col);
      const lanes = [...new Set(holders.map((one) => one.lane))];
      const slots = [...new Set(holders.map((one) => slotName(fragment, one)))];
      cells.push({
        row, col, down, right, holders,
        lanes: `T${lanes.length > 2 ? `${lanes[0]}+${lanes.length - 1}` : lanes.join(",")}`,
        first: `T${lanes[0]}`,
        second: lanes.length > 2 ? `+${lanes.length - 1}` : lanes.length > 1 ? `T${lanes[1]}` : "",
        slots: run > 1 ? slots[0].split(".")[0] : slots.length > 2 ? `${slots[0]}+${slots.length - 1}` : slots.join(","),
      });
    }
  }
  return cells;
}

/** Return how wide a cell must be to show its lane, and to show all lanes and its place there as well. */
function labelWidths(cells) {
  const widest = (key) => Math.max(...cells.map((one) => one[key].length)) * CHAR + 4;
  return { lane: widest("first"), both: Math.max(widest("lanes"), widest("slots")), stacked: cells.some((one) => one.second) };
}

/** Return the colours of a cell by lane, register, quad pair or step: one for each holder, where they differ. */
function cellColors(fragment, cell, color) {
  return [...new Set(cell.holders.map((holder) => holderColor(fragment, cell, holder, color)))].slice(0, 4);
}

function holderColor(fragment, cell, { lane, register, half }, color) {
  if (color === "register") return `var(--hue-${(fragment.view === "api" ? indexOf(fragment, register, half) : register) % 8})`;
  if (color === "pair") return `var(--hue-${[0, 1, 2, 6][quadPairOf(lane)]})`;
  if (color === "step") {
    if (fragment.operand === "d" || fragment.operand === "c") return "var(--empty)";
    return `var(--step-${stepOf(fragment.instruction, fragment.operand === "a" ? cell.col : cell.row) % 8})`;
  }
  return `var(--lane-${lane & 31})`;
}

function cellWidth(cells, size) {
  return cells[0].right > 1 ? Math.max(size, 14) : size;
}

/** Return the height of a row whose cells are `size` wide: two lines of letters, one, or none. */
function rowHeight(fragment, size) {
  const cells = cellsOf(fragment);
  const need = labelWidths(cells);
  const unit = cellWidth(cells, size);
  if (unit >= need.both || (need.stacked && unit >= need.lane)) return 30;
  return unit >= need.lane ? 24 : Math.max(12, Math.min(unit, 20));
}

/**
 * Draw an operand at (x, y), cells `size` wide: {body, width, height, x, y, at(px, py), box(cell), cells, find}.
 * A path a colour keeps large pictures quick.
 */
function drawMatrix(fragment, { x, y, size, color, title, tall = rowHeight(fragment, size) }) {
  const cells = cellsOf(fragment);
  const { down, right } = cells[0];
  const need = labelWidths(cells);
  const unit = cellWidth(cells, size);
  const box = ({ row, col }) => [x + (col / right) * unit, y + (row / down) * tall, unit, tall];
  const width = (fragment.cols / right) * unit;
  const height = (fragment.rows / down) * tall;
  const paths = new Map();
  for (const cell of cells) {
    const [left, top] = box(cell);
    const fills = cellColors(fragment, cell, color);
    const high = (tall - 1) / fills.length; // a stripe a holder
    fills.forEach((fill, i) => {
      paths.set(fill, `${paths.get(fill) || ""}M${left} ${top + i * high}h${unit - 1}v${high}h${1 - unit}z`);
    });
  }
  const label = (cell) => cellLabel(cell, box(cell), need);
  const fills = [...paths].map(([fill, d]) => `<path fill="${fill}" d="${d}"/>`);
  const texts = unit >= need.lane ? cells.map(label) : [];
  const axes = drawAxes(fragment, { x, y, unit, tall, down, right });
  const heading = svgText(x, y - 24, title, { size: 14, bold: true });
  const across = fragment.cols / right;
  return {
    fragment, x, y, width, height, cells, label, box,
    fixed: heading + axes,
    body: fills.join("") + texts.join(""),
    find: (row, col) => cells[Math.floor(row / down) * across + Math.floor(col / right)],
    at(px, py) {
      const [i, j] = [Math.floor((py - y) / tall), Math.floor((px - x) / unit)];
      return i >= 0 && j >= 0 && i * down < fragment.rows && j < across ? cells[i * across + j] : undefined;
    },
  };
}

function cellLabel(cell, [left, top, width, height], need) {
  if (width < need.lane) return "";
  const middle = left + width / 2;
  if (width < need.both && cell.second) {
    return svgText(middle, top + 13, cell.first, { anchor: "middle" }) + svgText(middle, top + 26, cell.second, { anchor: "middle" });
  }
  if (width < need.both) return svgText(middle, top + height / 2 + 4, cell.first, { anchor: "middle" });
  const lanes = svgText(middle, top + 13, cell.lanes, { anchor: "middle", bold: true });
  return lanes + svgText(middle, top + 26, cell.slots, { anchor: "middle" });
}

function drawAxes(fragment, { x, y, unit, tall, down, right }) {
  const parts = [];
  const every = (space, least) => Math.max(1, 2 ** Math.ceil(Math.log2(least / space)));
  const style = { fill: "var(--faint)", anchor: "middle" };
  for (let j = 0; j * right < fragment.cols; j += every(unit, 22)) {
    parts.push(svgText(x + (j + 0.5) * unit, y - 6, j * right, style));
  }
  for (let i = 0; i * down < fragment.rows; i += every(tall, 13)) {
    parts.push(svgText(x - 6, y + (i + 0.5) * tall + 4, i * down, { ...style, anchor: "end" }));
  }
  return parts.join("");
}

/** Return the places of a lane, one for each element or, of narrow ones, for each register: {register, half, index}. */
function slotsOf(fragment) {
  const run = fragment.width < 8 ? fragment.perRegister : 1;
  const slots = [];
  for (let index = 0; index < fragment.count; index += run) {
    const register = Math.floor(index / fragment.perRegister) * fragment.words;
    slots.push({ index, register, half: index % fragment.perRegister });
  }
  return slots;
}

/** Draw an operand by lanes: a row a lane, a column a place, "row,col" in the cell; copies are outlined on request. */
function drawLanes(fragment, { color, title, copies = false }) {
  const slots = slotsOf(fragment);
  const [x, y, width, height] = [44, 44, Math.max(38, (`${fragment.rows - 1},${fragment.cols - 1}`.length - 1) * 6.7 + 9), 22];
  const names = slots.map((slot) => (fragment.width < 8 ? `R${slot.register}` : slotName(fragment, slot)));
  const parts = [svgText(0, 16, title, { size: 14, bold: true })];
  names.forEach((name, j) => parts.push(svgText(x + (j + 0.5) * width, y - 6, name, { fill: "var(--faint)", anchor: "middle" })));
  const [paths, texts] = [new Map(), []];
  let copied = 0;
  fragment.laneNumbers.forEach((lane, i) => {
    parts.push(svgText(x - 6, y + i * height + 15, `T${lane}`, { fill: "var(--faint)", anchor: "end" }));
    slots.forEach((slot, j) => {
      const [row, col] = elementAt(fragment, lane, slot.index);
      const holders = holdersOf(fragment, row, col);
      const cell = { row, col, holders: [{ lane, ...slot }] };
      const isCopy = holders[0].lane !== lane || holders[0].register !== slot.register || holders[0].half !== slot.half;
      copied += isCopy ? 1 : 0;
      const [left, top] = [x + j * width, y + i * height];
      const [fill] = cellColors(fragment, cell, color);
      paths.set(fill, `${paths.get(fill) || ""}M${left} ${top}h${width - 1}v${height - 1}h${1 - width}z`);
      if (copies && isCopy) {
        texts.push(svgBox(left + 1.5, top + 1.5, width - 4, height - 4, { stroke: "var(--ink)", line: 1.5, dash: "3 2" }));
      }
      texts.push(svgText(left + width / 2, top + 15, `${row},${col}`, { anchor: "middle" }));
    });
  });
  const box = (lane, slot) => [x + slot * width, y + fragment.laneNumbers.indexOf(lane) * height, width, height];
  return {
    fragment, slots, copied, box,
    body: parts.concat([...paths].map(([fill, d]) => `<path fill="${fill}" d="${d}"/>`), texts).join(""),
    width: x + slots.length * width + 4,
    height: y + fragment.laneNumbers.length * height + 4,
    at(px, py) {
      const [i, j] = [Math.floor((py - y) / height), Math.floor((px - x) / width)];
      return fragment.laneNumbers[i] !== undefined && slots[j] ? { lane: fragment.laneNumbers[i], slot: j } : undefined;
    },
  };
}
