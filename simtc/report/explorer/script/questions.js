// Questions drawn from a seed. Each has its answer from the same functions that draw the pictures.

const QUIZ_INSTRUCTIONS = [
  ["volta", "m8n8k4.f32.f16.f16.f32"], ["volta", "wmma.m16n16k16.f32.f16.f16.f32"], ["turing", "m16n8k8.f32.f16.f16.f32"],
  ["turing", "m8n8k16.s32.s8.s8.s32"], ["ampere", "m16n8k16.f32.f16.f16.f32"], ["ampere", "m16n8k8.f32.tf32.tf32.f32"],
  ["hopper", "m16n8k32.s32.s8.s8.s32"],
];

function drawnFragment(random) {
  const [arch, instr] = drawOne(random, QUIZ_INSTRUCTIONS);
  const params = { arch, instr, ma: "row", mb: "col", view: "registers", qp: "0" };
  const fragments = fragmentsOf(params);
  const op = drawOne(random, ["a", "b", "d"]);
  const fragment = fragments[op];
  const [row, col] = [Math.floor(random() * fragment.rows), Math.floor(random() * fragment.cols)];
  return { params, fragments, fragment, op, row, col, name: `${op.toUpperCase()}[${row},${col}]` };
}

function stateLink(view, params) {
  return `#${view}?${new URLSearchParams(params)}`;
}

