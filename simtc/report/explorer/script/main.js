// The page: one view at a time, every state of it in the address, themes, and export.

const VIEWS = [fragmentsView, compareView, banksView, timelineView, quizView, cardsView];
const SHARED = { theme: "auto", palette: "standard" };
const page = { view: undefined, params: {} };
const dark = matchMedia("(prefers-color-scheme: dark)");

/** Read an address such as #banks?layout=pad: its view, and all parameters of the view. */
function readAddress(hash) {
  const [name, query = ""] = hash.replace(/^#/, "").split("?");
  const view = VIEWS.find((one) => one.name === name) || fragmentsView;
  const known = { ...SHARED, ...view.defaults };
  const given = [...new URLSearchParams(query)].filter(([key]) => key in known);
  return { view, params: view.sound({ ...known, ...Object.fromEntries(given) }) };
}

/** Return the address of a state; what is as usual is left out. */
function addressOf(view, params) {
  const usual = { ...SHARED, ...view.defaults };
  const said = Object.entries(params).filter(([key, value]) => usual[key] !== value);
  return `#${view.name}${said.length ? `?${new URLSearchParams(said)}` : ""}`;
}

function change(changes) {
  const params = page.view.sound({ ...page.params, ...changes });
  const address = addressOf(page.view, params);
  if (address !== location.hash) history.replaceState(null, "", address);
  show({ view: page.view, params });
}

function show({ view, params }) {
  page.params = params;
  applyColors(params.theme === "auto" ? (dark.matches ? "dark" : "light") : params.theme, params.palette);
  theme.set([["auto", "as the system"], "light", "dark"], params.theme);
  palette.set([["standard", "standard"], ["safe", "colour-blind safe"]], params.palette);
  if (view !== page.view) {
    page.view?.unmount();
    page.view = view;
    const root = document.getElementById("view");
    root.replaceChildren(h("h2", {}, view.title), h("p", { class: "lead" }, view.lead));
    view.mount(root, change);
  }
  for (const link of document.querySelectorAll("#views a")) {
    const one = VIEWS.find((other) => link.dataset.view === other.name);
    const shared = Object.fromEntries(Object.keys(SHARED).map((key) => [key, params[key]]));
    link.href = addressOf(one, { ...one.defaults, ...shared });
    if (one === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${view.title} – simtc explorer`;
  view.update(params);
}

/** Draw anew what depends on the room or on colours that are painted. */
function redraw() {
  if (!page.view) return;
  page.view.drawnKey = undefined;
  show(page);
}

function fileName() {
  return `simtc-${page.view.name}`;
}

const theme = choice("Theme", (value) => change({ theme: value }));
const palette = choice("Colours", (value) => change({ palette: value }));
document.getElementById("views").append(...VIEWS.map((view) => h("a", { "data-view": view.name, href: `#${view.name}` }, view.title)));
document.getElementById("tools").append(
  theme.holder, palette.holder,
  h("div", { class: "control buttons" },
    button("SVG", () => saveSvg(page.view.picture(), page.view.title, fileName()), { "aria-label": "save the picture as SVG" }),
    button("PNG", () => savePng(page.view.picture(), page.view.title, fileName()), { "aria-label": "save the picture as PNG" }),
    button("Print", () => print())),
);
addEventListener("beforeprint", () => { applyColors("light", page.params.palette); page.view.update(page.params); });
addEventListener("afterprint", redraw);
addEventListener("hashchange", () => show(readAddress(location.hash)));
addEventListener("resize", redraw);
dark.addEventListener("change", redraw);
show(readAddress(location.hash));

// What tests and curious readers may call.
globalThis.explorer = {
  DATA, VIEWS, page, readAddress, addressOf, instructionOf, fragmentOf, fragmentsOf, choicesOf, holdersOf, elementAt, slotName, copiesOf,
  provenanceOf, stepWords, compileExpression, makeTile, overlapsOf, tileAccess, makeAccess, costOf, accessName, accessOf,
  runNamed, producersOf, describedSlice, lapStart, lapCount, columnCauses, columnMeter, comparedFragments,
  questionOf, isRight, svgFile, pngBlob, colorVariables,
};
