// Two configurations side by side: the same operand of two instructions, architectures or views; copies are outlined.

/** Return how two fragments differ: places and copies of each, and elements that do not live in the same places. */
function comparedFragments(left, right) {
  const count = (one) => {
    const slots = one.laneNumbers.length * one.count;
    return { elements: one.rows * one.cols, places: slots, copies: slots - one.rows * one.cols, holders: copiesOf(one) };
  };
  const same = left.rows === right.rows && left.cols === right.cols;
  let elsewhere;
  if (same) {
    elsewhere = 0;
    for (let row = 0; row < left.rows; row += 1) {
      for (let col = 0; col < left.cols; col += 1) {
        const name = (one) => holderWords(one, holdersOf(one, row, col));
        if (name(left) !== name(right)) elsewhere += 1;
      }
    }
  }
  return { left: count(left), right: count(right), elsewhere };
}

/** Return a count of copies as words. */
function copyWords({ elements, places, copies, holders }) {
  const what = copies ? `${copies} of them copies (outlined)` : "no copies";
  return `${places} places for ${elements} elements, ${what}; each element has ${holders} holder${holders > 1 ? "s" : ""}`;
}

const compareView = {
  name: "compare",
  title: "Compare",
  lead: "One operand of two configurations side by side. Point at an element on either side: the other side shows where it lives there.",
  defaults: {
    "l.arch": "volta", "l.instr": "wmma.m16n16k16.f32.f16.f16.f32", "l.ma": "row", "l.mb": "col", "l.view": "registers", "l.qp": "0",
    "r.arch": "turing", "r.instr": "wmma.m16n16k16.f32.f16.f16.f32", "r.ma": "row", "r.mb": "col", "r.view": "registers", "r.qp": "0",
    operand: "a", color: "lane", at: "",
  },
  sound: (params) => soundFragment(soundFragment(params, "l."), "r."),

  mount(root, change) {
    this.change = change;
    this.hover = undefined;
    this.operand = choice("Operand", (operand) => change({ operand, at: "" }));
    this.color = choice("Colour by", (color) => change({ color }));
    this.known = choice("Known pairs", (text) => text && change({ ...KNOWN_PAIRS[text], at: "" }));
    this.voice = speaker();
    this.words = h("p", { class: "verdict" });
    this.sides = ["l.", "r."].map((prefix) => {
      const controls = fragmentControls((changes) => change({ ...changes, at: "" }), prefix);
      const side = prefix === "l." ? "Left" : "Right";
      const area = keyboardArea(`${side} matrix. Arrows move, Enter keeps the element.`, (key) => this.key(key));
      const lanes = h("div", { class: "picture", tabindex: "0", role: "group", "aria-label": `${side} lanes and registers` });
      const count = h("p", { class: "count" });
      const element = h("section", { class: "side", "aria-label": side }, h("div", { class: "controls" }, controls.elements), count, area, lanes);
      return { prefix, controls, area, lanes, count, element };
    });
    root.append(
      h("div", { class: "controls" }, [this.known, this.operand, this.color].map((one) => one.holder)),
      this.words, h("div", { class: "selection" }, this.voice.element),
      h("div", { class: "sides" }, this.sides.map((side) => side.element)),
    );
    for (const side of this.sides) {
      const find = (event) => {
        const box = side.area.querySelector("svg").getBoundingClientRect();
        return side.matrix.at(event.clientX - box.left, event.clientY - box.top);
      };
      side.area.addEventListener("pointermove", (event) => this.point(find(event)));
      side.area.addEventListener("pointerleave", () => this.point(undefined));
      side.area.addEventListener("click", (event) => { const cell = find(event); if (cell) this.change({ at: `${cell.row},${cell.col}` }); });
    }
  },

  unmount() {},

  key(key) {
    const [row, col] = this.selection() || [0, 0];
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const most = this.sides.map((side) => side.fragment);
    if (moves[key]) {
      const limit = (value, name) => Math.min(Math.max(...most.map((one) => one[name])) - 1, Math.max(0, value));
      this.point({ row: limit(row + moves[key][0], "rows"), col: limit(col + moves[key][1], "cols") });
    } else if (key === "Enter" || key === " ") this.change({ at: `${row},${col}` });
    else if (key === "Escape") this.change({ at: "" });
    else return false;
    return true;
  },

  point(cell) {
    this.hover = cell && [cell.row, cell.col];
    this.light();
  },

  selection() {
    const kept = /^(\d+),(\d+)$/.exec(this.params.at);
    return this.hover || (kept ? [Number(kept[1]), Number(kept[2])] : undefined);
  },

  update(params) {
    this.params = params;
    this.operand.set([["a", "A"], ["b", "B"], ["d", "D"]], params.operand);
    this.color.set(COLORINGS, params.color);
    this.known.set([["", "choose…"], ...Object.keys(KNOWN_PAIRS)], Object.keys(KNOWN_PAIRS).find((name) => Object.entries(KNOWN_PAIRS[name]).every(([key, value]) => params[key] === value)) || "");
    for (const side of this.sides) {
      const own = Object.fromEntries(["arch", "instr", "ma", "mb", "view", "qp"].map((name) => [name, params[side.prefix + name]]));
      const fragments = fragmentsOf(own);
      side.controls.update(own, fragments);
      side.name = `${own.instr} on ${own.arch}`;
      side.fragment = fragments[params.operand] || fragments.a;
      this.draw(side, params);
    }
    const found = comparedFragments(this.sides[0].fragment, this.sides[1].fragment);
    this.found = found;
    this.sides[0].count.textContent = copyWords(found.left);
    this.sides[1].count.textContent = copyWords(found.right);
    this.words.textContent = found.elsewhere === undefined
      ? `The shapes differ: ${this.sides.map((side) => `${side.fragment.rows}×${side.fragment.cols}`).join(" and ")}.`
      : `${found.elsewhere} of ${found.left.elements} elements live elsewhere on the right.`;
    this.light();
  },

  draw(side, params) {
    const { fragment } = side;
    const cells = cellsOf(fragment);
    const room = side.element.clientWidth - 60;
    const size = Math.max(13, Math.min(Math.ceil(labelWidths(cells).both), Math.floor(room / (fragment.cols / cells[0].right))));
    side.matrix = drawMatrix(fragment, { x: 34, y: 44, size, color: params.color, title: fragmentTitle(fragment) });
    side.whole = { width: Math.max(side.matrix.width + 44, 280), height: side.matrix.height + 52 };
    side.laneDrawing = drawLanes(fragment, { color: params.color, title: "Lanes × registers; copies outlined", copies: true });
    const layered = (one, extra) => ({ ...one, ...extra, body: `${one.fixed || ""}<g class="base">${one.body}</g><g class="lit"></g>` });
    side.area.innerHTML = svgElement(layered(side.matrix, side.whole), side.name);
    side.lanes.innerHTML = svgElement(layered(side.laneDrawing), `${side.name}, by lanes`);
  },

  light() {
    const at = this.selection();
    const words = [];
    for (const side of this.sides) {
      const { fragment } = side;
      const inside = at && at[0] < fragment.rows && at[1] < fragment.cols;
      side.area.classList.toggle("faded", Boolean(inside));
      const lit = { a: [], b: [], d: [] };
      if (inside) lit[fragment.operand] = [{ row: at[0], col: at[1], step: -1, self: true }];
      side.lit = inside ? drawLit({ [fragment.operand]: side.matrix }, lit) : "";
      side.litLanes = inside ? drawLitLanes(side.laneDrawing, { [fragment.operand]: fragment, d: fragment }, { op: fragment.operand, row: at[0], col: at[1] }, lit) : "";
      side.area.querySelector(".lit").innerHTML = side.lit;
      side.lanes.querySelector(".lit").innerHTML = side.litLanes;
      words.push(inside ? holderWords(fragment, holdersOf(fragment, at[0], at[1])) : "not in this shape");
    }
    const name = at && `${this.params.operand.toUpperCase()}[${at[0]},${at[1]}]`;
    this.voice.say(at ? `${name} — left: ${words[0]}; right: ${words[1]}` : "Nothing is selected.");
  },

  picture() {
    const one = (side) => {
      const heading = svgText(0, 14, side.name, { size: 14, bold: true }) + svgText(0, 34, copyWords(this.found[side.prefix === "l." ? "left" : "right"]));
      const matrix = `<g transform="translate(0 44)">${side.matrix.fixed}${side.matrix.body}${side.lit}</g>`;
      const lanes = `<g transform="translate(0 ${60 + side.whole.height})">${side.laneDrawing.body}${side.litLanes}</g>`;
      return { width: Math.max(side.whole.width, side.laneDrawing.width, 620), height: 60 + side.whole.height + side.laneDrawing.height, body: heading + matrix + lanes };
    };
    return joinedPictures(`Operand ${this.params.operand.toUpperCase()}`, this.sides.map(one));
  },
};

