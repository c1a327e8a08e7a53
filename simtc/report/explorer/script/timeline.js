// A timeline on a surface, canvas or SVG: a row a warp, a colour a cause, and meters of units as strips below.

const ROW = 20;
const STRIP = 34;
const GUTTER = 132;
const MARGIN = 28;
const METERS = [["tensor", "tensor pipes"], ["queue", "LSU queues"], ["conflicts", "bank conflicts"]];

/** Return the height of a run's drawing. */
function timelineHeight(run) {
  return 44 + run.warps.length * ROW + METERS.length * STRIP + 26;
}

/** Return the cause of most cycles of each column, -1 for none; `from` and `to` are cycles of the run. */
function columnCauses(warp, from, to, columns) {
  const out = new Int8Array(columns).fill(-1);
  const scale = columns / (to - from);
  const weights = new Float64Array(DATA.causes.length);
  let i = Math.max(0, firstEnding(warp, from));
  for (let column = 0; column < columns; column += 1) {
    const [left, right] = [from + column / scale, from + (column + 1) / scale];
    while (i < warp.end.length && warp.end[i] <= left) i += 1;
    weights.fill(0);
    for (let j = i; j < warp.start.length && warp.start[j] < right; j += 1) {
      weights[warp.cause[j]] += Math.min(warp.end[j], right) - Math.max(warp.start[j], left);
    }
    const most = Math.max(...weights);
    if (most > 0) out[column] = weights.indexOf(most);
  }
  return out;
}

