// The quiz as a page: a question at a time, hints, and a score that can be saved.

const QUIZ_LENGTH = 10;

const quizView = {
  name: "quiz",
  title: "Quiz",
  lead: "Ten questions of a seed: the same seed asks the same. A right answer counts 3, each hint takes 1 off, and a second try counts 1.",
  defaults: { seed: "1", q: "0" },
  sound: (params) => ({ ...params, seed: /^\d{1,9}$/.test(params.seed) ? params.seed : "1", q: /^\d$/.test(params.q) ? params.q : "0" }),
  records: {},

  mount(root, change) {
    this.change = change;
    this.seed = field("Seed", (seed) => { if (/^\d{1,9}$/.test(seed)) change({ seed, q: "0" }); }, { width: "6rem" });
    this.progress = h("ol", { class: "progress", "aria-label": "questions" });
    this.card = h("section", { class: "question", "aria-live": "polite" });
    this.score = h("p", { class: "verdict", role: "status" });
    root.append(
      h("div", { class: "controls" }, this.seed.holder, h("div", { class: "control buttons" },
        button("Save score", () => this.save()), button("Start again", () => { delete this.records[this.params.seed]; this.change({ q: "0" }); this.update(this.params); }))),
      this.progress, this.card, this.score,
    );
  },

  unmount() {},

  /** Return what was answered so far to the questions of this seed. */
  record() {
    const { seed } = this.params;
    if (!this.records[seed]) this.records[seed] = Array.from({ length: QUIZ_LENGTH }, () => ({ hints: 0, tries: [], points: null }));
    return this.records[seed];
  },

  update(params) {
    this.params = params;
    this.seed.set(params.seed);
    this.question = questionOf(Number(params.seed), Number(params.q));
    this.show();
  },

  show() {
    const all = this.record();
    const mine = all[Number(this.params.q)];
    const state = (one) => (one.points === null ? "open" : one.points > 0 ? "right" : "wrong");
    this.progress.replaceChildren(...all.map((one, i) => h("li", {}, button(String(i + 1), () => this.change({ q: String(i) }), {
      class: state(one), "aria-current": String(i) === this.params.q ? "true" : undefined, "aria-label": `question ${i + 1}: ${state(one)}`,
    }))));
    const { question } = this;
    const done = mine.points !== null;
    const input = h("input", { type: "text", "aria-label": "your answer", autocomplete: "off", disabled: done, value: mine.tries.at(-1) });
    const form = question.options
      ? h("div", { class: "options" }, question.options.map((one) => button(one, () => this.answer(one), { disabled: done })))
      : h("form", { onsubmit: (event) => { event.preventDefault(); if (input.value.trim()) this.answer(input.value); } }, input, h("button", { type: "submit", disabled: done }, "Answer"));
    const hints = question.hints.slice(0, mine.hints).map((hint) => h("p", { class: "hint" }, hint));
    const more = !done && mine.hints < question.hints.length ? button(`Hint ${mine.hints + 1} of ${question.hints.length}`, () => { mine.hints += 1; this.show(); }) : null;
    const verdict = done
      ? h("p", { class: mine.points ? "right" : "wrong" }, `${mine.points ? "Right" : "No"}. ${question.why} `, h("a", { href: question.see }, "See it"))
      : mine.tries.length ? h("p", { class: "wrong" }, `${mine.tries.at(-1)} is not it. One more try.`) : null;
    const next = done && Number(this.params.q) < QUIZ_LENGTH - 1 ? button("Next question", () => this.change({ q: String(Number(this.params.q) + 1) }), { class: "next" }) : null;
    this.card.replaceChildren(...[h("h3", {}, `Question ${Number(this.params.q) + 1}`), h("p", { class: "ask" }, question.ask), form, hints, more, verdict, next].flat().filter(Boolean));
    this.score.textContent = this.scoreWords();
  },

  scoreWords() {
    const all = this.record();
    const points = all.reduce((sum, one) => sum + (one.points || 0), 0);
    return `${points} of ${3 * QUIZ_LENGTH} points; ${all.filter((one) => one.points !== null).length} of ${QUIZ_LENGTH} answered.`;
  },

  answer(text) {
    const mine = this.record()[Number(this.params.q)];
    if (mine.points !== null) return;
    mine.tries.push(text);
    if (isRight(this.question, text)) mine.points = mine.tries.length > 1 ? 1 : Math.max(1, 3 - mine.hints);
    else if (mine.tries.length > 1) mine.points = 0;
    this.show();
  },

  /** Return the score as values: what a teacher collects. */
  result() {
    const seed = Number(this.params.seed);
    const answers = this.record().map((one, i) => ({ question: questionOf(seed, i).ask, ...one }));
    return { schema: "simtc.quiz/1", seed, points: answers.reduce((sum, one) => sum + (one.points || 0), 0), most: 3 * QUIZ_LENGTH, answers };
  },

  save() { saveText(`simtc-quiz-${this.params.seed}.json`, `${JSON.stringify(this.result(), null, 1)}\n`); },

  picture() {
    const lines = wrapped(this.question.ask, 90).concat(this.question.options ? ["", ...this.question.options.map((one) => `○ ${one}`)] : []);
    return joinedPictures(`Question ${Number(this.params.q) + 1} of seed ${this.params.seed}`, [textPicture(lines)]);
  },
};

/** Break text into lines of at most `width` characters. */
function wrapped(text, width) {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (lines.at(-1) && lines.at(-1).length + word.length >= width) lines.push("");
    lines[lines.length - 1] += (lines.at(-1) ? " " : "") + word;
  }
  return lines;
}
