// Fragments: which lane and register holds each element. A layout permutes bits: each bit of the row and of the column
// is a bit of the lane's number (l0, l1, ...) or of the element's number in its lane (x0, x1, ...).

const DATA = JSON.parse(document.getElementById("data").textContent);
const ARCHS = Object.keys(DATA.fragments.instructions).sort(
  (one, other) => ["volta", "turing", "ampere", "ada", "hopper"].indexOf(one) - ["volta", "turing", "ampere", "ada", "hopper"].indexOf(other),
);
const PARTS = { 16: ".H", 8: ".B", 4: ".N", 1: ".b" };
const placesByRule = new Map();

/** Return an instruction of an architecture, or undefined. */
function instructionOf(arch, name) {
  const row = (DATA.fragments.instructions[arch] || []).find((one) => one[0] === name);
  if (!row) return undefined;
  const [, m, n, k, set, unit, steps, words] = row;
  const [how, first, last] = DATA.fragments.words[words];
  const types = name.replace(/^w(g)?mma\./, "").split(".");
  return {
    arch, name, m, n, k, unit, how, first, last,
    operands: DATA.fragments.operands[set],
    steps: DATA.fragments.steps[steps],
    types: { d: types[1], a: types[2], b: types[3], c: types[4] },
  };
}

/** Return the majors ("" for none asked for) and views that an operand has. */
function choicesOf(instruction, operand) {
  const entries = instruction.operands[operand];
  return { majors: [...new Set(entries.map((one) => one[0]))], views: [...new Set(entries.map((one) => one[1]))] };
}

/**
 * Return a fragment, or undefined where the instruction has none in that major and view.
 * `major` is "row", "col" or ""; `quadPair` counts for Volta's m8n8k4 alone.
 */
function fragmentOf(instruction, operand, major, view, quadPair = 0) {
  const entry = instruction.operands[operand].find((one) => one[0] === major && one[1] === view);
  if (!entry) return undefined;
  const [row, col, count, width, lanes] = DATA.fragments.rules[entry[2]];
  const [status, source] = DATA.fragments.evidence[entry[3]];
  const { m, n, k } = instruction;
  const laneNumbers = [...Array(lanes === 8 ? 32 : lanes).keys()].filter(
    (lane) => lanes !== 8 || ((lane >> 2) & 3) === quadPair,
  );
  return {
    instruction, operand, view, status, source, count, width, laneNumbers,
    major: entry[4],
    type: instruction.types[operand],
    rule: entry[2],
    quadPair: lanes === 8 ? quadPair : undefined,
    rows: operand === "b" ? k : m,
    cols: operand === "a" ? k : n,
    row: row.split(" "),
    col: col ? col.split(" ") : [],
    perRegister: Math.max(1, Math.floor(32 / width)),
    words: Math.max(1, Math.floor(width / 32)),
    registers: Math.ceil((count * width) / 32),
  };
}

function bitsOf(names, lane, index) {
  return names.reduce((sum, name, place) => {
    const from = name[0] === "l" ? lane : index;
    return sum + (((from >> Number(name.slice(1))) & 1) << place);
  }, 0);
}

/** Return [row, col] of the element that a lane keeps as its number `index`. */
function elementAt(fragment, lane, index) {
  return [bitsOf(fragment.row, lane, index), bitsOf(fragment.col, lane, index)];
}

/** Return the number of a place among its lane's elements: a_i in the PTX ISA, x[i] in the WMMA API. */
function indexOf(fragment, register, half) {
  return Math.floor(register / fragment.words) * fragment.perRegister + half;
}

/** Return every place of an element, by lane, then register: {lane, register, half}. */
function holdersOf(fragment, row, col) {
  const key = `${fragment.rule}/${fragment.rows}/${fragment.cols}/${fragment.quadPair ?? ""}`;
  if (!placesByRule.has(key)) placesByRule.set(key, allPlaces(fragment));
  return placesByRule.get(key)[row * fragment.cols + col];
}

function allPlaces(fragment) {
  const places = Array.from({ length: fragment.rows * fragment.cols }, () => []);
  const { perRegister, words, count } = fragment;
  for (const lane of fragment.laneNumbers) {
    for (let index = 0; index < count; index += 1) {
      const [row, col] = elementAt(fragment, lane, index);
      places[row * fragment.cols + col].push({
        lane,
        register: Math.floor(index / perRegister) * words,
        half: index % perRegister,
      });
    }
  }
  return places;
}

/** Name a place in a lane: x5 of an API fragment, R1.H0 (half), R1.B2 (byte), R1.N7 (nibble), R1.b31 or R1. */
function slotName(fragment, { register, half }) {
  if (fragment.view === "api") return `x${indexOf(fragment, register, half)}`;
  const part = PARTS[fragment.width];
  return `R${register}${part ? part + half : ""}`;
}

/** Return how many holders each element has. */
function copiesOf(fragment) {
  return holdersOf(fragment, 0, 0).length;
}

/** Return the quad pair of a lane: quads q and q + 4 multiply together on Volta. */
function quadPairOf(lane) {
  return (lane >> 2) & 3;
}