/** Return the first slice that ends after a cycle. */
function firstEnding(warp, cycle) {
  let [low, high] = [0, warp.end.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (warp.end[middle] <= cycle) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Return the mean of a meter over each column; conflicts are summed. */
function columnMeter(run, name, from, to, columns) {
  const values = run.meters[name];
  const scale = (to - from) / columns;
  return Array.from({ length: columns }, (_, column) => {
    const left = Math.floor((from + column * scale) / DATA.bin);
    const right = Math.max(left + 1, Math.ceil((from + (column + 1) * scale) / DATA.bin));
    let sum = 0;
    for (let i = Math.max(0, left); i < Math.min(values.length, right); i += 1) sum += values[i];
    return name === "conflicts" ? sum : sum / (right - left);
  });
}

function inkOn(color) {
  const part = (at) => parseInt(color.slice(1 + at, 3 + at), 16) / 255;
  return 0.3 * part(0) + 0.59 * part(2) + 0.11 * part(4) > 0.52 ? "#10161d" : "#ffffff";
}

/**
 * Draw cycles `from` to `to` of a run. `surface` takes a canvas context's calls; `zero` is the cycle that the axis calls
 * 0; `marked` are slices {warp, slice} to outline, the first one the selected one, the others those that it waits for.
 */
function drawTimeline(surface, run, { width, top, from, to, zero, marked }) {
  const room = width - GUTTER - MARGIN;
  const at = (cycle) => GUTTER + ((cycle - from) / (to - from)) * room;
  surface.font = "600 14px sans-serif";
  surface.textAlign = "left";
  surface.fillStyle = currentColors.ink;
  const cut = surface.measureText && surface.measureText(run.title).width > width; // on a telephone
  surface.fillText(cut ? run.title.split(": ").pop() : run.title, 0, top + 14);
  run.warps.forEach((warp, i) => drawWarp(surface, run, warp, { y: top + 40 + i * ROW, from, to, room, at }));
  drawLaps(surface, run, { top: top + 40, from, to, at });
  METERS.forEach(([name, words], i) => {
    drawMeter(surface, run, name, words, { y: top + 48 + run.warps.length * ROW + i * STRIP, from, to, room });
  });
  drawCycles(surface, { y: top + timelineHeight(run) - 10, from, to, zero, at });
  drawMarks(surface, run, marked, { top: top + 40, from, to, at });
}

function drawWarp(surface, run, warp, { y, from, to, room, at }) {
  surface.font = "12px sans-serif";
  surface.textAlign = "right";
  surface.fillStyle = currentColors.faint;
  surface.fillText(`warp ${warp.warp}, sub-core ${warp.sub}`, GUTTER - 8, y + 14);
  surface.textAlign = "left";
  const columns = Math.max(1, Math.floor(room));
  if ((to - from) * 2 > columns) {
    const causes = columnCauses(warp, from, to, columns);
    for (let begin = 0, column = 1; column <= columns; column += 1) {
      if (column < columns && causes[column] === causes[begin]) continue;
      if (causes[begin] >= 0) fillCause(surface, causes[begin], GUTTER + begin, y, column - begin);
      begin = column;
    }
    return;
  }
  for (let i = firstEnding(warp, from); i < warp.start.length && warp.start[i] < to; i += 1) {
    const [left, right] = [at(Math.max(from, warp.start[i])), at(Math.min(to, warp.end[i]))];
    const color = fillCause(surface, warp.cause[i], left, y, Math.max(1, right - left - 0.5));
    const words = warp.cause[i] === SELECTED ? opcodeOf(run.code[warp.place[i]][0]) : DATA.causes[warp.cause[i]];
    surface.font = "12px sans-serif";
    if (right - left > surface.measureText(words).width + 6) {
      surface.fillStyle = inkOn(color);
      surface.fillText(words, left + 3, y + 14);
    }
  }
}

function fillCause(surface, cause, x, y, width) {
  const color = currentColors[`cause-${DATA.causes[cause]}`];
  surface.fillStyle = color.startsWith("#") ? color : `#${color}`;
  surface.fillRect(x, y, width, ROW - 3);
  return surface.fillStyle;
}

function drawLaps(surface, run, { top, from, to, at }) {
  const laps = lapCount(run);
  let named = -Infinity; // where the last lap's name begins
  surface.font = "12px sans-serif";
  for (let lap = 0; lap < laps; lap += 1) {
    const cycle = lapStart(run, lap);
    if (cycle < from || cycle > to) continue;
    surface.strokeStyle = currentColors.accent;
    surface.lineWidth = 1.5;
    surface.beginPath();
    surface.moveTo(at(cycle), top - 14);
    surface.lineTo(at(cycle), top + run.warps.length * ROW);
    surface.stroke();
    surface.fillStyle = currentColors.accent;
    surface.textAlign = "left";
    if (at(cycle) - named > 44) {
      surface.fillText(`lap ${lap}`, at(cycle) + 3, top - 5);
      named = at(cycle);
    }
  }
}

function drawMeter(surface, run, name, words, { y, from, to, room }) {
  const columns = Math.max(1, Math.floor(room));
  const values = columnMeter(run, name, from, to, columns);
  const most = { tensor: run.pipes, queue: run.places, conflicts: Math.max(1, ...values) }[name];
  surface.fillStyle = currentColors.empty;
  surface.fillRect(GUTTER, y, columns, STRIP - 8);
  surface.fillStyle = { tensor: currentColors.accent, queue: currentColors["strong-1"], conflicts: currentColors.alarm }[name];
  for (let begin = 0, column = 1; column <= columns; column += 1) {
    if (column < columns && values[column] === values[begin]) continue;
    const tall = ((STRIP - 8) * values[begin]) / most;
    if (tall > 0) surface.fillRect(GUTTER + begin, y + STRIP - 8 - tall, column - begin, tall);
    begin = column;
  }
  surface.font = "12px sans-serif";
  surface.textAlign = "right";
  surface.fillStyle = currentColors.faint;
  surface.fillText(words, GUTTER - 8, y + 12);
  const shown = name === "conflicts" ? `up to ${Math.round(most)}` : name === "queue" ? `of ${most} places` : "of 4 busy";
  surface.fillText(shown, GUTTER - 8, y + 25);
}

function drawCycles(surface, { y, from, to, zero, at }) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].find((one) => (to - from) / one <= 12) || 20000;
  surface.font = "12px sans-serif";
  surface.fillStyle = currentColors.faint;
  surface.textAlign = "center";
  for (let cycle = Math.ceil((from - zero) / step) * step; cycle + zero <= to; cycle += step) {
    surface.fillText(cycle.toLocaleString("en"), at(cycle + zero), y);
  }
  surface.textAlign = "left";
  surface.fillText("cycle", 0, y);
}

function drawMarks(surface, run, marked, { top, from, to, at }) {
  const middle = ({ warp, slice }) => {
    const one = run.warps[warp];
    const x = at(Math.max(from, Math.min(to, (one.start[slice] + one.end[slice]) / 2)));
    return [x, top + warp * ROW + (ROW - 3) / 2];
  };
  marked.forEach((mark, i) => {
    const one = run.warps[mark.warp];
    const [left, right] = [at(Math.max(from, one.start[mark.slice])), at(Math.min(to, one.end[mark.slice]))];
    surface.strokeStyle = i ? currentColors.alarm : currentColors.accent;
    surface.lineWidth = 2.5;
    if (right >= GUTTER && left <= at(to)) surface.strokeRect(left - 1, top + mark.warp * ROW - 1, Math.max(3, right - left) + 2, ROW - 1);
    if (!i) return;
    surface.lineWidth = 1.5;
    surface.beginPath();
    surface.moveTo(...middle(mark));
    surface.lineTo(...middle(marked[0]));
    surface.stroke();
  });
}