function pairOf(left, right, extra = {}) {
  const named = (prefix, [arch, instr, view = "registers"]) => ({ [`${prefix}arch`]: arch, [`${prefix}instr`]: instr, [`${prefix}view`]: view, [`${prefix}ma`]: "row", [`${prefix}mb`]: "col" });
  return { ...named("l.", left), ...named("r.", right), operand: "a", ...extra };
}

const WMMA = (shape) => `wmma.${shape}.f32.f16.f16.f32`;
const KNOWN_PAIRS = {
  "Volta: 16×16×16 and 32×8×16": pairOf(["volta", WMMA("m16n16k16")], ["volta", WMMA("m32n8k16")]),
  "Volta and Turing: WMMA 16×16×16": pairOf(["volta", WMMA("m16n16k16")], ["turing", WMMA("m16n16k16")]),
  "Turing and Ampere: HMMA.1688 and HMMA.16816": pairOf(["turing", "m16n8k8.f32.f16.f16.f32"], ["ampere", "m16n8k16.f32.f16.f16.f32"]),
  "Turing: registers and WMMA API": pairOf(["turing", WMMA("m16n16k16")], ["turing", WMMA("m16n16k16"), "api"]),
  "Volta: f32 and f16 sums": pairOf(["volta", WMMA("m16n16k16")], ["volta", "wmma.m16n16k16.f16.f16.f16.f16"], { operand: "d" }),
};
