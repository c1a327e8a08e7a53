// A recorded run: what each warp did in every cycle, and for whom it waited.

const SELECTED = DATA.causes.indexOf("selected");
const decodedRuns = new Map();

/** Return a run by name, its slices decoded; undefined where there is none. */
function runNamed(name) {
  const found = DATA.runs.find((run) => run.name === name);
  if (!found) return undefined;
  if (!decodedRuns.has(name)) decodedRuns.set(name, decodedRun(found));
  return decodedRuns.get(name);
}

function decodedRun(run) {
  const warps = run.warps.map(decodedWarp);
  const meters = Object.fromEntries(
    Object.entries(run.meters).map(([name, lengths]) => [name, expandedLengths(lengths)]),
  );
  const decoded = { ...run, warps, meters };
  decoded.laps = warps.map((warp) => lapsOf(warp, run.loop));
  return decoded;
}

/** Return a warp's slices as arrays: instruction, cause, start, end. They follow one another without a gap. */
function decodedWarp({ warp, sub, start, slices }) {
  const words = slices.split(" ");
  const out = { warp, sub, place: [], cause: [], start: [], end: [] };
  let [place, now] = [0, start];
  for (const word of words) {
    const [step, cycles] = word.slice(1).split(":");
    place += step ? Number(step) : 0;
    out.place.push(place);
    out.cause.push(word.charCodeAt(0) - 97);
    out.start.push(now);
    now += cycles ? Number(cycles) : 1;
    out.end.push(now);
  }
  return out;
}

function expandedLengths(lengths) {
  const out = [];
  for (let i = 0; i < lengths.length; i += 2) for (let n = 0; n < lengths[i + 1]; n += 1) out.push(lengths[i]);
  return out;
}

/** Return the cycles in which a warp issues the first instruction of the loop. */
function lapsOf(warp, loop) {
  return warp.start.filter((_, i) => warp.place[i] === loop && warp.cause[i] === SELECTED);
}

/** Return the number of laps that every warp goes round. */
function lapCount(run) {
  return Math.min(...run.laps.map((laps) => laps.length));
}

/** Return the first cycle of a lap: that of the first warp to begin it. */
function lapStart(run, lap) {
  return Math.min(...run.laps.map((laps) => laps[Math.min(lap, laps.length - 1)]));
}

/** Return the number of a warp's slice in which a cycle lies, or -1. */
function sliceAt(warp, cycle) {
  let [low, high] = [0, warp.start.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (warp.end[middle] <= cycle) low = middle + 1;
    else high = middle;
  }
  return low < warp.start.length && warp.start[low] <= cycle ? low : -1;
}

/** Return the last slice before `before` in which a warp issued an instruction that `test` accepts, or -1. */
function issuedBefore(run, warp, before, test) {
  for (let i = before - 1; i >= 0; i -= 1) {
    if (warp.cause[i] === SELECTED && test(run.code[warp.place[i]], warp.place[i])) return i;
  }
  return -1;
}

/**
 * Return whom a slice waits for: a list of {warp, slice, why}, `warp` its place among the run's warps.
 * A scoreboard counts down for the last instruction of the same warp that raised it; a stall count is that of the
 * instruction before; a pipe is busy with what its sub-core issued into it last; a barrier waits for the warp that
 * comes last; a warp that is not selected gives way to the one that is.
 */
