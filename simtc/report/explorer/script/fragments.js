// The view of fragments: A left, B above, D in the middle, lanes and registers beside, the bits of the address below.

const SIZES = { fit: 0, small: 14, medium: 30, large: 52 };
const COLORINGS = [["lane", "lane"], ["register", "register"], ["pair", "quad pair"], ["step", "step"]];

/** Return the major that an operand can have: the one asked for, or the only one there is. */
function possibleMajor(instruction, operand, wanted) {
  const { majors } = choicesOf(instruction, operand);
  const named = majors.filter(Boolean);
  return majors.includes(wanted) ? wanted : named.length === 1 ? named[0] : majors.includes("") ? "" : named[0] || "";
}

/** Return the fragments a, b, c, d that the parameters name; b is undefined for wgmma. */
function fragmentsOf({ arch, instr, ma, mb, view, qp }) {
  const instruction = instructionOf(arch, instr);
  const majors = { a: possibleMajor(instruction, "a", ma), b: possibleMajor(instruction, "b", mb), c: "", d: "" };
  const has = choicesOf(instruction, "d").views;
  const shown = has.includes(view) ? view : has[0];
  return Object.fromEntries(
    ["a", "b", "c", "d"].map((operand) => [operand, fragmentOf(instruction, operand, majors[operand], shown, Number(qp))]),
  );
}

/** Return an architecture's instructions in groups: mma, wmma, wgmma. */
function instructionGroups(arch) {
  const groups = { mma: [], wmma: [], wgmma: [] };
  for (const [name] of DATA.fragments.instructions[arch]) groups[/^w(g)?mma/.test(name) ? name.split(".")[0] : "mma"].push(name);
  return Object.entries(groups).filter(([, names]) => names.length);
}

/** Return the controls that choose a fragment; `change` gets the parameters that change, names prefixed by `prefix`. */
function fragmentControls(change, prefix = "") {
  const set = (name) => (value) => change({ [prefix + name]: value });
  const arch = choice("Architecture", (value) => change({ [`${prefix}arch`]: value }));
  const instr = choice("Instruction", set("instr"), "SHAPE.D.A.B.C, as in PTX");
  const ma = choice("A in memory", set("ma"), "row major or column major");
  const mb = choice("B in memory", set("mb"));
  const view = choice("Registers", set("view"), "the machine's registers, or the elements x[i] of a wmma::fragment");
  const qp = choice("Quad pair", set("qp"));
  const words = { "": "any", row: "row major", col: "column major" };
  return {
    elements: [arch, instr, ma, mb, view, qp].map((one) => one.holder),
    update(params, fragments) {
      const instruction = fragments.d.instruction;
      arch.set(ARCHS, params.arch);
      instr.set([], params.instr, instructionGroups(params.arch));
      for (const [control, operand] of [[ma, "a"], [mb, "b"]]) {
        const { majors } = choicesOf(instruction, operand);
        const named = majors.filter(Boolean);
        control.set(named.map((one) => [one, words[one]]), fragments[operand]?.major || named[0] || "");
        control.show(named.length > 0);
      }
      const { views } = choicesOf(instruction, "d");
      view.set(views.map((one) => [one, one === "api" ? "WMMA API x[i]" : "machine registers"]), fragments.d.view);
      qp.set(["0", "1", "2", "3"], String(params.qp));
      qp.show(fragments.d.quadPair !== undefined);
    },
  };
}

/** Make parameters name an instruction that their architecture has. */
function soundFragment(params, prefix = "") {
  const out = { ...params };
  const [arch, instr] = [`${prefix}arch`, `${prefix}instr`];
  if (!ARCHS.includes(out[arch])) out[arch] = "turing";
  if (!instructionOf(out[arch], out[instr])) {
    const names = DATA.fragments.instructions[out[arch]].map(([name]) => name);
    const shape = String(out[instr]).split(".").slice(0, -4).join(".");
    out[instr] = names.find((name) => shape && name.startsWith(`${shape}.`)) || names.find((name) => /^m16n8k|^m8n8k4/.test(name)) || names[0];
  }
  return out;
}

