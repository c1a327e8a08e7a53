// Fragments as a page: controls, pictures that follow pointer, keyboard and touch, and words beside them.

const fragmentsView = {
  name: "fragments",
  title: "Fragments",
  lead: "Which lane and register holds each element, and how one element of D comes to be. Point at a cell, or tap it; a click keeps it.",
  defaults: { arch: "turing", instr: "m16n8k8.f32.f16.f16.f32", ma: "row", mb: "col", view: "registers", qp: "0", color: "lane", size: "fit", beside: "d", at: "", step: "" },
  sound: (params) => soundFragment(params),

  mount(root, change) {
    this.change = change;
    this.hover = undefined;
    this.controls = fragmentControls((changes) => change({ ...changes, at: "", step: "" }));
    this.color = choice("Colour by", (color) => change({ color }));
    this.size = choice("Cells", (size) => change({ size }));
    this.beside = choice("Lanes hold", (beside) => change({ beside }), "the operand that is shown by lanes and registers");
    this.area = keyboardArea("Matrices A, B and D. Arrows move, A, B and D change the matrix, Enter keeps the element, P plays the steps, Escape lets go.", (key) => this.key(key));
    this.lanes = keyboardArea("Lanes and registers. Arrows move, Enter keeps the element.", (key) => this.laneKey(key));
    this.voice = speaker();
    this.ribbon = h("figure", { class: "ribbon" });
    this.steps = h("div", { class: "words" });
    this.play = button("Play steps", () => this.toggle(), { class: "play" });
    this.evidence = h("p", { class: "evidence" });
    root.append(
      h("div", { class: "controls" }, this.controls.elements, [this.color, this.size, this.beside].map((one) => one.holder)),
      this.evidence,
      h("div", { class: "selection" }, this.voice.element, this.play),
      h("div", { class: "pictures" }, this.area, this.lanes),
      h("div", { class: "below" }, this.ribbon, this.steps),
    );
    this.listen();
  },

  unmount() { if (this.stop) this.stop(); this.stop = undefined; },

  listen() {
    const find = (event) => {
      const box = this.area.querySelector("svg").getBoundingClientRect();
      const [px, py] = [event.clientX - box.left, event.clientY - box.top];
      for (const [op, drawing] of Object.entries(this.picture_.drawn)) {
        const cell = drawing.at(px, py);
        if (cell) return { op, row: cell.row, col: cell.col };
      }
      return undefined;
    };
    const findLane = (event) => {
      const box = this.lanes.querySelector("svg").getBoundingClientRect();
      const found = this.laneDrawing.at(event.clientX - box.left, event.clientY - box.top);
      return found && this.atLane(found);
    };
    for (const [area, finder] of [[this.area, find], [this.lanes, findLane]]) {
      area.addEventListener("pointermove", (event) => this.point(finder(event)));
      area.addEventListener("pointerleave", () => this.point(undefined));
      area.addEventListener("click", (event) => this.keep(finder(event)));
    }
  },

  atLane({ lane, slot }) {
    const { fragment, slots } = this.laneDrawing;
    const [row, col] = elementAt(fragment, lane, slots[slot].index);
    return { op: fragment.operand, row, col, place: { lane, slot } };
  },

  point(selection) {
    const text = selection ? `${selection.op}:${selection.row},${selection.col}` : "";
    if (text === this.hovered) return;
    this.hovered = text;
    this.hover = selection;
    this.light();
  },

  keep(selection) {
    if (!selection) return;
    const { op, row, col } = selection;
    this.change({ at: `${op}:${row},${col}`, step: "", beside: op });
  },

  key(key) {
    const now = this.selection() || { op: "d", row: 0, col: 0 };
    const fragment = this.fragments[now.op];
    const { down, right } = this.picture_.drawn[now.op].cells[0];
    const moves = { ArrowUp: [-down, 0], ArrowDown: [down, 0], ArrowLeft: [0, -right], ArrowRight: [0, right] };
    if (moves[key]) {
      const row = Math.min(fragment.rows - down, Math.max(0, now.row + moves[key][0]));
      const col = Math.min(fragment.cols - right, Math.max(0, now.col + moves[key][1]));
      this.point({ op: now.op, row, col });
    } else if ("abd".includes(key.toLowerCase()) && key.length === 1 && this.fragments[key.toLowerCase()]) {
      const op = key.toLowerCase();
      const to = this.fragments[op];
      this.point({ op, row: Math.min(now.row, to.rows - 1), col: Math.min(now.col, to.cols - 1) });
    } else if (key === "Enter" || key === " ") this.keep(now);
    else if (key === "p" || key === "P") this.toggle();
    else if (key === "Escape") this.change({ at: "", step: "" });
    else return false;
    return true;
  },

  laneKey(key) {
    const { fragment, slots } = this.laneDrawing;
    const now = this.hover?.place || { lane: fragment.laneNumbers[0], slot: 0 };
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (key === "Enter" || key === " ") this.keep(this.atLane(now));
    if (!moves[key]) return key === "Enter" || key === " ";
    const at = fragment.laneNumbers.indexOf(now.lane) + moves[key][0];
    const lane = fragment.laneNumbers[Math.min(fragment.laneNumbers.length - 1, Math.max(0, at))];
    const slot = Math.min(slots.length - 1, Math.max(0, now.slot + moves[key][1]));
    this.point(this.atLane({ lane, slot }));
    return true;
  },

  /** Return what is shown: what the pointer or the keyboard is at, or what was kept. */
  selection() { return this.hover || readSelection(this.params.at, this.fragments); },

  shownSteps() {
    const all = this.fragments.d.instruction.steps.length;
    return this.params.step === "" ? all : Math.min(all, Number(this.params.step));
  },

  toggle() {
    if (this.stop) { this.unmount(); this.play.textContent = "Play steps"; return; }
    const now = this.selection();
    const at = now?.op === "d" ? now : { op: "d", row: 0, col: 0 };
    const all = this.fragments.d.instruction.steps.length;
    let step = 0;
    this.hover = undefined;
    this.change({ at: `d:${at.row},${at.col}`, step: "0" });
    this.play.textContent = "Stop";
    this.stop = playing(900, () => {
      step += 1;
      this.change({ step: step >= all ? "" : String(step) });
      if (step < all) return true;
      this.stop = undefined;
      this.play.textContent = "Play steps";
      return false;
    });
  },

  update(params) {
    this.params = params;
    this.fragments = fragmentsOf(params);
    const { d, b } = this.fragments;
    this.controls.update(params, this.fragments);
    this.color.set(COLORINGS, params.color);
    this.size.set(Object.keys(SIZES), params.size);
    const operands = b ? ["a", "b", "d"] : ["a", "d"];
    const beside = operands.includes(params.beside) ? params.beside : "d";
    this.beside.set(operands.map((one) => [one, one.toUpperCase()]), beside);
    this.evidence.textContent = `${d.status}: ${d.source}`;
    const key = JSON.stringify([params.arch, params.instr, params.ma, params.mb, params.view, params.qp, params.color, params.size, beside, innerWidth]);
    if (key !== this.drawnKey || !this.area.firstChild) this.draw(beside);
    this.drawnKey = key;
    this.light();
  },

  draw(beside) {
    const { fragments, params } = this;
    const room = this.area.parentElement.clientWidth;
    this.laneDrawing = drawLanes(fragments[beside], { color: params.color, title: `Lanes × registers of ${beside.toUpperCase()}` });
    const left = room > 900 ? room - Math.min(this.laneDrawing.width + 40, 0.42 * room) : room - 8;
    this.picture_ = drawFragments(fragments, { color: params.color, size: params.size, room: left });
    const layered = (one) => ({ ...one, body: `${one.fixed || ""}<g class="base">${one.body}</g><g class="lit"></g>` });
    this.area.innerHTML = svgElement(layered(this.picture_), `${params.instr} on ${params.arch}: operands A, B and D`);
    this.lanes.innerHTML = svgElement(layered(this.laneDrawing), `operand ${beside.toUpperCase()} by lanes and registers`);
  },

  light() {
    const selection = this.selection();
    const shown = this.hover ? this.fragments.d.instruction.steps.length : this.shownSteps();
    const lit = selection ? litBy(this.fragments, selection, shown) : undefined;
    this.area.classList.toggle("faded", Boolean(lit));
    this.area.querySelector(".lit").innerHTML = lit ? drawLit(this.picture_.drawn, lit) : "";
    this.lanes.querySelector(".lit").innerHTML = lit ? drawLitLanes(this.laneDrawing, this.fragments, selection, lit) : "";
    this.voice.say(selection ? selectionWords(this.fragments, selection) : "Nothing is selected.");
    const at = selection || { op: "d", row: 0, col: 0 };
    this.ribbonDrawing = drawRibbon(this.fragments[at.op], at.row, at.col, holdersOf(this.fragments[at.op], at.row, at.col)[0]);
    const caption = `The bits of ${at.op.toUpperCase()}[${at.row},${at.col}]: each bit of the row and of the column is a bit of the lane's number or of the element's number in it.`;
    this.ribbon.innerHTML = svgElement(this.ribbonDrawing, caption);
    this.ribbon.append(h("figcaption", {}, caption));
    const row = selection?.op === "d" ? selection.row : 0;
    const col = selection?.op === "d" ? selection.col : 0;
    this.steps.replaceChildren(stepList(this.fragments, row, col, shown, (step) => this.change({ at: `d:${row},${col}`, step: String(step) })));
  },

  picture() {
    const withLit = (one, area) => ({ ...one, body: `${one.fixed}<g opacity="${area.classList.contains("faded") ? 0.3 : 1}">${one.body}</g>${area.querySelector(".lit").innerHTML}` });
    const title = `${this.params.instr} on ${this.params.arch}`;
    const lanes = { ...this.laneDrawing, body: this.laneDrawing.body + this.lanes.querySelector(".lit").innerHTML };
    const above = joinedPictures(title, [withLit(this.picture_, this.area), lanes]);
    const below = { ...this.ribbonDrawing, body: `<g transform="translate(24 0)">${this.ribbonDrawing.body}</g>` };
    const height = above.height + below.height;
    const paper = svgBox(0, above.height, above.width, below.height, { fill: "var(--paper)" });
    return { width: Math.max(above.width, below.width), height, body: `${above.body}${paper}<g transform="translate(0 ${above.height})">${below.body}</g>` };
  },
};
