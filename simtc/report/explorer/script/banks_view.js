// Banks as a page: an access from a tile, a pitch or typed addresses; its wavefronts, and the memory that it touches.

const BANK_CELL = 30;
const BANK_LEFT = 150;
const EXPRESSION = "row*32 + ((col/8 ^ row/2%4) * 8) + col%8";

/** Return {access, tile, name} of the parameters. Throws an Error that says what cannot be. */
function accessOf(params) {
  const number = (name) => {
    if (!/^\d+$/.test(params[name])) throw new Error(`${name} is a whole number, not "${params[name]}"`);
    return Number(params[name]);
  };
  if (params.source === "typed") {
    const addresses = readAddresses(params.addresses);
    if (!addresses.some((one) => one !== null)) throw new Error("type up to 32 byte addresses: 0 4 8, or 0x80, or - for an inactive lane");
    const matrices = Number(params.ldmatrix);
    return { access: makeAccess({ addresses, width: matrices ? 128 : Number(params.width), store: params.store === "1", matrix: matrices > 0 }) };
  }
  if (params.source === "pitch") {
    const matrices = Number(params.ldmatrix);
    const width = matrices ? 128 : Number(params.width);
    if (number("inrow") < 1) throw new Error("at least one lane goes into a row");
    const addresses = pitchAddresses(number("pitch"), number("inrow"), width, matrices);
    return { access: makeAccess({ addresses, width, store: params.store === "1", matrix: matrices > 0 }) };
  }
  const tile = tileOf(params);
  return { tile, access: tileAccess(tile, params.pattern) };
}

function tileOf(params, layout = params.layout) {
  const number = (name) => Number(/^\d+$/.test(params[name]) ? params[name] : NaN);
  const shape = { rows: number("rows"), cols: number("cols"), padEvery: number("every"), padHalves: number("halves") };
  if (Object.values(shape).some(Number.isNaN)) throw new Error("rows, columns and padding are whole numbers");
  return makeTile({ ...shape, layout, expression: params.expr });
}

/** Return the wavefronts of an access in the order in which they are served: {phase, turn, words}. */
function wavefrontList(access) {
  return access.phases.flatMap((phase, number) => phase.wavefronts.map((words, turn) => ({ phase: number, turn, words })));
}

function laneWords(lanes) {
  return lanes.length > 1 ? `${lanes[0]}+` : String(lanes[0]);
}

function bankAxis(y) {
  const parts = [svgText(BANK_LEFT - 10, y - 8, "bank", { fill: "var(--faint)", anchor: "end" })];
  for (let bank = 0; bank < DATA.banks.banks; bank += 1) {
    parts.push(svgText(BANK_LEFT + (bank + 0.5) * BANK_CELL, y - 8, bank, { fill: "var(--faint)", anchor: "middle" }));
  }
  return parts.join("");
}

function bankCell(x, y, one, faded) {
  const lanes = `<title>bank ${one.bank}, word ${one.word}: lanes ${one.lanes.join(", ")}</title>`;
  return `<g opacity="${faded ? 0.25 : 1}">${lanes}${svgBox(x, y, BANK_CELL - 1, 24, { fill: depthColor(one.depth) })}`
    + `${svgText(x + BANK_CELL / 2, y + 16, laneWords(one.lanes), { anchor: "middle", fill: "var(--ink)" })}</g>`;
}

/** Draw a row for every wavefront and a column for every bank; `shown` is the one that is played, or undefined. */
function drawWavefronts(access, shown) {
  const list = wavefrontList(access);
  const top = 62;
  const parts = [svgText(0, 16, "Wavefronts: the lane that each bank serves", { size: 14, bold: true }), bankAxis(top)];
  list.forEach(({ phase, turn, words }, i) => {
    const y = top + i * 26;
    const faded = shown !== undefined && shown !== i;
    const fill = turn ? "var(--alarm)" : "var(--ink)";
    parts.push(svgText(0, y + 17, `phase ${phase}, wavefront ${turn}`, { fill, bold: shown === i }));
    parts.push(svgBox(BANK_LEFT, y, BANK_CELL * DATA.banks.banks - 1, 24, { fill: "var(--empty)" }));
    words.forEach((one) => parts.push(bankCell(BANK_LEFT + one.bank * BANK_CELL, y, one, faded)));
  });
  return { width: BANK_LEFT + BANK_CELL * DATA.banks.banks + 8, height: top + list.length * 26 + 8, body: parts.join("") };
}

