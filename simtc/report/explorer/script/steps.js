// What is known of the selected element, in words: its holders, and of D its products in their steps.

/** Return the places of an element as words: "lane 0 R2.H1 and lane 8 R2.H1". */
function holderWords(fragment, holders) {
  return holders.map((one) => `lane ${one.lane} ${slotName(fragment, one)}`).join(", ");
}

/** Return one line that says what is selected. */
function selectionWords(fragments, { op, row, col }) {
  const fragment = fragments[op];
  const name = `${op.toUpperCase()}[${row},${col}]`;
  if (!fragment) return `${name}: in shared memory, which no register holds`;
  const holders = holdersOf(fragment, row, col);
  const copies = holders.length > 1 ? ` (${holders.length} holders)` : "";
  return `${name}: ${holderWords(fragment, holders)}${copies}`;
}

/** Return the steps of D[row, col] as a list; `shown` steps are done, `pick` is called with the step that is asked for. */
function stepList(fragments, row, col, shown, pick) {
  const instruction = fragments.d.instruction;
  const { steps } = provenanceOf(fragments, row, col);
  const items = steps.map((products, number) => {
    const pairs = products.map(({ k, a, b }) => h("li", {}, [
      `A[${row},${k}] lane ${a.lane} ${slotName(fragments.a, a)}`,
      b ? ` × B[${k},${col}] lane ${b.lane} ${slotName(fragments.b, b)}` : ` × B[${k},${col}] in shared memory`,
    ].join("")));
    const state = number < shown ? "done" : "due";
    return h("li", { class: `step ${state}`, style: `--hue:var(--step-${number % 8})` }, [
      h("button", { type: "button", class: "step-head", "aria-pressed": String(number === shown - 1), onclick: () => pick(number + 1) }, `Step ${number + 1}`),
      h("span", {}, ` ${stepWords(instruction, number, products.length, row, col)}`),
      h("ul", {}, pairs),
    ]);
  });
  const unit = `${steps.length} fused step${steps.length > 1 ? "s" : ""} of ${instruction.unit}`;
  return h("section", { class: "steps" }, [
    h("h3", {}, `How D[${row},${col}] comes to be: ${unit}`),
    h("ol", {}, items),
    instruction.last ? h("p", {}, instruction.last) : null,
  ]);
}