const QUESTION_KINDS = {
  lane(random) {
    const { params, fragment, op, row, col, name } = drawnFragment(random);
    const holders = holdersOf(fragment, row, col);
    const major = fragment.major ? ` (${fragment.major} major)` : "";
    const bits = fragment.row.map((bit, i) => `row bit ${i} is ${bit}`).concat(fragment.col.map((bit, i) => `column bit ${i} is ${bit}`));
    return {
      ask: `Which lane holds ${name}${major} of ${params.instr} on ${params.arch}?${holders.length > 1 ? " Any of its holders counts." : ""}`,
      accepts: [...new Set(holders.map((one) => String(one.lane)))],
      hints: ["Each bit of the row and of the column is one bit of the lane's number (l) or of the element's number in its lane (x).", `${bits.join(", ")}.`],
      why: `${name} is held by ${holderWords(fragment, holders)}.`,
      see: stateLink("fragments", { ...params, at: `${op}:${row},${col}`, beside: op }),
      data: { ...params, op, row, col },
    };
  },
  element(random) {
    const { params, fragment, op } = drawnFragment(random);
    const lane = drawOne(random, fragment.laneNumbers);
    const slot = drawOne(random, slotsOf(fragment));
    const [row, col] = elementAt(fragment, lane, slot.index);
    return {
      ask: `Lane ${lane} holds in ${slotName(fragment, slot)} of operand ${op.toUpperCase()} of ${params.instr} on ${params.arch} (row-major A, column-major B) one element: which row,column?`,
      accepts: [`${row},${col}`],
      hints: [`The lane's bits are ${lane.toString(2).padStart(5, "0")}, the element's number in its lane is ${slot.index}.`, `Row bits come from ${fragment.row.join(" ")}, column bits from ${fragment.col.join(" ")}, lowest first.`],
      why: `It is ${op.toUpperCase()}[${row},${col}].`,
      see: stateLink("fragments", { ...params, at: `${op}:${row},${col}`, beside: op }),
      data: { ...params, op, lane, index: slot.index },
    };
  },
  steps(random) {
    const [arch, instr] = drawOne(random, QUIZ_INSTRUCTIONS);
    const { steps, unit } = instructionOf(arch, instr);
    const k = Math.floor(random() * steps.flat().length);
    return {
      ask: `In how many fused steps does ${instr} on ${arch} add the products of one element of D?`,
      accepts: [String(steps.length)],
      hints: [`It becomes ${unit}.`, `The first step takes ${steps[0].length} product${steps[0].length > 1 ? "s" : ""}.`],
      why: `${steps.flat().length} products, ${steps[0].length} a step: product ${k} is in step ${stepOf({ steps }, k) + 1}.`,
      see: stateLink("fragments", { arch, instr, at: "d:0,0", step: "1" }),
      data: { arch, instr },
    };
  },
  wavefronts(random) {
    const layout = drawOne(random, ["none", "pad", "xor"]);
    const cols = drawOne(random, ["32", "64"]);
    const pattern = drawOne(random, DATA.banks.patterns);
    const params = { ...banksView.defaults, rows: "64", cols, layout, pattern };
    const { access, tile } = accessOf(params);
    const { wavefronts, ideal, excess } = costOf(access);
    return {
      ask: `A tile of 64×${cols} halves lies in shared memory at ${tile.formula}. How many wavefronts does ${pattern} take?`,
      accepts: [String(wavefronts)],
      hints: [`Without conflicts it would take ${ideal}: one for each phase.`, "In each phase count the different words that one bank is asked for."],
      why: `${wavefronts} wavefronts: ${ideal} phases and ${excess} more for conflicts.`,
      see: stateLink("banks", { rows: "64", cols, layout, pattern }),
      data: { rows: 64, cols: Number(cols), layout, pattern },
    };
  },
  stride(random) {
    const width = drawOne(random, [32, 64, 128]);
    const words = (width / 32) * drawOne(random, [1, 2, 3, 4, 5, 8, 16, 32]);
    const addresses = [...Array(32).keys()].map((lane) => 4 * words * lane);
    const { wavefronts, ideal } = costOf(makeAccess({ addresses, width, store: true, matrix: false }));
    return {
      ask: `Lane i stores ${width} bits at byte ${4 * words}·i. How many wavefronts does STS.${width} take?`,
      accepts: [String(wavefronts)],
      hints: [`A phase has ${PHASE_LANES[width]} lanes.`, `Byte b is in bank b / 4 % ${DATA.banks.banks}.`],
      why: `${wavefronts} wavefronts; without conflicts ${ideal}.`,
      see: stateLink("banks", { source: "typed", width: String(width), store: "1", addresses: addresses.join(" ") }),
      data: { width, words },
    };
  },
  padding(random) {
    const [padded, bare] = drawOne(random, [["sts5", "unpadded"], ["wmma_tiled", "wmma_tiled_unpadded"]]).map(runNamed);
    const saved = (cause) => (bare.stalls[cause] || 0) - (padded.stalls[cause] || 0);
    const causes = DATA.causes.filter((cause) => bare.stalls[cause] && cause !== "selected");
    const ranked = [...causes].sort((one, other) => saved(other) - saved(one));
    const options = shuffled(random, [ranked[0], ...ranked.slice(-3)]);
    return {
      ask: `${bare.title}: ${bare.cycles.toLocaleString("en")} cycles on a T4. With padding: ${padded.cycles.toLocaleString("en")}. Which cause goes away with padding most of all?`,
      options,
      accepts: [ranked[0]],
      hints: ["Bank conflicts keep the data stage of shared memory busy: who waits for it?", "Two causes name shared memory's results and its queue; one of them is the answer."],
      why: `${ranked[0]} falls by ${saved(ranked[0]).toLocaleString("en")} warp-cycles.`,
      see: stateLink("timeline", { run: bare.name, b: padded.name, lap: "1" }),
      data: { padded: padded.name, bare: bare.name },
    };
  },
  cause(random) {
    const cards = DATA.cards.filter((card) => card.kind === "stall cause" && card.word !== "selected");
    const card = drawOne(random, cards);
    const others = shuffled(random, cards.filter((one) => one !== card)).slice(0, 3);
    return {
      ask: `A warp does not issue. ${card.what} How does Nsight Compute call that?`,
      options: shuffled(random, [card, ...others]).map((one) => one.word),
      accepts: [card.word],
      hints: [`The usual cure: ${card.cure}`, `It begins with "${card.word[0]}".`],
      why: `It is ${card.word}.`,
      see: stateLink("cards", { word: card.word }),
      data: { word: card.word },
    };
  },
};

/** Return question `number` of a seed: {kind, ask, accepts, hints, why, see, data} and, of some, options. */
function questionOf(seed, number) {
  const random = randomFrom(Math.imul(seed, 2654435761) + number * 97);
  random();
  const kind = drawOne(random, Object.keys(QUESTION_KINDS));
  return { kind, number, ...QUESTION_KINDS[kind](random) };
}

/** Tell whether an answer is one of those accepted; spaces, case, brackets and a T before a lane do not matter. */
function isRight(question, answer) {
  const plain = (text) => text.trim().toLowerCase().replace(/[\s()[\]]/g, "").replace(/^t(?=\d)/, "").replace(/^lane/, "");
  return question.accepts.some((one) => plain(one) === plain(answer));
}
