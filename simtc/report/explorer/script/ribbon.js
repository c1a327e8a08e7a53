// The bits of an address as a ribbon: above the element's row and column, below the lane and the element's number in it.

/** Draw the bits of element (row, col) of a fragment and where each of them comes from. */
function drawRibbon(fragment, row, col, holder) {
  const [size, top, bottom, start] = [30, 40, 128, 10];
  const index = indexOf(fragment, holder.register, holder.half);
  const halfBits = Math.log2(fragment.perRegister);
  const above = [
    ...fragment.row.map((from, bit) => ({ name: `r${bit}`, from, value: (row >> bit) & 1, group: "row" })).reverse(),
    ...fragment.col.map((from, bit) => ({ name: `c${bit}`, from, value: (col >> bit) & 1, group: "column" })).reverse(),
  ];
  const lanes = Math.ceil(Math.log2(Math.max(...fragment.laneNumbers) + 1));
  const indices = Math.ceil(Math.log2(fragment.count));
  const below = [
    ...bitRange(lanes).map((bit) => ({ name: `l${bit}`, value: (holder.lane >> bit) & 1, group: "lane" })),
    ...bitRange(indices).map((bit) => ({
      name: `x${bit}`, value: (index >> bit) & 1,
      group: fragment.view === "api" ? "element x[i]" : bit < halfBits ? PART_NAMES[fragment.width] : "register",
    })),
  ];
  const parts = [];
  const gaps = (bits) => bits.map((bit, i) => bits.slice(0, i + 1).filter((one, j) => j && one.group !== bits[j - 1].group).length);
  const place = (bits) => gaps(bits).map((gap, i) => start + i * (size + 3) + gap * 22);
  const [upper, lower] = [place(above), place(below)];
  above.forEach((bit, i) => {
    const j = below.findIndex((one) => one.name === bit.from);
    const hue = hueOfBit(bit.from);
    const [x, u] = [upper[i] + size / 2, lower[j] + size / 2];
    const middle = (top + size + bottom) / 2;
    parts.push(`<path d="M${x} ${top + size}C${x} ${middle} ${u} ${middle} ${u} ${bottom}" fill="none" stroke="var(--strong-${hue})" stroke-width="2.5"/>`);
  });
  const box = (bit, x, y, hue) => {
    const fill = hue === undefined ? "var(--empty)" : `var(--hue-${hue})`;
    return svgBox(x, y, size, size, { fill, stroke: bit.value ? "var(--ink)" : "var(--line)", line: bit.value ? 2 : 1, dash: hue === undefined ? "3 2" : "" })
      + svgText(x + size / 2, y + 13, bit.name, { anchor: "middle", fill: "var(--ink)" })
      + svgText(x + size / 2, y + 27, bit.value, { anchor: "middle", bold: true });
  };
  const captions = (bits, places, y) => bits.map((bit, i) => {
    if (i && bits[i - 1].group === bit.group) return "";
    const number = bits.filter((one) => one.group === bit.group).reduce((sum, one) => 2 * sum + one.value, 0);
    return svgText(places[i], y, `${bit.group} ${number}`, { fill: "var(--faint)" });
  });
  above.forEach((bit, i) => parts.push(box(bit, upper[i], top, hueOfBit(bit.from))));
  below.forEach((bit, i) => {
    const used = above.some((one) => one.from === bit.name);
    parts.push(box(bit, lower[i], bottom, used ? hueOfBit(bit.name) : undefined));
  });
  parts.push(...captions(above, upper, top - 8), ...captions(below, lower, bottom + size + 18));
  const spare = below.filter((bit) => !above.some((one) => one.from === bit.name));
  if (spare.length) {
    const words = `dashed: ${spare.map((bit) => bit.name).join(", ")} tell${spare.length > 1 ? "" : "s"} copies of one element apart`;
    parts.push(svgText(start, bottom + size + 38, words, { fill: "var(--faint)" }));
  }
  const last = (places) => (places.at(-1) || 0) + size;
  return { width: Math.max(last(upper), last(lower), 300) + 40, height: bottom + size + (spare.length ? 48 : 28), body: parts.join("") };
}

const PART_NAMES = { 16: "half", 8: "byte", 4: "nibble", 1: "bit", 32: "register", 64: "register pair" };

function bitRange(count) {
  return [...Array(count).keys()].reverse();
}

function hueOfBit(name) {
  return (Number(name.slice(1)) + (name[0] === "x" ? 5 : 0)) % 8;
}
