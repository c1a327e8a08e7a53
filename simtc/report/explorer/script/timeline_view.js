// The timeline as a page: zoom, pan, two runs aligned by iteration, and what is known of the slice that is pointed at.

const timelineView = {
  name: "timeline",
  title: "Timeline",
  lead: "What each warp of a block did in every cycle, recorded in the clock. Point at a slice to see what it waits for; drag to move, turn the wheel to zoom.",
  defaults: { run: "sts5", b: "", lap: "", from: "", to: "", at: "" },
  sound: (params) => ({ ...params, run: runNamed(params.run) ? params.run : DATA.runs[0].name, b: runNamed(params.b) ? params.b : "" }),

  mount(root, change) {
    this.change = change;
    this.run = choice("Run", (run) => change({ run, at: "", from: "", to: "" }));
    this.other = choice("Compared with", (b) => change({ b, at: "", from: "", to: "", lap: b && this.params.lap === "" ? "1" : this.params.lap }));
    this.lap = choice("Aligned at", (lap) => change({ lap, from: "", to: "" }), "both runs begin at the same iteration of their main loop");
    this.canvas = h("canvas", { class: "canvas" });
    this.area = keyboardArea("Timeline. Left and right go from slice to slice, up and down from warp to warp, plus and minus zoom, brackets move, P goes to what is waited for, Enter keeps, Escape lets go.", (key) => this.key(key));
    this.area.append(this.canvas);
    this.voice = speaker();
    this.details = h("div", { class: "details" });
    this.legend = h("ul", { class: "legend", "aria-label": "causes" });
    this.totals = h("div", { class: "costs" });
    const zoom = (words, label, act) => button(words, act, { "aria-label": label });
    root.append(
      h("div", { class: "controls" }, [this.run, this.other, this.lap].map((one) => one.holder),
        h("div", { class: "control buttons" }, zoom("−", "zoom out", () => this.zoom(2)), zoom("+", "zoom in", () => this.zoom(0.5)),
          zoom("◀", "earlier", () => this.pan(-0.25)), zoom("▶", "later", () => this.pan(0.25)), zoom("all", "show all cycles", () => change({ from: "", to: "" })))),
      this.legend, this.area, this.details, h("div", { class: "unseen" }, this.voice.element), this.totals,
    );
    this.listen();
  },

  unmount() {},

  listen() {
    let drag;
    const spot = (event) => {
      const box = this.canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, spot(event)[0]);
    }, { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => { drag = { x: spot(event)[0], range: this.range(), moved: false }; this.canvas.setPointerCapture(event.pointerId); });
    this.canvas.addEventListener("pointermove", (event) => {
      const [x, y] = spot(event);
      if (!drag) { this.point(this.find(x, y)); return; }
      const shift = ((drag.x - x) / (this.width - GUTTER - MARGIN)) * (drag.range[1] - drag.range[0]);
      if (Math.abs(drag.x - x) > 3) { drag.moved = true; this.setRange(drag.range[0] + shift, drag.range[1] + shift); }
    });
    this.canvas.addEventListener("pointerup", (event) => {
      const found = this.find(...spot(event));
      if (drag && !drag.moved && found) this.keep(found);
      drag = undefined;
    });
    this.canvas.addEventListener("pointerleave", () => this.point(undefined));
  },

  runs() { return [this.params.run, this.params.b].filter(Boolean).map(runNamed); },

  /** Return the cycle of a run that the axis calls 0. */
  zero(run) { return this.params.lap === "" ? 0 : lapStart(run, Math.min(Number(this.params.lap), lapCount(run) - 1)); },

  /** Return the cycles on the axis that are shown. */
  range() {
    const { from, to } = this.params;
    if (from !== "" && to !== "") return [Number(from), Number(to)];
    const runs = this.runs();
    return [Math.min(...runs.map((run) => -this.zero(run))), Math.max(...runs.map((run) => run.cycles - this.zero(run)))];
  },

  setRange(from, to) {
    const wide = Math.max(12, Math.min(100000, to - from));
    const middle = (from + to) / 2;
    this.change({ from: String(Math.round(middle - wide / 2)), to: String(Math.round(middle + wide / 2)) });
  },

  zoom(factor, x) {
    const [from, to] = this.range();
    const share = x === undefined ? 0.5 : Math.max(0, Math.min(1, (x - GUTTER) / (this.width - GUTTER - MARGIN)));
    const center = from + share * (to - from);
    this.setRange(center - share * (to - from) * factor, center + (1 - share) * (to - from) * factor);
  },

  pan(share) {
    const [from, to] = this.range();
    this.setRange(from + share * (to - from), to + share * (to - from));
  },

  find(x, y) {
    const [from, to] = this.range();
    let top = 0;
    for (const [side, run] of this.runs().entries()) {
      const warp = Math.floor((y - top - 40) / ROW);
      if (y > top && warp >= 0 && warp < run.warps.length && x >= GUTTER) {
        const cycle = this.zero(run) + from + ((x - GUTTER) / (this.width - GUTTER - MARGIN)) * (to - from);
        const slice = sliceAt(run.warps[warp], cycle);
        if (slice >= 0) return { side, warp, slice };
      }
      top += timelineHeight(run) + 16;
    }
    return undefined;
  },

  point(found) {
    const key = found ? `${found.side}:${found.warp},${found.slice}` : "";
    if (key === this.hovered) return;
    this.hovered = key;
    this.hover = found;
    this.light();
  },

  keep({ side, warp, slice }) {
    this.change({ at: `${"ab"[side]}:${warp},${this.runs()[side].warps[warp].start[slice]}` });
  },

  selection() {
    if (this.hover) return this.hover;
    const match = /^([ab]):(\d+),(\d+)$/.exec(this.params.at);
    const side = match ? "ab".indexOf(match[1]) : -1;
    const warp = match && this.runs()[side]?.warps[Number(match[2])];
    const slice = warp ? sliceAt(warp, Number(match[3])) : -1;
    return slice >= 0 ? { side, warp: Number(match[2]), slice } : undefined;
  },

  key(key) {
    const runs = this.runs();
    const now = this.selection() || { side: 0, warp: 0, slice: Math.max(0, sliceAt(runs[0].warps[0], this.zero(runs[0]) + this.range()[0])) };
    const run = runs[now.side];
    const start = run.warps[now.warp].start[now.slice];
    const show = (found) => { this.hovered = ""; this.point(found); this.reveal(found); };
    if (key === "ArrowRight") show({ ...now, slice: Math.min(run.warps[now.warp].start.length - 1, now.slice + 1) });
    else if (key === "ArrowLeft") show({ ...now, slice: Math.max(0, now.slice - 1) });
    else if (key === "ArrowDown" || key === "ArrowUp") {
      const rows = runs.flatMap((one, side) => one.warps.map((_, warp) => ({ side, warp })));
      const at = rows.findIndex((one) => one.side === now.side && one.warp === now.warp) + (key === "ArrowDown" ? 1 : -1);
      const next = rows[Math.max(0, Math.min(rows.length - 1, at))];
      const cycle = start - this.zero(run) + this.zero(runs[next.side]);
      show({ ...next, slice: Math.max(0, sliceAt(runs[next.side].warps[next.warp], cycle)) });
    } else if (key === "p" || key === "P") {
      const [producer] = producersOf(run, now.warp, now.slice);
      if (producer) show({ side: now.side, ...producer });
    } else if (key === "+" || key === "=") this.zoom(0.5);
    else if (key === "-") this.zoom(2);
    else if (key === "[") this.pan(-0.25);
    else if (key === "]") this.pan(0.25);
    else if (key === "Enter" || key === " ") this.keep(now);
    else if (key === "Escape") this.change({ at: "" });
    else return false;
    return true;
  },

  /** Move the shown cycles so that a slice is among them. */
  reveal({ side, warp, slice }) {
    const run = this.runs()[side];
    const cycle = run.warps[warp].start[slice] - this.zero(run);
    const [from, to] = this.range();
    if (cycle < from || cycle >= to) this.setRange(cycle - (to - from) / 2, cycle + (to - from) / 2);
  },

  update(params) {
    this.params = params;
    const names = DATA.runs.map((run) => [run.name, run.title]);
    this.run.set(names, params.run);
    this.other.set([["", "no other run"], ...names], params.b);
    const laps = Math.min(...this.runs().map(lapCount));
    this.lap.set([["", "the first cycle"], ...[...Array(laps).keys()].map((lap) => [String(lap), `lap ${lap}`])], params.lap);
    this.showLegend();
    this.showTotals();
    this.light();
  },

  /** Draw on a surface and return the height. */
  paint(surface, width) {
    const [from, to] = this.range();
    const now = this.selection();
    let top = 0;
    for (const [side, run] of this.runs().entries()) {
      const zero = this.zero(run);
      const marked = now?.side === side ? [now, ...producersOf(run, now.warp, now.slice)] : [];
      drawTimeline(surface, run, { width, top, from: from + zero, to: to + zero, zero, marked });
      top += timelineHeight(run) + 16;
    }
    return top;
  },

  light() {
    this.width = Math.max(480, this.area.clientWidth - 24);
    const height = this.runs().reduce((sum, run) => sum + timelineHeight(run) + 16, 0);
    const scale = devicePixelRatio || 1;
    this.canvas.width = this.width * scale;
    this.canvas.height = height * scale;
    this.canvas.style.width = `${this.width}px`;
    this.canvas.style.height = `${height}px`;
    const context = this.canvas.getContext("2d");
    context.scale(scale, scale);
    this.paint(context, this.width);
    this.describe();
  },

  describe() {
    const now = this.selection();
    if (!now) {
      this.details.replaceChildren(h("p", {}, "No slice is selected."));
      this.voice.say("No slice is selected.");
      return;
    }
    const run = this.runs()[now.side];
    const found = describedSlice(run, now.warp, now.slice);
    const rows = [
      ["cycle", `${found.start.toLocaleString("en")}, for ${found.cycles.toLocaleString("en")} cycle${found.cycles > 1 ? "s" : ""}`],
      ["warp", `${found.warp} of sub-core ${found.sub}`],
      ["instruction", `${found.address}  ${found.text}`],
      ["source", found.source ? `${found.source.file}:${found.source.line}  ${found.source.text}` : "generated code: no source line"],
      ["cause", h("a", { href: `#cards?word=${found.cause}` }, found.cause)],
      ["waits for", found.producers.length ? h("ul", {}, found.producers.map((one) => h("li", {}, one.words))) : found.cause === "selected" ? "nothing: it issues" : "no single instruction"],
    ];
    this.details.replaceChildren(h("dl", {}, rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])));
    this.voice.say(`Cycle ${found.start}, warp ${found.warp}: ${found.cause} at ${found.text}. ${found.producers.map((one) => `Waits for ${one.words}`).join(" ")}`);
  },

  showLegend() {
    const used = new Set(this.runs().flatMap((run) => Object.keys(run.stalls)));
    const item = (cause) => h("li", {}, h("span", { class: "swatch", style: `background:var(--cause-${cause})` }), h("a", { href: `#cards?word=${cause}` }, cause));
    this.legend.replaceChildren(...DATA.causes.filter((cause) => used.has(cause)).map(item));
  },

  showTotals() {
    const runs = this.runs();
    const all = (run) => Object.values(run.stalls).reduce((sum, cycles) => sum + cycles, 0);
    const causes = DATA.causes.filter((cause) => runs.some((run) => run.stalls[cause]));
    const order = causes.sort((one, other) => (runs[0].stalls[other] || 0) - (runs[0].stalls[one] || 0));
    const cell = (run, cause) => h("td", {}, `${(run.stalls[cause] || 0).toLocaleString("en")} (${((100 * (run.stalls[cause] || 0)) / all(run)).toFixed(1)} %)`);
    const rows = order.map((cause) => h("tr", {}, h("th", { scope: "row" }, cause), runs.map((run) => cell(run, cause))));
    const sums = [["cycles", "cycles"], ["bank conflicts", "bank_conflicts"]].map(([words, key]) => h("tr", {}, h("th", { scope: "row" }, words), runs.map((run) => h("td", {}, run[key].toLocaleString("en")))));
    this.totals.replaceChildren(h("table", {}, h("caption", {}, "Warp-cycles of the whole run by cause"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "cause"), runs.map((run) => h("th", { scope: "col" }, run.title)))), h("tbody", {}, sums, rows)));
  },

  picture() {
    const surface = new SvgSurface();
    const width = Math.max(900, this.width);
    const height = this.paint(surface, width);
    const used = DATA.causes.filter((cause) => this.runs().some((run) => run.stalls[cause]));
    const legend = used.map((cause, i) => svgBox((i % 6) * 150, 20 * Math.floor(i / 6), 12, 12, { fill: `var(--cause-${cause})` }) + svgText((i % 6) * 150 + 18, 20 * Math.floor(i / 6) + 11, cause));
    return joinedPictures("Timeline", [{ width, height, body: surface.parts.join("") }, { width, height: 60, body: legend.join("") }], { down: true });
  },
};

/** Return what is known of a slice. */
function describedSlice(run, warpPlace, slice) {
  const warp = run.warps[warpPlace];
  const place = warp.place[slice];
  const words = ({ warp: other, slice: at, why }) => {
    const one = run.warps[other];
    const whose = other === warpPlace ? "" : `warp ${one.warp}, `;
    return `${run.code[one.place[at]][0]}, ${whose}issued in cycle ${one.start[at].toLocaleString("en")} (${why})`;
  };
  return {
    warp: warp.warp, sub: warp.sub,
    start: warp.start[slice], cycles: warp.end[slice] - warp.start[slice],
    address: (16 * place).toString(16).padStart(4, "0"), text: run.code[place][0],
    cause: DATA.causes[warp.cause[slice]],
    source: sourceOf(run, place),
    producers: producersOf(run, warpPlace, slice).map((one) => ({ ...one, words: words(one) })),
  };
}