/** Draw the lines of 128 bytes that are touched, a column for every bank. */
function drawMemory(access, shown) {
  const list = wavefrontList(access);
  const words = new Map();
  list.forEach(({ words: served }, i) => served.forEach((one) => {
    const before = words.get(one.word);
    const lanes = before ? [...before.lanes, ...one.lanes] : one.lanes;
    const now = { ...one, lanes, depth: Math.max(one.depth, before?.depth || 0), turns: [...(before?.turns || []), i] };
    words.set(one.word, now);
  }));
  const lines = [...new Set([...words.keys()].map((word) => Math.floor(word / DATA.banks.banks)))].sort((one, other) => one - other);
  const top = 62;
  const parts = [svgText(0, 16, "Memory: the words that the lanes want, 128 bytes a line", { size: 14, bold: true }), bankAxis(top)];
  lines.forEach((line, i) => {
    const y = top + i * 26;
    parts.push(svgText(0, y + 17, `byte ${line * 128}`, { fill: "var(--faint)" }));
    parts.push(svgBox(BANK_LEFT, y, BANK_CELL * DATA.banks.banks - 1, 24, { fill: "var(--empty)" }));
    for (let bank = 0; bank < DATA.banks.banks; bank += 1) {
      const one = words.get(line * DATA.banks.banks + bank);
      if (one) parts.push(bankCell(BANK_LEFT + bank * BANK_CELL, y, one, shown !== undefined && !one.turns.includes(shown)));
    }
  });
  return { width: BANK_LEFT + BANK_CELL * DATA.banks.banks + 8, height: top + lines.length * 26 + 8, body: parts.join("") };
}

function drawDepths() {
  const names = ["1 word: no conflict", "2 words", "3 to 4", "5 to 8", "more"];
  const parts = names.map((name, i) => svgBox(i * 150, 4, 22, 16, { fill: `var(--depth-${i})` }) + svgText(i * 150 + 28, 16, name));
  return { width: 740, height: 30, body: parts.join("") };
}

/** Return the table of every access that a GEMM makes to the tile: a row a pattern, a column a layout. */
function costTable(params, pick) {
  const layouts = [...DATA.banks.layouts, "expression"];
  const tiles = layouts.map((layout) => {
    try { return tileOf(params, layout); } catch { return undefined; }
  });
  const cell = (tile, pattern, layout) => {
    try {
      const { wavefronts, ideal } = costOf(tileAccess(tile, pattern));
      const chosen = params.pattern === pattern && params.layout === layout;
      return h("td", { class: wavefronts > ideal ? "excess" : "" }, button(`${wavefronts} (${ideal})`, () => pick(pattern, layout), {
        "aria-pressed": String(chosen), "aria-label": `${pattern}, ${layout}: ${wavefronts} wavefronts, ideal ${ideal}`,
      }));
    } catch { return h("td", {}, "–"); }
  };
  const head = h("tr", {}, h("th", { scope: "col" }, "access"), layouts.map((layout) => h("th", { scope: "col" }, layout === "expression" ? "typed" : layout)));
  const overlaps = h("tr", {}, h("th", { scope: "row" }, "overlaps"), tiles.map((tile) => h("td", {}, tile ? overlapWords(tile) : "–")));
  const rows = DATA.banks.patterns.map((pattern) => h("tr", {}, h("th", { scope: "row" }, pattern), layouts.map((layout, i) => cell(tiles[i], pattern, layout))));
  return h("table", {}, h("caption", {}, "Wavefronts (and the ideal) of every access that a GEMM makes to the tile"), h("thead", {}, head), h("tbody", {}, overlaps, rows));
}

function overlapWords(tile) {
  try { return String(overlapsOf(tile)); } catch { return "–"; }
}