function fragmentTitle(fragment) {
  const major = fragment.major ? `, ${fragment.major} major` : "";
  return `${fragment.operand.toUpperCase()}  ${fragment.rows}×${fragment.cols} ${fragment.type}${major}`;
}

/** Return the cell width at which A and D stand side by side in a room. */
function fittingSize(fragments, room) {
  const across = (one) => one.cols / cellsOf(one)[0].right;
  const all = [fragments.a, fragments.d, fragments.b].filter(Boolean);
  const need = Math.max(...all.map((one) => labelWidths(cellsOf(one)).both));
  const columns = across(fragments.a) + across(fragments.d);
  const fits = (room - 110) / columns;
  const lane = Math.ceil(Math.max(...all.map((one) => labelWidths(cellsOf(one)).lane)));
  if (fits < lane && columns <= 48) return lane; // rather scroll a little than read no lane
  return Math.max(13, Math.min(Math.ceil(need), Math.floor(fits)));
}

/** Lay A, B and D out; returns their drawings by operand, and the size of the whole. */
function drawFragments(fragments, { color, size, room }) {
  const unit = SIZES[size] || fittingSize(fragments, room);
  const shared = Math.max(rowHeight(fragments.a, unit), rowHeight(fragments.d, unit)); // rows of A are rows of D
  const draw = (op, x, y) => {
    const tall = op === "b" ? rowHeight(fragments.b, unit) : shared;
    return drawMatrix(fragments[op], { x, y, size: unit, tall, color, title: fragmentTitle(fragments[op]) });
  };
  const [left, top, gap] = [34, 44, 60];
  const dx = left + draw("a", 0, 0).width + gap;
  const dy = fragments.b ? top + draw("b", 0, 0).height + gap : top;
  const drawn = { a: draw("a", left, dy), d: draw("d", dx, dy) };
  if (fragments.b) drawn.b = draw("b", dx, top);
  const all = Object.values(drawn);
  const title = (one) => one.x + Math.max(one.width, fragmentTitle(one.fragment).length * 8);
  return {
    drawn,
    width: Math.max(...all.map(title)) + 8,
    height: Math.max(...all.map((one) => one.y + one.height)) + 8,
    fixed: all.map((one) => one.fixed).join("") + (drawn.b ? drawKey(fragments, color, left, top, dx - left - gap) : ""),
    body: all.map((one) => one.body).join(""),
  };
}

/** Draw what the colours mean into the corner above A and left of B. */
function drawKey(fragments, color, x, y, room) {
  const names = {
    lane: [...Array(8).keys()].map((quad) => [`lane-${4 * quad + 2}`, `T${4 * quad}–${4 * quad + 3}`]),
    register: [...new Set([fragments.a, fragments.d].flatMap((one) => slotsOf(one).map((slot) => (one.view === "api" ? slot.index : slot.register))))]
      .sort((one, other) => one - other).slice(0, 8).map((number) => [`hue-${number % 8}`, `${fragments.d.view === "api" ? "x" : "R"}${number}`]),
    pair: [0, 1, 2, 3].map((pair) => [`hue-${[0, 1, 2, 6][pair]}`, `quad pair ${pair}`]),
    step: fragments.d.instruction.steps.slice(0, 8).map((_, step) => [`step-${step}`, `step ${step + 1}`]),
  }[color];
  const words = { lane: "Colour: quad of lanes, stronger with the lane", register: "Colour: register", pair: "Colour: quad pair", step: "Colour: fused step of A's columns and B's rows" }[color];
  if (room < 150) return "";
  const wide = 36 + Math.max(...names.map(([, name]) => name.length)) * CHAR;
  const columns = Math.max(1, Math.min(4, Math.floor(room / wide)));
  const swatch = ([fill, name], i) => {
    const [left, top] = [x + (i % columns) * wide, y + 12 + Math.floor(i / columns) * 22];
    return svgBox(left, top, 16, 14, { fill: `var(--${fill})` }) + svgText(left + 21, top + 11, name);
  };
  const lines = wrapped(words, Math.floor(room / 7));
  const heading = lines.map((line, i) => svgText(x, y - 8 - 16 * (lines.length - 1 - i), line, { fill: "var(--faint)" }));
  return heading.join("") + names.map(swatch).join("");
}