function producersOf(run, warpPlace, slice) {
  const warp = run.warps[warpPlace];
  const cause = DATA.causes[warp.cause[slice]];
  const code = run.code[warp.place[slice]];
  const mine = (found, why) => (found < 0 ? [] : [{ warp: warpPlace, slice: found, why }]);
  if (cause === "short_scoreboard" || cause === "long_scoreboard") return raisersOf(run, warpPlace, slice);
  if (cause === "wait" || cause === "branch_resolving") {
    const why = cause === "wait" ? "its stall count" : "its target";
    return mine(issuedBefore(run, warp, slice, () => true), why);
  }
  if (cause === "not_selected") return selectedInstead(run, warpPlace, warp.start[slice]);
  if (cause === "math_pipe_throttle") {
    return lastOfSubCore(run, warpPlace, warp.start[slice], (one) => one[7] === code[7], "the pipe is busy with it");
  }
  if (cause === "mio_throttle" || cause === "lg_throttle") {
    return lastOfSubCore(run, warpPlace, warp.start[slice], (one) => one[8], "the last that got a place in the queue");
  }
  if (cause === "barrier" && isBarrier(code)) {
    return mine(issuedBefore(run, warp, slice, (one) => /^ST/.test(opcodeOf(one[0]))), "its operands are still to be read");
  }
  if (cause === "barrier") return lastAtBarrier(run, warp, slice);
  return [];
}

function raisersOf(run, warpPlace, slice) {
  const warp = run.warps[warpPlace];
  const mask = run.code[warp.place[slice]][2];
  const found = [];
  for (let board = 0; board < 6; board += 1) {
    if (!((mask >> board) & 1)) continue;
    const raised = issuedBefore(run, warp, slice, (code) => code[3] === board || code[4] === board);
    if (raised < 0) continue;
    const code = run.code[warp.place[raised]];
    const why = code[3] === board ? `SB${board}, its result` : `SB${board}, until its sources are read`;
    found.push({ warp: warpPlace, slice: raised, why });
  }
  return found;
}

function selectedInstead(run, warpPlace, cycle) {
  const { sub } = run.warps[warpPlace];
  for (let other = 0; other < run.warps.length; other += 1) {
    const slice = other === warpPlace || run.warps[other].sub !== sub ? -1 : sliceAt(run.warps[other], cycle);
    if (slice >= 0 && run.warps[other].cause[slice] === SELECTED) {
      return [{ warp: other, slice, why: "it issued in this cycle" }];
    }
  }
  return [];
}

function lastOfSubCore(run, warpPlace, cycle, test, why) {
  const { sub } = run.warps[warpPlace];
  let best = null;
  run.warps.forEach((warp, other) => {
    if (warp.sub !== sub) return;
    const at = sliceAt(warp, cycle);
    const from = at >= 0 ? at + 1 : warp.start.length;
    const slice = issuedBefore(run, warp, from, test);
    if (slice >= 0 && warp.start[slice] < cycle && (!best || warp.start[slice] > run.warps[best.warp].start[best.slice])) {
      best = { warp: other, slice, why };
    }
  });
  return best ? [best] : [];
}

function lastAtBarrier(run, warp, slice) {
  const nth = warp.cause.reduce(
    (count, cause, i) => count + (i < slice && cause === SELECTED && isBarrier(run.code[warp.place[i]]) ? 1 : 0), 0);
  let best = null;
  run.warps.forEach((other, place) => {
    const arrivals = [];
    other.cause.forEach((cause, i) => {
      if (cause === SELECTED && isBarrier(run.code[other.place[i]])) arrivals.push(i);
    });
    const arrival = arrivals[nth - 1];
    if (arrival !== undefined && (!best || other.start[arrival] > run.warps[best.warp].start[best.slice])) {
      best = { warp: place, slice: arrival, why: "the last to reach the barrier" };
    }
  });
  return best ? [best] : [];
}

/** Return an instruction's opcode: HMMA of "@P0 HMMA.1688.F16 R0, ...". */
function opcodeOf(text) {
  return (text.replace(/^@!?U?P\w+\s+/, "").match(/^\w+/) || [""])[0];
}

function isBarrier(code) {
  return opcodeOf(code[0]) === "BAR";
}

/** Return the source line of an instruction, {file, line, text}, or undefined. */
function sourceOf(run, place) {
  const [, , , , , file, line] = run.code[place];
  if (file < 0) return undefined;
  return { file: run.files[file].name, line, text: (run.files[file].lines[line - 1] || "").trim() };
}