const banksView = {
  name: "banks",
  title: "Banks",
  lead: "In how many wavefronts shared memory serves a warp. Only lanes of one phase can collide; a bank that is asked for several words takes a wavefront for each.",
  defaults: {
    source: "tile", rows: "256", cols: "32", layout: "none", every: "2", halves: "8", expr: EXPRESSION, pattern: "ldsm.x4",
    pitch: "80", inrow: "4", width: "128", store: "0", ldmatrix: "0", addresses: "0 8 16 24 32 40 48 56", at: "",
  },
  sound: (params) => params,

  mount(root, change) {
    this.change = change;
    const pick = (name) => (value) => change({ [name]: value, at: "" });
    const number = (label, name) => field(label, pick(name), { width: "4.5rem" });
    this.source = choice("Addresses", pick("source"));
    this.parts = {
      tile: {
        rows: number("Rows", "rows"), cols: number("Columns", "cols"), layout: choice("Layout", pick("layout")),
        every: number("Pad every … rows", "every"), halves: number("… by halves", "halves"),
        expr: field("Offset in elements, in C", pick("expr"), { width: "24rem", hint: "row and col with + - * / % ^ & | << >> and brackets" }),
        pattern: choice("Access", pick("pattern")),
      },
      pitch: { pitch: number("Pitch in bytes", "pitch"), inrow: number("Lanes in a row", "inrow") },
      typed: { addresses: field("Byte addresses of lanes 0 to 31", pick("addresses"), { width: "30rem", hint: "128, 0x80, or - for an inactive lane" }) },
      access: { width: choice("Bits a lane", pick("width")), store: choice("Load or store", pick("store")), ldmatrix: choice("ldmatrix", pick("ldmatrix")) },
    };
    this.area = keyboardArea("Wavefronts and memory. Left and right arrows go through the wavefronts, P plays them, Escape shows all.", (key) => this.key(key));
    this.voice = speaker();
    this.play = button("Play wavefronts", () => this.toggle(), { class: "play" });
    this.problem = h("p", { class: "problem", role: "alert" });
    this.verdict = h("p", { class: "verdict" });
    this.table = h("div", { class: "costs" });
    const controls = Object.values(this.parts).flatMap((one) => Object.values(one).map((control) => control.holder));
    root.append(
      h("div", { class: "controls" }, this.source.holder, controls), this.problem, this.verdict,
      h("div", { class: "selection" }, this.voice.element, this.play), this.area, this.table,
    );
  },

  unmount() { if (this.stop) this.stop(); this.stop = undefined; },

  key(key) {
    const all = this.access ? wavefrontList(this.access).length : 0;
    const now = this.params.at === "" ? -1 : Number(this.params.at);
    if (key === "ArrowRight") this.change({ at: String(Math.min(all - 1, now + 1)) });
    else if (key === "ArrowLeft") this.change({ at: String(Math.max(0, now - 1)) });
    else if (key === "p" || key === "P") this.toggle();
    else if (key === "Escape") this.change({ at: "" });
    else return false;
    return true;
  },

  toggle() {
    if (this.stop) { this.unmount(); this.play.textContent = "Play wavefronts"; return; }
    const all = wavefrontList(this.access).length;
    let at = 0;
    this.change({ at: "0" });
    this.play.textContent = "Stop";
    this.stop = playing(700, () => {
      at += 1;
      this.change({ at: at >= all ? "" : String(at) });
      if (at < all) return true;
      this.stop = undefined;
      this.play.textContent = "Play wavefronts";
      return false;
    });
  },

  update(params) {
    this.params = params;
    this.show(params);
    this.problem.textContent = "";
    try {
      const { access, tile } = accessOf(params);
      this.access = access;
      this.tile = tile;
      this.draw(params);
    } catch (error) {
      this.access = undefined;
      this.problem.textContent = error.message;
      this.verdict.textContent = "";
      this.area.replaceChildren();
    }
    this.play.disabled = !this.access;
    this.table.replaceChildren(...(params.source === "tile" ? [costTable(params, (pattern, layout) => this.change({ pattern, layout, at: "" }))] : []));
  },

  show(params) {
    this.source.set([["tile", "an access to a tile"], ["pitch", "rows at a pitch"], ["typed", "typed in"]], params.source);
    const { tile, pitch, typed, access } = this.parts;
    tile.layout.set([...DATA.banks.layouts, ["expression", "typed expression"]], params.layout);
    tile.pattern.set(DATA.banks.patterns, params.pattern);
    access.width.set(["32", "64", "128"], params.width);
    access.store.set([["0", "load"], ["1", "store"]], params.store);
    access.ldmatrix.set([["0", "no"], ["1", "x1"], ["2", "x2"], ["4", "x4"]], params.ldmatrix);
    for (const [group, controls] of Object.entries({ tile, pitch, typed })) {
      for (const [name, control] of Object.entries(controls)) {
        if (control.control) control.set(params[name]);
        control.show(params.source === group);
      }
    }
    const pads = params.source === "tile" && ["pad", "paper"].includes(params.layout);
    tile.every.show(pads);
    tile.halves.show(pads);
    tile.expr.show(params.source === "tile" && params.layout === "expression");
    const free = params.source !== "tile";
    access.width.show(free && params.ldmatrix === "0");
    access.store.show(free);
    access.ldmatrix.show(free);
    pitch.inrow.show(params.source === "pitch" && params.ldmatrix === "0");
  },

  draw(params) {
    const list = wavefrontList(this.access);
    const { wavefronts, ideal, excess } = costOf(this.access);
    const shown = params.at === "" ? undefined : Math.min(list.length - 1, Number(params.at));
    const plural = wavefronts === 1 ? "" : "s";
    this.words = `${accessName(this.access)}: ${wavefronts} wavefront${plural}, ideal ${ideal}, excess ${excess}`;
    this.verdict.textContent = this.tile ? `${this.words}. Offset of (row, col): ${this.tile.formula}` : this.words;
    this.pictures = [drawDepths(), drawWavefronts(this.access, shown), drawMemory(this.access, shown)];
    this.area.innerHTML = this.pictures.map((one, i) => svgElement(one, ["colours of conflicts", "wavefronts by bank", "memory by bank"][i])).join("");
    if (shown === undefined) this.voice.say(`All ${wavefronts} wavefront${plural} are shown.`);
    else {
      const { phase, turn, words } = list[shown];
      const lanes = [...new Set(words.flatMap((one) => one.lanes))].sort((one, other) => one - other);
      this.voice.say(`Phase ${phase}, wavefront ${turn} (${shown + 1} of ${list.length}): ${words.length} banks serve lanes ${lanes.join(", ")}.`);
    }
  },

  picture() {
    const title = this.tile ? `${this.words} — ${this.tile.formula}` : this.words;
    return joinedPictures(title, this.pictures, { down: true });
  },
};
