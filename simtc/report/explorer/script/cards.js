// Cards as a page: what a word is, its picture, the usual cure, and where it is in the notes.

/** Return the cards that a search finds: those whose word, then those whose kind or text contains it. */
function foundCards(search) {
  const wanted = search.trim().toLowerCase();
  const inWord = DATA.cards.filter((card) => card.word.toLowerCase().includes(wanted));
  const inText = DATA.cards.filter((card) => !inWord.includes(card) && `${card.kind} ${card.what}`.toLowerCase().includes(wanted));
  return inWord.concat(inText);
}

function cardNamed(word) {
  return DATA.cards.find((card) => card.word === word) || DATA.cards.find((card) => card.word.toLowerCase() === String(word).toLowerCase());
}

/** Return a line of a picture; the letters of a warp's line have the colours of their causes. */
function pictureLine(line) {
  const match = /^(warp \d+ +)(.*)$/.exec(line);
  const letter = (sign) => {
    const cause = Object.keys(DATA.glyphs).find((name) => DATA.glyphs[name] === sign);
    return cause && sign !== " " ? h("span", { class: "glyph", style: `border-color:var(--cause-${cause})` }, sign) : sign;
  };
  return match ? [match[1], ...[...match[2]].map(letter), "\n"] : [`${line}\n`];
}

const cardsView = {
  name: "cards",
  title: "Cards",
  lead: "Stall causes, resources, opcodes, constants and the words of the trade. The terminal has the same: simtc explain WORD.",
  defaults: { word: "long_scoreboard", search: "" },
  sound: (params) => ({ ...params, word: cardNamed(params.word)?.word || "long_scoreboard" }),

  mount(root, change) {
    this.change = change;
    this.search = field("Find", (search) => change({ search }), { width: "14rem", type: "search" });
    this.list = h("nav", { class: "words-list", "aria-label": "cards" });
    this.card = h("article", { class: "card" });
    root.append(h("div", { class: "controls" }, this.search.holder), h("div", { class: "cards" }, this.list, this.card));
  },

  unmount() {},

  update(params) {
    this.params = params;
    this.search.set(params.search);
    const groups = new Map();
    for (const card of foundCards(params.search)) {
      if (!groups.has(card.kind)) groups.set(card.kind, []);
      groups.get(card.kind).push(card);
    }
    const item = (card) => h("li", {}, h("a", { href: stateLink("cards", { word: card.word, ...(params.search ? { search: params.search } : {}) }), "aria-current": card.word === params.word ? "true" : undefined }, card.word));
    this.list.replaceChildren(...[...groups].map(([kind, cards]) => h("details", { open: cards.some((card) => card.word === params.word) || Boolean(params.search) },
      h("summary", {}, `${kind} (${cards.length})`), h("ul", {}, cards.map(item)))));
    this.show(cardNamed(params.word));
  },

  show(card) {
    const seen = card.see.map((word) => h("a", { href: stateLink("cards", { word }) }, word));
    this.card.replaceChildren(...[
      h("p", { class: "kind" }, card.kind), h("h3", {}, card.word), h("p", {}, card.what),
      card.picture.length ? h("pre", { "aria-label": `picture of ${card.word}`, role: "img" }, card.picture.flatMap(pictureLine)) : null,
      card.caption ? h("p", { class: "caption" }, card.caption) : null,
      card.cure ? h("p", {}, h("strong", {}, "Usual cure: "), card.cure) : null,
      card.where ? h("p", {}, h("strong", {}, "In the notes: "), `sass_notes/${card.where}`) : null,
      card.state ? h("p", {}, h("a", { href: `#${card.state}` }, "See it here")) : null,
      seen.length ? h("p", {}, h("strong", {}, "See also: "), seen.flatMap((one, i) => (i ? [", ", one] : [one]))) : null,
    ].filter(Boolean));
  },

  picture() {
    const card = cardNamed(this.params.word);
    const lines = [card.kind, "", ...wrapped(card.what, 90), "", ...card.picture, "", ...(card.cure ? wrapped(`Usual cure: ${card.cure}`, 90) : [])];
    const picture = textPicture(lines);
    return joinedPictures(card.word, [{ ...picture, body: `<g font-family="monospace">${picture.body}</g>` }]);
  },
};
