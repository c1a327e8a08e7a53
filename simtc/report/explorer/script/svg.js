// Pieces of pictures as SVG text, and a drawing surface that writes SVG where a canvas would paint.

const FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";

function escaped(text) {
  return String(text).replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);
}

/** Return a line of text whose baseline starts (or is centred, or ends) at (x, y). */
function svgText(x, y, words, { size = 12, fill = "var(--ink)", anchor = "start", bold = false } = {}) {
  const weight = bold ? ' font-weight="600"' : "";
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" font-size="${size}" fill="${fill}"${weight}>${escaped(words)}</text>`;
}

/** Return a rectangle. */
function svgBox(x, y, width, height, { fill = "none", stroke = "none", line = 1, dash = "", round = 0 } = {}) {
  const extra = (dash ? ` stroke-dasharray="${dash}"` : "") + (round ? ` rx="${round}"` : "");
  const edge = stroke === "none" ? "" : ` stroke="${stroke}" stroke-width="${line}"`;
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}"${edge}${extra}/>`;
}

/** Return a picture {width, height, body} as an SVG element; `label` says what it shows. */
function svgElement({ width, height, body }, label) {
  const size = `width="${Math.ceil(width)}" height="${Math.ceil(height)}" viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${escaped(label)}" font-family="${escaped(FONT)}">${body}</svg>`;
}

/** Return pictures side by side (or one below the other) as one, on paper. */
function joinedPictures(title, pictures, { down = false } = {}) {
  let [x, y, width, height] = [24, 56, 0, 0];
  const parts = [];
  for (const one of pictures.filter(Boolean)) {
    parts.push(`<g transform="translate(${x} ${y})">${one.body}</g>`);
    width = Math.max(width, x + one.width);
    height = Math.max(height, y + one.height);
    if (down) y += one.height + 24;
    else x += one.width + 32;
  }
  const heading = svgText(24, 34, title, { size: 17, bold: true });
  width = Math.max(width, 48 + title.length * 9);
  const paper = svgBox(0, 0, width + 24, height + 24, { fill: "var(--paper)" });
  return { width: width + 24, height: height + 24, body: paper + heading + parts.join("") };
}

/** Return lines of text as a picture. */
function textPicture(lines) {
  const body = lines.map((line, i) => svgText(0, 16 + 20 * i, line, { size: 14 }).replace("<text", '<text xml:space="preserve"'));
  return { width: Math.max(...lines.map((line) => line.length)) * 8.4 + 20, height: 20 * lines.length + 10, body: body.join("") };
}

/** Takes the calls that a canvas context takes here, and keeps them as SVG. */
class SvgSurface {
  constructor() {
    this.parts = [];
    this.fillStyle = this.strokeStyle = "#000";
    this.lineWidth = 1;
    this.font = "12px sans-serif";
    this.textAlign = "left";
    this.path = "";
  }

  fillRect(x, y, width, height) {
    this.parts.push(svgBox(x.toFixed(2), y.toFixed(2), width.toFixed(2), height.toFixed(2), { fill: this.fillStyle }));
  }

  strokeRect(x, y, width, height) {
    this.parts.push(svgBox(x.toFixed(2), y.toFixed(2), width.toFixed(2), height.toFixed(2), { stroke: this.strokeStyle, line: this.lineWidth }));
  }

  fillText(words, x, y) {
    const anchor = { left: "start", right: "end", center: "middle" }[this.textAlign];
    const size = Number(this.font.match(/(\d+)px/)[1]);
    this.parts.push(svgText(x, y, words, { size, fill: this.fillStyle, anchor, bold: /^6/.test(this.font) }));
  }

  beginPath() { this.path = ""; }
  moveTo(x, y) { this.path += `M${x.toFixed(1)} ${y.toFixed(1)}`; }
  lineTo(x, y) { this.path += `L${x.toFixed(1)} ${y.toFixed(1)}`; }
  stroke() { this.parts.push(`<path d="${this.path}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"/>`); }
  fill() { this.parts.push(`<path d="${this.path}" fill="${this.fillStyle}"/>`); }
  measureText(words) { return { width: words.length * 6.7 }; }
}