/** Return what the selected element lights: by operand, cells' elements with the number of their step, -1 for none. */
function litBy(fragments, { op, row, col }, shown) {
  const lit = { a: [], b: [], d: [] };
  if (op === "d") {
    lit.d.push({ row, col, step: -1, self: true });
    fragments.d.instruction.steps.slice(0, shown).forEach((step, number) => step.forEach((k) => {
      lit.a.push({ row, col: k, step: number });
      if (fragments.b) lit.b.push({ row: k, col, step: number });
    }));
    return lit;
  }
  lit[op].push({ row, col, step: -1, self: true });
  const { rows, cols } = fragments.d;
  const others = op === "a" ? [...Array(cols).keys()].map((j) => ({ row, col: j })) : [...Array(rows).keys()].map((i) => ({ row: i, col }));
  lit.d.push(...others.map((one) => ({ ...one, step: -1 })));
  return lit;
}

/** Draw what is lit over the faded matrices. */
function drawLit(drawn, lit) {
  const parts = [];
  for (const [op, elements] of Object.entries(lit)) {
    if (!drawn[op]) continue;
    const seen = new Set();
    for (const one of elements) {
      const cell = drawn[op].find(one.row, one.col);
      if (seen.has(cell)) continue;
      seen.add(cell);
      const box = drawn[op].box(cell);
      const fill = one.step >= 0 ? `var(--step-${one.step % 8})` : one.self ? "var(--paper)" : "var(--empty)";
      const edge = one.self ? { stroke: "var(--accent)", line: 3 } : { stroke: one.step >= 0 ? `var(--strong-${one.step % 8})` : "var(--line)", line: 1.5 };
      parts.push(svgBox(box[0], box[1], box[2] - 1, box[3] - 1, { fill, ...edge }), drawn[op].label(cell));
    }
  }
  return parts.join("");
}

/** Outline the places in which the lit elements of a drawing by lanes are held. */
function drawLitLanes(lanes, fragments, selection, lit) {
  const { fragment } = lanes;
  const op = fragment.operand;
  const target = selection.op === "d" ? holdersOf(fragments.d, selection.row, selection.col)[0] : undefined;
  const wide = fragment.width < 8;
  return lit[op].flatMap(({ row, col, step, self }) => {
    const holders = holdersOf(fragment, row, col);
    const shown = target && op !== "d" ? [nearest(holders, target)] : holders;
    return shown.map((one) => {
      const slot = lanes.slots.findIndex((other) => other.register === one.register && (wide || other.half === one.half));
      const [x, y, width, height] = lanes.box(one.lane, slot);
      const stroke = self ? "var(--accent)" : step >= 0 ? `var(--strong-${step % 8})` : "var(--faint)";
      return svgBox(x + 0.5, y + 0.5, width - 2, height - 2, { stroke, line: self ? 3 : 2 });
    });
  }).join("");
}

/** Read "d:3,5" as a selection that the fragments have, or undefined. */
function readSelection(text, fragments) {
  const match = /^([abd]):(\d+),(\d+)$/.exec(text || "");
  if (!match) return undefined;
  const [op, row, col] = [match[1], Number(match[2]), Number(match[3])];
  const fragment = fragments[op];
  return fragment && row < fragment.rows && col < fragment.cols ? { op, row, col } : undefined;
}
